/** Refusals of the fake in the form of the real API: a Status object. */
export interface Refused {
  readonly status: number
  readonly reason: string
  readonly message: string
  readonly causes?: ReadonlyArray<string>
  readonly retryAfterSeconds?: number
}

export class Refusal extends Error {
  readonly refused: Refused
  constructor(refused: Refused) {
    super(refused.message)
    this.refused = refused
  }
}

export const statusObject = ({ status, reason, message, causes, retryAfterSeconds }: Refused) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  reason,
  details: {
    ...(causes === undefined ? {} : { causes: causes.map((cause) => ({ reason: cause })) }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
  },
  code: status
})

export const notFound = (what: string, name: string) => new Refusal({ status: 404, reason: "NotFound", message: `${what} "${name}" not found` })
export const conflict = (message: string) => new Refusal({ status: 409, reason: "Conflict", message })
export const alreadyExists = (what: string, name: string) => new Refusal({ status: 409, reason: "AlreadyExists", message: `${what} "${name}" already exists` })
export const invalid = (message: string) => new Refusal({ status: 422, reason: "Invalid", message })
export const badRequest = (message: string) => new Refusal({ status: 400, reason: "BadRequest", message })
export const expired = (message: string) => new Refusal({ status: 410, reason: "Expired", message })

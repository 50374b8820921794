/** Refusals of the fake in the form of the real API: a Status object. */
import type { Kind } from "./kinds.ts"

export interface Cause {
  readonly reason: string
  readonly message?: string
  readonly field?: string
}

export interface Refused {
  readonly status: number
  readonly reason: string
  readonly message: string
  /** a bare text is a reason */
  readonly causes?: ReadonlyArray<string | Cause>
  /** what the refusal is about */
  readonly about?: { readonly name?: string; readonly group?: string; readonly kind?: string }
  readonly retryAfterSeconds?: number
  /** sent as it is instead of a Status object */
  readonly text?: string
}

export class Refusal extends Error {
  readonly refused: Refused
  constructor(refused: Refused) {
    super(refused.message)
    this.refused = refused
  }
}

export const statusObject = ({ status, reason, message, causes, about, retryAfterSeconds }: Refused) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  reason,
  details: {
    ...about,
    ...(causes === undefined
      ? {}
      : { causes: causes.map((cause) => (typeof cause === "string" ? { reason: cause } : cause)) }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
  },
  code: status
})

/** `jobs.batch`, as the API names a kind in its messages */
export const pluralOf = ({ plural, group }: Pick<Kind, "plural" | "group">): string =>
  group === "" ? plural : `${plural}.${group}`
const grouped = (group: string) => (group === "" ? {} : { group })
const aboutKind = ({ group, plural }: Kind, name: string) => ({ name, ...grouped(group), kind: plural })

export const notFound = (kind: Kind, name: string) =>
  new Refusal({
    status: 404,
    reason: "NotFound",
    message: `${pluralOf(kind)} "${name}" not found`,
    about: aboutKind(kind, name)
  })
export const unknownPath = new Refusal({
  status: 404,
  reason: "NotFound",
  message: "404 page not found",
  text: "404 page not found\n"
})
export const conflict = (kind: Kind, name: string, why: string) =>
  new Refusal({
    status: 409,
    reason: "Conflict",
    message: `Operation cannot be fulfilled on ${pluralOf(kind)} "${name}": ${why}`,
    about: aboutKind(kind, name)
  })
export const alreadyExists = (kind: Kind, name: string) =>
  new Refusal({
    status: 409,
    reason: "AlreadyExists",
    message: `${pluralOf(kind)} "${name}" already exists`,
    about: aboutKind(kind, name)
  })
/** `what` is the kind in the singular, with its group */
export const invalid = (
  { kind, group }: Pick<Kind, "kind" | "group">,
  name: string,
  field: string,
  reason: string,
  message: string
) =>
  new Refusal({
    status: 422,
    reason: "Invalid",
    message: `${group === "" ? kind : `${kind}.${group}`} "${name}" is invalid: ${field}: ${message}`,
    causes: [{ reason, message, field }],
    about: { ...(name === "" ? {} : { name }), ...grouped(group), ...(kind === "" ? {} : { kind }) }
  })
export const badRequest = (message: string) => new Refusal({ status: 400, reason: "BadRequest", message })
export const expired = (message: string) => new Refusal({ status: 410, reason: "Expired", message })
export const notAllowed = new Refusal({
  status: 405,
  reason: "MethodNotAllowed",
  message: "the server does not allow this method on the requested resource"
})
export const unsupportedMedia = new Refusal({
  status: 415,
  reason: "UnsupportedMediaType",
  message: "415: Unsupported Media Type"
})

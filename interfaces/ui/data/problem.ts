/** Why something cannot be shown, in words for the person in front of it. */
import { parseJson } from "../../../values/json.ts"
import type { Outcome } from "../../client/client.ts"
import type { EndpointName } from "../../http/api.ts"

export interface Problem {
  /** undefined: no answer came */
  readonly status?: number
  readonly code?: string
  readonly message: string
  /** what to do about it */
  readonly remedy?: string
  /** what is wrong with which member of the request, its path as a JSON pointer */
  readonly errors?: ReadonlyArray<FieldProblem>
}

export interface FieldProblem {
  readonly path: string
  readonly message: string
}

const remedies: { readonly [status: number]: string } = {
  401: "Give a token that is valid for this server.",
  403: "Ask whoever runs this tenant for the role evald-tenant-viewer, or evald-tenant-user to run evaluations, or choose another tenant.",
  404: "It may have been deleted, or belong to another tenant.",
  429: "Wait a moment; the page tries again when you reload it.",
  503: "The server is not ready; try again in a moment."
}

interface Refusal {
  readonly message_code: string
  readonly message: string
  readonly errors?: ReadonlyArray<FieldProblem> | undefined
}

export const problemOf = (status: number, error?: Refusal): Problem => ({
  status,
  message: error?.message ?? `the server answered ${status}`,
  ...(error === undefined ? {} : { code: error.message_code }),
  ...(remedies[status] === undefined ? {} : { remedy: remedies[status] }),
  ...(error?.errors === undefined ? {} : { errors: error.errors })
})

export const unreachable: Problem = {
  message: "the server does not answer",
  remedy: "Check that it runs and that this machine reaches it; the page goes on by itself when it is back."
}

const isAt = (error: FieldProblem, path: string): boolean => error.path === path || error.path.startsWith(`${path}/`)

/** those of a field: of the member itself, or of one within it */
export const errorsAt = (problem: Problem | undefined, path: string): ReadonlyArray<FieldProblem> =>
  problem?.errors?.filter((error) => isAt(error, path)) ?? []

/** the problem once the field is another; undefined when nothing else was wrong */
export const withoutErrorsAt = (problem: Problem | undefined, path: string): Problem | undefined => {
  const left = problem?.errors?.filter((error) => !isAt(error, path))
  if (problem === undefined || left === undefined || left.length === problem.errors?.length) return problem
  return left.length === 0 ? undefined : { ...problem, errors: left }
}

/** the problem of a refusal; undefined for a success */
export const refusalOf = <Name extends EndpointName>(outcome: Outcome<Name>): Problem | undefined =>
  outcome.ok ? undefined : problemOf(outcome.status, outcome.error)

/** the error body that a text holds */
export const errorIn = (text: string): { readonly message_code: string; readonly message: string } | undefined => {
  const { message_code, message } = Object(parseJson(text))
  return typeof message_code === "string" && typeof message === "string" ? { message_code, message } : undefined
}

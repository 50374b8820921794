/** Ends of client commands: exit codes, and the one message on standard error with the next command to type. */
import { parseJson, textMember } from "../../../values/json.ts"
import type { Outcome } from "../../client/client.ts"
import type { EndpointName, Operation } from "../../http/api.ts"

export const exits = {
  done: 0,
  other: 1,
  jobFailed: 3,
  belowThreshold: 10,
  inconclusive: 11,
  usage: 64,
  unreachable: 69,
  notAllowed: 77,
  configuration: 78,
  waitedTooLong: 124,
  interrupted: 130
} as const

/** what a command ends with when it can not go on */
export class Stop extends Error {
  readonly exitCode: number
  /** command to type next */
  readonly next: string | undefined
  /** of a server's refusal */
  readonly code: string | undefined
  constructor(exitCode: number, message: string, next?: string, code?: string) {
    super(message)
    this.exitCode = exitCode
    this.next = next
    this.code = code
  }
}

/** what ends a command that would write more than its reader wants */
export class NobodyReads extends Error {}

/** what to type after a refusal */
const nextOf: { readonly [code: string]: string } = {
  resource_not_found: "evald get jobs",
  resource_does_not_exist: "evald get benchmarks",
  evaluation_job_empty: "evald get collections",
  collection_empty: "evald get collections",
  unauthorized: "evald login --server URL --token-file FILE",
  forbidden: "evald whoami",
  route_not_found: "evald version",
  job_has_not_ended: "evald get jobs --status running",
  missing_tenant_header: "evald context set NAME --server URL --tenant TENANT",
  read_only_provider: "evald get providers",
  read_only_collection: "evald get collections",
  resource_in_use: "evald get collections",
  policy_invalid: "evald validate --schema gate-policy",
  job_can_not_be_updated: "evald delete job ID",
  local_runtime_unavailable: "evald doctor",
  benchmark_not_supported: "evald get benchmarks",
  model_url_required: "evald run --help",
  tenant_limit_reached: "evald get jobs --status running",
  request_body_too_large: "evald whoami -o json",
  hardware_profile_not_found: "evald whoami -o json",
  hardware_profile_disabled: "evald whoami -o json",
  hardware_profile_invalid: "evald whoami -o json",
  machine_unavailable: "evald api GET /api/v1/health/ready",
  tracker_request_failed: "evald api GET /api/v1/health/ready",
  database_unavailable: "evald api GET /api/v1/health/ready",
  cluster_unavailable: "evald api GET /api/v1/health/ready",
  review_unavailable: "evald api GET /api/v1/health/ready"
}

/** where there is what a body names that there is not */
const nextOfPath = (errors: ReadonlyArray<{ readonly path: string }>): string | undefined =>
  errors.some(({ path }) => path.endsWith("/job"))
    ? "evald get jobs"
    : errors.some(({ path }) => path.startsWith("/collection"))
      ? "evald get collections"
      : undefined

interface Refusal {
  readonly message_code: string
  readonly message: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }> | undefined
}

const isRefusal = (body: unknown): body is Refusal =>
  textMember(body, "message_code") !== undefined && textMember(body, "message") !== undefined

export const refusalOf = (status: number, error: Refusal | undefined): Stop => {
  const code = status === 401 || status === 403 ? exits.notAllowed : exits.other
  if (error === undefined)
    return new Stop(
      code === exits.notAllowed ? code : [502, 503, 504].includes(status) ? exits.unreachable : exits.other,
      `the server answered ${status} and not as evald does; is the address right?`,
      "evald context list"
    )
  const { errors = [] } = error
  const details = errors.map(({ path, message }) => {
    const place = `\n  ${path === "" ? "(body)" : path}`
    // what is said above is not said again
    return message === error.message ? place : `${place}: ${message}`
  })
  const next =
    (error.message_code === "resource_does_not_exist" ? nextOfPath(errors) : undefined) ?? nextOf[error.message_code]
  return new Stop(code, `${error.message_code}: ${error.message}${details.join("")}`, next, error.message_code)
}

/** an answer that is read as it comes; a refusal stops */
export const opened = async (response: Response): Promise<AsyncIterable<Uint8Array>> => {
  if (response.ok) return (response.body ?? []) as unknown as AsyncIterable<Uint8Array>
  const body = parseJson(await response.text())
  throw refusalOf(response.status, isRefusal(body) ? body : undefined)
}

/** the value of a success; a refusal stops */
export const answered = <Name extends EndpointName>(
  outcome: Outcome<Name>
): Extract<Outcome<Name>, { readonly ok: true }>["value"] => {
  if (outcome.ok) return outcome.value
  throw refusalOf(outcome.status, outcome.error)
}

/** what an operation answers that has a body of JSON */
export type RecordOf<Name extends EndpointName> = Extract<Operation<Name>["success"], object>

/** the same of an operation that answers JSON */
export const recordOf = <Name extends EndpointName>(outcome: Outcome<Name>): RecordOf<Name> => {
  const value: unknown = answered(outcome)
  if (typeof value === "object" && value !== null) return value as RecordOf<Name>
  throw new Stop(exits.other, "the server's answer is no record", "evald context list")
}

const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return causeOf(error.cause)
  // one address of several was tried in vain
  const inner = error instanceof AggregateError ? error.errors[0] : undefined
  return inner instanceof Error ? inner.message : error.message
}

/** whether `fetch` found nobody, as opposed to a fault of this program */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  ((error instanceof TypeError && (error.message === "fetch failed" || error.message === "terminated")) ||
    ("code" in error && String(error.code).startsWith("E")))

export const stopOf = (error: unknown, server: string): Stop => {
  if (error instanceof Stop) return error
  if (isUnreachable(error))
    return new Stop(
      exits.unreachable,
      `${server} can not be reached: ${causeOf(error)}`,
      server.startsWith("http://127.0.0.1:") ? "evald server -local" : "evald context list"
    )
  return new Stop(exits.other, causeOf(error))
}

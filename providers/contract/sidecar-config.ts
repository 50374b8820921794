/**
 * sidecar.json: written by the server into the configuration map of a pod, read by its sidecar. Strict on both sides: an unknown or
 * missing member stops the start. Holds no secret. Hand-written rather than a schema, because one of these starts with every pod.
 * Reference: gateway.md, "Sidecar configuration".
 */
import { Either } from "effect"
import { modelPrefixProblem } from "../../values/sidecar-paths.ts"

/** reads one value; problems are collected, undefined stands for "unusable" */
type Reader<A> = (value: unknown, path: string, problems: Array<string>) => A | undefined
type Read<R> = R extends Reader<infer A> ? A : never

const expected =
  <A>(what: string, fits: (value: unknown) => value is A): Reader<A> =>
  (value, path, problems) => {
    if (fits(value)) return value
    problems.push(`${path}: must be ${what}`)
    return undefined
  }
const text = expected("a text", (value): value is string => typeof value === "string" && value !== "")
const flag = expected("true or false", (value): value is boolean => typeof value === "boolean")
const texts = expected(
  "a list of texts",
  (value): value is ReadonlyArray<string> => Array.isArray(value) && value.every((item) => typeof item === "string")
)
const integer = (min: number, max: number): Reader<number> =>
  expected(
    `a whole number from ${min} to ${max}`,
    (value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max
  )
const oneOf = <const A extends string | number>(...allowed: ReadonlyArray<A>): Reader<A> =>
  expected(`one of ${allowed.join(", ")}`, (value): value is A => (allowed as ReadonlyArray<unknown>).includes(value))

type Fields = { readonly [name: string]: Reader<unknown> }
type Required<F extends Fields> = { readonly [K in keyof F]: Read<F[K]> }
type Optional<F extends Fields> = { readonly [K in keyof F]?: Read<F[K]> }

const object =
  <F extends Fields, O extends Fields>(required: F, optional: O): Reader<Required<F> & Optional<O>> =>
  (value, path, problems) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      problems.push(`${path === "" ? "the document" : path}: must be an object`)
      return undefined
    }
    const given = value as { readonly [name: string]: unknown }
    const at = (name: string) => (path === "" ? name : `${path}.${name}`)
    const before = problems.length
    for (const name of Object.keys(given))
      if (!Object.hasOwn(required, name) && !Object.hasOwn(optional, name)) problems.push(`${at(name)}: is not known`)
    const read = (fields: Fields, name: string) => fields[name]?.(given[name], at(name), problems)
    const entries: Array<readonly [string, unknown]> = []
    for (const name of Object.keys(required)) {
      if (Object.hasOwn(given, name)) entries.push([name, read(required, name)])
      else problems.push(`${at(name)}: is missing`)
    }
    for (const name of Object.keys(optional)) if (Object.hasOwn(given, name)) entries.push([name, read(optional, name)])
    // every member was read by its own reader above
    return problems.length > before ? undefined : (Object.fromEntries(entries) as Required<F> & Optional<O>)
  }

const amount = expected(
  "a number that is not negative",
  (value): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0
)
const port = integer(0, 65_535)
const modelPrefix: Reader<string> = (value, path, problems) => {
  const given = text(value, path, problems)
  const problem = given === undefined ? undefined : modelPrefixProblem(given)
  if (problem === undefined) return given
  problems.push(`${path}: ${problem}`)
  return undefined
}
const millis = integer(1, 86_400_000)

const document = object(
  {
    version: oneOf(1),
    /** `native`: an init container that outlives the adapter; `plain`: an ordinary container that must end by itself */
    mode: oneOf("native", "plain"),
    listen: object({ port, health_port: port }, {}),
    /** the pod's termination grace period */
    grace_seconds: integer(0, 86_400),
    log_level: oneOf("debug", "info", "warning", "error"),
    identity: object(
      {
        job_id: text,
        benchmark_index: integer(0, 999),
        attempt: integer(1, 99),
        provider_id: text,
        benchmark_id: text,
        tenant: text
      },
      {}
    ),
    server: object({ base_url: text, token_path: text, ca_path: text }, {}),
    model: object(
      {
        url: text,
        sa_token_path: text,
        sa_token_injection: oneOf("always", "in_cluster", "never"),
        sa_token_hosts: texts,
        ref_headers: texts
      },
      /** `cluster_domain`: default cluster.local; `prefix`: the model is asked below this path only */
      { secret_dir: text, cluster_domain: text, prefix: modelPrefix }
    ),
    egress: object(
      { deny_cidrs: texts, allow_cidrs: texts, allow_hosts: texts, require_tls_for_credentials: flag },
      { trust_proxy: flag }
    ),
    timeouts: object({ connect_ms: millis, idle_ms: millis, event_wait_ms: millis }, {}),
    spool: object({ dir: text, max_files: integer(1, 1_000_000), max_bytes: integer(1, 1_099_511_627_776) }, {})
  },
  {
    tracker: object({ url: text, token_path: text, ca_path: text }, { workspace: text, insecure_skip_verify: flag }),
    registry: object({ host: text, repository: text, plain_http: flag, config_path: text }, {}),
    /** addresses without credentials; hosts as in `NO_PROXY`; `secret_dir`: keys `credentials` and `ca.crt` */
    proxy: object({}, { http: text, https: text, exempt: texts, named: texts, secret_dir: text }),
    /** the most that the benchmark may use of its model */
    budget: object({}, { requests: amount, tokens: amount, seconds: amount, cost: amount }),
    /** of a million tokens */
    price: object({ input: amount, output: amount }, {}),
    /** answers of the model, on a volume; kept under the benchmark that first asked */
    request_log: object(
      {
        dir: text,
        job_id: text,
        benchmark_index: integer(0, 999),
        max_bytes: integer(1, 1_099_511_627_776),
        retention_days: integer(1, 3650)
      },
      /** answers are encrypted with a key made of what this file holds */
      { key_path: text }
    ),
    /** of the adapter, as the sidecar sees it; absent: samples left there are not looked for */
    results_dir: text,
    /** serve `/metrics` on the health port; default false */
    metrics: flag
  }
)

export type SidecarConfig = Read<typeof document>

/** all problems at once, each beginning with the path of the member */
export const readSidecarConfig = (value: unknown): Either.Either<SidecarConfig, ReadonlyArray<string>> => {
  const problems: Array<string> = []
  const config = document(value, "", problems)
  return config === undefined ? Either.left(problems) : Either.right(config)
}

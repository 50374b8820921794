/**
 * Every message code of the error catalogue with its status, in one table that does not compile while a code is missing. Each answer is
 * also held to the published document by the client. Reference: errors.md, "Error body".
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type RequestCode, requestCodes } from "../../../../interfaces/http/groups/request-codes.ts"
import {
  collectionsPath,
  eventBody,
  HttpApp,
  idOf,
  jobBody,
  jobsPath,
  providersPath
} from "../../../support/http-app.ts"
import { worlds } from "../../../support/worlds/message-codes.ts"

type Http = HttpApp["Type"]
interface Seen {
  readonly status: number
  readonly code: string | undefined
}
interface Case {
  readonly world: keyof typeof worlds
  readonly ask: (http: Http) => Effect.Effect<Seen, unknown>
}

const submitting = (given: { readonly [member: string]: unknown }) => (http: Http) =>
  http.send("POST", jobsPath, { body: jobBody(given) })
const asking =
  (method: string, path: string, sent: Parameters<Http["send"]>[2] = {}) =>
  (http: Http) =>
    http.send(method, path, sent)
const as = (user: string) => ({ headers: { authorization: `Bearer ${user}`, "x-tenant": "a" } })
const raw = (text: string) => (http: Http) =>
  Effect.map(
    http.raw(text),
    (answer): Seen => ({
      status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]),
      code: /"message_code":"(\w+)"/.exec(answer)?.[1]
    })
  )

const provider = { name: "own", runtime: { local: { command: "true" } }, benchmarks: [{ id: "x" }] }
/** a provider of the tenant, and what is then asked of it */
const ofProvider = (method: string, sent: Parameters<Http["send"]>[2]) => (http: Http) =>
  Effect.flatMap(http.send("POST", providersPath, { body: provider }), (made) =>
    http.send(method, `${providersPath}/${idOf(made)}`, sent)
  )
/** a job, the events about it, and what is then asked */
const ofJob =
  (events: ReadonlyArray<string>, last: (http: Http, path: string) => Effect.Effect<Seen, unknown>) => (http: Http) =>
    Effect.gen(function* () {
      const benchmarks = [0, 1].map(() => ({ id: "b", provider_id: "p" }))
      const path = `${jobsPath}/${idOf(yield* http.send("POST", jobsPath, { body: jobBody({ benchmarks }) }))}`
      for (const status of events) yield* http.send("POST", `${path}/events`, { body: eventBody({ status }) })
      return yield* last(http, path)
    })
const local = (ask: Case["ask"]): Case => ({ world: "local", ask })

const cases: { readonly [Code in RequestCode]: Case } = {
  invalid_value: local(submitting({ name: "" })),
  invalid_json_request: local(asking("POST", jobsPath, { body: "{" })),
  missing_tenant_header: {
    world: "reviewed",
    ask: asking("GET", jobsPath, { headers: { authorization: "Bearer alice" } })
  },
  query_bad_parameter: local(asking("GET", `${jobsPath}?nonsense=1`)),
  query_parameter_invalid: local(asking("GET", `${jobsPath}?limit=101`)),
  query_parameter_value_invalid: local(asking("GET", `${jobsPath}?status=done`)),
  invalid_patch_operation: local(ofProvider("PATCH", { body: [{ op: "move", path: "/name" }] })),
  unallowed_patch: local(ofProvider("PATCH", { body: [{ op: "replace", path: "/resource/id", value: "x" }] })),
  resource_does_not_exist: local(submitting({ benchmarks: [{ id: "none", provider_id: "p" }] })),
  early_stop_unsupported: local(submitting({ early_stop: { alpha: 0.05 } })),
  policy_invalid: local(
    ofJob([], (http, path) => http.send("POST", `${path}/gates`, { body: { policy: { criteria: [] } } }))
  ),
  model_url_required: local(submitting({ model: { name: "m", url: "" } })),
  collection_empty: local(submitting({ benchmarks: undefined, collection: { id: "empty" } })),
  evaluation_job_empty: local(submitting({ benchmarks: undefined })),
  tracker_required_for_experiment: local(submitting({ experiment: { name: "e" } })),
  hardware_profile_not_found: {
    world: "cluster",
    ask: submitting({ hardware_config: { hardware_profile_name: "absent" } })
  },
  hardware_profile_disabled: {
    world: "cluster",
    ask: submitting({ hardware_config: { hardware_profile_name: "off" } })
  },
  hardware_profile_invalid: {
    world: "cluster",
    ask: submitting({ hardware_config: { hardware_profile_name: "odd" } })
  },
  read_only_provider: local(asking("DELETE", `${providersPath}/p`)),
  read_only_collection: local(asking("DELETE", `${collectionsPath}/empty`)),
  local_runtime_unavailable: { world: "unready", ask: submitting({}) },
  benchmark_not_supported: local(submitting({ benchmarks: [{ id: "later", provider_id: "p" }] })),
  idempotency_key_invalid: local(
    asking("POST", jobsPath, { headers: { "idempotency-key": "two words" }, body: jobBody() })
  ),
  unauthorized: { world: "reviewed", ask: asking("GET", jobsPath, as("stranger")) },
  forbidden: { world: "reviewed", ask: asking("GET", jobsPath, as("bob")) },
  resource_not_found: local(asking("GET", `${jobsPath}/none`)),
  route_not_found: local(asking("GET", "/none")),
  method_not_allowed: local(asking("PUT", jobsPath)),
  not_acceptable: local(asking("GET", jobsPath, { headers: { accept: "image/png" } })),
  request_timeout: local(
    raw(
      `POST ${jobsPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`
    )
  ),
  request_body_too_large: local(submitting({ description: "x".repeat(4000) })),
  unsupported_media_type: local(asking("POST", jobsPath, { headers: { "content-type": "text/plain" }, body: "{}" })),
  expectation_failed: local(
    raw(`GET ${jobsPath} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: miracles\r\n\r\n`)
  ),
  request_head_too_large: local(
    raw(`GET ${jobsPath} HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"x".repeat(40_000)}\r\n\r\n`)
  ),
  job_can_not_be_updated: local(
    ofJob([], (http, path) =>
      Effect.zipRight(http.send("DELETE", path), http.send("POST", `${path}/events`, { body: eventBody() }))
    )
  ),
  job_has_not_ended: local(
    ofJob([], (http, path) => http.send("POST", `${path}/rerun`, { body: { which: "failed" } }))
  ),
  benchmark_can_not_be_updated: local(
    ofJob(["completed"], (http, path) => http.send("POST", `${path}/events`, { body: eventBody() }))
  ),
  resource_in_use: local((http) =>
    Effect.gen(function* () {
      const id = idOf(yield* http.send("POST", providersPath, { body: provider }))
      yield* http.send("POST", collectionsPath, {
        body: { name: "own", category: "c", benchmarks: [{ id: "x", provider_id: id }] }
      })
      return yield* http.send("DELETE", `${providersPath}/${id}`)
    })
  ),
  idempotency_key_reused: local((http) => {
    const under = (name: string) =>
      http.send("POST", jobsPath, { headers: { "idempotency-key": "once" }, body: jobBody({ name }) })
    return Effect.zipRight(under("one"), under("two"))
  }),
  plan_token_invalid: local(asking("POST", jobsPath, { headers: { "plan-token": "none.such" }, body: jobBody() })),
  sample_conflict: local(
    ofJob([], (http, path) => {
      const upload = (verdict: string) =>
        http.send("POST", `${path}/benchmarks/0/samples`, {
          headers: { "content-type": "application/x-ndjson" },
          body: JSON.stringify({ v: 1, sample_id: "s", task: "t", index: 0, repeat: 0, verdict })
        })
      return Effect.zipRight(upload("correct"), upload("incorrect"))
    })
  ),
  signature_unavailable: local(ofJob([], (http, path) => http.send("GET", `${path}/attestation`))),
  precondition_failed: local(ofProvider("DELETE", { headers: { "if-match": '"another"' } })),
  too_many_requests: {
    world: "limited",
    ask: (http) => Effect.zipRight(http.send("GET", jobsPath), http.send("GET", jobsPath))
  },
  too_many_streams: {
    world: "crowded",
    ask: asking("GET", `${jobsPath}?watch=true`, { headers: { accept: "text/event-stream" } })
  },
  tenant_limit_reached: { world: "quota", ask: submitting({}) },
  internal_error: { world: "defective", ask: submitting({}) },
  tracker_request_failed: { world: "tracked", ask: submitting({ experiment: { name: "e" } }) },
  database_unavailable: {
    world: "forgetful",
    ask: ofJob([], (http, path) => http.send("GET", `${path}/benchmarks/0/logs`))
  },
  cluster_unavailable: { world: "cluster", ask: submitting({ hardware_config: { hardware_profile_name: "away" } }) },
  machine_unavailable: { world: "full", ask: ofJob([], (http, path) => http.send("GET", `${path}/benchmarks/0/logs`)) },
  review_unavailable: { world: "reviewed", ask: asking("GET", jobsPath, as("unheard")) },
  too_many_connections: { world: "narrow", ask: asking("GET", jobsPath) }
}

const codes = Object.keys(requestCodes) as ReadonlyArray<RequestCode>

for (const [name, world] of Object.entries(worlds)) {
  layer(world, { excludeTestServices: true })(`message codes, ${name}`, (it) => {
    for (const code of codes.filter((one) => cases[one].world === name))
      it.effect(`${requestCodes[code].status} ${code}`, () =>
        Effect.gen(function* () {
          const answer = yield* cases[code].ask(yield* HttpApp)
          assert.deepStrictEqual([answer.status, answer.code], [requestCodes[code].status, code])
        })
      )
  })
}

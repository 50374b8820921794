import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { makeClient } from "../../../../interfaces/client/client.ts"
import { apiRoutes, type EndpointName } from "../../../../interfaces/http/api.ts"
import { bothClients, type Seen } from "../../../support/both-clients.ts"
import { layer as app, at, HttpApp, idleRuntime } from "../../../support/http-app.ts"

const log = idleRuntime({
  logs: () => Effect.succeed({ text: Stream.make(new TextEncoder().encode("one line\n")), source: "live" as const })
})
const provider = { name: "mine", runtime: { local: { command: "run" } }, benchmarks: [{ id: "own" }] }
const collection = { name: "set", category: "general", benchmarks: [{ id: "b", provider_id: "p" }] }
const body = {
  name: "job",
  model: { url: "http://model.example.com/v1", name: "m" },
  benchmarks: [{ id: "b", provider_id: "p" }]
}

const idIn = (seen: Seen): string => String("success" in seen ? at(seen.success, "resource.id") : "")

layer(app({ runtime: log }), { excludeTestServices: true })("each call through both clients says the same", (it) => {
  it.effect("every operation of the contract, on success and on refusal", () =>
    Effect.gen(function* () {
      const { port, send } = yield* HttpApp
      const { call, called } = yield* bothClients(`http://127.0.0.1:${port}`)
      const same = ([one, other]: readonly [Seen, Seen], kind: "success" | "refusal" = "success"): Seen => {
        assert.deepStrictEqual(one, other)
        assert.property(one, kind, JSON.stringify(one))
        return one
      }
      const once = (key: string) => ({ headers: { "Idempotency-Key": key } })
      const none = { path: { id: "0198c9d2-0000-7000-8000-000000000000" } }

      const job = { path: { id: idIn(same(yield* call("submitJob", { payload: body, ...once("job") }))) } }
      same(yield* call("submitJob", { payload: body, urlParams: { dry_run: true } }))
      same(yield* call("submitJob", { payload: { ...body, benchmarks: [] } }), "refusal")
      same(yield* call("getJob", job))
      same(yield* call("getJob", none), "refusal")
      const { etag = "" } = (yield* send("GET", `/api/v1/evaluations/jobs/${job.path.id}`)).headers
      assert.deepStrictEqual(same(yield* call("getJob", { ...job, headers: { "If-None-Match": String(etag) } })), {
        success: undefined
      })
      same(yield* call("listJobs", { urlParams: { limit: 5, name: "jo%&b", watch: false } }))
      same(yield* call("listJobs", { urlParams: { limit: 5000 } }), "refusal")
      same(
        yield* call("recordEvent", {
          ...job,
          payload: { benchmark_status_event: { id: "b", provider_id: "p", benchmark_index: 0, status: "running" } }
        })
      )
      same(yield* call("getJobLogs", { ...job, urlParams: { tail_lines: 1 } }))
      const unit = { path: { ...job.path, index: "0" } }
      same(yield* call("getBenchmarkLogs", unit))
      const sample = {
        v: 1,
        sample_id: "s:1",
        task: "t",
        index: 1,
        repeat: 0,
        verdict: "correct",
        response: "42",
        reference: "42",
        score: 1
      } as const
      same(
        yield* call(
          "uploadSamples",
          { ...unit, payload: { ...sample, sample_id: "s:0" } },
          { ...unit, payload: sample }
        )
      )
      same(yield* call("listJobSamples", job))
      same(yield* call("listBenchmarkSamples", { ...unit, urlParams: { limit: 1 } }))
      same(yield* call("getSample", { path: { ...unit.path, sample_id: "s:1" } }))
      const other = idIn(same(yield* call("submitJob", { payload: body, ...once("other-job") })))
      const pair = { payload: { baseline: { job: job.path.id }, candidate: { job: other } } }
      const comparison = { path: { id: idIn(same(yield* call("createComparison", pair))) } }
      same(yield* call("createComparison", { payload: { baseline: { job: job.path.id } } }), "refusal")
      same(yield* call("getComparison", comparison))
      same(yield* call("getComparison", none), "refusal")
      same(yield* call("listJobComparisons", { ...job, urlParams: { limit: 1 } }))
      const policy = { criteria: [{ benchmark: "b", kind: "absolute", threshold: 0.5 }] } as const
      const gate = idIn(same(yield* call("createGate", { ...job, payload: { policy } })))
      same(yield* call("createGate", { ...job, payload: { policy: { criteria: [] } } }), "refusal")
      same(yield* call("getGate", { path: { ...job.path, gate_id: gate } }))
      same(yield* call("listJobGates", job))
      same(yield* call("getAttestation", job), "refusal")
      same(yield* call("discloseSample", { path: { ...job.path, index: "0", sample_id: "none" } }), "refusal")
      same(yield* call("explainJob", job))
      same(yield* call("explainJob", none), "refusal")
      same(yield* call("getJobPlan", job))
      same(yield* call("getJobPlan", none), "refusal")
      same(yield* call("listJobNotifications", job))
      same(yield* call("listJobNotifications", none), "refusal")
      const address = { url: "http://hooks.example.com/evald", secret_ref: "hook-key" }
      same(yield* call("testNotification", { payload: address }), "refusal")
      same(yield* call("getUsage", { urlParams: {} }))
      same(yield* call("getUsage", { urlParams: { from: "never" } }), "refusal")
      same(yield* call("cancelJob", job))
      same(yield* call("watchJob", job))
      same(yield* call("cancelJob", none), "refusal")
      same(yield* call("rerunJob", { ...job, payload: { which: "all", reuse: false }, ...once("rerun") }))
      same(yield* call("rerunJob", { ...job, payload: { which: "invalid" } }), "refusal")

      // providers and collections are called alike, by names that the compiler can not join
      const named = call as (name: EndpointName, first: object, second?: object) => ReturnType<typeof call>
      for (const [create, get, list, replace, patch, remove, payload] of [
        [
          "createProvider",
          "getProvider",
          "listProviders",
          "replaceProvider",
          "patchProvider",
          "removeProvider",
          provider
        ],
        [
          "createCollection",
          "getCollection",
          "listCollections",
          "replaceCollection",
          "patchCollection",
          "removeCollection",
          collection
        ]
      ] as const) {
        const made = { path: { id: idIn(same(yield* named(create, { payload: payload, ...once("one") }))) } }
        const more = {
          path: { id: idIn(same(yield* named(create, { payload: { ...payload, name: "more" }, ...once("two") }))) }
        }
        same(yield* named(get, made))
        same(yield* named(list, { urlParams: { scope: "tenant", limit: 2 } }))
        same(yield* named(replace, { ...made, payload: { ...payload, name: "other" } }))
        same(yield* named(patch, { ...made, payload: { description: "patched" } }))
        same(yield* named(patch, { ...made, payload: [{ op: "replace", path: "/id", value: "x" }] }), "refusal")
        same(yield* named(remove, made, more))
        same(yield* named(remove, { ...none }), "refusal")
      }

      same(yield* call("listBenchmarks", { urlParams: { limit: 1, q: "b", facets: true } }))
      same(yield* call("listBenchmarks", { urlParams: { scope: "other" } }), "refusal")
      same(yield* call("cloneCollection", { path: { id: "c" }, payload: { name: "copy" }, ...once("clone") }))
      same(yield* call("cloneCollection", { ...none, payload: {} }), "refusal")
      same(yield* call("getCollectionFacets", { urlParams: { category: "general" } }))

      same(yield* call("getInfo", {}))
      for (const name of ["health", "healthAlias", "ready", "openapi", "docs"] as const) same(yield* call(name, {}))
      const [metrics, again] = yield* call("metrics", {})
      for (const seen of [metrics, again]) assert.match(String("success" in seen && seen.success), /^# HELP/)

      assert.sameMembers(
        [...called],
        apiRoutes().map(({ name }) => name)
      )
    })
  )

  it.effect("a query parameter that the contract does not have is refused before anything is sent", () =>
    Effect.gen(function* () {
      const { port } = yield* HttpApp
      const client = makeClient({ baseUrl: `http://127.0.0.1:${port}` })
      const misspelt = { limmit: 5 } as object
      assert.throws(() => client.open("listJobs", { urlParams: misspelt }), /has no query parameter 'limmit'/)
      const { status } = yield* Effect.promise(() => client.open("listJobs", { urlParams: { watch: false } }))
      assert.strictEqual(status, 200)
    })
  )
})

describe("an answer of a newer server", () => {
  const newer = { message: "m", message_code: "brand_new", trace: "t", detail: "m", unheard_of: 1 }
  const listening = createServer((_, sink) => {
    sink.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(newer))
  })
  const server = Effect.acquireRelease(
    Effect.async<string>((resume) => {
      listening.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`))
      )
    }),
    () =>
      Effect.sync(() => {
        listening.closeAllConnections()
        listening.close()
      })
  )

  it.scopedLive("with a code and members that nobody knows yet reaches the caller through both clients", () =>
    Effect.gen(function* () {
      const url = yield* server
      const { call } = yield* bothClients(url)
      const [one, other] = yield* call("getJob", { path: { id: "x" } })
      const { unheard_of: _, trace: __, ...known } = newer
      assert.deepStrictEqual(one, { refusal: known })
      assert.deepStrictEqual(other, { refusal: { ...known, unheard_of: 1 } })
      const outcome = yield* Effect.promise(() => makeClient({ baseUrl: url }).getJob({ path: { id: "x" } }))
      assert.deepStrictEqual([outcome.ok, outcome.ok ? undefined : outcome.code], [false, undefined])
    })
  )
})

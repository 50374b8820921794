/** The plan of a stored job over HTTP: what its dry run said, whatever happened since; whose it is, and what it does not tell. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  layer as app,
  at,
  eventBody,
  HttpApp,
  idleRuntime,
  idOf,
  jobBody,
  jobsPath,
  providersPath
} from "../../../../support/http-app.ts"

const live = { excludeTestServices: true } as const

const send = (method: string, path: string, body?: unknown, headers: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(HttpApp, (http) => http.send(method, path, { headers, ...(body === undefined ? {} : { body }) }))

const planOf = (id: string, headers: { readonly [name: string]: string } = {}) =>
  send("GET", `${jobsPath}/${id}/plan`, undefined, headers)

const cluster = idleRuntime({ kind: "cluster", backingName: ({ index }) => `evald-${index}` })

const provider = (image: string) => ({
  name: "own",
  runtime: {
    k8s: { image, entrypoint: ["run", "it"], cpu_limit: "2", env: [{ name: "KEY", value: "canary-in-env" }] },
    local: { command: "run it", env: [{ name: "KEY", value: "canary-in-env" }] }
  },
  benchmarks: [{ id: "x", metrics: ["acc"], primary_score: { metric: "acc", lower_is_better: false } }]
})

layer(app({ runtime: cluster }), live)("the plan of a job in a cluster", (it) => {
  it.effect("is what its dry run said, also when the provider says something else by now", () =>
    Effect.gen(function* () {
      const made = yield* send("POST", providersPath, provider("registry/own:1"))
      assert.strictEqual(made.status, 201, made.text)
      const provider_id = idOf(made)
      const body = jobBody({
        pass_criteria: { threshold: 0.7 },
        benchmarks: [
          { id: "x", provider_id, weight: 2, parameters: { num_examples: 5, api_key: "canary-in-parameters" } },
          { id: "b", provider_id: "p", pass_criteria: { threshold: 0.9 } }
        ],
        hardware_config: { memory: { request: "1Gi" }, queue: { kind: "kueue", name: "night" } }
      })
      const dry = yield* send("POST", `${jobsPath}?dry_run=true`, body)
      assert.strictEqual(dry.status, 200, dry.text)
      const id = idOf(yield* send("POST", jobsPath, body))
      const stored = yield* planOf(id)
      assert.strictEqual(stored.status, 200, stored.text)
      // what a dry run tells besides is of its moment
      const said = dry.json as { readonly benchmarks: ReadonlyArray<{ readonly estimate?: unknown }> }
      const told = said.benchmarks.map(({ estimate: _, ...rest }) => rest)
      assert.deepStrictEqual(stored.json, { ...said, benchmarks: told })
      assert.deepInclude(at(stored.json, "benchmarks.0") as object, {
        image: "registry/own:1",
        entrypoint: ["run", "it"],
        queue: { kind: "kueue", name: "night", source: "hardware_config" },
        parameters: { num_examples: 5, api_key: "[redacted]" }
      })
      assert.deepStrictEqual(
        ["cpu_limit", "memory_request", "memory_limit"].map((name) =>
          at(stored.json, `benchmarks.0.resources.${name}`)
        ),
        [
          { value: "2", source: "provider" },
          { value: "1Gi", source: "hardware_config" },
          { value: "2Gi", source: "built_in" }
        ]
      )
      assert.notInclude(stored.text, "canary")
      const replaced = yield* send("PUT", `${providersPath}/${provider_id}`, provider("registry/own:2"))
      assert.strictEqual(replaced.status, 200, replaced.text)
      const again = yield* planOf(id, { "if-none-match": String(stored.headers["etag"]) })
      assert.strictEqual(again.status, 304)
      assert.strictEqual((yield* planOf(id)).text, stored.text)
    })
  )

  it.effect("a job of another tenant is answered as an absent one, and a query is refused", () =>
    Effect.gen(function* () {
      const id = idOf(yield* send("POST", jobsPath, jobBody()))
      const foreign = yield* planOf(id, { "x-tenant": "other" })
      assert.deepStrictEqual([foreign.status, foreign.code], [404, "resource_not_found"])
      assert.strictEqual((yield* send("GET", `${jobsPath}/${id}/plan?dry_run=true`)).code, "query_bad_parameter")
    })
  )
})

layer(app(), live)("the plan of a job in local mode", (it) => {
  it.effect("says which command, and no image; what a rerun took over keeps the plan of its run", () =>
    Effect.gen(function* () {
      const made = yield* send("POST", providersPath, provider("registry/own:1"))
      const provider_id = idOf(made)
      const own = { id: "x", provider_id }
      const id = idOf(yield* send("POST", jobsPath, jobBody({ benchmarks: [own, own] })))
      const plan = yield* planOf(id)
      assert.deepStrictEqual(
        [at(plan.json, "runtime"), at(plan.json, "warnings"), at(plan.json, "benchmarks.0.command")],
        ["local", [], "run it"]
      )
      for (const absent of ["registry/own", "canary", "service_account", "plan_token", "estimate"])
        assert.notInclude(plan.text, absent)
      const event = (given: object) => eventBody({ id: "x", provider_id, ...given })
      yield* send("POST", `${jobsPath}/${id}/events`, event({ status: "completed", metrics: { acc: 1 } }))
      yield* send("POST", `${jobsPath}/${id}/events`, event({ benchmark_index: 1, status: "failed" }))
      const next = { ...provider("registry/own:1"), runtime: { local: { command: "run it anew" } } }
      yield* send("PUT", `${providersPath}/${provider_id}`, next)
      const rerun = yield* send("POST", `${jobsPath}/${id}/rerun`, { which: "failed", reuse: true })
      assert.strictEqual(rerun.status, 202, rerun.text)
      const { json } = yield* planOf(idOf(rerun))
      assert.deepStrictEqual(
        [at(json, "benchmarks.0.command"), at(json, "benchmarks.1.command")],
        ["run it", "run it anew"]
      )
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { JobPolicy } from "../../../../application/jobs/job-policy.ts"
import { violation } from "../../../../domain/violation.ts"
import { loadCatalog } from "../../../../infrastructure/catalog/load-catalog.ts"
import {
  layer as app,
  at,
  collectionsPath,
  HttpApp,
  idleRuntime,
  idOf,
  jobBody,
  jobsPath,
  providersPath
} from "../../../support/http-app.ts"
import type { Answered } from "../../../support/http-client.ts"

const live = { excludeTestServices: true } as const

/** of the same job, which one of them stored */
const assertOneJob = (answers: ReadonlyArray<Answered>) => {
  for (const { status, text } of answers) assert.deepStrictEqual([status, text], [202, answers[0]?.text])
  const stored = answers.filter(({ headers }) => headers["idempotent-replayed"] === undefined)
  assert.lengthOf(stored, 1)
}

const refused: ReadonlyArray<readonly [string, { readonly [member: string]: unknown }, string, string]> = [
  ["neither benchmarks nor collection", { benchmarks: [] }, "evaluation_job_empty", "/benchmarks"],
  ["both benchmarks and collection", { collection: { id: "c" } }, "invalid_value", "/collection"],
  ["an empty collection", { benchmarks: undefined, collection: { id: "empty" } }, "collection_empty", "/collection/id"],
  [
    "an unknown collection",
    { benchmarks: undefined, collection: { id: "zz" } },
    "resource_does_not_exist",
    "/collection/id"
  ],
  [
    "an unknown provider",
    { benchmarks: [{ id: "b", provider_id: "zz" }] },
    "resource_does_not_exist",
    "/benchmarks/0/provider_id"
  ],
  [
    "an unknown benchmark",
    { benchmarks: [{ id: "zz", provider_id: "p" }] },
    "resource_does_not_exist",
    "/benchmarks/0/id"
  ],
  [
    "an unavailable benchmark",
    { benchmarks: [{ id: "later", provider_id: "p" }] },
    "benchmark_not_supported",
    "/benchmarks/0/id"
  ],
  ["no model url", { model: { name: "m" } }, "model_url_required", "/model/url"],
  ["an empty model url", { model: { url: "", name: "m" } }, "model_url_required", "/model/url"],
  ["an experiment without a tracker", { experiment: { name: "e" } }, "tracker_required_for_experiment", "/experiment"],
  [
    "a profile beside direct fields",
    { hardware_config: { hardware_profile_name: "a", cpu: { request: "1" } } },
    "invalid_value",
    "/hardware_config/hardware_profile_name"
  ],
  [
    "an unsupported data source",
    { benchmarks: [{ id: "b", provider_id: "p", test_data_ref: { pvc: {} } }] },
    "invalid_value",
    "/benchmarks/0/test_data_ref/pvc"
  ],
  [
    "collection overrides",
    { benchmarks: undefined, collection: { id: "c", benchmarks: [] } },
    "invalid_value",
    "/collection/benchmarks"
  ],
  ["a misspelt member", { benchmarks: [{ id: "b", providerId: "p" }] }, "invalid_value", "/benchmarks/0/providerId"],
  ["a member of records only", { status: { state: "pending" } }, "invalid_value", "/status"]
]

layer(app(), live)("submissions that are refused", (it) => {
  for (const [name, given, code, path] of refused) {
    it.effect(`${name}: ${code}`, () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const answer = yield* http.send("POST", jobsPath, { body: jobBody(given) })
        assert.deepStrictEqual([answer.status, answer.code], [400, code], answer.text)
        const errors = at(answer.json, "errors") as ReadonlyArray<{
          readonly path: string
          readonly message_code: string
        }>
        assert.isTrue(
          errors.some((error) => error.path === path && error.message_code === code),
          answer.text
        )
        assert.strictEqual(at((yield* http.send("GET", jobsPath)).json, "total_count"), 0)
      })
    )
  }

  it.effect("what is not supported says so", () =>
    Effect.gen(function* () {
      const answer = yield* (yield* HttpApp).send("POST", jobsPath, {
        body: jobBody({ exports: { oci: { coordinates: { oci_host: "h", oci_repository: "r" }, signing: {} } } })
      })
      assert.include(String(at(answer.json, "message")), "not supported")
    })
  )

  it.effect("a thousand problems are cut to twenty", () =>
    Effect.gen(function* () {
      const benchmarks = Array.from({ length: 100 }, () => ({ id: "zz", provider_id: "p" }))
      const answer = yield* (yield* HttpApp).send("POST", jobsPath, { body: jobBody({ benchmarks }) })
      assert.lengthOf(at(answer.json, "errors") as ReadonlyArray<unknown>, 20)
      assert.include(String(at(answer.json, "message")), "and 99 more problems")
    })
  )
})

layer(app(), live)("submissions", (it) => {
  it.effect("a dry run answers the plan with its sources and stores nothing", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const answer = yield* http.send("POST", `${jobsPath}?dry_run=true`, {
        body: jobBody({
          benchmarks: [
            { id: "b", provider_id: "p", weight: 3, pass_criteria: { threshold: 0.9 } },
            { id: "plain", provider_id: "p" }
          ]
        })
      })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepInclude(at(answer.json, "benchmarks.0") as object, {
        weight: 3,
        primary_score: { metric: "acc", lower_is_better: false, scale: "unit", source: "provider" },
        threshold: { value: 0.9, source: "job" },
        command: "run"
      })
      assert.deepStrictEqual(at(answer.json, "benchmarks.1.resources.cpu_request"), {
        value: "250m",
        source: "built_in"
      })
      assert.strictEqual(at((yield* http.send("GET", jobsPath)).json, "total_count"), 0)
      assert.strictEqual(
        (yield* http.send("POST", `${jobsPath}?dry_run=true`, { body: jobBody({ name: "" }) })).code,
        "invalid_value"
      )
      assert.strictEqual(
        (yield* http.send("POST", `${jobsPath}?dry_run=yes`, { body: jobBody() })).code,
        "query_parameter_invalid"
      )
    })
  )

  it.effect("null is absent, and what has no effect here is said in a Warning header", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const created = yield* http.send("POST", jobsPath, {
        body: jobBody({
          description: null,
          tags: null,
          collection: null,
          experiment: null,
          exports: {},
          custom: null,
          queue: { kind: "kueue", name: "q" }
        })
      })
      assert.strictEqual(created.status, 202, created.text)
      assert.isUndefined(at(created.json, "description"))
      assert.strictEqual(at(created.json, "queue.kind"), "kueue")
      assert.match(String(created.headers["warning"]), /^199 evald "/)
      assert.include(String(at(created.json, "status.message.message")), "ignored")
    })
  )

  it.effect("pass_criteria without a threshold is an absent one, in jobs, entries, providers and collections", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (const pass_criteria of [{}, { threshold: null }]) {
        const entry = { id: "b", provider_id: "p", pass_criteria }
        const job = yield* http.send("POST", jobsPath, { body: jobBody({ pass_criteria, benchmarks: [entry] }) })
        assert.strictEqual(job.status, 202, job.text)
        assert.notInclude(job.text, "pass_criteria")
        const plan = yield* http.send("POST", `${jobsPath}?dry_run=true`, {
          body: jobBody({ pass_criteria, benchmarks: [entry] })
        })
        assert.deepStrictEqual(at(plan.json, "benchmarks.0.threshold"), { value: 0.25, source: "provider" })
        const collection = yield* http.send("POST", collectionsPath, {
          body: { name: "set", category: "c", pass_criteria, benchmarks: [entry] }
        })
        assert.strictEqual(collection.status, 201, collection.text)
        const provider = yield* http.send("POST", providersPath, {
          body: { name: "own", runtime: { local: { command: "run" } }, benchmarks: [{ id: "x", pass_criteria }] }
        })
        assert.strictEqual(provider.status, 201, provider.text)
        for (const { text } of [collection, provider]) assert.notInclude(text, "pass_criteria")
      }
    })
  )

  it.effect(
    "integers that are rounded in free-form objects are said in a Warning header and in the job's message",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const large = (body: object) => JSON.stringify(body).replaceAll('"LARGE"', "9007199254740993")
        const said = (place: string) =>
          `integers beyond 2^53 were rounded, send them as texts to keep every digit: ${place} became 9007199254740992`
        const body = large(jobBody({ custom: { ticket: "LARGE" } }))
        const created = yield* http.send("POST", jobsPath, { body })
        assert.strictEqual(created.status, 202, created.text)
        assert.include(String(created.headers["warning"]), said("/custom/ticket"))
        assert.include(String(at(created.json, "status.message.message")), said("/custom/ticket"))
        const plan = yield* http.send("POST", `${jobsPath}?dry_run=true`, { body })
        assert.include(at(plan.json, "warnings") as ReadonlyArray<string>, said("/custom/ticket"))
        const provider = {
          name: "own",
          runtime: { local: { command: "run" } },
          requirements: { build: "LARGE" },
          benchmarks: [{ id: "x" }]
        }
        const defined = yield* http.send("POST", providersPath, { body: large(provider) })
        assert.include(String(defined.headers["warning"]), said("/requirements/build"))
        const path = String(defined.headers["location"])
        for (const answer of [
          yield* http.send("PUT", path, { body: large(provider) }),
          yield* http.send("PATCH", path, { body: large({ requirements: { build: "LARGE" } }) })
        ])
          assert.include(String(answer.headers["warning"]), said("/requirements/build"), answer.text)
      })
  )

  it.effect("a key makes a submission happen once", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const headers = { "idempotency-key": "k-1" }
      const answers = yield* Effect.all(
        Array.from({ length: 5 }, () => http.send("POST", jobsPath, { headers, body: jobBody({ name: "once" }) })),
        { concurrency: "unbounded" }
      )
      assertOneJob(answers)
      const other = yield* http.send("POST", jobsPath, { headers, body: jobBody({ name: "twice" }) })
      assert.deepStrictEqual([other.status, other.code], [409, "idempotency_key_reused"])
      const elsewhere = yield* http.send("POST", jobsPath, {
        headers: { ...headers, "x-tenant": "other" },
        body: jobBody({ name: "twice" })
      })
      assert.strictEqual(elsewhere.status, 202)
      for (const key of ["", "a b", "x".repeat(256)]) {
        const answer = yield* http.send("POST", jobsPath, { headers: { "idempotency-key": key }, body: jobBody() })
        assert.deepStrictEqual([answer.status, answer.code], [400, "idempotency_key_invalid"], key)
      }
    })
  )

  it.effect("what was planned is stored once by its token, however often and by how many it is sent", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const tenant = { "x-tenant": "planned" }
      const planned = jobBody({ name: "planned", tags: ["x"] })
      const plan = (query: string) => http.send("POST", `${jobsPath}?${query}`, { headers: tenant, body: planned })
      assert.isUndefined(at((yield* plan("dry_run=true")).json, "plan_token"))
      const alone = yield* plan("plan_token=true")
      assert.deepStrictEqual([alone.status, alone.code], [400, "query_parameter_invalid"])
      const headers = {
        ...tenant,
        "plan-token": String(at((yield* plan("dry_run=true&plan_token=true")).json, "plan_token.value"))
      }
      const submitted = (body: object, more: { readonly [name: string]: string } = {}) =>
        http.send("POST", jobsPath, { headers: { ...headers, ...more }, body })
      const other = yield* submitted({ ...planned, name: "other" })
      assert.deepStrictEqual([other.status, other.code], [409, "plan_token_invalid"])
      const keyed = yield* submitted(planned, { "idempotency-key": "k" })
      assert.deepStrictEqual([keyed.status, keyed.code], [400, "idempotency_key_invalid"])
      const elsewhere = yield* submitted(planned, { "x-tenant": "elsewhere" })
      assert.deepStrictEqual([elsewhere.status, elsewhere.code], [409, "plan_token_invalid"])
      // the order of members means nothing
      const turned = Object.fromEntries(Object.entries(planned).reverse())
      const answers = yield* Effect.all(
        [planned, turned, planned, turned].map((body) => submitted(body)),
        { concurrency: "unbounded" }
      )
      assertOneJob(answers)
      const stored = yield* http.send("GET", jobsPath, { headers: tenant })
      assert.strictEqual(at(stored.json, "total_count"), 1)
    })
  )

  it.effect("jobs are found by every filter, and pages are complete", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const headers = { "x-tenant": "filters" }
      const make = (given: { readonly [member: string]: unknown }) =>
        Effect.map(http.send("POST", jobsPath, { headers, body: jobBody(given) }), idOf)
      const a = yield* make({ name: "Alpha 100%", tags: ["x", "y"] })
      const b = yield* make({ name: "beta_1", tags: ["y"], model: { url: "http://m/v1", name: "other" } })
      const c = yield* make({ name: "gamma", benchmarks: undefined, collection: { id: "c" } })
      yield* http.send("DELETE", `${jobsPath}/${a}`, { headers })
      const found = (query: string) =>
        Effect.map(http.send("GET", `${jobsPath}?${query}`, { headers }), (answer) =>
          (at(answer.json, "items") as ReadonlyArray<{ readonly resource: { readonly id: string } }>).map(
            ({ resource }) => resource.id
          )
        )
      assert.deepStrictEqual(yield* found(""), [c, b, a])
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["status=cancelled", [a]],
        ["status=pending|cancelled", [c, b, a]],
        ["status=!pending", [a]],
        ["name=ALPHA", [a]],
        ["name=%25", [a]],
        ["name=_", [b]],
        ["tags=x,y", [a]],
        ["tags=x|y", [b, a]],
        ["model=other", [b]],
        ["collection_id=c", [c]],
        ["provider_id=p", [c, b, a]],
        ["provider_id=zz", []],
        ["owner=local", [c, b, a]],
        ["experiment_id=1", []],
        ["created_after=2000-01-01", [c, b, a]],
        ["created_before=2000-01-01", []]
      ]
      for (const [query, wanted] of cases) assert.deepStrictEqual(yield* found(query), wanted, query)
      assert.strictEqual(
        (yield* http.send("GET", `${jobsPath}?status=done`, { headers })).code,
        "query_parameter_value_invalid"
      )

      const walk = (query: string) =>
        Effect.gen(function* () {
          const seen: Array<string> = []
          let href: string | undefined = `${jobsPath}?${query}`
          while (href !== undefined) {
            const page: { readonly json: unknown } = yield* http.send("GET", href, { headers })
            seen.push(
              ...(at(page.json, "items") as ReadonlyArray<{ readonly resource: { readonly id: string } }>).map(
                ({ resource }) => resource.id
              )
            )
            assert.strictEqual(at(page.json, "total_count"), 3)
            href = at(page.json, "next.href") as string | undefined
          }
          return seen
        })
      assert.deepStrictEqual(yield* walk("limit=1"), [c, b, a])
      assert.deepStrictEqual(yield* walk("limit=1&cursor="), [c, b, a])
      const fields = yield* http.send("GET", `${jobsPath}?fields=name,status&limit=1`, { headers })
      assert.sameMembers(Object.keys(at(fields.json, "items.0") as object), ["resource", "name", "status"])
    })
  )

  it.effect("entity tags of jobs save answers and guard the cancellation", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const created = yield* http.send("POST", jobsPath, { body: jobBody() })
      const path = String(created.headers["location"])
      const tag = String(created.headers["etag"])
      assert.strictEqual((yield* http.send("GET", path, { headers: { "if-none-match": tag } })).status, 304)
      assert.strictEqual((yield* http.send("GET", path, { headers: { "if-none-match": '"x", W/"y"' } })).status, 200)
      assert.strictEqual(
        (yield* http.send("DELETE", path, { headers: { "if-match": '"x"' } })).code,
        "precondition_failed"
      )
      assert.strictEqual((yield* http.send("DELETE", path, { headers: { "if-match": tag } })).status, 204)
      assert.strictEqual((yield* http.send("GET", path, { headers: { "if-none-match": tag } })).status, 200)
    })
  )

  it.effect("test data may be a whole bucket: the empty key is shown, other empty members are not", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const s3 = { bucket: "sets", key: "", secret_ref: "keys" }
      const body = jobBody({
        description: "",
        custom: {},
        tags: [],
        benchmarks: [{ id: "b", provider_id: "p", test_data_ref: { s3 }, parameters: {} }]
      })
      const { json } = yield* http.send("POST", jobsPath, { body })
      assert.deepStrictEqual(at(json, "benchmarks.0.test_data_ref"), { s3 })
      assert.doesNotHaveAnyKeys(json as object, ["description", "custom"])
    })
  )

  it.effect("of many deletions with one entity tag one is done: the tag is compared under the row's lock", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (const query of ["", "?hard_delete=true"]) {
        const created = yield* http.send("POST", jobsPath, { body: jobBody() })
        const path = `${String(created.headers["location"])}${query}`
        const headers = { "if-match": String(created.headers["etag"]) }
        const answers = yield* Effect.all(
          Array.from({ length: 12 }, () => http.send("DELETE", path, { headers })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(answers.filter(({ status }) => status === 204).length, 1, query)
        const refusal = query === "" ? "precondition_failed" : "resource_not_found"
        assert.isTrue(
          answers.every(({ status, code }) => status === 204 || code === refusal),
          query
        )
      }
    })
  )
})

const unready = idleRuntime({
  check: () =>
    Effect.succeed([
      violation(
        ["benchmarks", 0, "providerId"],
        "the framework is not installed; run pip install",
        "local_runtime_unavailable"
      )
    ])
})

layer(app({ runtime: unready }), live)("what the runtime knows", (it) => {
  it.effect("is told before anything is stored", () =>
    Effect.gen(function* () {
      const answer = yield* (yield* HttpApp).send("POST", jobsPath, { body: jobBody() })
      assert.deepStrictEqual([answer.status, answer.code], [400, "local_runtime_unavailable"])
    })
  )
})

layer(app({ runtime: idleRuntime({ kind: "cluster" }) }), live)("in a cluster", (it) => {
  it.effect("a profile that does not exist is refused", () =>
    Effect.gen(function* () {
      const answer = yield* (yield* HttpApp).send("POST", jobsPath, {
        body: jobBody({ hardware_config: { hardware_profile_name: "big" } })
      })
      assert.deepStrictEqual([answer.status, answer.code], [400, "hardware_profile_not_found"])
    })
  )

  it.effect("request and limit are compared after resolution", () =>
    Effect.gen(function* () {
      const answer = yield* (yield* HttpApp).send("POST", jobsPath, {
        body: jobBody({ hardware_config: { cpu: { request: "4" } } })
      })
      assert.deepStrictEqual([answer.status, answer.code], [400, "invalid_value"], answer.text)
    })
  )
})

const tracked = Layer.succeed(JobPolicy, { trackerConfigured: true, deferTrackerFailure: true })

layer(app().pipe(Layer.provide(tracked)), live)("with a tracking server", (it) => {
  it.effect("a job may name an experiment", () =>
    Effect.gen(function* () {
      const answer = yield* (yield* HttpApp).send("POST", jobsPath, {
        body: jobBody({ experiment: { name: "e", tags: [{ key: "k", value: "v" }] } })
      })
      assert.deepStrictEqual(
        [answer.status, at(answer.json, "experiment.tags")],
        [202, [{ key: "k", value: "v" }]],
        answer.text
      )
    })
  )
})

const policy = Layer.succeed(JobPolicy, {
  trackerConfigured: false,
  deferTrackerFailure: true,
  ownNamespace: "evald-system",
  serviceAccount: "evald-evald-system-job",
  egress: { denied: [], allowed: [], hosts: [] }
})

layer(app({ runtime: idleRuntime({ kind: "cluster" }) }).pipe(Layer.provide(policy)), live)("in a cluster", (it) => {
  it.effect("the namespace of the service itself is no tenant", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (const path of [jobsPath, `${jobsPath}?dry_run=true`]) {
        const answer = yield* http.send("POST", path, { headers: { "x-tenant": "evald-system" }, body: jobBody() })
        assert.deepStrictEqual([answer.status, answer.code], [403, "forbidden"], answer.text)
        assert.include(answer.text, "is no tenant")
      }
    })
  )
  it.effect("a literal address that no pod may reach is refused at once, a private one is not", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const post = (url: string) =>
        http.send("POST", `${jobsPath}?dry_run=true`, { body: jobBody({ model: { url, name: "m" } }) })
      for (const url of ["http://169.254.169.254/v1", "http://127.0.0.1:1/v1", "http://[::ffff:127.0.0.1]/v1"]) {
        const answer = yield* post(url)
        assert.deepStrictEqual([answer.status, at(answer.json, "errors.0.path")], [400, "/model/url"], url)
      }
      const answer = yield* post("http://10.1.2.3/v1")
      assert.notInclude(answer.text, "/model/url")
    })
  )
})

layer(app({ settings: { lenient: true } }), live)("with compat.lenient_unknown_fields", (it) => {
  it.effect("unknown members are ignored with a Warning header, wrong ones still refused", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const fine = yield* http.send("POST", jobsPath, {
        body: jobBody({ nmae: 1, model: { url: "http://m/v1", name: "m", nested: {} } })
      })
      assert.strictEqual(fine.status, 202, fine.text)
      assert.include(String(fine.headers["warning"]), "/model/nested")
      const wrong = yield* http.send("POST", jobsPath, { body: jobBody({ nmae: 1, name: 2 }) })
      assert.deepStrictEqual(
        (at(wrong.json, "errors") as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path),
        ["/name"]
      )
    })
  )

  it.effect("unknown members of providers and collections are ignored too, at every depth and in a PATCH", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const provider = {
        name: "mine",
        colour: "red",
        runtime: { local: { command: "run", shell: "sh" } },
        benchmarks: [{ id: "one", level: 3 }]
      }
      const created = yield* http.send("POST", providersPath, { body: provider })
      assert.strictEqual(created.status, 201, created.text)
      for (const path of ["/colour", "/runtime/local/shell", "/benchmarks/0/level"])
        assert.include(String(created.headers["warning"]), path)
      assert.notInclude(created.text, "colour")
      const path = String(created.headers["location"])
      const replaced = yield* http.send("PUT", path, { body: provider })
      assert.deepStrictEqual(
        [replaced.status, String(replaced.headers["warning"]).includes("/colour")],
        [200, true],
        replaced.text
      )
      const patched = yield* http.send("PATCH", path, {
        body: [{ op: "add", path: "/agent", value: { summary: "short", mood: "fine" } }]
      })
      assert.deepStrictEqual([patched.status, at(patched.json, "agent")], [200, { summary: "short" }], patched.text)
      assert.include(String(patched.headers["warning"]), "/agent/mood")
      const collection = yield* http.send("POST", collectionsPath, {
        body: { name: "set", category: "c", size: 1, benchmarks: [{ id: "b", provider_id: "p", rank: 1 }] }
      })
      assert.strictEqual(collection.status, 201, collection.text)
      for (const member of ["/size", "/benchmarks/0/rank"])
        assert.include(String(collection.headers["warning"]), member)
      const wrong = yield* http.send("POST", providersPath, { body: { ...provider, name: 7 } })
      assert.deepStrictEqual(
        (at(wrong.json, "errors") as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path),
        ["/name"]
      )
    })
  )
})

const shipped = loadCatalog({ configDir: "config", images: {} }).snapshot

const withoutLighteval = idleRuntime({
  check: (benchmarks) =>
    Effect.succeed(
      benchmarks.flatMap(({ index, entry }) =>
        entry.providerId === "lighteval"
          ? [violation(["benchmarks", index, "providerId"], "lighteval is not installed", "local_runtime_unavailable")]
          : []
      )
    )
})

const byCollection = (id: string, parameters?: object) =>
  jobBody({ benchmarks: undefined, collection: { id, ...(parameters === undefined ? {} : { parameters }) } })

layer(app({ catalog: shipped }), live)("shipped collections that run code, in local mode", (it) => {
  for (const id of ["coding-v1", "standard-llm-evals-v1"])
    it.effect(`${id} runs when the job permits it, and the refusal says how`, () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const refused = yield* http.send("POST", jobsPath, { body: byCollection(id) })
        assert.deepStrictEqual(
          [refused.status, refused.code, at(refused.json, "errors.0.path")],
          [400, "benchmark_not_supported", "/collection/id"]
        )
        assert.lengthOf(at(refused.json, "errors") as ReadonlyArray<unknown>, 1, refused.text)
        assert.include(String(at(refused.json, "message")), "allow_code_execution: true in 'collection.parameters'")
        const plan = yield* http.send("POST", `${jobsPath}?dry_run=true`, {
          body: byCollection(id, { allow_code_execution: true })
        })
        assert.strictEqual(plan.status, 200, plan.text)
        const planned = at(plan.json, "benchmarks") as ReadonlyArray<{
          readonly parameters?: { readonly allow_code_execution?: boolean }
        }>
        assert.isTrue(planned.every(({ parameters }) => parameters?.allow_code_execution === true))
        const created = yield* http.send("POST", jobsPath, { body: byCollection(id, { allow_code_execution: true }) })
        assert.strictEqual(created.status, 202, created.text)
        assert.deepStrictEqual(at(created.json, "collection"), { id, parameters: { allow_code_execution: true } })
        assert.strictEqual(at(created.json, "benchmarks.0.parameters.allow_code_execution"), true)
      })
    )
})

layer(app({ catalog: shipped, runtime: withoutLighteval }), live)(
  "shipped collections that run code, without their framework",
  (it) => {
    it.effect("are refused for the framework alone, where the collection is named", () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const refused = yield* http.send("POST", jobsPath, {
          body: byCollection("coding-v1", { allow_code_execution: true })
        })
        assert.deepStrictEqual(
          (at(refused.json, "errors") as ReadonlyArray<{ readonly path: string; readonly message_code: string }>).map(
            (one) => [one.path, one.message_code]
          ),
          [["/collection/id", "local_runtime_unavailable"]]
        )
      })
    )
  }
)

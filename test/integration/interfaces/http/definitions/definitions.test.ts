import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  layer as app,
  at,
  collectionsPath,
  HttpApp,
  idOf,
  jobBody,
  jobsPath,
  providersPath,
  sampleCatalog
} from "../../../../support/http-app.ts"
import type { Answered } from "../../../../support/http-client.ts"

const live = { excludeTestServices: true } as const

const providerBody = (given: { readonly [member: string]: unknown } = {}) => ({
  name: "mine",
  runtime: { local: { command: "my-adapter", env: [{ name: "A", value: "1" }] } },
  benchmarks: [{ id: "one", primary_score: { metric: "acc" }, pass_criteria: { threshold: 0.5 } }],
  ...given
})
const collectionBody = (given: { readonly [member: string]: unknown } = {}) => ({
  name: "gate",
  category: "general",
  benchmarks: [{ id: "b", provider_id: "p", weight: 2 }],
  ...given
})

const ids = (answer: Answered) =>
  (at(answer.json, "items") as ReadonlyArray<{ readonly resource: { readonly id: string } }>).map(
    ({ resource }) => resource.id
  )

layer(app(), live)("providers over HTTP", (it) => {
  it.effect("a provider is created, read, replaced, patched and deleted", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const created = yield* http.send("POST", providersPath, {
        body: providerBody({
          description: "",
          tags: [],
          agent: { summary: "short" },
          title: null,
          requirements: { pip: ["x"] },
          parameters: [{ name: "n", type: "integer", default: 3 }]
        })
      })
      assert.strictEqual(created.status, 201, created.text)
      const path = String(created.headers["location"])
      assert.strictEqual(path, `${providersPath}/${idOf(created)}`)
      assert.deepInclude(at(created.json, "benchmarks.0") as object, {
        id: "one",
        name: "one",
        category: "other",
        metrics: []
      })
      assert.doesNotHaveAnyKeys(created.json as object, ["description", "title"], "empty members are absent")
      assert.deepInclude(at(created.json, "resource") as object, { tenant: "default", owner: "local" })

      const read = yield* http.send("GET", path)
      assert.strictEqual(read.text, created.text)
      assert.strictEqual(read.headers["etag"], created.headers["etag"])

      // GET, edit, PUT works although the record carries `resource`
      const replaced = yield* http.send("PUT", path, {
        body: { ...(read.json as object), title: "Mine", unexpected: undefined }
      })
      assert.deepStrictEqual(
        [replaced.status, at(replaced.json, "title"), at(replaced.json, "resource.created_at")],
        [200, "Mine", at(read.json, "resource.created_at")]
      )

      const patched = yield* http.send("PATCH", path, {
        body: [
          { op: "replace", path: "/agent/summary", value: "shorter" },
          { op: "add", path: "/tags/-", value: "t" },
          { op: "remove", path: "/title" }
        ]
      })
      assert.deepStrictEqual(
        [at(patched.json, "agent.summary"), at(patched.json, "tags"), at(patched.json, "title")],
        ["shorter", ["t"], undefined]
      )
      const merged = yield* http.send("PATCH", path, { body: { description: "text", tags: null } })
      assert.deepStrictEqual([at(merged.json, "description"), at(merged.json, "tags")], ["text", undefined])
      const typed = yield* http.send("PATCH", path, {
        body: [{ op: "add", path: "/title", value: "x" }],
        headers: { "content-type": "application/json-patch+json" }
      })
      assert.strictEqual(typed.status, 200)

      assert.strictEqual((yield* http.send("DELETE", path)).status, 204)
      assert.strictEqual((yield* http.send("GET", path)).code, "resource_not_found")
      assert.strictEqual((yield* http.send("DELETE", path)).code, "resource_not_found")
      assert.strictEqual((yield* http.send("PUT", path, { body: providerBody() })).code, "resource_not_found")
    })
  )

  it.effect("all problems of a body are told at once, with the nearest known name", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const answer = yield* http.send("POST", providersPath, {
        body: { nmae: "x", runtime: { k8s: { imge: "i" } }, benchmarks: [{ id: 1, weight: 2 }] }
      })
      assert.strictEqual(answer.code, "invalid_value")
      const errors = at(answer.json, "errors") as ReadonlyArray<{ readonly path: string; readonly message: string }>
      assert.sameMembers(
        errors.map(({ path }) => path),
        ["/nmae", "/runtime/k8s/imge", "/benchmarks/0/id", "/benchmarks/0/weight", "/name"]
      )
      assert.include(errors.find(({ path }) => path === "/nmae")?.message, "did you mean 'name'?")
      assert.include(errors.find(({ path }) => path === "/runtime/k8s/imge")?.message, "did you mean 'image'?")
      assert.include(errors.find(({ path }) => path === "/benchmarks/0/id")?.message, "must be a string")
    })
  )

  it.effect("rules of the domain come with pointers into the body", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const answer = yield* http.send("POST", providersPath, {
        body: providerBody({
          runtime: {},
          benchmarks: [{ id: "x" }, { id: "x" }],
          agent: { summary: "s".repeat(201), target_type: "model" }
        })
      })
      const paths = (at(answer.json, "errors") as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path)
      assert.includeMembers(paths, ["/runtime", "/agent/summary"])
      assert.isTrue(
        paths.some((path) => path.startsWith("/benchmarks/1")),
        paths.join(" ")
      )
    })
  )

  it.effect("older spellings of runtime.k8s are read", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const created = yield* http.send("POST", providersPath, {
        body: providerBody({ runtime: { k8s: { Image: "r/i:1", CPURequest: "100m" } } })
      })
      assert.deepStrictEqual(at(created.json, "runtime"), { k8s: { image: "r/i:1", cpu_request: "100m" } })
    })
  )

  it.effect("patches beyond their bounds change nothing", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const path = String((yield* http.send("POST", providersPath, { body: providerBody() })).headers["location"])
      const before = (yield* http.send("GET", path)).text
      const patch = (body: unknown) => http.send("PATCH", path, { body })
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [[{ op: "move", from: "/name", path: "/title" }], "invalid_patch_operation"],
        [[{ op: "test", path: "/name", value: "mine" }], "invalid_patch_operation"],
        [[{ op: "replace", path: "/nothing", value: 1 }], "unallowed_patch"],
        [[{ op: "replace", path: "/benchmarks/7/name", value: "x" }], "invalid_patch_operation"],
        [[{ op: "replace", path: "name", value: "x" }], "invalid_patch_operation"],
        [[{ op: "add", path: "/resource/owner", value: "me" }], "unallowed_patch"],
        [[{ op: "add", path: "/agent/__proto__", value: {} }], "unallowed_patch"],
        [[{ path: "/name", value: "x" }], "invalid_patch_operation"],
        ['"text"', "invalid_patch_operation"],
        [{ resource: { id: "x" } }, "unallowed_patch"],
        [[{ op: "remove", path: "/name" }], "invalid_value"],
        [
          [
            { op: "add", path: "/title", value: "x" },
            { op: "replace", path: "/name", value: 1 }
          ],
          "invalid_value"
        ],
        [[{ op: "add", path: "/name" }], "invalid_patch_operation"]
      ]
      for (const [body, code] of cases) {
        const answer = yield* patch(body)
        assert.deepStrictEqual([answer.status, answer.code], [400, code], JSON.stringify(body))
      }
      assert.strictEqual((yield* http.send("GET", path)).text, before)
    })
  )

  it.effect("an empty patch of either form answers the record as it is", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const created = yield* http.send("POST", providersPath, { body: providerBody() })
      const path = String(created.headers["location"])
      for (const body of [[], {}]) {
        const answer = yield* http.send("PATCH", path, { body })
        assert.deepStrictEqual(
          [answer.status, answer.text, answer.headers["etag"]],
          [200, created.text, created.headers["etag"]]
        )
      }
      assert.strictEqual(
        (yield* http.send("PATCH", path, { body: [], headers: { "if-match": '"other"' } })).code,
        "precondition_failed"
      )
      assert.strictEqual((yield* http.send("PATCH", `${providersPath}/none`, { body: [] })).code, "resource_not_found")
      assert.strictEqual((yield* http.send("PATCH", `${providersPath}/p`, { body: [] })).code, "read_only_provider")
    })
  )

  it.effect("built-in providers are read-only", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (const [method, body] of [
        ["PUT", providerBody()],
        ["PATCH", [{ op: "add", path: "/title", value: "x" }]],
        ["DELETE", undefined]
      ] as const) {
        const answer = yield* http.send(method, `${providersPath}/p`, body === undefined ? {} : { body })
        assert.deepStrictEqual([answer.status, answer.code], [400, "read_only_provider"], method)
      }
      const record = yield* http.send("GET", `${providersPath}/p`)
      assert.isUndefined(at(record.json, "resource.tenant"))
    })
  )

  it.effect("the list has system providers first, filters, pages and leaves benchmarks out", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const tenant = { "x-tenant": "lists" }
      const create = (name: string, tags: ReadonlyArray<string>) =>
        Effect.map(http.send("POST", providersPath, { headers: tenant, body: providerBody({ name, tags }) }), idOf)
      const [b, a] = [yield* create("bb", ["x", "y"]), yield* create("aa", ["x"])]
      const list = (query = "") => http.send("GET", `${providersPath}${query}`, { headers: tenant })
      const all = yield* list()
      assert.deepStrictEqual(ids(all), ["p", a, b])
      assert.deepStrictEqual([at(all.json, "total_count"), at(all.json, "errors"), at(all.json, "limit")], [3, [], 50])
      assert.deepStrictEqual(ids(yield* list("?scope=system")), ["p"])
      assert.deepStrictEqual(ids(yield* list("?scope=tenant&tags=x,y")), [b])
      assert.deepStrictEqual(ids(yield* list("?name=AA")), [a])
      assert.strictEqual((yield* list("?scope=all")).code, "query_parameter_value_invalid")
      const brief = yield* list("?benchmarks=false")
      assert.deepStrictEqual(
        at(brief.json, "items.0.benchmarks"),
        [],
        "an absent member would break clients that read lists"
      )
      assert.deepStrictEqual(at((yield* list("?benchmarks=false&fields=benchmarks")).json, "items.0"), {
        resource: { id: "p" },
        benchmarks: []
      })
      assert.deepStrictEqual(ids(yield* list("?tags=x&tags=y")), [b], "a repeated tags means all of them")
      assert.strictEqual((yield* list("?name=a&name=b")).code, "query_parameter_invalid")
      const fields = yield* list("?fields=name")
      assert.deepStrictEqual(at(fields.json, "items.0"), { resource: { id: "p" }, name: "p" })

      const first = yield* list("?limit=2")
      assert.strictEqual(
        first.headers["link"],
        `<${at(first.json, "first.href")}>; rel="first", <${at(first.json, "next.href")}>; rel="next"`
      )
      const second = yield* http.send("GET", String(at(first.json, "next.href")), { headers: tenant })
      assert.deepStrictEqual([ids(second), at(second.json, "next")], [[b], undefined])
      const cursor = yield* list("?limit=2&cursor=")
      assert.include(String(at(cursor.json, "next.href")), "cursor=")
      assert.deepStrictEqual(ids(yield* http.send("GET", String(at(cursor.json, "next.href")), { headers: tenant })), [
        b
      ])
      const same = yield* http.send("GET", `${providersPath}?limit=2`, {
        headers: { ...tenant, "if-none-match": String(first.headers["etag"]) }
      })
      assert.strictEqual(same.status, 304)
    })
  )

  it.effect("other tenants see nothing of it, in the same words as of an absent one", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", providersPath, { headers: { "x-tenant": "one" }, body: providerBody() }))
      const ask = (path: string, name: string) =>
        http.send("GET", path, { headers: { "x-tenant": name, "x-request-id": "same" } })
      const foreign = yield* ask(`${providersPath}/${id}`, "two")
      const absent = yield* ask(`${providersPath}/${id.replace(/.$/, "z")}`, "two")
      assert.strictEqual(foreign.text.replaceAll(id, "ID"), absent.text.replaceAll(id.replace(/.$/, "z"), "ID"))
      assert.strictEqual(
        (yield* http.send("DELETE", `${providersPath}/${id}`, { headers: { "x-tenant": "two" } })).code,
        "resource_not_found"
      )
      assert.strictEqual((yield* ask(`${providersPath}/${id}`, "one")).status, 200)
    })
  )

  it.effect("If-Match guards every write", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const created = yield* http.send("POST", providersPath, { body: providerBody() })
      const path = String(created.headers["location"])
      const old = { "if-match": String(created.headers["etag"]) }
      const changed = yield* http.send("PUT", path, { headers: old, body: providerBody({ title: "one" }) })
      assert.strictEqual(changed.status, 200)
      assert.deepStrictEqual(
        (yield* http.send("PUT", path, { headers: old, body: providerBody() })).code,
        "precondition_failed"
      )
      assert.deepStrictEqual(
        (yield* http.send("PATCH", path, { headers: old, body: { title: "x" } })).code,
        "precondition_failed"
      )
      const refused = yield* http.send("DELETE", path, { headers: old })
      assert.deepStrictEqual([refused.status, refused.code], [412, "precondition_failed"])
      assert.strictEqual(
        (yield* http.send("DELETE", path, { headers: { "if-match": `"other", ${changed.headers["etag"]}` } })).status,
        204
      )
    })
  )
})

layer(app(), live)("collections over HTTP", (it) => {
  it.effect("a collection is created, read, replaced, patched and deleted", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const created = yield* http.send("POST", collectionsPath, {
        body: collectionBody({
          description: "",
          custom: null,
          pass_criteria: { threshold: 0.4 },
          agent: { hints: ["h"] }
        })
      })
      assert.strictEqual(created.status, 201, created.text)
      const path = String(created.headers["location"])
      assert.strictEqual((yield* http.send("GET", path)).text, created.text)
      const replaced = yield* http.send("PUT", path, { body: { ...(created.json as object), category: "safety" } })
      assert.strictEqual(at(replaced.json, "category"), "safety")
      const patched = yield* http.send("PATCH", path, {
        body: [{ op: "replace", path: "/benchmarks/0/weight", value: 0.5 }]
      })
      assert.strictEqual(at(patched.json, "benchmarks.0.weight"), 0.5)
      assert.deepStrictEqual(ids(yield* http.send("GET", `${collectionsPath}?category=safety`)), [idOf(created)])
      assert.deepStrictEqual(ids(yield* http.send("GET", `${collectionsPath}?category=safet`)), [])
      assert.strictEqual((yield* http.send("DELETE", path)).status, 204)
    })
  )

  it.effect("an entry without url shows the one of the provider's benchmark, also in a job of the collection", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const url = "https://bench.example.com/one"
      const benchmarks = [{ id: "one", url }, { id: "two" }]
      const provider_id = idOf(yield* http.send("POST", providersPath, { body: providerBody({ benchmarks }) }))
      const own = "https://own.example.com/"
      const created = yield* http.send("POST", collectionsPath, {
        body: collectionBody({
          benchmarks: [
            { id: "one", provider_id },
            { id: "two", provider_id },
            { id: "one", provider_id, url: own },
            { id: "one", provider_id, url: "" }
          ]
        })
      })
      const urls = (answer: Answered) =>
        (at(answer.json, "benchmarks") as ReadonlyArray<{ readonly url?: string }>).map((entry) => entry.url)
      assert.deepStrictEqual(urls(created), [url, undefined, own, url])
      const job = yield* http.send("POST", jobsPath, {
        body: jobBody({ benchmarks: undefined, collection: { id: idOf(created) } })
      })
      assert.deepStrictEqual(urls(job), [url, undefined, own, url])
    })
  )

  it.effect("an empty key of test data, which is a whole bucket, is answered as it was given", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const data = { s3: { bucket: "data", key: "", secret_ref: "storage" } }
      const body = collectionBody({ name: "whole", benchmarks: [{ id: "b", provider_id: "p", test_data_ref: data }] })
      const { status, json } = yield* http.send("POST", collectionsPath, { body })
      assert.deepStrictEqual([status, at(json, "benchmarks.0.test_data_ref")], [201, data])
    })
  )

  it.effect("a PATCH touches the agent of an own collection", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const path = String((yield* http.send("POST", collectionsPath, { body: collectionBody() })).headers["location"])
      const added = yield* http.send("PATCH", path, {
        body: [{ op: "add", path: "/agent", value: { hints: ["first"] } }]
      })
      assert.deepStrictEqual(at(added.json, "agent"), { hints: ["first"] })
      const changed = yield* http.send("PATCH", path, {
        body: [{ op: "add", path: "/agent/hints/-", value: "second" }]
      })
      assert.deepStrictEqual(at(changed.json, "agent"), { hints: ["first", "second"] })
    })
  )

  it.effect("an entry that nearly exists is told what it most likely meant", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const headers = { "x-tenant": "typing" }
      const provider = idOf(
        yield* http.send("POST", providersPath, { headers, body: providerBody({ name: "harness" }) })
      )
      const told = (benchmarks: ReadonlyArray<object>) =>
        Effect.map(http.send("POST", collectionsPath, { headers, body: collectionBody({ benchmarks }) }), ({ json }) =>
          (at(json, "errors") as ReadonlyArray<{ readonly message: string }>).map(({ message }) => message)
        )
      const messages = yield* told([
        { id: "plan", provider_id: "p" },
        { id: "one", provider_id: "harnes" }
      ])
      assert.include(messages[0], "did you mean 'plain'?")
      assert.include(messages[1], `did you mean '${provider}' (harness)?`)
      const job = yield* http.send("POST", jobsPath, {
        headers,
        body: jobBody({ benchmarks: [{ id: "one", provider_id: "harnes" }] })
      })
      assert.include(String(at(job.json, "message")), `did you mean '${provider}' (harness)?`)
      const other = yield* http.send("POST", jobsPath, {
        headers: { "x-tenant": "else" },
        body: jobBody({ benchmarks: [{ id: "one", provider_id: "harnes" }] })
      })
      assert.notInclude(other.text, provider, "what other tenants have is told to nobody")
    })
  )

  it.effect("entries must exist for the tenant", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const answer = yield* http.send("POST", collectionsPath, {
        body: collectionBody({
          benchmarks: [
            { id: "b", provider_id: "nobody" },
            { id: "no", provider_id: "p" }
          ]
        })
      })
      assert.deepStrictEqual([answer.status, answer.code], [400, "resource_does_not_exist"])
      assert.lengthOf(at(answer.json, "errors") as ReadonlyArray<unknown>, 2)
      const path = String((yield* http.send("POST", collectionsPath, { body: collectionBody() })).headers["location"])
      const patched = yield* http.send("PATCH", path, {
        body: [{ op: "replace", path: "/benchmarks/0/id", value: "no" }]
      })
      assert.strictEqual(patched.code, "resource_does_not_exist")
    })
  )

  it.effect("a provider that a collection names is in use", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const provider = idOf(yield* http.send("POST", providersPath, { body: providerBody() }))
      const collection = String(
        (yield* http.send("POST", collectionsPath, {
          body: collectionBody({ benchmarks: [{ id: "one", provider_id: provider }] })
        })).headers["location"]
      )
      const refused = yield* http.send("DELETE", `${providersPath}/${provider}`)
      assert.deepStrictEqual([refused.status, refused.code], [409, "resource_in_use"])
      assert.strictEqual((yield* http.send("DELETE", collection)).status, 204)
      assert.strictEqual((yield* http.send("DELETE", `${providersPath}/${provider}`)).status, 204)
    })
  )

  it.effect("built-in collections are read-only", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const answer = yield* http.send("DELETE", `${collectionsPath}/c`)
      assert.deepStrictEqual([answer.status, answer.code], [400, "read_only_collection"])
    })
  )

  it.effect("a job copies the benchmarks of its collection, whatever happens to it later", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const collection = yield* http.send("POST", collectionsPath, { body: collectionBody() })
      const body = jobBody({ benchmarks: undefined, collection: { id: idOf(collection) } })
      const job = yield* http.send("POST", jobsPath, { body })
      assert.deepStrictEqual(
        [job.status, at(job.json, "collection.id"), at(job.json, "benchmarks.0.weight")],
        [202, idOf(collection), 2]
      )
      yield* http.send("DELETE", String(collection.headers["location"]))
      assert.strictEqual((yield* http.send("GET", String(job.headers["location"]))).text, job.text)
    })
  )
})

const leftOut = [{ line: "broken: 'name' is missing" }, { line: "theirs: 'name' is missing", tenant: "them" }]

layer(app({ catalog: { ...sampleCatalog, errors: leftOut } }), live)("definitions that are left out", (it) => {
  it.effect("are named in the list of providers, to the tenant they belong to", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const told = (tenant: string) =>
        Effect.map(http.send("GET", providersPath, { headers: { "x-tenant": tenant } }), ({ json }) =>
          at(json, "errors")
        )
      assert.deepStrictEqual(yield* told("us"), ["broken: 'name' is missing"])
      assert.deepStrictEqual(yield* told("them"), ["broken: 'name' is missing", "theirs: 'name' is missing"])
    })
  )
})

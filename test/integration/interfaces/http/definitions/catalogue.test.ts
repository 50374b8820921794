import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  layer as app,
  at,
  collectionsPath,
  HttpApp,
  idOf,
  providersPath,
  sampleCatalog
} from "../../../../support/http-app.ts"
import type { Answered } from "../../../../support/http-client.ts"
import { sampleCollection, sampleProvider } from "../../../../support/sample-definitions.ts"

const benchmarksPath = "/api/v1/evaluations/benchmarks"
const tenant = { "x-tenant": "one" }

const benchmark = (id: string, more: object = {}) => ({ id, name: id, category: "other", metrics: [], ...more })
const catalog = {
  ...sampleCatalog,
  providers: [
    sampleProvider({
      id: "math",
      name: "math",
      agent: { evaluates: ["math", "reasoning"] },
      benchmarks: [
        benchmark("sums", { category: "math", tags: ["easy"], description: "Adding numbers" }),
        benchmark("proofs", { category: "math", tags: ["hard", "easy"] })
      ]
    }),
    sampleProvider({ id: "code", name: "code", agent: { evaluates: ["code"] }, benchmarks: [benchmark("sums")] })
  ],
  collections: [
    sampleCollection({ tags: ["gate"], benchmarks: [{ id: "sums", providerId: "math", weight: 2 }] }),
    sampleCollection({ id: "d", name: "d", category: "safety", tags: ["gate", "long"] })
  ]
}

const names = ({ json }: Answered) =>
  (at(json, "items") as ReadonlyArray<{ readonly provider_id: string; readonly id: string }>).map(
    ({ provider_id, id }) => `${provider_id}/${id}`
  )

layer(app({ catalog }), { excludeTestServices: true })("the catalogue over HTTP", (it) => {
  it.effect("benchmarks of all providers are one list, with what its provider evaluates", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const own = { name: "own", runtime: { local: { command: "run" } }, benchmarks: [{ id: "mine", tags: ["easy"] }] }
      const provider = idOf(yield* http.send("POST", providersPath, { headers: tenant, body: own }))
      const list = (query = "") => http.send("GET", `${benchmarksPath}${query}`, { headers: tenant })
      const all = yield* list()
      assert.deepStrictEqual(names(all), ["code/sums", "math/sums", "math/proofs", `${provider}/mine`])
      assert.deepStrictEqual(at(all.json, "items.1"), {
        provider_id: "math",
        scope: "system",
        evaluates: ["math", "reasoning"],
        ...{ id: "sums", name: "sums", description: "Adding numbers", category: "math", metrics: [], tags: ["easy"] }
      })
      assert.notProperty(all.json, "facets")
      for (const [query, wanted] of [
        ["?q=SUM", ["code/sums", "math/sums"]],
        ["?q=adding%20n", ["math/sums"]],
        ["?evaluates=reasoning", ["math/sums", "math/proofs"]],
        ["?evaluates=code|math&category=math", ["math/sums", "math/proofs"]],
        ["?tags=easy,hard", ["math/proofs"]],
        ["?provider_id=code", ["code/sums"]],
        ["?scope=tenant", [`${provider}/mine`]],
        ["?q=nothing", []]
      ] as const)
        assert.deepStrictEqual(names(yield* list(query)), [...wanted], query)
      assert.deepStrictEqual(names(yield* http.send("GET", `${benchmarksPath}?scope=tenant`)), [], "of another tenant")
    })
  )

  it.effect("it has pages, and counts values over all that match, not over the page", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const first = yield* http.send("GET", `${benchmarksPath}?limit=2&facets=true&category=math`)
      assert.deepStrictEqual(at(first.json, "facets"), {
        provider_id: [{ value: "math", count: 2 }],
        category: [{ value: "math", count: 2 }],
        tags: [
          { value: "easy", count: 2 },
          { value: "hard", count: 1 }
        ],
        evaluates: [
          { value: "math", count: 2 },
          { value: "reasoning", count: 2 }
        ]
      })
      const page = yield* http.send("GET", `${benchmarksPath}?limit=2`)
      assert.deepStrictEqual([at(page.json, "total_count"), names(page)], [3, ["code/sums", "math/sums"]])
      const next = yield* http.send("GET", String(at(page.json, "next.href")))
      assert.deepStrictEqual([names(next), at(next.json, "next")], [["math/proofs"], undefined])
      const tag = { "if-none-match": String(page.headers["etag"]) }
      assert.strictEqual((yield* http.send("GET", `${benchmarksPath}?limit=2`, { headers: tag })).status, 304)
      for (const [query, code] of [
        ["?scope=mine", "query_parameter_value_invalid"],
        ["?facets=yes", "query_parameter_invalid"],
        ["?evaluates=a,,b", "query_parameter_invalid"],
        ["?name=x", "query_bad_parameter"]
      ] as const)
        assert.strictEqual((yield* http.send("GET", `${benchmarksPath}${query}`)).code, code, query)
    })
  )

  it.effect("values of collections are counted by the filters of their list", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const all = yield* http.send("GET", `${collectionsPath}/facets`)
      assert.deepStrictEqual(all.json, {
        total_count: 2,
        scope: [{ value: "system", count: 2 }],
        category: [
          { value: "general", count: 1 },
          { value: "safety", count: 1 }
        ],
        tags: [
          { value: "gate", count: 2 },
          { value: "long", count: 1 }
        ],
        evaluates: []
      })
      const narrowed = yield* http.send("GET", `${collectionsPath}/facets?category=safety&tags=long`)
      assert.strictEqual(at(narrowed.json, "total_count"), 1)
      assert.strictEqual(at(narrowed.json, "tags.0.count"), 1)
    })
  )

  it.effect("a built-in collection is copied into one of the tenant, which may be changed", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const copy = (id: string, body: unknown, headers: object = {}) =>
        http.send("POST", `${collectionsPath}/${id}/clones`, { headers: { ...tenant, ...headers }, body })
      const made = yield* copy("c", { name: "mine" })
      assert.strictEqual(made.status, 201, made.text)
      const path = String(made.headers["location"])
      assert.strictEqual(path, `${collectionsPath}/${idOf(made)}`)
      assert.deepInclude(at(made.json, "resource") as object, { tenant: "one", owner: "local" })
      const { resource: _, ...definition } = made.json as { readonly resource: unknown }
      assert.deepStrictEqual(definition, {
        name: "mine",
        category: "general",
        tags: ["gate"],
        benchmarks: [{ id: "sums", provider_id: "math", weight: 2 }]
      })
      const change = { headers: tenant, body: [{ op: "replace", path: "/category", value: "own" }] }
      assert.strictEqual((yield* http.send("PATCH", path, change)).status, 200)
      assert.strictEqual(at((yield* copy("c", {})).json, "name"), "c", "the original's name unless another is given")
      assert.strictEqual(at((yield* copy(idOf(made), {})).json, "category"), "own", "a copy of a copy")
    })
  )

  it.effect("a copy is refused of what is not there, of what would not be accepted now, and of another member", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const copy = (id: string, body: unknown = {}, headers: object = tenant) =>
        http.send("POST", `${collectionsPath}/${id}/clones`, { headers: { ...headers }, body })
      assert.strictEqual((yield* copy("none")).code, "resource_not_found")
      const foreign = idOf(yield* copy("c"))
      assert.strictEqual((yield* copy(foreign, {}, { "x-tenant": "two" })).code, "resource_not_found")
      // its provider is not in the catalogue
      assert.strictEqual((yield* copy("d")).code, "resource_does_not_exist")
      assert.strictEqual((yield* copy("c", { names: "x" })).status, 400)
      assert.strictEqual((yield* copy("c", { name: " " })).status, 400)
    })
  )

  it.effect("one key makes one copy, and belongs to one original", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const headers = { ...tenant, "idempotency-key": "copy-1" }
      const copy = (id: string) => http.send("POST", `${collectionsPath}/${id}/clones`, { headers, body: {} })
      const first = yield* copy("c")
      assert.strictEqual(
        (yield* http.send("DELETE", String(first.headers["location"]), { headers: tenant })).status,
        204
      )
      const again = yield* copy("c")
      assert.deepStrictEqual([again.text, again.headers["idempotent-replayed"]], [first.text, "true"])
      assert.strictEqual((yield* copy("d")).code, "idempotency_key_reused")
    })
  )
})

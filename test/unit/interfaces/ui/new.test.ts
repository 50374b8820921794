import { assert, describe, it } from "vitest"
import { offsetOf } from "../../../../interfaces/ui/screens/catalogue/paging.tsx"
import { jsonIn } from "../../../../interfaces/ui/screens/new/parameters.tsx"
import { draftOf, newKey, requestOf } from "../../../../interfaces/ui/screens/new/request.ts"

const drafted = (search: string) => draftOf(new URLSearchParams(search))

describe("a new run", () => {
  it("begins with what the address names", () => {
    assert.deepStrictEqual(drafted("collection=quick-smoke"), { collection: { id: "quick-smoke" } })
    assert.deepStrictEqual(drafted("benchmark=evald/arith_basic&benchmark=harness/a/b"), {
      benchmarks: [
        { id: "arith_basic", provider_id: "evald" },
        { id: "a/b", provider_id: "harness" }
      ]
    })
    assert.deepStrictEqual(drafted("benchmark=nothing"), {})
  })
  it("has the model's name without one of its own, and a model whose problems have a field", () => {
    assert.deepStrictEqual(requestOf({ model: { url: "http://m/v1", name: "m" } }), {
      name: "m",
      model: { url: "http://m/v1", name: "m" }
    })
    assert.strictEqual(requestOf({}).name, "run")
    assert.deepStrictEqual(requestOf({ name: "mine" }), { name: "mine", model: { url: "", name: "" } })
  })
  it("is sent under a key that no other has", () => {
    const keys = Array.from({ length: 100 }, newKey)
    assert.strictEqual(new Set(keys).size, 100)
    assert.match(keys[0] ?? "", /^[0-9a-f]{32}$/)
  })
  it("lists and objects of parameters are typed as JSON, and sent as text when they are none", () => {
    assert.deepStrictEqual(["[1, 2]", '{"a": true}', "[1,"].map(jsonIn), [[1, 2], { a: true }, "[1,"])
  })
})

describe("a page of a list", () => {
  it.each([
    ["offset=100", 100],
    ["offset=-1", 0],
    ["offset=many", 0],
    ["", 0]
  ])("of ?%s begins at %i", (search, offset) => {
    assert.strictEqual(offsetOf(new URLSearchParams(search)), offset)
  })
})

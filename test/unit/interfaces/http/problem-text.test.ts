import { assert, describe, it } from "@effect/vitest"
import { violation } from "../../../../domain/violation.ts"
import { problemText } from "../../../../interfaces/http/problem-text.ts"

describe("a problem with a name that does not exist", () => {
  it("tells the request that lists what exists, after a hint or instead of one", () => {
    const provider = violation(["benchmarks", 0, "providerId"], "provider 'x' does not exist")
    assert.strictEqual(
      problemText({ ...provider, lookUp: { _tag: "Providers" } }),
      "provider 'x' does not exist; GET /api/v1/evaluations/providers lists those that do"
    )
    assert.strictEqual(
      problemText({ message: "collection 'x' does not exist, did you mean 'y'?", lookUp: { _tag: "Collections" } }),
      "collection 'x' does not exist, did you mean 'y'? GET /api/v1/evaluations/collections lists those that do"
    )
    assert.strictEqual(
      problemText({
        message: "provider 'a b' has no benchmark 'x'",
        lookUp: { _tag: "Benchmarks", provider: "a b", count: 3 }
      }),
      "provider 'a b' has no benchmark 'x'; GET /api/v1/evaluations/providers/a%20b lists its 3"
    )
    assert.strictEqual(problemText(provider), "provider 'x' does not exist")
  })
})

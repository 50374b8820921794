import { assert, describe, it } from "vitest"
import { pointed, valueAt, withValue } from "../../../../interfaces/ui/data/draft.ts"
import { errorsAt, problemOf, withoutErrorsAt } from "../../../../interfaces/ui/data/problem.ts"
import { numberIn } from "../../../../interfaces/ui/parts/fields.tsx"

describe("a request that is filled in", () => {
  const draft = { name: "a", benchmarks: [{ id: "one" }, { id: "two", parameters: { n: 3 } }] }

  it("is read and changed by JSON pointers, and never in place", () => {
    assert.strictEqual(valueAt(draft, "/benchmarks/1/parameters/n"), 3)
    assert.isUndefined(valueAt(draft, "/benchmarks/7/id"))
    assert.isUndefined(valueAt(draft, "/toString"))
    const changed = withValue(draft, "/benchmarks/0/parameters/n", 5)
    assert.deepStrictEqual(changed.benchmarks, [
      { id: "one", parameters: { n: 5 } },
      { id: "two", parameters: { n: 3 } }
    ] as ReadonlyArray<unknown>)
    assert.deepStrictEqual(draft.benchmarks[0], { id: "one" })
  })
  it("a field that is emptied takes its member away, and what holds nothing without it", () => {
    assert.deepStrictEqual(withValue(draft, "/benchmarks/1/parameters/n", undefined).benchmarks[1], { id: "two" })
    const secret: object = { model: { auth: { secret_ref: "s" } } }
    assert.deepStrictEqual(withValue(secret, "/model/auth/secret_ref", undefined), {})
  })
  it("a member may have a slash or a tilde in its name", () => {
    const pointer = `/parameters/${pointed("a/b~c")}`
    assert.strictEqual(valueAt(withValue({}, pointer, 1), pointer), 1)
    assert.deepStrictEqual(withValue({}, pointer, 1), { parameters: { "a/b~c": 1 } })
  })
  it("a number that is none is sent as it was typed, for the answer to say so", () => {
    assert.deepStrictEqual(["0.50", "1e3", "many"].map(numberIn), [0.5, 1000, "many"])
  })
})

describe("the problems of an answer", () => {
  const at = (...paths: ReadonlyArray<string>) =>
    problemOf(400, {
      message_code: "invalid_value",
      message: "wrong",
      errors: paths.map((path) => ({ path, message: `of ${path}` }))
    })
  it("belong to the field of their member, or of the one it lies in", () => {
    const problem = at("/model/url", "/model", "/modelling")
    assert.deepStrictEqual(
      errorsAt(problem, "/model").map(({ path }) => path),
      ["/model/url", "/model"]
    )
    assert.lengthOf(errorsAt(problem, "/model/url"), 1)
    assert.deepStrictEqual(errorsAt(undefined, "/model"), [])
  })
  it("go with what they were said of: a field that is changed is not wrong until it is asked about again", () => {
    const problem = at("/model/url", "/name")
    assert.deepStrictEqual(
      withoutErrorsAt(problem, "/model/url")?.errors?.map(({ path }) => path),
      ["/name"]
    )
    assert.strictEqual(withoutErrorsAt(problem, "/tags"), problem)
    assert.isUndefined(withoutErrorsAt(at("/name"), "/name"))
  })
})

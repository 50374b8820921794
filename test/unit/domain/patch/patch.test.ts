import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { inWireWords } from "../../../../config/wire-names.ts"
import { applyPatch } from "../../../../domain/patch/apply-patch.ts"
import { collectionPatch, providerPatch, readPatch } from "../../../../domain/patch/patch-policy.ts"

const record = {
  resource: { id: "r", tenant: "t" },
  name: "n",
  agent: { hints: ["a", "b"], summary: "s" },
  benchmarks: [{ id: "x" }],
  "a/b": 1
}

const patched = (body: unknown, document: unknown = record, policy = providerPatch) =>
  Either.flatMap(readPatch(body, policy), (patch) => applyPatch(document, patch))
const codes = (body: unknown) => {
  const result = patched(body)
  return Either.isLeft(result) ? result.left.map(inWireWords).map(({ code, path }) => `${code} ${path}`) : ["applied"]
}

describe("operations", () => {
  // the documents, below a member that may be changed
  it.each<[string, unknown, ReadonlyArray<object>, unknown]>([
    ["A.1", { foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }], { baz: "qux", foo: "bar" }],
    ["A.2", { foo: ["bar", "baz"] }, [{ op: "add", path: "/foo/1", value: "qux" }], { foo: ["bar", "qux", "baz"] }],
    ["A.3", { baz: "qux", foo: "bar" }, [{ op: "remove", path: "/baz" }], { foo: "bar" }],
    ["A.4", { foo: ["bar", "qux", "baz"] }, [{ op: "remove", path: "/foo/1" }], { foo: ["bar", "baz"] }],
    ["A.5", { baz: "qux", foo: "bar" }, [{ op: "replace", path: "/baz", value: "boo" }], { baz: "boo", foo: "bar" }],
    [
      "A.10",
      { foo: "bar" },
      [{ op: "add", path: "/child", value: { grandchild: {} } }],
      { foo: "bar", child: { grandchild: {} } }
    ],
    ["A.12", { foo: "bar" }, [{ op: "add", path: "/baz/bat", value: "qux" }], undefined],
    ["A.16", { foo: ["bar"] }, [{ op: "add", path: "/foo/-", value: ["abc", "def"] }], { foo: ["bar", ["abc", "def"]] }]
  ])("example %s of RFC 6902", (_, document, body, expected) => {
    const below = (body as ReadonlyArray<{ readonly path: string }>).map((one) => ({
      ...one,
      path: `/parameters${one.path}`
    }))
    const result = patched(below, { parameters: document })
    if (expected === undefined) assert.isTrue(Either.isLeft(result))
    else assert.deepStrictEqual(Either.getOrThrow(result), { parameters: expected })
  })
  it("add, replace and remove on members and elements", () => {
    const result = patched([
      { op: "add", path: "/agent/evaluates", value: ["e"] },
      { op: "replace", path: "/name", value: "m" },
      { op: "remove", path: "/agent/summary" },
      { op: "add", path: "/agent/hints/-", value: "c" },
      { op: "add", path: "/agent/hints/0", value: "z" },
      { op: "replace", path: "/agent/hints/1", value: "A" },
      { op: "remove", path: "/agent/hints/2" }
    ])
    assert.deepStrictEqual(
      result,
      Either.right({ ...record, name: "m", agent: { hints: ["z", "A", "c"], evaluates: ["e"] } })
    )
  })
  it("add on a present member replaces it", () =>
    assert.deepStrictEqual(Either.getOrThrow(patched([{ op: "add", path: "/name", value: null }])), {
      ...record,
      name: null
    }))
  it("leaves the input alone and shares what it does not touch", () => {
    const frozen = Object.freeze({ ...record, agent: Object.freeze({ ...record.agent }) })
    const result = Either.getOrThrow(
      patched([{ op: "replace", path: "/agent/summary", value: "x" }], frozen)
    ) as typeof record
    assert.strictEqual(result.benchmarks, record.benchmarks)
    assert.strictEqual(frozen.agent.summary, "s")
  })
  it("an empty list of operations changes nothing", () => assert.strictEqual(Either.getOrThrow(patched([])), record))
  it("an operation without op says what it needs", () => {
    const told = (operation: object) =>
      Either.getOrThrow(Either.flip(patched([operation])))
        .map(inWireWords)
        .map(({ path, message, code }) => `${code} ${path} ${message}`)
    assert.deepStrictEqual(told({ path: "/name", value: 1 }), [
      "invalid_patch_operation /0/op a patch operation needs 'op': add, remove or replace"
    ])
    assert.deepStrictEqual(told({ op: null, path: "/name" }), [
      "invalid_patch_operation /0/op a patch operation needs 'op': add, remove or replace"
    ])
    assert.deepStrictEqual(told({ op: "remove" }), [
      "invalid_patch_operation /0/path a patch operation needs 'path', a JSON Pointer text"
    ])
  })
  it("escaped pointers", () => {
    const policy = { members: ["a/b", "c~d"] }
    assert.deepStrictEqual(
      patched(
        [
          { op: "replace", path: "/a~1b", value: 2 },
          { op: "add", path: "/c~0d", value: 3 }
        ],
        { "a/b": 1 },
        policy
      ),
      Either.right({ "a/b": 2, "c~d": 3 })
    )
  })
  it.each<readonly [unknown, string]>([
    ["x", "invalid_patch_operation "],
    [null, "invalid_patch_operation "],
    [Array.from({ length: 101 }, () => ({ op: "remove", path: "/name" })), "invalid_patch_operation "],
    [[7], "invalid_patch_operation /0"],
    [[{ op: "test", path: "/name", value: 1 }], "invalid_patch_operation /0/op"],
    [[{ op: "move", path: "/name", from: "/title" }], "invalid_patch_operation /0/op"],
    [[{ op: "add", path: "/name", value: 1, from: "/x" }], "invalid_patch_operation /0"],
    [[{ op: "add", path: 7, value: 1 }], "invalid_patch_operation /0/path"],
    [[{ op: "add", path: "name", value: 1 }], "invalid_patch_operation /0/path"],
    [[{ op: "add", path: "/name/~2", value: 1 }], "invalid_patch_operation /0/path"],
    [[{ op: "add", path: "/name" }], "invalid_patch_operation /0/value"],
    [[{ op: "replace", path: "", value: {} }], "unallowed_patch /0/path"],
    [[{ op: "replace", path: "/resource/id", value: "x" }], "unallowed_patch /0/path"],
    [[{ op: "add", path: "/id", value: "x" }], "unallowed_patch /0/path"],
    [[{ op: "add", path: "/owner", value: "x" }], "unallowed_patch /0/path"],
    [[{ op: "add", path: "/agent/__proto__/x", value: 1 }], "unallowed_patch /0/path"],
    [[{ op: "add", path: "/agent/constructor", value: 1 }], "unallowed_patch /0/path"],
    [[{ op: "remove", path: "/title" }], "invalid_patch_operation /0/path"],
    [[{ op: "replace", path: "/title", value: "x" }], "invalid_patch_operation /0/path"],
    [[{ op: "add", path: "/runtime/k8s", value: {} }], "invalid_patch_operation /0/path"],
    [[{ op: "remove", path: "/agent/hints/2" }], "invalid_patch_operation /0/path"],
    [[{ op: "remove", path: "/agent/hints/-" }], "invalid_patch_operation /0/path"],
    [[{ op: "add", path: "/agent/hints/3", value: 1 }], "invalid_patch_operation /0/path"],
    [[{ op: "add", path: "/agent/hints/01", value: 1 }], "invalid_patch_operation /0/path"],
    [[{ op: "add", path: "/agent/hints/length", value: 1 }], "invalid_patch_operation /0/path"],
    [[{ op: "remove", path: "/name/x" }], "invalid_patch_operation /0/path"],
    [[{ op: "remove", path: "/agent/toString" }], "invalid_patch_operation /0/path"]
  ])("%j is refused", (body, expected) => assert.deepStrictEqual(codes(body), [expected]))
  it("tells all unreadable operations at once", () => {
    assert.deepStrictEqual(
      codes([
        { op: "copy", path: "/x" },
        { op: "remove", path: "/resource" }
      ]),
      ["invalid_patch_operation /0/op", "unallowed_patch /1/path"]
    )
  })
  it("an operation that fails undoes the ones before", () => {
    assert.deepStrictEqual(
      codes([
        { op: "replace", path: "/name", value: "m" },
        { op: "remove", path: "/title" }
      ]),
      ["invalid_patch_operation /1/path"]
    )
  })
})

describe("merge patches", () => {
  it("follow RFC 7396", () => {
    const result = patched({
      name: "m",
      title: "t",
      agent: { summary: null, hints: ["z"], target_type: "model" },
      runtime: { local: { command: "c", env: null } }
    })
    assert.deepStrictEqual(
      result,
      Either.right({
        ...record,
        name: "m",
        title: "t",
        agent: { hints: ["z"], target_type: "model" },
        runtime: { local: { command: "c" } }
      })
    )
  })
  it("an object replaces what is no object", () =>
    assert.deepStrictEqual(Either.getOrThrow(patched({ name: { a: 1 } })), { ...record, name: { a: 1 } }))
  it.each<readonly [unknown, ReadonlyArray<string>]>([
    [{ resource: {} }, ["unallowed_patch /resource"]],
    [{ id: null, owner: "x" }, ["unallowed_patch /id", "unallowed_patch /owner"]],
    [JSON.parse('{"agent":{"__proto__":{"polluted":1}}}'), ["unallowed_patch /agent/__proto__"]],
    [JSON.parse('{"__proto__":{"polluted":1}}'), ["unallowed_patch /__proto__"]],
    [{ agent: { constructor: 1 } }, ["unallowed_patch /agent/constructor"]]
  ])("%j is refused", (body, expected) => assert.deepStrictEqual(codes(body), expected))
  it("collections have their own members", () => {
    assert.isTrue(Either.isRight(patched({ pass_criteria: { threshold: 1 } }, {}, collectionPatch)))
    assert.isTrue(Either.isLeft(patched({ runtime: {} }, {}, collectionPatch)))
  })
})

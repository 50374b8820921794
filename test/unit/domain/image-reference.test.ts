import { assert, describe, it } from "@effect/vitest"
import { inRegistry, isPinned } from "../../../domain/image-reference.ts"

const digest = `sha256:${"0123456789abcdef".repeat(4)}`

describe("an image in a registry of one's own", () => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    ["quay.io/evalhub/community-garak", "mirror.example:5000/m/evalhub/community-garak"],
    ["quay.io/opendatahub/ta-lmes-job:odh-3.4-ea2", "mirror.example:5000/m/opendatahub/ta-lmes-job:odh-3.4-ea2"],
    [`registry.example:5000/evald@${digest}`, `mirror.example:5000/m/evald@${digest}`],
    [`quay.io/a/b:1@${digest}`, `mirror.example:5000/m/a/b:1@${digest}`],
    ["localhost/evald:1", "mirror.example:5000/m/evald:1"],
    ["postgres:17.6", "mirror.example:5000/m/library/postgres:17.6"],
    ["docker.io/library/postgres:17.6", "mirror.example:5000/m/library/postgres:17.6"],
    ["team/tool", "mirror.example:5000/m/team/tool"]
  ]
  for (const [reference, expected] of cases)
    it(`${reference} keeps its name, tag and digest`, () => {
      const once = inRegistry(reference, "mirror.example:5000/m")
      assert.strictEqual(once, expected)
      assert.strictEqual(inRegistry(once, "mirror.example:5000/m"), expected)
      assert.strictEqual(inRegistry(reference, undefined), reference)
    })

  it("an image that is not given stays not given, and a registry with the same beginning is another one", () => {
    assert.strictEqual(inRegistry("", "mirror.example"), "")
    assert.strictEqual(inRegistry("mirror.example.org/a:1", "mirror.example"), "mirror.example/a:1")
  })

  it("only a digest pins it", () => {
    assert.isTrue(isPinned(`quay.io/a@${digest}`))
    for (const loose of ["quay.io/a", "quay.io/a:1.2.3", "quay.io/a@sha256:12", `${digest}`])
      assert.isFalse(isPinned(loose))
  })
})

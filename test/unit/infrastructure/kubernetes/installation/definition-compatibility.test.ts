/** The definition of the resource takes whatever the definitions of earlier releases took. */
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parseAllDocuments } from "yaml"
import { isObject, listMember, member } from "../../../../../values/json.ts"
import { frozenReleases } from "../../../../support/releases/frozen.ts"
import { narrowed } from "../../../../support/releases/narrowed-schema.ts"

const definitionIn = (path: string): unknown =>
  parseAllDocuments(readFileSync(path, "utf8"))
    .map((one) => one.toJS() as unknown)
    .find((one) => member(one, "kind") === "CustomResourceDefinition")

const versions = (definition: unknown): ReadonlyMap<unknown, unknown> =>
  new Map(listMember(member(definition, "spec"), "versions").map((one) => [member(one, "name"), one]))
const schemaOf = (version: unknown): unknown => member(member(version, "schema"), "openAPIV3Schema")

const present = definitionIn("deploy/install.yaml")

describe("definition of the resource", () => {
  for (const release of frozenReleases)
    it(`takes what that of ${basename(release)} took, in every version it served`, () => {
      const frozen = definitionIn(join(release, "install.yaml"))
      assert.deepStrictEqual(
        [member(member(frozen, "spec"), "group"), member(member(frozen, "spec"), "scope")],
        [member(member(present, "spec"), "group"), member(member(present, "spec"), "scope")]
      )
      const now = versions(present)
      assert.isAbove(versions(frozen).size, 0)
      for (const [name, version] of versions(frozen)) {
        assert.strictEqual(member(now.get(name), "served"), true, String(name))
        assert.deepStrictEqual(narrowed(schemaOf(version), schemaOf(now.get(name))), [])
      }
    })

  it("sees what would be narrower, wherever it stands", () => {
    const schema = schemaOf([...versions(present).values()][0])
    const changed = (path: ReadonlyArray<string>, change: (found: { [name: string]: unknown }) => void) => {
      const copy: unknown = structuredClone(schema)
      const found = path.reduce<unknown>((at, name) => member(at, name), copy)
      assert.isTrue(isObject(found), path.join("."))
      change(found as { [name: string]: unknown })
      return narrowed(schema, copy)
    }
    const spec = ["properties", "spec"]
    const replicas = [...spec, "properties", "replicas"]
    const type = [...spec, "properties", "database", "properties", "type"]
    assert.deepStrictEqual(
      changed([...spec, "properties"], (all) => delete all["replicas"]),
      [".spec.replicas: removed"]
    )
    assert.deepStrictEqual(
      changed(replicas, (one) => Object.assign(one, { maximum: 1 })),
      [".spec.replicas: maximum"]
    )
    assert.deepStrictEqual(
      changed(replicas, (one) => Object.assign(one, { type: "string" })),
      [".spec.replicas: type"]
    )
    assert.deepStrictEqual(
      changed(replicas, (one) => Object.assign(one, { default: 7 })),
      [".spec.replicas: default"]
    )
    assert.deepStrictEqual(
      changed(type, (one) => Object.assign(one, { enum: ["sqlite"] })),
      [".spec.database.type: enum"]
    )
    assert.deepStrictEqual(
      changed(spec, (one) => Object.assign(one, { required: ["replicas", "later"] })),
      [".spec: required"]
    )
    assert.deepStrictEqual(
      changed(replicas, (one) => Object.assign(one, { "x-kubernetes-validations": [{ rule: "self > 1" }] })),
      [".spec.replicas: x-kubernetes-validations"]
    )
    assert.deepStrictEqual(
      changed([...spec, "properties"], (all) => Object.assign(all, { later: { type: "string" } })),
      []
    )
  })
})

/** T0: which definitions an instance mounts, of the installation and of tenants. */
import { assert, describe, it } from "vitest"
import {
  definitionsFinding,
  type OfferedDefinition,
  placeTenantDefinitions,
  selectDefinitions
} from "../../../../domain/operator/definitions.ts"
import { readDefinition, shardNaming } from "../../../../infrastructure/kubernetes/manifests/definitions.ts"
import { shippedDefinitions } from "../../../support/operator-inputs.ts"

const offered = (
  kind: "provider" | "collection",
  id: string,
  more: Partial<OfferedDefinition> = {}
): OfferedDefinition => ({
  kind,
  id,
  text: `id: ${id}`,
  source: { namespace: "evald-system", configMap: `cm-${id}`, key: `${id}.yaml` },
  providers: [],
  runsLocally: false,
  ...more
})
const from = (namespace: string, key = "a.yaml") => ({ source: { namespace, configMap: "mine", key } })
const ids = (all: ReadonlyArray<OfferedDefinition>) => all.map(({ id }) => id)

const shared = [
  offered("provider", "garak"),
  offered("provider", "evald"),
  offered("collection", "safety", { providers: ["garak"] }),
  offered("collection", "both", { providers: ["garak", "evald"] })
]

describe("T0: definitions of the installation", () => {
  it("case 15: absent collections are all whose providers are selected; [] is none", () => {
    const some = selectDefinitions({ providers: ["garak"] }, shared, [])
    assert.deepStrictEqual([ids(some.providers), ids(some.collections)], [["garak"], ["safety"]])
    assert.deepStrictEqual(
      ids(selectDefinitions({ providers: ["garak"], collections: [] }, shared, []).collections),
      []
    )
    assert.deepStrictEqual(ids(selectDefinitions({ providers: [] }, shared, []).providers), [])
    assert.deepInclude(definitionsFinding(some.problems), { holds: true, reason: "Resolved" })
  })

  it("case 15: an unknown provider is named with the one that was meant, and the rest is mounted", () => {
    const { providers, problems } = selectDefinitions({ providers: ["evald", "garrak"] }, shared, [])
    assert.deepStrictEqual(ids(providers), ["evald"])
    const finding = definitionsFinding(problems)
    assert.deepInclude(finding, { holds: false, reason: "UnknownProvider" })
    assert.include(finding.message, "there is no provider 'garrak'; did you mean 'garak'?")
  })

  it("case 15: a collection whose provider is not selected is left out; an unknown one is named", () => {
    const { collections, problems } = selectDefinitions(
      { providers: ["garak"], collections: ["both", "safety", "nothing-like-it"] },
      shared,
      []
    )
    assert.deepStrictEqual(ids(collections), ["safety"])
    assert.deepStrictEqual(
      problems.map(({ reason }) => reason),
      ["CollectionProviderMissing", "UnknownCollection"]
    )
    assert.strictEqual(definitionsFinding(problems).reason, "UnknownCollection")
  })

  it("case 15: one of the instance's namespace goes before the operator's of the same id; an invalid one does not", () => {
    const mine = offered("provider", "garak", { text: "mine", ...from("services") })
    assert.strictEqual(selectDefinitions({ providers: ["garak"] }, shared, [mine]).providers[0]?.text, "mine")
    const broken = { ...mine, problem: "/name: is missing" }
    const { providers, problems } = selectDefinitions({ providers: ["garak"] }, shared, [broken])
    assert.strictEqual(providers[0]?.text, "id: garak")
    assert.strictEqual(problems[0]?.message, "services/mine, a.yaml: /name: is missing")
  })

  it("the shipped definitions are read with the server's own schema, all without a problem", () => {
    assert.isAbove(shippedDefinitions.length, 15)
    assert.deepStrictEqual(
      shippedDefinitions.filter(({ problem }) => problem !== undefined),
      []
    )
  })

  it.each([
    ["id: [", "is no YAML"],
    ["id: p\nname: P\nruntime: {k8s: {image: x}}\n", "/benchmarks: is missing"],
    ["id: P Q\nname: P\nruntime: {k8s: {image: 'x:1'}}\nbenchmarks: [{id: b}]\n", "/id: 'P Q' is not an id"]
  ])("a document that can not be read says where and why: %j", (text, problem) => {
    assert.include(readDefinition("provider", text, { namespace: "n", configMap: "c", key: "k" }).problem, problem)
  })
})

describe("T0: definitions of tenants", () => {
  const system = { providers: [offered("provider", "garak")], collections: [] }
  const place = (all: ReadonlyArray<OfferedDefinition>, limits?: Parameters<typeof placeTenantDefinitions>[3]) =>
    placeTenantDefinitions(all, system, shardNaming, limits)
  const keys = (all: ReadonlyArray<{ readonly [key: string]: string }>) =>
    all.flatMap((shard) => Object.keys(shard)).sort()

  it("case 15: lie under the tenant, the kind and the id, all of a tenant in one shard", () => {
    const { shards, problems } = place([
      offered("provider", "my_bench", from("team-a")),
      offered("collection", "mine", from("team-a", "b.yaml")),
      offered("provider", "my_bench", from("team-b"))
    ])
    assert.deepStrictEqual(problems, [])
    assert.lengthOf(shards, 4)
    assert.deepStrictEqual(
      keys(shards).map((key) => key.replace(/-[0-9a-f]{6}\.yaml$/, ".yaml")),
      ["team-a.collection.mine.yaml", "team-a.provider.my-bench.yaml", "team-b.provider.my-bench.yaml"]
    )
    assert.lengthOf(
      shards.filter((shard) => Object.keys(shard).some((key) => key.startsWith("team-a."))),
      1
    )
  })

  it("case 15: an id of the installation, a local command, and a second one of the same id are refused", () => {
    const { shards, problems } = place([
      offered("provider", "garak", from("team-a", "a.yaml")),
      offered("provider", "shell", { ...from("team-a", "b.yaml"), runsLocally: true }),
      offered("provider", "one", from("team-a", "c.yaml")),
      offered("provider", "one", from("team-a", "d.yaml"))
    ])
    assert.lengthOf(keys(shards), 1)
    assert.deepStrictEqual(
      problems.map(({ message }) => message),
      [
        "team-a/mine, a.yaml: 'id': 'garak' is a provider of the installation; choose another id",
        "team-a/mine, b.yaml: 'runtime.local': a tenant's provider can not run as a process of the server",
        "team-a/mine, d.yaml: 'id': 'one' is already defined in team-a"
      ]
    )
    assert.strictEqual(definitionsFinding(problems).reason, "DefinitionInvalid")
  })

  it("case 15: what exceeds the limits of a tenant or of a shard is left out, in order of namespace", () => {
    const many = Array.from({ length: 4 }, (_, n) => offered("provider", `p${n}`, from("team-a", `${n}.yaml`)))
    const limits = { documents: 3, tenantBytes: 10_000, shardBytes: 10_000 }
    assert.lengthOf(keys(place(many, limits).shards), 3)
    assert.include(place(many, limits).problems[0]?.message, "a tenant may bring 3 definitions")
    assert.include(place(many, { ...limits, tenantBytes: 40 }).problems[0]?.message, "a tenant may bring 40 bytes")
    const names = Array.from({ length: 40 }, (_, n) => `team-${n}`)
    const shard = shardNaming.shardOf("team-0")
    const neighbours = names.filter((name) => shardNaming.shardOf(name) === shard).slice(0, 2)
    const big = { text: "x".repeat(600) }
    const full = place(neighbours.map((name) => offered("provider", "p", { ...big, ...from(name) })).reverse(), {
      ...limits,
      shardBytes: 1000
    })
    assert.deepStrictEqual(keys(full.shards), [`${neighbours[0]}.provider.p.yaml`])
    assert.strictEqual(definitionsFinding(full.problems).reason, "TenantDefinitionsTooLarge")
  })
})

/** T0: what an instance needs in a tenant, and how its objects are called. */
import { assert, describe, it } from "vitest"
import { holderBefore } from "../../../../../domain/operator/tenancy.ts"
import { slug } from "../../../../../infrastructure/kubernetes/manifests/managed.ts"
import { desiredTenant } from "../../../../../infrastructure/kubernetes/manifests/tenant.ts"
import { jobServiceAccount, label63 } from "../../../../../infrastructure/kubernetes/unit/names.ts"
import { desiredOf, instanceOf, namesOf, objectsOf, platform, sqlite } from "../../../../support/operator-inputs.ts"

const tenantOf = (spec: unknown, id?: { name?: string; namespace?: string; uid?: string }) =>
  desiredTenant({
    platform,
    instance: instanceOf(spec, id),
    tenant: "team-a",
    certificates: { service: "A", tracker: "B" }
  })

const expected = [
  "ServiceAccount team-a/evald-team-services-job",
  "Role team-a/evald.team-services.job-access",
  ...[
    "job-access",
    "tracker-jobs-access",
    "tracker-jobs-runs",
    "jobs-writer",
    "job-config",
    "job-runtime",
    "model-secret",
    "tracker-access"
  ].map((name) => `RoleBinding team-a/evald.team-services.${name}`),
  "ConfigMap team-a/evald.team-services.service-ca",
  "NetworkPolicy team-a/evald.team-services.jobs"
]

describe("T0: the account of jobs", () => {
  const long = "x".repeat(63)
  const hashed = /^[a-z0-9-]{1,51}[a-z0-9]-[0-9a-f]{10}$/
  it.each<[text: string, expected: string | RegExp]>([
    ["evald-team-services-job", "evald-team-services-job"],
    ["a--b-ns-job", "a--b-ns-job"],
    [
      "central-evaluation-service-for-all-teams-machine-learning-platform-production-job",
      "central-evaluation-service-for-all-teams-machine-lea-366d8e3bb8"
    ],
    [long, long],
    [`${long}x`, hashed],
    // the longest name of an instance in the longest name of a namespace
    [`${"n".repeat(40)}-${long}-job`, hashed],
    [`${"n".repeat(51)}--${long}`, /^n{51}-[0-9a-f]{10}$/],
    [" Team.Services ", "team-services"],
    ["", "x"],
    ["...", "x"]
  ])("case 1: %j is a label of its own", (text, expected) => {
    const name = label63(text)
    if (typeof expected === "string") assert.strictEqual(name, expected)
    else assert.match(name, expected)
    assert.match(name, /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
    assert.strictEqual(label63(name), name)
  })
})

describe("T0: the objects in a tenant", () => {
  it("case 9: exactly the set of the table, in the order in which it is applied, without owners", () => {
    const { all } = tenantOf(sqlite)
    assert.deepStrictEqual(
      all.map(({ kind, metadata: { name, namespace } }) => `${kind} ${namespace}/${name}`),
      expected
    )
    for (const { metadata } of all) {
      assert.strictEqual(metadata.labels["app.kubernetes.io/component"], "tenant")
      assert.isUndefined(metadata.ownerReferences)
      assert.strictEqual(metadata.annotations["evald.internal/instance"], "team-services/evald")
    }
  })

  it("case 9: the tracker's certificates come with a CA bundle only, the policy goes when it is switched off", () => {
    const tracker = { uri: "https://tracker.example", caBundle: { name: "roots" } }
    assert.deepStrictEqual(
      namesOf(tenantOf({ ...sqlite, tracker, networkPolicy: { jobs: { enabled: false } } }).all),
      [
        ...expected.filter((name) => !name.startsWith("NetworkPolicy")),
        "ConfigMap team-a/evald.team-services.tracker-ca"
      ].sort()
    )
  })

  it("case 9: the account of jobs gets no token by itself and may report its status, no more", () => {
    const { account, role } = tenantOf(sqlite)
    assert.isFalse(account["automountServiceAccountToken"])
    assert.deepStrictEqual(role["rules"], [
      { apiGroups: ["evald.internal"], resources: ["status-events"], verbs: ["create"] }
    ])
  })

  it("case 2: two instances share nothing in a tenant but perhaps the account's name, and then exactly one wins", () => {
    const parts = ["a", "b", "a-b", "b-c", "c", "evald"]
    const instances = parts
      .flatMap((name) => parts.map((namespace) => ({ name, namespace, uid: `${name}/${namespace}` })))
      .map((id) => ({
        id,
        account: jobServiceAccount(id),
        names: new Set([...namesOf(tenantOf(sqlite, id).all), ...namesOf(objectsOf(desiredOf(instanceOf(sqlite, id))))])
      }))
    let conflicts = 0
    for (const [at, one] of instances.entries())
      for (const other of instances.slice(at + 1)) {
        const same = one.account === other.account
        assert.deepStrictEqual(
          [...one.names].filter((name) => other.names.has(name)),
          same ? [`ServiceAccount team-a/${one.account}`] : [],
          `${one.id.uid} ${other.id.uid}`
        )
        const claims = [one, other].map(({ id, account }) => ({
          instance: id.uid,
          uid: id.uid,
          createdAt: "2026-01-01T00:00:00Z",
          account
        }))
        assert.lengthOf(
          claims.filter((claim) => holderBefore(claim, claims) !== undefined),
          same ? 1 : 0
        )
        if (same) conflicts += 1
      }
    assert.strictEqual(conflicts, 1)
  })

  it("the name of a definition's object is a label that tells ids apart", () => {
    assert.strictEqual(slug("lm_evaluation_harness"), "lm-evaluation-harness-81ca3a")
    assert.strictEqual(slug("evald"), "evald")
    assert.notStrictEqual(slug("a_b"), slug("a.b"))
    assert.match(slug("___"), /^[a-z0-9]+$/)
    assert.isAtMost(slug("x".repeat(128)).length, 47)
  })
})

/** T0: tenants, conditions and phases. */
import { assert, describe, it } from "vitest"
import {
  type DeploymentView,
  type Finding,
  type InstanceStatus,
  nextStatus,
  type Phase,
  phaseOf,
  type StatusInput,
  tenantsFinding
} from "../../../../domain/operator/instance-status.ts"
import { isTenant } from "../../../../domain/operator/tenancy.ts"

const configured: Finding = { type: "Configured", holds: true, reason: "Valid", message: "" }
const refused: Finding = {
  type: "Configured",
  holds: false,
  reason: "ConfigRejected",
  message: "spec.config: x is no setting"
}
const missing: Finding = { type: "Monitored", holds: false, reason: "ApiMissing", message: "" }
const labelled: Finding = { type: "OwnNamespaceLabelled", holds: true, reason: "LabelIgnored", message: "" }

const rolledOut: DeploymentView = {
  generation: 3,
  observedGeneration: 3,
  wanted: 2,
  replicas: 2,
  readyReplicas: 2,
  updatedReplicas: 2,
  availableReplicas: 2,
  unavailableReplicas: 0
}
const rolling = { ...rolledOut, updatedReplicas: 1 }
const behind = { ...rolledOut, observedGeneration: 2 }
const down = { ...rolledOut, readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 2 }

const input = (more: Partial<StatusInput> = {}): StatusInput => ({
  previous: {},
  generation: 5,
  deleting: false,
  findings: [configured],
  deployment: rolledOut,
  tenants: [],
  selector: "app.kubernetes.io/name=evald",
  url: "https://evald.ns.svc:8443",
  activeProviders: ["b", "a"],
  activeCollections: [],
  tls: { mode: "Issued" },
  version: "0.1.0",
  now: "2026-11-20T10:00:00Z",
  ...more
})
const condition = ({ conditions = [] }: InstanceStatus, type: string) => conditions.find((one) => one.type === type)

describe("T0: tenants", () => {
  it.each([
    ["", true],
    ["true", true],
    ["True", false],
    ["false", false],
    ["yes", false],
    [undefined, false]
  ])("case 3: the label with the value %j makes a tenant: %j", (value, expected) => {
    const labels: Record<string, string> = value === undefined ? {} : { "evald.internal/tenant": value }
    assert.strictEqual(isTenant({ name: "t", labels, deleting: false }, "evald.internal", ["n", "o"]), expected)
  })

  it("case 3: no namespace that is being deleted, and neither the instance's nor the operator's", () => {
    const labels = { "evald.internal/tenant": "" }
    for (const namespace of [
      { name: "t", labels, deleting: true },
      { name: "t", labels, deleting: false, phase: "Terminating" },
      { name: "n", labels, deleting: false },
      { name: "o", labels, deleting: false }
    ])
      assert.isFalse(isTenant(namespace, "evald.internal", ["n", "o"]), JSON.stringify(namespace))
  })
})

describe("T0: the phase", () => {
  it.each<[Phase, string, boolean, Phase | undefined, ReadonlyArray<Finding>, DeploymentView | undefined]>([
    ["Terminating", "deletion goes first", true, "Ready", [refused], rolledOut],
    ["Error", "the configuration is refused", false, "Ready", [refused], rolledOut],
    ["Pending", "no replica yet, new", false, undefined, [configured], undefined],
    ["Pending", "no replica yet", false, "Pending", [configured], down],
    ["Pending", "no replica after an error", false, "Error", [configured], down],
    ["Degraded", "no replica any more", false, "Ready", [configured], down],
    ["Progressing", "a roll under way", false, "Ready", [configured, missing], rolling],
    ["Progressing", "the Deployment is not seen yet", false, "Ready", [configured], behind],
    ["Degraded", "another condition is False", false, "Ready", [configured, missing], rolledOut],
    ["Ready", "everything holds", false, "Progressing", [configured], rolledOut],
    ["Ready", "a label that is ignored is a remark", false, "Ready", [configured, labelled], rolledOut]
  ])("case 14: is %s: %s", (phase, _, deleting, previous, findings, deployment) => {
    assert.strictEqual(phaseOf(deleting, previous, findings, deployment), phase)
  })
})

describe("T0: the status", () => {
  it("case 14: is equal for equal findings, whatever the time is", () => {
    const first = nextStatus(input())
    assert.deepStrictEqual(nextStatus(input({ previous: first, now: "2026-11-21T00:00:00Z" })), first)
  })

  it("case 14: a condition keeps its time until its status changes, though reason and message do", () => {
    const first = nextStatus(input({ findings: [configured, missing] }))
    const later = "2026-11-20T11:00:00Z"
    const reworded = nextStatus(
      input({ previous: first, now: later, findings: [configured, { ...missing, message: "the kind is unknown" }] })
    )
    assert.strictEqual(condition(reworded, "Monitored")?.lastTransitionTime, "2026-11-20T10:00:00Z")
    assert.strictEqual(condition(reworded, "Monitored")?.message, "the kind is unknown")
    const changed = nextStatus(
      input({ previous: reworded, now: later, findings: [configured, { ...missing, holds: true, reason: "Applied" }] })
    )
    assert.strictEqual(condition(changed, "Monitored")?.lastTransitionTime, later)
  })

  it("case 14: Ready needs a whole roll, and says why not", () => {
    const reasonOf = (more: Partial<StatusInput>) => {
      const { status, reason } = condition(nextStatus(input(more)), "Ready") ?? {}
      return `${status} ${reason}`
    }
    assert.strictEqual(reasonOf({}), "True RolledOut")
    assert.strictEqual(reasonOf({ deployment: rolling }), "False RolloutInProgress")
    assert.strictEqual(reasonOf({ deployment: down }), "False Pending")
    assert.strictEqual(reasonOf({ deployment: down, previous: { phase: "Ready" } }), "False Unavailable")
    assert.strictEqual(reasonOf({ findings: [refused] }), "False ConfigRejected")
    assert.strictEqual(reasonOf({ deleting: true }), "False Terminating")
  })

  it("case 14: the cause that pods tell is the message", () => {
    const cause = 'secret "evald-db" not found'
    const status = nextStatus(input({ deployment: down, cause }))
    assert.strictEqual(condition(status, "Available")?.message, cause)
    assert.strictEqual(condition(status, "Ready")?.message, cause)
  })

  it("names at most twenty failed tenants, sorted, and counts all", () => {
    const outcomes = Array.from({ length: 30 }, (_, n) => ({
      namespace: `t${String(29 - n).padStart(2, "0")}`,
      ...(n < 25 ? { failure: { reason: "Forbidden", message: "x".repeat(400) } } : {})
    }))
    const { tenants, activeProviders } = nextStatus(input({ tenants: outcomes }))
    assert.deepStrictEqual([tenants?.total, tenants?.ready, tenants?.failed.length], [30, 5, 20])
    assert.strictEqual(tenants?.failed[0]?.namespace, "t05")
    assert.lengthOf(tenants?.failed[0]?.message ?? "", 256)
    assert.deepStrictEqual(activeProviders, ["a", "b"])
    assert.strictEqual(tenantsFinding(outcomes).reason, "SomeFailed")
    assert.strictEqual(tenantsFinding([]).reason, "NoTenants")
    assert.strictEqual(
      tenantsFinding([{ namespace: "a", failure: { reason: "NameConflict", message: "" } }]).reason,
      "NameConflict"
    )
  })
})

/** T0: policies over everything that is rendered, and a fixture for each that only it refuses. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { allObjects } from "../../../../../infrastructure/kubernetes/installation/files.ts"
import { roleObject } from "../../../../../infrastructure/kubernetes/installation/objects.ts"
import { jobAccess } from "../../../../../infrastructure/kubernetes/installation/roles.ts"
import { desiredTenant } from "../../../../../infrastructure/kubernetes/manifests/tenant.ts"
import { allowedRights, deploy, filesInput, sampleFiles } from "../../../../support/installed.ts"
import { desiredOf, instanceOf, objectsOf, platform, postgresql, sqlite } from "../../../../support/operator-inputs.ts"
import { type Checked, type PolicyId, policies, violated, type World } from "../../../../support/policy-checks.ts"

const installed: ReadonlyArray<Checked> = [
  ...allObjects(filesInput, "kubernetes"),
  roleObject(jobAccess(platform), platform.rolePrefix)
]
const samples = sampleFiles.flatMap(([, objects]) => objects)

const made = [
  sqlite,
  {
    ...postgresql,
    replicas: 3,
    expose: { type: "Ingress", host: "e.example" },
    tracker: { uri: "https://t.example", caBundle: { name: "roots" } }
  }
].flatMap((spec) => {
  const instance = instanceOf(spec)
  return [
    ...objectsOf(desiredOf(instance, { apis: { serviceMonitor: true, route: true } })),
    ...desiredTenant({ platform, instance, tenant: "team-a", certificates: {} }).all
  ]
})

const composeFile = new URL("compose/compose.yaml", deploy)

describe("T0: policies over everything that is rendered", () => {
  it("case 12: base, both overlays, samples, and the objects of instances and tenants pass", () => {
    const openshift = allObjects(filesInput, "openshift")
    const sampled = new Set(samples.map(({ metadata }) => metadata.name))
    const worlds: { readonly [what: string]: World } = {
      base: { objects: installed },
      openshift: { objects: openshift },
      // the list names what only OpenShift gets as well
      rights: { objects: [...installed, ...openshift], allowed: allowedRights },
      samples: { objects: samples, samples: sampled },
      made: { objects: made }
    }
    for (const [what, world] of Object.entries(worlds)) assert.deepStrictEqual(violated(world), {}, what)
    assert.isAbove(installed.length, 40)
    assert.isAbove(made.length, 50)
  })

  it("case 12: the compose file publishes on loopback only", () => {
    assert.deepStrictEqual(violated({ objects: [], compose: parse(readFileSync(composeFile, "utf8")) }), {})
  })

  const role = (rule: object, more: object = {}): Checked => ({
    kind: "ClusterRole",
    metadata: { name: "fixture", labels: installed[0]?.metadata.labels ?? {} },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"], ...rule }],
    ...more
  })
  const labelled = installed[0]?.metadata.labels ?? {}
  const deployment = installed.find(({ kind }) => kind === "Deployment")
  /** the operator's Deployment with one thing changed, by its text */
  const changed = (from: string, to: string): Checked => {
    const text = JSON.stringify(deployment)
    assert.include(text, from)
    return JSON.parse(text.replace(from, to)) as Checked
  }
  const jobsWriter = installed.find(({ metadata }) => metadata.name === "evald-jobs-writer")

  const fixtures: { readonly [id in PolicyId]: World } = {
    P1: { objects: [role({ verbs: ["*"] })] },
    P2: { objects: installed, allowed: allowedRights },
    P3: { objects: [role({ resources: ["secrets"] })] },
    P4: { objects: [role({ apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterroles"], verbs: ["bind"] })] },
    P5: { objects: [role({ resources: ["pods/exec"], verbs: ["create"] })] },
    P6: {
      objects: [
        {
          ...role({ apiGroups: ["batch"], resources: ["jobs"], verbs: ["create", "delete", "list"] }),
          metadata: jobsWriter?.metadata ?? { name: "" }
        }
      ]
    },
    P7: {
      objects: [
        {
          kind: "ClusterRoleBinding",
          metadata: { name: "fixture", labels: labelled },
          roleRef: { kind: "ClusterRole", name: "cluster-admin" },
          subjects: []
        }
      ]
    },
    P8: { objects: [changed('"readOnlyRootFilesystem":true', '"readOnlyRootFilesystem":false')] },
    P9: { objects: [changed('"matchLabels":{', '"matchLabels":{"version":"1",')] },
    P10: { objects: [changed(`"image":"evald:${filesInput.version}"`, '"image":"evald:latest"')] },
    P11: { objects: [{ kind: "Secret", metadata: { name: "fixture", labels: labelled } }] },
    P12: { objects: [{ kind: "ConfigMap", metadata: { name: "fixture" } }] },
    P13: {
      objects: [
        {
          ...role({}),
          metadata: {
            name: "evald-tenant-user",
            labels: { ...labelled, "rbac.authorization.k8s.io/aggregate-to-edit": "true" }
          }
        }
      ]
    },
    P14: { objects: [], compose: { services: { db: { ports: ["5432:5432"] } } } }
  }

  it.each(Object.entries(fixtures))("case 12: the fixture of %s fails with its own id, and no other", (id, world) => {
    assert.deepStrictEqual(Object.keys(violated(world)), [id])
  })

  it.each<[PolicyId, string, World]>([
    ["P3", "lists secrets", { objects: [role({ resources: ["secrets"], verbs: ["list"], resourceNames: ["a"] })] }],
    ["P4", "escalates", { objects: [role({ verbs: ["escalate"] })] }],
    ["P5", "creates pods", { objects: [role({ resources: ["pods"], verbs: ["create"] })] }],
    [
      "P7",
      "gives rights to everybody",
      {
        objects: [
          {
            kind: "RoleBinding",
            metadata: { name: "fixture", labels: labelled },
            roleRef: { name: "x" },
            subjects: [{ kind: "Group", name: "system:authenticated" }]
          }
        ]
      }
    ],
    ["P8", "runs as root", { objects: [changed('"runAsNonRoot":true', '"runAsNonRoot":false')] }],
    ["P8", "has no limits", { objects: [changed('"limits":{"cpu":"500m","memory":"256Mi"}', '"limits":null')] }],
    ["P8", "mounts the host", { objects: [changed('"emptyDir":{', '"hostPath":{"path":"/"},"emptyDir":{')] }],
    [
      "P11",
      "holds a password",
      {
        objects: [
          {
            kind: "ConfigMap",
            metadata: { name: "fixture", labels: labelled },
            data: { url: "postgres://evald:hunter2@db/e" }
          }
        ]
      }
    ]
  ])("%s also refuses what %s", (id, _, world) => {
    assert.isNotEmpty(policies[id](world))
  })
})

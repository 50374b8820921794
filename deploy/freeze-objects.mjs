// Freezes what the operator of a release makes: `node deploy/freeze-objects.mjs VERSION` writes test/fixtures/release-VERSION/objects.json, the
// objects of two instances and of one tenant as this checkout applies them. Names that differ from cluster to cluster begin with "frozen";
// uids are zeros. A later release takes them over (test/operator/takeover.test.ts).
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { load } from "./render-manifests.mjs"

const [version = ""] = process.argv.slice(2)
if (!/^\d+\.\d+$/.test(version)) throw new Error("usage: node deploy/freeze-objects.mjs MAJOR.MINOR")
const target = `test/fixtures/release-${version}`

const { decodeInstance } = await load("domain/operator/custom-resource.ts")
const { readDefinition } = await load("infrastructure/kubernetes/manifests/definitions.ts")
const { desiredInstance } = await load("infrastructure/kubernetes/manifests/instance.ts")
const { desiredTenant } = await load("infrastructure/kubernetes/manifests/tenant.ts")

const group = "frozen.evald.internal"
const [home, tenant, operator] = ["frozen-home", "frozen-team", "frozen-operator"]
const platform = {
  domain: group,
  groups: { service: group, platform: "infrastructure.opendatahub.io", tracker: "mlflow.kubeflow.org" },
  platformDomain: "opendatahub.io",
  queueDomain: "kueue.x-k8s.io",
  image: "registry.example/evald:1",
  namespace: operator,
  serviceAccount: "evald-operator",
  rolePrefix: "frozen-",
  defaultTlsMode: "Issued",
  securityProfile: "kubernetes"
}
const uid = "00000000-0000-0000-0000-000000000000"
const specs = {
  small: { providers: ["evald"], database: { type: "sqlite" } },
  large: {
    providers: ["evald"],
    replicas: 2,
    database: { type: "postgresql", secret: "db" },
    expose: { type: "Ingress", host: "evald.example" },
    tracker: { uri: "https://tracker.example" }
  }
}
const text = readFileSync("config/providers/evald.yaml", "utf8")
const definitions = [
  readDefinition("provider", text, { namespace: operator, configMap: "evald-provider", key: "evald.yaml" })
]

const right = (either) => {
  if (either._tag === "Left") throw new Error(either.left.join("; "))
  return either.right
}

const instances = Object.entries(specs).map(([name, spec]) => {
  const instance = right(
    decodeInstance({
      apiVersion: `${group}/v1alpha1`,
      kind: "EvaluationService",
      metadata: { name, namespace: home, uid, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" },
      spec
    })
  )
  const certificates = { service: "CERTIFICATE" }
  const { access, config, deployment, serving } = right(
    desiredInstance({
      ...{ platform, instance, definitions, certificates },
      authRules: readFileSync("config/auth.yaml", "utf8"),
      shards: [{}, {}, {}, {}],
      apis: { serviceMonitor: false, route: false }
    })
  )
  const { all } = desiredTenant({ platform, instance, tenant, certificates })
  return { name, spec, objects: [...access, ...config, deployment, ...serving, ...all] }
})

mkdirSync(target, { recursive: true })
writeFileSync(`${target}/objects.json`, `${JSON.stringify(instances, undefined, 1)}\n`)

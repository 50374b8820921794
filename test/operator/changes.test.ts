/** T2: an instance that changes its mind: server-side apply of each variant over each other one leaves what a fresh one would have. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import type { KubeClient } from "../../infrastructure/kubernetes/client/client.ts"
import type { KubeError } from "../../infrastructure/kubernetes/client/kube-error.ts"
import { pathOf } from "../../infrastructure/kubernetes/client/resources.ts"
import type { ManagedObject } from "../../infrastructure/kubernetes/manifests/managed.ts"
import { isObject } from "../../values/json.ts"
import { Cluster, layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { apply, resourceOf } from "../cluster/support/operator-kinds.ts"
import { desiredOf, instanceOf, postgresql, sqlite } from "../support/operator-inputs.ts"

const live = { excludeTestServices: true, timeout: "150 seconds" } as const
type Client = KubeClient["Type"]

const tracker = { uri: "https://tracker.example" }
const variants: { readonly [name: string]: object } = {
  sqlite,
  "sqlite without persistence": { database: { type: "sqlite", persistence: { enabled: false } } },
  "sqlite on a claim of the user": { database: { type: "sqlite", persistence: { existingClaim: "mine" } } },
  postgresql,
  "three replicas": { ...postgresql, replicas: 3 },
  "another secret": { database: { type: "postgresql", secret: "other", secretKey: "url" } },
  "TLS Secret": { ...sqlite, tls: { mode: "Secret", secretName: "mine" } },
  "TLS ServiceCA": { ...sqlite, tls: { mode: "ServiceCA" } },
  "TLS Disabled": { ...sqlite, tls: { mode: "Disabled" } },
  "tracker by token": { ...sqlite, tracker: { ...tracker, caBundle: { name: "roots" } } },
  "tracker by Secret": { ...sqlite, tracker: { ...tracker, auth: { type: "Secret", secret: "t" } } },
  "metrics elsewhere": { ...sqlite, metrics: { port: 9100 } },
  "metrics off": { ...sqlite, metrics: { enabled: false } },
  "own variables": {
    ...sqlite,
    env: [
      { name: "A", value: "1" },
      { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }
    ]
  },
  "the same, otherwise": {
    ...sqlite,
    env: [
      { name: "B", value: "2" },
      { name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }
    ]
  },
  policies: {
    ...sqlite,
    networkPolicy: { clientNamespaces: { matchLabels: { a: "1" } }, egress: ["10.0.0.0/8"] }
  },
  ingress: { ...sqlite, expose: { type: "Ingress", host: "e.example", tlsSecretName: "t" } }
}

/** what changes in place; a claim is made once and never looked at again here */
const changing = (spec: object, namespace: string): ReadonlyArray<ManagedObject> => {
  const { deployment, serving } = desiredOf(instanceOf(spec, { namespace, uid: "unset" }))
  return [deployment, ...serving].map((object) => {
    // owners are another test's matter
    const { ownerReferences: _, ...metadata } = object.metadata
    return { ...object, metadata }
  })
}

/** what the API server chooses by itself */
const chosen = new Set(["clusterIP", "clusterIPs"])

/** the object without its own metadata and status, which differ between two of the same content */
const content = (object: unknown): unknown => {
  const { metadata: _metadata, status: _status, ...rest } = isObject(object) ? object : {}
  return JSON.parse(JSON.stringify(rest, (name, value: unknown) => (chosen.has(name) ? undefined : value)))
}

const read = (client: Client, object: ManagedObject): Effect.Effect<unknown, KubeError> =>
  Effect.map(
    client.send(
      { method: "GET", path: pathOf(resourceOf(object), object.metadata.namespace, object.metadata.name) },
      "launch"
    ),
    content
  )

describe.skipIf(noControlPlane)("T2: changes of an instance", () => {
  layer(cluster, live)("by server-side apply", (it) => {
    it.scoped("case 6: each variant over each other one is taken, and leaves nothing of the one before", () =>
      Effect.gen(function* () {
        const { admin, addNamespace } = yield* Cluster
        const names = Object.keys(variants)
        /** content of a variant that nothing was before, by kind and name */
        const fresh = new Map<string, unknown>()
        const withoutNamespace = (value: unknown, namespace: string): unknown =>
          JSON.parse(
            JSON.stringify(value)
              .replaceAll(namespace, "NAMESPACE")
              .replaceAll(/"[0-9a-f]{64}"/g, '"HASH"')
          )
        const keyOf = (variant: string, { kind, metadata }: ManagedObject) => `${variant}: ${kind} ${metadata.name}`
        for (const variant of names) {
          const namespace = yield* addNamespace("fresh")
          for (const object of changing(variants[variant] ?? {}, namespace)) {
            yield* apply(admin, object)
            fresh.set(keyOf(variant, object), withoutNamespace(yield* read(admin, object), namespace))
          }
        }
        const wrong: Array<string> = []
        for (const before of names) {
          const namespace = yield* addNamespace("changed")
          for (const variant of names.filter((name) => name !== before)) {
            for (const object of changing(variants[before] ?? {}, namespace)) yield* apply(admin, object)
            for (const object of changing(variants[variant] ?? {}, namespace)) {
              const answer = yield* Effect.either(apply(admin, object))
              if (answer._tag === "Left") wrong.push(`${before} → ${keyOf(variant, object)}: ${answer.left.message}`)
              else {
                const after = withoutNamespace(yield* read(admin, object), namespace)
                if (JSON.stringify(after) !== JSON.stringify(fresh.get(keyOf(variant, object))))
                  wrong.push(`${before} → ${keyOf(variant, object)}: something is left`)
              }
            }
          }
        }
        assert.deepStrictEqual(wrong.slice(0, 20), [])
      })
    )
  })
})

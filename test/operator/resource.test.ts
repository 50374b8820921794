/** T2: the custom resource on a real control plane: what it lets in, what it refuses and with which words, what it fills in and what it drops. */
import { assert, layer } from "@effect/vitest"
import { Effect, Either } from "effect"
import { describe } from "vitest"
import { decodeInstance } from "../../domain/operator/custom-resource.ts"
import type { KubeClient } from "../../infrastructure/kubernetes/client/client.ts"
import type { KubeError } from "../../infrastructure/kubernetes/client/kube-error.ts"
import { pathOf } from "../../infrastructure/kubernetes/client/resources.ts"
import { isObject, member } from "../../values/json.ts"
import { Cluster, layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { evaluationServices, installDefinition } from "../cluster/support/operator-kinds.ts"
import { instanceOf, postgresql, sqlite } from "../support/operator-inputs.ts"

const live = { excludeTestServices: true, timeout: "150 seconds" } as const
const lane = "launch" as const
type Client = KubeClient["Type"]

const resource = (name: string, spec: unknown) => ({
  apiVersion: "evald.internal/v1alpha1",
  kind: "EvaluationService",
  metadata: { name },
  spec
})
let serial = 0
const fresh = (): string => {
  serial += 1
  return `evald-${serial}`
}
const create = (client: Client, namespace: string, spec: unknown, name = fresh()) =>
  client.create({ resource: evaluationServices, namespace, lane }, resource(name, spec))
const patch = (client: Client, namespace: string, name: string, spec: unknown) =>
  client.mergePatch({ resource: evaluationServices, namespace, name, lane }, { spec })

const refusal = (call: Effect.Effect<unknown, KubeError>): Effect.Effect<string> =>
  Effect.match(call, { onFailure: ({ message }) => message, onSuccess: () => "accepted" })

const tracker = { uri: "https://tracker.example" }
const env = (variable: object) => ({ ...sqlite, env: [variable] })
const mounts = (...given: ReadonlyArray<object>) => ({ ...sqlite, mounts: given })
const kept = (persistence: object) => ({ database: { type: "sqlite", persistence } })

/** rule, what passes, what does not, and what the user is told */
const rules: ReadonlyArray<readonly [rule: string, accepted: unknown, refused: unknown, message: string]> = [
  ["V3 database", sqlite, {}, "spec.database: Required value"],
  ["V3 type", sqlite, { database: {} }, "spec.database.type: Required value"],
  ["V4", postgresql, { database: { type: "postgresql" } }, "postgresql needs database.secret"],
  ["V5", { ...postgresql, replicas: 2 }, { ...sqlite, replicas: 2 }, "sqlite is a file that one pod owns"],
  ["V6", kept({}), { database: { ...postgresql.database, persistence: {} } }, "persistence is for sqlite"],
  [
    "V7",
    kept({ existingClaim: "mine" }),
    kept({ existingClaim: "mine", storageClassName: "fast" }),
    "storageClassName belongs to a claim that is made here"
  ],
  ["V9 a quantity", kept({ size: "1.5Gi" }), kept({ size: "much" }), "write a quantity, such as 10Gi"],
  [
    "V10 missing",
    { ...sqlite, tls: { mode: "Secret", secretName: "cert" } },
    { ...sqlite, tls: { mode: "Secret" } },
    "tls.secretName is needed with mode Secret"
  ],
  [
    "V10 too much",
    { ...sqlite, tls: { mode: "Issued" } },
    { ...sqlite, tls: { mode: "Issued", secretName: "cert" } },
    "tls.secretName is needed with mode Secret"
  ],
  [
    "V11",
    { ...sqlite, tls: { mode: "Secret", secretName: "cert", caConfigMap: { name: "ca" } } },
    { ...sqlite, tls: { mode: "Issued", caConfigMap: { name: "ca" } } },
    "tls.caConfigMap is for mode Secret"
  ],
  [
    "V12",
    { ...sqlite, tracker: { ...tracker, caBundle: { name: "roots" } } },
    { ...sqlite, tracker: { ...tracker, caBundle: { name: "roots" }, insecureSkipVerify: true } },
    "caBundle and insecureSkipVerify exclude each other"
  ],
  [
    "V13",
    { ...sqlite, tracker: { ...tracker, auth: { type: "Secret", secret: "token" } } },
    { ...sqlite, tracker: { ...tracker, auth: { secret: "token" } } },
    "tracker.auth.secret is needed with type Secret"
  ],
  [
    "V14",
    { ...sqlite, otel: { exporterEndpoint: "http://c:4318" } },
    { ...sqlite, otel: {} },
    "write otel.exporterEndpoint"
  ],
  [
    "no gRPC",
    { ...sqlite, otel: { exporterType: "otlp-http", exporterEndpoint: "http://c:4318" } },
    { ...sqlite, otel: { exporterType: "otlp-grpc", exporterEndpoint: "http://c:4317" } },
    'Unsupported value: "otlp-grpc": supported values: "otlp-http"'
  ],
  [
    "mounts: one source",
    mounts(
      { path: "notifications/team-a/hook", secret: "hook" },
      { path: "notifications/team-b/hook", secret: "hook" }
    ),
    mounts({ path: "hook", secret: "hook", configMap: "hook" }),
    "a mount is of a secret or of a configMap: write one of them"
  ],
  [
    "mounts: apart",
    mounts({ path: "hook", secret: "hook" }, { path: "hooks", configMap: "hooks", optional: true }),
    mounts({ path: "hook", secret: "hook" }, { path: "hook/inner", secret: "hook" }),
    "a mount can not lie inside another one"
  ],
  [
    "mounts: below their folder",
    mounts({ path: "a.b/c_d/0", secret: "s" }),
    mounts({ path: "../config", secret: "s" }),
    "spec.mounts[0].path"
  ],
  [
    "V15",
    env({ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }),
    env({ name: "A", value: "1", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }),
    "a variable has a value or a valueFrom"
  ],
  [
    "V16 by name",
    env({ name: "LANG", value: "C" }),
    env({ name: "DB_URL", value: "x" }),
    "the operator sets this variable itself"
  ],
  [
    "V16 by prefix",
    env({ name: "EVALD_LOG_LEVEL", value: "debug" }),
    env({ name: "EVALD_POD_UID", value: "x" }),
    "the operator sets this variable itself"
  ],
  [
    "V17 host",
    { ...sqlite, expose: { type: "Ingress", host: "e.example", tlsSecretName: "t" } },
    { ...sqlite, expose: { type: "Ingress" } },
    "an Ingress needs expose.host"
  ],
  [
    "V17 secret",
    { ...sqlite, expose: { type: "Route" } },
    { ...sqlite, expose: { type: "Route", tlsSecretName: "t" } },
    "expose.tlsSecretName is for type Ingress"
  ],
  ["bounds", { ...postgresql, replicas: 20 }, { ...postgresql, replicas: 21 }, "should be less than or equal to 20"],
  ["sets", { ...sqlite, providers: ["a", "b"] }, { ...sqlite, providers: ["a", "a"] }, "Duplicate value"]
]

/** a namespace of a cluster that knows the resource */
const place = Effect.gen(function* () {
  const { admin, addNamespace } = yield* Cluster
  yield* installDefinition(admin)
  return { admin, namespace: yield* addNamespace("operator") }
})

describe.skipIf(noControlPlane)("T2: the custom resource", () => {
  layer(cluster, live)("on a real control plane", (it) => {
    it.scoped("case 33: each rule lets its case in and refuses the other with the words that help", () =>
      Effect.gen(function* () {
        const { admin, namespace } = yield* place
        for (const [rule, accepted, refused, message] of rules) {
          assert.strictEqual(yield* refusal(create(admin, namespace, accepted)), "accepted", `${rule} accepts`)
          assert.include(yield* refusal(create(admin, namespace, refused)), message, rule)
        }
      })
    )

    it.scoped("case 33: V1 and V2 judge the name", () =>
      Effect.gen(function* () {
        const { admin, namespace } = yield* place
        const named = (name: string) => refusal(create(admin, namespace, sqlite, name))
        assert.strictEqual(yield* named("a".repeat(40)), "accepted")
        assert.include(yield* named("a".repeat(41)), "the name needs 1 to 40 of a-z, 0-9 and -")
        assert.include(yield* named("1a"), "the name needs 1 to 40 of a-z, 0-9 and -")
        assert.include(yield* named("a-metrics"), "would meet the metrics Service of another instance")
      })
    )

    it.scoped("case 33: V8 and V9: a claim keeps its class, and grows but does not shrink", () =>
      Effect.gen(function* () {
        const { admin, namespace } = yield* place
        const { metadata } = yield* create(admin, namespace, kept({ size: "10Gi", storageClassName: "fast" }))
        const change = (persistence: object) => refusal(patch(admin, namespace, metadata.name, kept(persistence)))
        assert.strictEqual(yield* change({ size: "20Gi" }), "accepted")
        assert.include(yield* change({ size: "15Gi" }), "a claim can grow but not shrink")
        assert.include(yield* change({ storageClassName: "slow" }), "storageClassName can not be changed")
        assert.include(yield* change({ storageClassName: null }), "storageClassName can not be changed")
      })
    )

    it.scoped(
      "case 33: defaults are those of the schema that reads it, unknown members are dropped, spec.config is kept",
      () =>
        Effect.gen(function* () {
          const { admin, namespace } = yield* place
          const spec = { ...sqlite, unknown: 1, config: { samples: { content: "hash", list: [1, { a: "b" }] } } }
          const stored = yield* create(admin, namespace, spec)
          assert.isUndefined(member(stored["spec"], "unknown"))
          assert.deepStrictEqual(member(stored["spec"], "config"), spec.config)
          const { unknown: _, ...known } = spec
          const decoded = Either.getOrThrow(decodeInstance(stored))
          assert.deepStrictEqual(decoded.spec, instanceOf(known).spec)
          // what is stored is already what the decoder would fill in
          const plain = stored["spec"]
          assert.deepStrictEqual(isObject(plain) ? plain : {}, JSON.parse(JSON.stringify(decoded.spec)))
        })
    )

    it.scoped("case 34: scale refuses a second replica on sqlite and sets it on postgresql", () =>
      Effect.gen(function* () {
        const { admin, namespace } = yield* place
        const scaled = (spec: unknown) =>
          Effect.gen(function* () {
            const { metadata } = yield* create(admin, namespace, spec)
            const path = `${pathOf(evaluationServices, namespace, metadata.name)}/scale`
            const body = { spec: { replicas: 2 } }
            const answer = yield* refusal(
              admin.send({ method: "PATCH", path, contentType: "application/merge-patch+json", body }, lane)
            )
            const after = yield* admin.get({ resource: evaluationServices, namespace, name: metadata.name, lane })
            return [answer, member(after["spec"], "replicas")] as const
          })
        const [refused, one] = yield* scaled(sqlite)
        assert.include(refused, "sqlite is a file that one pod owns: set replicas to 1")
        assert.strictEqual(one, 1)
        assert.deepStrictEqual(yield* scaled(postgresql), ["accepted", 2])
      })
    )
  })
})

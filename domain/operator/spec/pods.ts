/** The pods of the API: what they are made of, where they run, what else they are given. Reference: operator.md, "Custom resource". */
import { Schema } from "effect"
import {
  always,
  byDefault,
  judged,
  listOf,
  mapBy,
  mapOf,
  name,
  optional,
  quantity,
  required,
  text,
  whole
} from "../crd-field.ts"

const Resources = Schema.Struct({
  requests: byDefault(mapOf(quantity), { cpu: "250m", memory: "512Mi" }, "what each pod asks for"),
  limits: byDefault(mapOf(quantity), { cpu: "2", memory: "1Gi" }, "what each pod may use at most")
})

const keyRef = (of: string) =>
  Schema.Struct({
    name: required(name(), `name of the ${of}`),
    key: required(name(), "key in it"),
    optional: optional(Schema.Boolean, "the pod also starts without it")
  })

const reserved = [
  "PORT",
  "DB_URL",
  "TRACKER_TRACKING_URI",
  "TRACKER_CA_CERT_PATH",
  "TRACKER_TOKEN_PATH",
  "TRACKER_WORKSPACE",
  "TRACKER_INSECURE_SKIP_VERIFY",
  "SERVICE_HARDWARE_PROFILES_NAMESPACE"
]

const EnvVar = judged(
  Schema.Struct({
    name: required(text(253, /^[A-Za-z_][A-Za-z0-9_]*$/), "name of the variable"),
    value: optional(text(4096), "its value, when it is no secret"),
    valueFrom: optional(
      Schema.Struct({
        secretKeyRef: optional(keyRef("Secret"), "key of a Secret in the same namespace"),
        configMapKeyRef: optional(keyRef("ConfigMap"), "key of a ConfigMap in the same namespace"),
        fieldRef: optional(
          Schema.Struct({ fieldPath: required(name(), "such as metadata.name") }),
          "a member of the pod itself"
        )
      }),
      "where the value comes from"
    )
  }),
  {
    rule: "!(has(self.value) && has(self.valueFrom))",
    message: "a variable has a value or a valueFrom, not both: leave one out"
  },
  {
    rule: `!(self.name in [${reserved.map((one) => `'${one}'`).join(",")}]) && !self.name.startsWith('EVALD_INSTANCE_') && !self.name.startsWith('EVALD_POD_')`,
    message: "the operator sets this variable itself: use the member of spec that stands for it"
  }
)

const Toleration = Schema.Struct({
  key: optional(text(), "key of the taint; absent with operator Exists is every taint"),
  operator: optional(Schema.Literal("Exists", "Equal"), "how the value is compared"),
  value: optional(text(), "value of the taint"),
  effect: optional(Schema.Literal("NoSchedule", "PreferNoSchedule", "NoExecute"), "absent is every effect"),
  tolerationSeconds: optional(whole(0, 2_147_483_647), "how long NoExecute is tolerated")
})

/** a folder or file name that begins with no point, three of them at most */
const mountPath = /^[a-z0-9]([-a-z0-9._]*[a-z0-9])?(\/[a-z0-9]([-a-z0-9._]*[a-z0-9])?){0,2}$/

const Mount = judged(
  Schema.Struct({
    path: required(text(160, mountPath), "folder below /etc/evald/mounts with one file for each key"),
    secret: optional(name(), "Secret in the same namespace"),
    configMap: optional(name(), "ConfigMap in the same namespace"),
    optional: optional(Schema.Boolean, "the pod also starts without it")
  }),
  {
    rule: "has(self.secret) != has(self.configMap)",
    message: "a mount is of a secret or of a configMap: write one of them"
  }
)

const Mounts = judged(listOf(Mount, 32, mapBy("path")), {
  rule: "self.all(one, !self.exists(other, other.path.startsWith(one.path + '/')))",
  message: "a mount can not lie inside another one: choose paths that do not begin with one another"
})

export const pods = {
  replicas: byDefault(whole(1, 20), 1, "pods of the API"),
  image: optional(text(512), "image of the server; absent is the operator's setting"),
  imagePullPolicy: byDefault(Schema.Literal("Always", "IfNotPresent", "Never"), "IfNotPresent", "of the API pods"),
  imagePullSecrets: byDefault(
    listOf(Schema.Struct({ name: required(name(), "Secret in the same namespace") }), 10, mapBy("name")),
    [],
    "of the API pods"
  ),
  resources: always(Resources, "of the API container"),
  env: byDefault(listOf(EnvVar, 64, mapBy("name")), [], "further variables of the API container"),
  mounts: byDefault(
    Mounts,
    [],
    "Secrets and ConfigMaps that the API container reads as files; config and env name them"
  ),
  nodeSelector: byDefault(mapOf(text(63)), {}, "labels of nodes that the API pods may run on"),
  tolerations: byDefault(listOf(Toleration, 20), [], "taints that the API pods accept"),
  podAnnotations: byDefault(mapOf(text(4096)), {}, "annotations of the API pods")
}

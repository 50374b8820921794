/** What a user may write into an `EvaluationService`. Reference: operator.md, "Custom resource". */
import { Schema } from "effect"
import { isObject } from "../../values/json.ts"
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
  shown,
  text,
  whole
} from "./crd-field.ts"

const label63 = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const definitionId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
const cidr = text(64, /^[0-9a-fA-F.:]+\/[0-9]{1,3}$/)

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

const Persistence = judged(
  Schema.Struct({
    enabled: byDefault(Schema.Boolean, true, "false keeps the database in an emptyDir: it is lost with the pod"),
    size: byDefault(
      judged(
        text(64),
        { rule: "isQuantity(self)", message: "write a quantity, such as 10Gi" },
        {
          rule: "!isQuantity(self) || !isQuantity(oldSelf) || quantity(self).compareTo(quantity(oldSelf)) >= 0",
          message: "a claim can grow but not shrink: keep the size or write a larger one"
        }
      ),
      "10Gi",
      "size of the claim"
    ),
    storageClassName: optional(name(), "storage class; absent is the default of the cluster; can not be changed"),
    accessMode: byDefault(
      Schema.Literal("ReadWriteOnce", "ReadWriteOncePod"),
      "ReadWriteOnce",
      "access mode of the claim"
    ),
    existingClaim: optional(name(), "use this claim and create none"),
    reclaim: byDefault(
      Schema.Literal("Retain", "Delete"),
      "Retain",
      "what becomes of the claim when the resource is deleted"
    )
  }),
  {
    rule: "!has(self.existingClaim) || !has(self.storageClassName)",
    message: "storageClassName belongs to a claim that is made here: leave it out beside existingClaim"
  },
  {
    rule: "has(self.storageClassName) == has(oldSelf.storageClassName) && (!has(self.storageClassName) || self.storageClassName == oldSelf.storageClassName)",
    message: "storageClassName can not be changed: keep it, or delete the claim and create the resource again"
  }
)

const Database = judged(
  Schema.Struct({
    type: required(
      Schema.Literal("sqlite", "postgresql"),
      "sqlite: a file, one replica; postgresql: a server, any number of replicas"
    ),
    secret: optional(text(), "Secret with the connection URL; needed for postgresql"),
    secretKey: byDefault(
      name(),
      "db-url",
      "key with the connection URL; a key ca.crt beside it is mounted at /etc/evald/secrets/ca.crt for sslrootcert in the URL"
    ),
    maxOpenConns: byDefault(whole(1, 500), 25, "connections of each pod"),
    persistence: optional(Persistence, "where sqlite keeps its file; absent is a claim with the defaults")
  }),
  {
    rule: "self.type != 'postgresql' || (has(self.secret) && size(self.secret) > 0)",
    message: "postgresql needs database.secret: the name of a Secret with the connection URL"
  },
  {
    rule: "self.type == 'sqlite' || !has(self.persistence)",
    message: "persistence is for sqlite: leave it out with postgresql"
  }
)

const TrackerAuth = judged(
  Schema.Struct({
    type: byDefault(
      Schema.Literal("ServiceAccountToken", "Secret", "None"),
      "ServiceAccountToken",
      "how the server identifies itself to the tracker"
    ),
    secret: optional(name(), "Secret with a bearer token; for type Secret"),
    secretKey: byDefault(name(), "token", "its key"),
    audience: optional(name(), "audience of the service account's token; absent is that of the API server")
  }),
  {
    rule: "has(self.secret) == (has(self.type) && self.type == 'Secret')",
    message: "tracker.auth.secret is needed with type Secret, and only there"
  }
)

const Tracker = judged(
  Schema.Struct({
    uri: required(text(2048, /^https?:\/\//), "address of the tracking server"),
    workspace: optional(text(128), "workspace of calls without a tenant; that of a tenant is its namespace"),
    caBundle: optional(
      Schema.Struct({
        name: required(name(), "ConfigMap in the same namespace"),
        key: byDefault(name(), "ca-bundle.crt", "key with the certificates")
      }),
      "certificates that the tracker is checked with; copied to every tenant"
    ),
    insecureSkipVerify: byDefault(Schema.Boolean, false, "do not check the tracker's certificate"),
    httpTimeoutSeconds: byDefault(whole(1, 600), 30, "time limit of one call"),
    auth: always(TrackerAuth, "how the server identifies itself")
  }),
  {
    rule: "!(has(self.caBundle) && self.insecureSkipVerify)",
    message: "caBundle and insecureSkipVerify exclude each other: leave one out"
  }
)

const Otel = judged(
  Schema.Struct({
    exporterType: byDefault(Schema.Literal("otlp-http"), "otlp-http", "how traces are sent; gRPC is not spoken"),
    exporterEndpoint: optional(text(2048), "address of the collector, such as http://collector.observability:4318"),
    exporterInsecure: byDefault(Schema.Boolean, false, "http instead of https for an address without scheme"),
    samplingRatio: byDefault(
      Schema.Number.pipe(Schema.between(0, 1)),
      1,
      "share of traces that is recorded where the caller has not decided"
    )
  }),
  { rule: "has(self.exporterEndpoint)", message: "write otel.exporterEndpoint, the address of the collector" }
)

const Tls = judged(
  Schema.Struct({
    mode: optional(
      Schema.Literal("Secret", "ServiceCA", "Issued", "Disabled"),
      "where the certificate comes from; absent is the operator's default"
    ),
    secretName: optional(name(), "Secret of type kubernetes.io/tls; for mode Secret"),
    caConfigMap: optional(
      Schema.Struct({
        name: required(name(), "ConfigMap in the same namespace"),
        key: byDefault(name(), "ca.crt", "key with the certificates")
      }),
      "certificates with which job pods check this service; for mode Secret; absent are the system's"
    )
  }),
  {
    rule: "has(self.secretName) == (has(self.mode) && self.mode == 'Secret')",
    message: "tls.secretName is needed with mode Secret, and only there"
  },
  {
    rule: "!has(self.caConfigMap) || (has(self.mode) && self.mode == 'Secret')",
    message: "tls.caConfigMap is for mode Secret: the other modes know their own certificates"
  }
)

const NamespaceLabels = Schema.Struct({
  matchLabels: required(mapOf(text(63)), "labels that a namespace must carry")
})

const NetworkPolicy = Schema.Struct({
  enabled: byDefault(Schema.Boolean, true, "make network policies for the service and for job pods"),
  clientNamespaces: optional(NamespaceLabels, "who may reach the API, besides tenants; absent is anybody"),
  metricsNamespaces: optional(NamespaceLabels, "who may reach the metrics port; absent is anybody"),
  egress: optional(
    listOf(cidr, 64),
    "address ranges that the service may reach, besides name resolution; absent is any: database, tracker and API server must be among them"
  ),
  jobs: always(
    Schema.Struct({
      enabled: byDefault(Schema.Boolean, true, "make a policy for the pods of jobs in every tenant"),
      ports: byDefault(listOf(whole(1, 65_535), 32), [443, 80], "ports that job pods may reach anywhere"),
      allowCidrs: byDefault(listOf(cidr, 64), [], "address ranges that job pods may reach at every port"),
      denyCidrs: byDefault(
        listOf(cidr, 64),
        [],
        "address ranges that job pods may not reach by `ports`, besides the metadata services of clouds"
      )
    }),
    "the policy of job pods"
  )
})

const Expose = judged(
  Schema.Struct({
    type: byDefault(Schema.Literal("None", "Ingress", "Route"), "None", "how the API is reached from outside"),
    host: optional(name(), "name under which it is reached; needed for Ingress"),
    ingressClassName: optional(name(), "class of the Ingress"),
    tlsSecretName: optional(name(), "Secret with the certificate of the Ingress"),
    annotations: byDefault(mapOf(text(4096)), {}, "annotations of the Ingress or Route")
  }),
  { rule: "!has(self.type) || self.type != 'Ingress' || has(self.host)", message: "an Ingress needs expose.host" },
  {
    rule: "!has(self.tlsSecretName) || (has(self.type) && self.type == 'Ingress')",
    message: "expose.tlsSecretName is for type Ingress: leave it out"
  }
)

const Metrics = Schema.Struct({
  enabled: byDefault(Schema.Boolean, true, "serve metrics over plain http on a port of its own"),
  port: byDefault(whole(1024, 65_535), 8081, "that port"),
  serviceMonitor: always(
    Schema.Struct({
      enabled: byDefault(Schema.Boolean, true, "make a ServiceMonitor where the cluster knows that kind"),
      intervalSeconds: byDefault(whole(5, 300), 30, "time between two scrapes"),
      labels: byDefault(mapOf(text(63)), {}, "labels by which a Prometheus finds it")
    }),
    "the ServiceMonitor"
  )
})

const definitionIds = listOf(text(128, definitionId), 200, { "x-kubernetes-list-type": "set" })

const workload = {
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
  nodeSelector: byDefault(mapOf(text(63)), {}, "labels of nodes that the API pods may run on"),
  tolerations: byDefault(listOf(Toleration, 20), [], "taints that the API pods accept"),
  podAnnotations: byDefault(mapOf(text(4096)), {}, "annotations of the API pods")
}

const defaultProviders = ["evald", "lm_evaluation_harness", "garak", "guidellm", "lighteval"] as const

const service = {
  providers: byDefault(definitionIds, [...defaultProviders], "ids of the providers that are offered; [] is none"),
  collections: optional(
    definitionIds,
    "ids of the collections that are offered; absent are all whose providers are offered, [] is none"
  ),
  tenantDefinitions: byDefault(
    Schema.Boolean,
    true,
    "take providers and collections from labelled ConfigMaps of tenants"
  ),
  hardwareProfilesNamespace: optional(text(63, label63), "namespace of hardware profiles; absent is the own one"),
  jobs: always(
    Schema.Struct({
      image: optional(text(512), "image of sidecar and init containers; absent is that of the server"),
      imagePullSecrets: byDefault(
        listOf(name(), 10, { "x-kubernetes-list-type": "set" }),
        [],
        "Secrets in the tenant's namespace for pulling images"
      )
    }),
    "pods of jobs"
  ),
  timeouts: always(
    Schema.Struct({
      benchmarkSeconds: byDefault(whole(0, 2_592_000), 0, "deadline of a running benchmark; 0 is off"),
      pendingSeconds: byDefault(whole(0, 2_592_000), 0, "time until its first event; 0 is off"),
      shutdownSeconds: byDefault(whole(10, 600), 60, "time in which a pod of the API ends"),
      progressSeconds: byDefault(whole(60, 3600), 300, "time in which a roll must make progress")
    }),
    "time limits"
  )
}

/** taken as it is; the server's own table of settings judges it */
const FreeForm = shown(
  Schema.declare(isObject).annotations({ identifier: "FreeForm" }) as Schema.Schema<{
    readonly [key: string]: unknown
  }>,
  { type: "object", maxProperties: 32, "x-kubernetes-preserve-unknown-fields": true }
)

export const InstanceSpec = judged(
  Schema.Struct({
    ...workload,
    database: required(Database, "where jobs and results are kept"),
    ...service,
    tracker: optional(Tracker, "the tracking server; absent is none"),
    otel: optional(Otel, "presence sends traces to a collector"),
    metrics: always(Metrics, "metrics of the service"),
    tls: optional(Tls, "the certificate of the API; absent is the operator's default"),
    networkPolicy: always(NetworkPolicy, "who may reach whom"),
    expose: always(Expose, "access from outside the cluster"),
    config: byDefault(FreeForm, {}, "further settings of the server, as in its config.yaml")
  }),
  {
    rule: "self.database.type != 'sqlite' || self.replicas == 1",
    message: "sqlite is a file that one pod owns: set replicas to 1, or use database.type postgresql"
  }
)
export type InstanceSpec = typeof InstanceSpec.Type

/** How an instance is reached, and what reaches what: certificate, network policies, access from outside. Reference: operator.md, "Custom resource". */
import { Schema } from "effect"
import { always, byDefault, judged, listOf, mapOf, name, optional, required, text, whole } from "../crd-field.ts"

const cidr = text(64, /^[0-9a-fA-F.:]+\/[0-9]{1,3}$/)

export const Tls = judged(
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

export const NetworkPolicy = Schema.Struct({
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

export const Expose = judged(
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

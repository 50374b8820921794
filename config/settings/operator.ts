/** What `evald operator` is told beside the names that it shares with the servers it makes. */
import { duration, integer, oneOf, optionalText, text } from "./kinds.ts"

export const operator = {
  "operator.image": optionalText(
    "image of the servers that the operator makes, where a resource names none; required by evald operator",
    { variable: "EVALD_OPERATOR_IMAGE" }
  ),
  "operator.namespace": optionalText("namespace of the operator; default that of its pod", {
    variable: "EVALD_OPERATOR_NAMESPACE"
  }),
  "operator.service_account": text("evald-operator", "service account of the operator", {
    variable: "EVALD_OPERATOR_SERVICE_ACCOUNT"
  }),
  "operator.cluster_role_prefix": text("evald-", "first part of the names of the installed cluster roles", {
    variable: "EVALD_OPERATOR_CLUSTER_ROLE_PREFIX"
  }),
  "operator.default_tls_mode": oneOf(
    ["Secret", "ServiceCA", "Issued", "Disabled"],
    "Issued",
    "TLS of an instance whose resource does not say",
    { variable: "EVALD_OPERATOR_DEFAULT_TLS_MODE" }
  ),
  "operator.security_profile": oneOf(
    ["kubernetes", "openshift"],
    "kubernetes",
    "openshift leaves the numbers of users and groups to the platform",
    { variable: "EVALD_OPERATOR_SECURITY_PROFILE" }
  ),
  "operator.workers": integer(4, 1, 64, "instances and tenants that are worked on at once", {
    variable: "EVALD_OPERATOR_WORKERS"
  }),
  "operator.resync_seconds": duration(600, 30, 86_400, "everything is looked at again so often", {
    variable: "EVALD_OPERATOR_RESYNC_SECONDS"
  }),
  "operator.health_port": integer(8081, 0, 65_535, "port of /healthz and /readyz; 0 is a free one", {
    variable: "EVALD_OPERATOR_HEALTH_PORT"
  }),
  "operator.metrics_port": integer(8080, 0, 65_535, "port of /metrics; 0 is a free one", {
    variable: "EVALD_OPERATOR_METRICS_PORT"
  }),
  "operator.lease.name": text("evald-operator", "Lease by which one of several operators leads", {
    variable: "EVALD_OPERATOR_LEASE_NAME"
  }),
  "operator.lease.duration_seconds": duration(
    15,
    3,
    300,
    "another operator may lead when the Lease has not changed for so long",
    {
      variable: "EVALD_OPERATOR_LEASE_DURATION_SECONDS"
    }
  ),
  "operator.lease.renew_seconds": duration(
    10,
    2,
    300,
    "an operator that has not renewed for so long stops; less than the duration",
    {
      variable: "EVALD_OPERATOR_LEASE_RENEW_SECONDS"
    }
  ),
  "operator.lease.retry_seconds": duration(2, 1, 60, "pause between two looks at the Lease", {
    variable: "EVALD_OPERATOR_LEASE_RETRY_SECONDS"
  })
} as const

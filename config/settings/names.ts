/** Names that an installation shares with others of its cluster: domains of labels and annotations, API groups, namespaces. */
import { optionalText, text } from "./kinds.ts"

export const names = {
  domain: text("evald.internal", "prefix of labels and annotations; the tenant label is <domain>/tenant"),
  "api_groups.service": text("evald.internal", "API group of the virtual access-control resources"),
  "api_groups.platform": text("infrastructure.opendatahub.io", "API group of HardwareProfile"),
  "api_groups.tracker": text("mlflow.kubeflow.org", "API group of the tracker's resource `experiments`"),
  platform_domain: text("opendatahub.io", "prefix of the annotation that disables a hardware profile"),
  "queue.domain": text("kueue.x-k8s.io", "prefix of the queue labels"),
  "hardware_profiles.namespace": optionalText("namespace of hardware profiles", {
    variable: "SERVICE_HARDWARE_PROFILES_NAMESPACE"
  })
} as const

/** The names that the operator, what it installs and the servers that it starts must agree on, from the configuration. */
import type { Settings } from "../../../config/settings.ts"

export const platformNames = (settings: Settings) => ({
  domain: settings.domain,
  groups: {
    service: settings["api_groups.service"],
    platform: settings["api_groups.platform"],
    tracker: settings["api_groups.tracker"]
  },
  platformDomain: settings.platform_domain,
  queueDomain: settings["queue.domain"],
  serviceAccount: settings["operator.service_account"],
  rolePrefix: settings["operator.cluster_role_prefix"]
})

/** Messages about jobs from the settings: where the keys lie, who is told of a tenant's jobs, what addresses may be. Reference: notifications.md, "Keys". */
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { SecretReader, SecretUnusable } from "../../../application/ports/secret-reader.ts"
import { ConfigInvalid } from "../../../config/load.ts"
import type { Settings } from "../../../config/settings.ts"
import { wireSentence } from "../../../config/wire-names.ts"
import { dnsSubdomainProblem } from "../../../domain/dns-name.ts"
import type { EgressPolicy } from "../../../domain/egress.ts"
import { checkAddress, type NotificationRules } from "../../../domain/notification/check-notifications.ts"
import { type Notification, notificationEvents } from "../../../domain/notification/notification.ts"
import type { WayOut } from "../../../domain/proxies.ts"
import { secretIn } from "../../../infrastructure/local/local-secrets.ts"
import * as Webhooks from "../../../infrastructure/notifications/webhooks.ts"
import { defined } from "../../../values/defined.ts"
import { mountedFile } from "../../gateway/mounted-files.ts"
import { build } from "../build-info.ts"

const setting = "notifications.secrets_dir"

/** a mounted secret may be read by the group of the pod, and by nobody else */
const others = 0o027

/** `<dir>/<tenant>/<secret>`: no tenant reaches the keys of another one */
const mountedSecret =
  (directory: string): Webhooks.WebhookOptions["secretOf"] =>
  (tenant, name) =>
    dnsSubdomainProblem(tenant) === undefined
      ? secretIn({ directory: join(directory, tenant), setting, others }, name)
      : Effect.fail(new SecretUnusable({ reason: "absent", message: `tenant '${tenant}' has no secrets here` }))

const isEvent = (text: string): text is Notification["events"][number] =>
  notificationEvents.some((event) => event === text)

/** of each tenant, or what is wrong with them */
const ofTenants = (settings: Settings, rules: NotificationRules) => {
  const problems: Array<string> = []
  const addresses = Object.entries(settings["notifications.tenants"]).map(([tenant, given]) => {
    const checked = given.map(({ url, events, secretRef }): Notification => {
      const unknown = events.filter((event) => !isEvent(event))
      const one = { url, secretRef, events: events.filter(isEvent) }
      const wrong = checkAddress(one, rules).map(({ message }) => wireSentence(message))
      for (const problem of [
        ...wrong,
        ...unknown.map((event) => `there is no event '${event}'; there are ${notificationEvents.join(", ")}`)
      ])
        problems.push(`notifications.tenants.${tenant}: ${problem}`)
      return one
    })
    return [tenant, checked] as const
  })
  return { problems, addresses: new Map(addresses) }
}

/** nothing is provided where there are no keys: addresses are then refused. `egress`: of a cluster; locally the user's own machine may be asked */
export const notifications = (settings: Settings, local: boolean, egress: EgressPolicy | undefined, way: WayOut) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const secrets = yield* SecretReader
      const directory = settings[setting]
      const rules: NotificationRules = { allowHttp: settings["notifications.allow_http"], ...defined({ egress }) }
      const { problems, addresses } = ofTenants(settings, rules)
      if (!local && directory === undefined && addresses.size > 0)
        problems.push(`notifications.tenants needs ${setting}: the keys that messages are signed with`)
      if (problems.length > 0) return yield* new ConfigInvalid({ problems })
      const secretOf = local
        ? (_: string, name: string) => secrets.read(name)
        : directory === undefined
          ? undefined
          : mountedSecret(directory)
      if (secretOf === undefined) return Layer.empty
      const ca = settings["notifications.ca_path"]
      return Webhooks.layer({
        ...{ rules, secretOf, way },
        ofTenant: (tenant) => addresses.get(tenant) ?? [],
        ca: ca === undefined ? () => undefined : mountedFile(ca).current,
        timeoutMillis: settings["notifications.timeout_seconds"] * 1000,
        agent: `evald/${build.version}`
      })
    })
  )

/**
 * Every setting of the server as data: key in `config/config.yaml`, environment variable, kind, default and meaning, by subject in
 * `settings/`. The typed `Settings`, the loader, the problems it reports and the table of the reference all come from here.
 * Reference: configuration.md, "Settings".
 */
import { auth } from "./settings/auth.ts"
import { catalog } from "./settings/catalog.ts"
import { compat } from "./settings/compat.ts"
import { egress, model, notifications, secrets, security, sidecar } from "./settings/egress.ts"
import { oci, signing } from "./settings/exports.ts"
import { grace } from "./settings/graces.ts"
import type { Setting } from "./settings/kinds.ts"
import { testData, timeouts } from "./settings/limits.ts"
import { names } from "./settings/names.ts"
import { log, metrics, telemetry } from "./settings/observability.ts"
import { operator } from "./settings/operator.ts"
import { requestLog } from "./settings/request-log.ts"
import { runtime } from "./settings/runtime-cluster.ts"
import { local } from "./settings/runtime-local.ts"
import { samples } from "./settings/samples.ts"
import { mcp, rateLimit, service, ui } from "./settings/server.ts"
import { audit, database, retention } from "./settings/storage.ts"
import { tenants } from "./settings/tenants.ts"
import { tracker } from "./settings/tracker.ts"
import { validity } from "./settings/validity.ts"
import type { TenantAddress } from "./tenant-notifications.ts"

/** in the order of the reference's table */
export const settings = {
  ...service,
  ...ui,
  ...rateLimit,
  ...mcp,
  ...tenants,
  ...log,
  ...database,
  ...tracker,
  ...metrics,
  ...telemetry,
  ...retention,
  ...audit,
  ...auth,
  ...names,
  ...runtime,
  ...grace,
  ...security,
  ...model,
  ...sidecar,
  ...egress,
  ...secrets,
  ...timeouts,
  ...samples,
  ...requestLog,
  ...notifications,
  ...validity,
  ...testData,
  ...oci,
  ...signing,
  ...catalog,
  ...local,
  ...compat,
  ...operator
} as const satisfies { readonly [key: string]: Setting<unknown> }

export type SettingKey = keyof typeof settings

/** map settings: everything below these keys, with free names */
export const settingMaps = {
  "secrets.mappings": "file name below secrets.dir -> setting it fills",
  "providers.images": "provider id -> container image that replaces the one in its file",
  "validity.tenants":
    "tenant -> {code: limit}: settings validity.<code> of one tenant; a job's validity_limits go before them",
  "notifications.tenants":
    "tenant -> {name: {url, events, secret_ref}}: addresses that are told of each job of the tenant, besides the job's own",
  "budgets.defaults":
    'tenant or "*" -> {requests, tokens, seconds, cost}: budget of jobs that ask for none, member by member',
  "budgets.caps": 'tenant or "*" -> {requests, tokens, seconds, cost}: no job or benchmark may use more',
  prices: "name of a model -> {input, output}: price of a million tokens, in whatever you count in; none are shipped",
  frameworks: "provider id -> {command}: executable or virtual environment of a local framework"
} as const

type Budgets = {
  readonly [tenant: string]: { readonly [Member in "requests" | "tokens" | "seconds" | "cost"]?: number }
}

export type Settings = { readonly [K in SettingKey]: (typeof settings)[K] extends Setting<infer A> ? A : never } & {
  readonly "providers.images": { readonly [providerId: string]: string }
  readonly "validity.tenants": { readonly [tenant: string]: { readonly [code: string]: number } }
  readonly "notifications.tenants": { readonly [tenant: string]: ReadonlyArray<TenantAddress> }
  readonly "budgets.defaults": Budgets
  readonly "budgets.caps": Budgets
  readonly prices: { readonly [model: string]: { readonly input: number; readonly output: number } }
  readonly frameworks: { readonly [providerId: string]: { readonly command: string } }
  /** file that a setting was read from, by its key: `<VARIABLE>_FILE` or `secrets.mappings` */
  readonly files: { readonly [key: string]: string }
}

/** Settings with free names in their keys: budgets, prices, limits and addresses of tenants, images and frameworks of providers. */
import { Either } from "effect"
import type { Setting } from "./settings/kinds.ts"
import { validity } from "./settings/validity.ts"
import { type Settings, settingMaps } from "./settings.ts"
import { tenantNotifications } from "./tenant-notifications.ts"

const validitySettings: { readonly [key: string]: Setting<number> } = validity

/** the map that a key belongs to */
export const settingMapOf = (key: string) => Object.keys(settingMaps).find((map) => key.startsWith(`${map}.`))

/** `validity.tenants.<tenant>.<code>`, each read like the setting `validity.<code>` */
const tenantLimits = (maps: ReadonlyMap<string, string>, file: string, problems: Array<string>) => {
  const tenants: Record<string, Record<string, number>> = {}
  for (const [key, text] of maps) {
    if (!key.startsWith("validity.tenants.")) continue
    const [, tenant, code] = /^validity\.tenants\.([^.]+)\.([^.]+)$/.exec(key) ?? []
    const limit = validitySettings[`validity.${code}`]
    if (tenant === undefined || code === undefined || limit === undefined) {
      problems.push(`${key}: unknown setting in ${file}; validity.tenants.<tenant>.<code> is a limit of one tenant`)
      continue
    }
    const value = limit.read(text)
    if (Either.isLeft(value)) problems.push(`${key}: ${value.left}, not '${text.slice(0, 80)}' (from ${file})`)
    else tenants[tenant] = { ...tenants[tenant], [code]: value.right }
  }
  return tenants
}

const amountOf = (text: string): number | undefined => (/^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined)

/** maps of the form `<map>.<free name>.<member>`, all numbers that are not negative; a name may hold dots */
const amounts = (
  map: "budgets.defaults" | "budgets.caps" | "prices",
  members: ReadonlyArray<string>,
  maps: ReadonlyMap<string, string>,
  problems: Array<string>
) => {
  const found: Record<string, Record<string, number>> = {}
  for (const [key, text] of maps) {
    if (!key.startsWith(`${map}.`)) continue
    const rest = key.slice(map.length + 1)
    const name = rest.slice(0, Math.max(0, rest.lastIndexOf(".")))
    const member = rest.slice(rest.lastIndexOf(".") + 1)
    const value = amountOf(text)
    if (name === "" || !members.includes(member))
      problems.push(`${key}: unknown setting; expected ${map}.<name>.${members.join("|")}`)
    else if (value === undefined) problems.push(`${key}: expected a number from 0, not '${text.slice(0, 80)}'`)
    else found[name] = { ...found[name], [member]: value }
  }
  return found
}

const budgetMembers = ["requests", "tokens", "seconds", "cost"]

const pricesIn = (maps: ReadonlyMap<string, string>, problems: Array<string>): Settings["prices"] =>
  Object.fromEntries(
    Object.entries(amounts("prices", ["input", "output"], maps, problems)).flatMap(([model, { input, output }]) => {
      if (input !== undefined && output !== undefined) return [[model, { input, output }] as const]
      problems.push(`prices.${model}: needs both input and output`)
      return []
    })
  )

const frameworksIn = (maps: ReadonlyMap<string, string>, file: string, problems: Array<string>) => {
  const frameworks: Record<string, { readonly command: string }> = {}
  for (const [key, text] of maps) {
    const framework = /^frameworks\.(.+)\.command$/.exec(key)?.[1]
    if (framework !== undefined) frameworks[framework] = { command: text }
    else if (key.startsWith("frameworks."))
      problems.push(`${key}: unknown setting in ${file}; frameworks.<provider id>.command names an executable`)
  }
  return frameworks
}

const imagesIn = (maps: ReadonlyMap<string, string>): { readonly [providerId: string]: string } => {
  const prefix = "providers.images."
  return Object.fromEntries(
    [...maps].flatMap(([key, text]) => (key.startsWith(prefix) ? [[key.slice(prefix.length), text]] : []))
  )
}

/** `maps`: flat settings below the keys of `settingMaps`, those of `secrets.mappings` left to the loader; what is wrong goes into `problems` */
export const settingMapsIn = (maps: ReadonlyMap<string, string>, file: string, problems: Array<string>) => ({
  "providers.images": imagesIn(maps),
  frameworks: frameworksIn(maps, file, problems),
  "validity.tenants": tenantLimits(maps, file, problems),
  "notifications.tenants": tenantNotifications(maps, file, problems),
  "budgets.defaults": amounts("budgets.defaults", budgetMembers, maps, problems),
  "budgets.caps": amounts("budgets.caps", budgetMembers, maps, problems),
  prices: pricesIn(maps, problems)
})

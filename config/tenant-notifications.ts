/** Settings `notifications.tenants.<tenant>.<name>.*`: addresses that are told of each job of a tenant. Their rules are the domain's. */

export interface TenantAddress {
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly secretRef: string
}

const members = ["url", "events", "secret_ref"] as const

/** `given`: flat settings of `file`; what is wrong goes into `problems` */
export const tenantNotifications = (
  given: ReadonlyMap<string, string>,
  file: string,
  problems: Array<string>
): { readonly [tenant: string]: ReadonlyArray<TenantAddress> } => {
  const found = new Map<string, Map<string, Map<string, string>>>()
  for (const [key, text] of given) {
    if (!key.startsWith("notifications.tenants.")) continue
    const [, tenant, name, member] = /^notifications\.tenants\.([^.]+)\.([^.]+)\.([^.]+)$/.exec(key) ?? []
    if (tenant === undefined || name === undefined || !members.some((one) => one === member)) {
      problems.push(
        `${key}: unknown setting in ${file}; notifications.tenants.<tenant>.<name> has the members ${members.join(", ")}`
      )
      continue
    }
    const ofTenant = found.get(tenant) ?? new Map<string, Map<string, string>>()
    ofTenant.set(name, (ofTenant.get(name) ?? new Map<string, string>()).set(member ?? "", text))
    found.set(tenant, ofTenant)
  }
  return Object.fromEntries(
    [...found].map(([tenant, named]) => [
      tenant,
      [...named].map(([name, values]): TenantAddress => {
        for (const member of members)
          if (!values.has(member))
            problems.push(`notifications.tenants.${tenant}.${name}.${member}: is missing in ${file}`)
        return {
          url: values.get("url") ?? "",
          events: (values.get("events") ?? "").split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()])),
          secretRef: values.get("secret_ref") ?? ""
        }
      })
    ])
  )
}

/**
 * Who asks, in which tenant: the token, the tenant, and the client made of both. A token is kept in memory, or in the session storage of this tab
 * when the user says so; it is part of no address and of nothing that is logged.
 */

import { computed, signal } from "@preact/signals"
import { defined } from "../../../values/defined.ts"
import { parseJson } from "../../../values/json.ts"
import { type Client, makeClient } from "../../client/client.ts"
import { readStored, store } from "./storage.ts"

const tokenKey = "evald.token"
const tenantsKey = "evald.tenants"
const mostTenants = 10

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

const readTenants = (): ReadonlyArray<string> => {
  const value = parseJson(readStored("localStorage", tenantsKey) ?? "[]")
  return isTexts(value) ? value.slice(0, mostTenants) : []
}

const kept = readStored("sessionStorage", tokenKey)
/** another object with each sign-in: what was refused is asked for again, although the text may be the same */
const token = signal(kept === undefined ? undefined : { text: kept })

/** used before, the latest first */
export const tenants = signal(readTenants())

/** undefined: the server's own choice, which it has in local mode alone */
export const tenant = computed(() => tenants.value[0])

/** what has to be asked of the user before anything can be shown */
export const missing = signal<"token" | "tenant" | undefined>(undefined)

/** of every request; a browser's request that changes something is refused without the first */
const headers = computed(() => ({
  "x-evald-client": "pages",
  ...(token.value === undefined ? {} : { authorization: `Bearer ${token.value.text}` }),
  ...defined({ "x-tenant": tenant.value })
}))

/** answers in the place of a server, in a page that holds all that it shows */
export const held = signal<Client | undefined>(undefined)

/** another one when token or tenant change: what was loaded with it is loaded again */
export const client = computed<Client>(() => held.value ?? makeClient({ baseUrl: "", headers: headers.value }))

export const signIn = (given: string, remember: boolean): void => {
  store("sessionStorage", tokenKey, remember ? given : undefined)
  missing.value = undefined
  token.value = { text: given }
}

export const signOut = (): void => {
  store("sessionStorage", tokenKey, undefined)
  token.value = undefined
}

export const hasToken = computed(() => token.value !== undefined)

export const chooseTenant = (name: string): void => {
  const next = [name, ...tenants.value.filter((one) => one !== name)].slice(0, mostTenants)
  store("localStorage", tenantsKey, JSON.stringify(next))
  missing.value = undefined
  tenants.value = next
}

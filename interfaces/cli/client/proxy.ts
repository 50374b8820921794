/** Whether a proxy stands between here and a server, from the variables that other programs read as well. */
import type { Environment } from "./environment.ts"
import { exits, Stop } from "./exit.ts"

const variable = (environment: Environment, name: string): string | undefined =>
  environment[name] || environment[name.toLowerCase()] || undefined

const isHere = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname)

/** an entry of NO_PROXY: `*`, a name with all names below it, or either with a port */
const exempts = (entry: string, { hostname, port, protocol }: URL): boolean => {
  if (entry === "*") return true
  const [, name = entry, only] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
  if (only !== undefined && only !== (port || (protocol === "https:" ? "443" : "80"))) return false
  const bare = name.replace(/^\*?\./, "")
  return bare !== "" && (hostname === bare || hostname.endsWith(`.${bare}`))
}

export const proxyOf = (server: string, environment: Environment): URL | undefined => {
  const url = new URL(server)
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY"
  const text = variable(environment, name)
  const exempt = (variable(environment, "NO_PROXY") ?? "").split(/[\s,]+/).some((entry) => exempts(entry, url))
  if (text === undefined || exempt || isHere(url.hostname)) return undefined
  const address = text.includes("://") ? text : `http://${text}`
  const proxy = URL.canParse(address) ? new URL(address) : undefined
  // what it holds may be a password
  if (proxy === undefined || !/^https?:$/.test(proxy.protocol))
    throw new Stop(
      exits.configuration,
      `${name} is no address of a proxy, such as http://proxy.example:3128; unset it, or exempt the server by NO_PROXY`
    )
  return proxy
}

/** The `proxy-url` of a kubeconfig's cluster: named for this cluster, hence used whatever its address is. */
import type { Agent, AgentOptions } from "node:http"
import type { RequestOptions } from "node:https"
import { KubeConfig } from "@kubernetes/client-node"
import { Effect } from "effect"
import { isObject } from "../../../values/json.ts"
import type { KubeProxy } from "../client/connection.ts"
import { type ChosenContext, textOf, unusable } from "./kubeconfig-files.ts"

const schemes = ["http:", "https:", "socks5:", "socks5h:"]
/** for the proxy to open the way */
const connectMillis = 10_000

const agentFor = async (server: string, proxyUrl: string, options: AgentOptions): Promise<Agent> => {
  const config = new KubeConfig()
  config.loadFromClusterAndUser({ name: "chosen", server, proxyUrl, skipTLSVerify: false }, { name: "nobody" })
  // a limit would end a silent watch behind a SOCKS proxy, which has one of its own for opening the way
  const request: RequestOptions = proxyUrl.startsWith("http") ? { timeout: connectMillis } : {}
  await config.applyToHTTPSOptions(request)
  if (typeof request.agent !== "object") throw new Error("the library gave no way through the proxy")
  const { agent } = request
  // an agent's own options win over those of a request, also the ones that are undefined: certificates come with each request
  const own: unknown = Reflect.get(agent, "options")
  if (isObject(own))
    for (const [name, value] of Object.entries(own)) if (value === undefined) Reflect.deleteProperty(own, name)
  return Object.assign(agent, options, { keepAlive: options.keepAlive === true })
}

/** undefined: the way is direct. Fails on what is no proxy's address; the message does not repeat it, it may hold a password. */
export const proxyOf = ({ cluster: { file, name, value }, server }: ChosenContext): KubeProxy | undefined => {
  const text = textOf(value, "proxy-url")
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !schemes.includes(url.protocol) || url.hostname === "")
    throw unusable(`${file}: 'proxy-url' of cluster '${name}' is no address of a proxy; expected http, https or socks5`)
  return { address: url.host, agent: (options) => Effect.promise(() => agentFor(server, text, options)) }
}

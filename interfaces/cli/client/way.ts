/**
 * Connections to a server that is asked over TLS or through a proxy: those of every process of evald, with the same rules. Commands that need
 * neither do not load them. Reference: gateway.md, "Proxies".
 */
import { readFileSync } from "node:fs"
import type { Agent } from "node:http"
import { Either } from "effect"
import { destinationOf, proxyVariables, readProxies } from "../../../domain/proxies.ts"
import { makeConnections } from "../../../infrastructure/outbound/connections.ts"
import { OutboundError } from "../../../infrastructure/outbound/outbound-error.ts"
import type { Environment } from "./environment.ts"
import { exits, Stop } from "./exit.ts"

const names = { http: "HTTP_PROXY", https: "HTTPS_PROXY", exempt: "NO_PROXY", named: "" }

const certificatesOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    throw new Stop(
      exits.configuration,
      `the file of certificates can not be read: ${error instanceof Error ? error.message : error}`,
      "evald context list"
    )
  }
}

/** `ca`: file of certificates of who may vouch for the server or a proxy, beside the system's; throws when it, or what the environment says of proxies, can not be used */
export const agentsBy = (environment: Environment, ca: string | undefined): ((url: URL) => Agent) => {
  const read = readProxies({ ...proxyVariables(environment), named: [] }, names)
  if (Either.isLeft(read)) throw new Stop(exits.configuration, `${read.left}; mend or unset it`)
  const certificates = ca === undefined ? undefined : certificatesOf(ca)
  const { agentFor } = makeConnections({
    peer: { name: "the server", remedy: "a certificate that its own authority vouches for needs --ca" },
    connectMillis: 30_000,
    trust: () => ({ ca: certificates }),
    egress: undefined,
    way: { proxies: () => read.right, proxyCa: () => certificates },
    maxPerOrigin: Number.POSITIVE_INFINITY,
    maxQueued: Number.POSITIVE_INFINITY
  })
  return (url) => {
    const agent = agentFor(destinationOf(url))
    if (agent instanceof OutboundError) throw agent
    return agent
  }
}

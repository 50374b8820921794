/** The server that is meant, with its client. */
import { defined } from "../../../values/defined.ts"
import { makeClient } from "../../client/client.ts"
import type { Target } from "./contexts.ts"
import type { Environment } from "./environment.ts"
import type { Connection } from "./session.ts"

/** most servers of one's own machine need neither: what speaks TLS and through proxies is not loaded for them */
const needsWay = ({ server, ca }: Target, environment: Environment): boolean =>
  ca !== undefined || server.startsWith("https:") || Boolean(environment["http_proxy"] || environment["HTTP_PROXY"])

const fetchFor = async (target: Target, environment: Environment): Promise<typeof fetch> => {
  const [{ fetchBy }, way] = await Promise.all([
    import("./transport.ts"),
    needsWay(target, environment) ? import("./way.ts") : undefined
  ])
  return fetchBy(way?.agentsBy(environment, target.ca))
}

export const connectionTo = async (target: Target, environment: Environment, version: string): Promise<Connection> => {
  const headers = {
    "user-agent": `evald/${version}`,
    ...(target.token === undefined ? {} : { authorization: `Bearer ${target.token}` }),
    ...defined({ "x-tenant": target.tenant })
  }
  const transport = await fetchFor(target, environment)
  let last: string | undefined
  const onAsk = (name: string) => {
    last = name
  }
  return {
    target,
    headers,
    fetch: transport,
    client: makeClient({ baseUrl: target.server, headers, fetch: transport, onAsk }),
    lastAsked: () => last
  }
}

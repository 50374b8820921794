/** The server that is meant, with its client. */
import { makeClient } from "../../client/client.ts"
import type { Target } from "./contexts.ts"
import type { Environment } from "./environment.ts"
import { exits, Stop } from "./exit.ts"
import { proxyOf } from "./proxy.ts"
import type { Connection } from "./session.ts"

const fetchFor = async ({ server, ca }: Target, environment: Environment): Promise<typeof fetch> => {
  const proxy = proxyOf(server, environment)
  const { certificatesOf, fetchBy } = await import("./transport.ts")
  try {
    return fetchBy({ proxy, ca: ca === undefined ? undefined : certificatesOf(ca) })
  } catch (error) {
    throw new Stop(
      exits.configuration,
      `the file of certificates can not be read: ${error instanceof Error ? error.message : error}`,
      "evald context list"
    )
  }
}

export const connectionTo = async (target: Target, environment: Environment, version: string): Promise<Connection> => {
  const headers = {
    "user-agent": `evald/${version}`,
    ...(target.token === undefined ? {} : { authorization: `Bearer ${target.token}` }),
    ...(target.tenant === undefined ? {} : { "x-tenant": target.tenant })
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

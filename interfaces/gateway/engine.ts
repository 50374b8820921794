/** What the gateway is made of in a pod and on a user's own machine alike: connections with their limits, and the registry. Reference: gateway.md, "Streams and limits". */
import { Either } from "effect"
import { modelUpstream } from "../../domain/credentials/upstream.ts"
import { type ConnectionOptions, makeConnections } from "../../infrastructure/outbound/connections.ts"
import type { MountedFile } from "./mounted-files.ts"
import type { ProxySettings } from "./proxy.ts"
import { makeRegistryAuth } from "./registry-auth.ts"
import { registryAddress } from "./registry-login.ts"
import type { RegistryRoute } from "./registry-route.ts"
import { makeUploadAddresses } from "./upload-addresses.ts"

const connectMillis = 10_000
const idleMillis = 900_000
const maxHeadBytes = 65_536
const maxPerOrigin = 256
const maxQueued = 1_024

export type SettingsOf = Pick<ConnectionOptions, "peer" | "egress" | "way" | "own"> & {
  /** default: the system's roots */
  readonly trust?: ConnectionOptions["trust"]
  /** default 10,000 */
  readonly connectMillis?: number | undefined
  /** default 900,000 */
  readonly idleMillis?: number | undefined
  readonly onExchange?: ProxySettings["onExchange"] | undefined
}

/** connections of their own for one kind of peer, and how exchanges go over them */
export const proxySettings = (of: SettingsOf): ProxySettings => ({
  connections: makeConnections({
    peer: of.peer,
    egress: of.egress,
    way: of.way,
    own: of.own === true,
    trust: of.trust ?? (() => ({})),
    connectMillis: of.connectMillis ?? connectMillis,
    maxPerOrigin,
    maxQueued
  }),
  idleMillis: of.idleMillis ?? idleMillis,
  maxHeadBytes,
  onExchange: of.onExchange ?? (() => {})
})

export interface RegistryOf {
  /** as the job names it, `host[:port]` */
  readonly host: string
  readonly repository: string
  readonly plainHttp: boolean
  /** docker-config-json */
  readonly config: MountedFile
  /** random and not to be guessed, for upload addresses on other hosts */
  readonly newToken: () => string
}

/** Left: why the host is none, as the end of a sentence */
export const registryOf = (
  { host, repository, plainHttp, config, newToken }: RegistryOf,
  settings: ProxySettings
): Either.Either<Omit<RegistryRoute, "publicBase">, string> =>
  Either.map(modelUpstream(`${plainHttp ? "http" : "https"}://${registryAddress(host)}`), (registry) => ({
    upstream: registry,
    auth: makeRegistryAuth({ connections: settings.connections, registry, host, repository, plainHttp, config }),
    uploads: makeUploadAddresses(newToken),
    settings
  }))

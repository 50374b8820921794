/** The upstreams of one pod, as its configuration names them: where each route leads, with which files and under which policy. */
import { Either, Redacted } from "effect"
import type { CredentialPolicy } from "../../domain/credentials/resolve.ts"
import { modelUpstream, prefixUpstream } from "../../domain/credentials/upstream.ts"
import { type Cidr, type EgressPolicy, parseCidr } from "../../domain/egress.ts"
import type { SidecarConfig } from "../../providers/contract/sidecar-config.ts"
import { type ConnectionOptions, makeConnections, modelPeer, registryPeer, type TlsPeer } from "../gateway/connections.ts"
import { type MountedFile, mountedFile, mountedSecret } from "../gateway/mounted-files.ts"
import type { Exchange, ProxySettings } from "../gateway/proxy.ts"
import { makeRegistryAuth } from "../gateway/registry-auth.ts"
import { registryAddress } from "../gateway/registry-login.ts"
import type { RegistryRoute } from "../gateway/registry-route.ts"
import type { TrackerRoute } from "../gateway/tracker-route.ts"
import { makeUploadAddresses } from "../gateway/upload-addresses.ts"
import type { ModelRoute } from "./model-route.ts"

/** the configuration can be read and still not be used */
export class SidecarUnusable extends Error {}

export const usable = <A>(read: Either.Either<A, string>, member: string): A => {
  if (Either.isLeft(read)) throw new SidecarUnusable(`${member} ${read.left}`)
  return read.right
}

export interface Outbound {
  readonly model: ModelRoute
  readonly tracker: TrackerRoute | undefined
  readonly registry: RegistryRoute | undefined
  readonly server: { readonly connections: ProxySettings["connections"]; readonly token: MountedFile }
  readonly close: () => void
}

const maxHeadBytes = 65_536
const maxPerOrigin = 256
const maxQueued = 1_024

const trackerPeer: TlsPeer = {
  name: "the tracking server",
  remedy: "if its certificate is private, its CA belongs into the ConfigMap of the server's setting runtime.k8s.tracker_ca, key ca-bundle.crt"
}
const serverPeer: TlsPeer = {
  name: "the evaluation server",
  remedy: "if its certificate is private, its CA belongs into the ConfigMap of the server's setting runtime.k8s.service_ca, key service-ca.crt"
}

const ranges = (texts: ReadonlyArray<string>, member: string): ReadonlyArray<Cidr> => texts.map((text) => usable(parseCidr(text), member))

/** `apiServer`: address of the cluster's API server, which nobody reaches through the proxy */
const egressOf = ({ egress }: SidecarConfig, apiServer: string | undefined): EgressPolicy => {
  const api = apiServer === undefined ? undefined : parseCidr(apiServer)
  return {
    denied: [...ranges(egress.deny_cidrs, "egress.deny_cidrs"), ...(api !== undefined && Either.isRight(api) ? [api.right] : [])],
    allowed: ranges(egress.allow_cidrs, "egress.allow_cidrs"),
    hosts: egress.allow_hosts.map((host) => host.toLowerCase())
  }
}

const policyOf = ({ model, egress }: SidecarConfig): CredentialPolicy => ({
  podToken: model.sa_token_injection,
  podTokenHosts: model.sa_token_hosts.map((host) => host.toLowerCase()),
  refHeaders: model.ref_headers.map((header) => header.toLowerCase()),
  requireTls: egress.require_tls_for_credentials,
  ...(model.cluster_domain === undefined ? {} : { clusterDomain: model.cluster_domain }),
  replaceForeign: false
})

/** throws `SidecarUnusable`; `publicBase`: address under which the adapter reaches the sidecar */
export const makeOutbound = (
  config: SidecarConfig,
  given: {
    readonly apiServer: string | undefined
    readonly newId: () => string
    readonly publicBase: string
    readonly onExchange: (exchange: Exchange) => void
    readonly onExposed: (host: string) => void
    /** monotonic milliseconds, for the age of mounted files */
    readonly clock?: (() => number) | undefined
  }
): Outbound => {
  const { publicBase, onExchange, clock } = given
  const opened: Array<ProxySettings["connections"]> = []
  const connections = (peer: TlsPeer, ca: ConnectionOptions["ca"], egress: EgressPolicy | undefined) => {
    const made = makeConnections({ peer, connectMillis: config.timeouts.connect_ms, maxPerOrigin, maxQueued, ca, egress })
    opened.push(made)
    return made
  }
  const settings = (made: ProxySettings["connections"]): ProxySettings => ({ connections: made, idleMillis: config.timeouts.idle_ms, maxHeadBytes, onExchange })
  const egress = egressOf(config, given.apiServer)

  const secret = config.model.secret_dir === undefined ? () => undefined : mountedSecret(config.model.secret_dir, clock)
  const modelCa = () => {
    const value = secret()?.get("ca_cert")
    return value === undefined ? undefined : Redacted.value(value)
  }
  const serverCa = mountedFile(config.server.ca_path, clock)

  const trackerOf = (tracker: NonNullable<SidecarConfig["tracker"]>): TrackerRoute => {
    const ca = mountedFile(tracker.ca_path, clock)
    return {
      upstream: usable(prefixUpstream(tracker.url), "tracker.url"),
      token: mountedFile(tracker.token_path, clock),
      workspace: tracker.workspace,
      publicBase,
      settings: settings(connections(trackerPeer, ca.current, undefined))
    }
  }
  const registryOf = (registry: NonNullable<SidecarConfig["registry"]>): RegistryRoute => {
    const upstream = usable(modelUpstream(`${registry.plain_http ? "http" : "https"}://${registryAddress(registry.host)}`), "registry.host")
    const made = connections(registryPeer, () => undefined, egress)
    const auth = makeRegistryAuth({
      connections: made,
      registry: upstream,
      host: registry.host,
      repository: registry.repository,
      plainHttp: registry.plain_http,
      config: mountedFile(registry.config_path, clock)
    })
    return { upstream, auth, uploads: makeUploadAddresses(given.newId), publicBase, settings: settings(made) }
  }

  return {
    model: {
      upstream: usable(modelUpstream(config.model.url), "model.url"),
      secret,
      podToken: mountedFile(config.model.sa_token_path, clock),
      policy: policyOf(config),
      publicBase,
      onExposed: given.onExposed,
      settings: settings(connections(modelPeer, modelCa, egress))
    },
    tracker: config.tracker === undefined ? undefined : trackerOf(config.tracker),
    registry: config.registry === undefined ? undefined : registryOf(config.registry),
    // the operator chose the server, so no outbound policy
    server: { connections: connections(serverPeer, serverCa.current, undefined), token: mountedFile(config.server.token_path, clock) },
    close: () => {
      for (const made of opened) made.close()
    }
  }
}

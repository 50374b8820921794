/** The upstreams of one pod, as its configuration names them: where each route leads, with which files and under which policy. */
import { Either, Redacted } from "effect"
import { lastDecision } from "../../domain/credentials/last-decision.ts"
import { type CredentialPolicy, resolveRequest } from "../../domain/credentials/resolve.ts"
import { modelUpstream, prefixUpstream } from "../../domain/credentials/upstream.ts"
import { type Cidr, type EgressPolicy, parseCidr } from "../../domain/egress.ts"
import type { WayOut } from "../../domain/proxies.ts"
import type { Connections } from "../../infrastructure/outbound/connections.ts"
import type { Peer } from "../../infrastructure/outbound/outbound-error.ts"
import type { SidecarConfig } from "../../providers/contract/sidecar-config.ts"
import { defined } from "../../values/defined.ts"
import { proxySettings, registryOf, type SettingsOf } from "../gateway/engine.ts"
import type { ModelRoute } from "../gateway/model-route.ts"
import { type MountedFile, mountedFile, mountedSecret } from "../gateway/mounted-files.ts"
import { modelPeer, registryPeer } from "../gateway/peers.ts"
import { wayOutOf } from "../gateway/pod-proxies.ts"
import type { Exchange } from "../gateway/proxy.ts"
import type { RegistryRoute } from "../gateway/registry-route.ts"
import type { TrackerRoute } from "../gateway/tracker-route.ts"
import type { Witness } from "../gateway/witness/witness.ts"

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
  readonly server: { readonly connections: Connections; readonly token: MountedFile }
  readonly close: () => void
}

const trackerPeer: Peer = {
  name: "the tracking server",
  remedy:
    "if its certificate is private, its CA belongs into the ConfigMap of the server's setting runtime.k8s.tracker_ca, key ca-bundle.crt"
}
const serverPeer: Peer = {
  name: "the evaluation server",
  remedy:
    "if its certificate is private, its CA belongs into the ConfigMap of the server's setting runtime.k8s.service_ca, key service-ca.crt"
}

const ranges = (texts: ReadonlyArray<string>, member: string): ReadonlyArray<Cidr> =>
  texts.map((text) => usable(parseCidr(text), member))

/** `apiServer`: address of the cluster's API server, which nobody reaches through the proxy */
const egressOf = ({ egress }: SidecarConfig, apiServer: string | undefined): EgressPolicy => {
  const api = apiServer === undefined ? undefined : parseCidr(apiServer)
  return {
    denied: [
      ...ranges(egress.deny_cidrs, "egress.deny_cidrs"),
      ...(api !== undefined && Either.isRight(api) ? [api.right] : [])
    ],
    allowed: ranges(egress.allow_cidrs, "egress.allow_cidrs"),
    hosts: egress.allow_hosts.map((host) => host.toLowerCase()),
    trustProxy: egress.trust_proxy === true
  }
}

const policyOf = ({ model, egress }: SidecarConfig): CredentialPolicy => ({
  podToken: model.sa_token_injection,
  podTokenHosts: model.sa_token_hosts.map((host) => host.toLowerCase()),
  refHeaders: model.ref_headers.map((header) => header.toLowerCase()),
  requireTls: egress.require_tls_for_credentials,
  ...defined({ clusterDomain: model.cluster_domain }),
  replaceForeign: false
})

const readWay = ({ proxy }: SidecarConfig, clock: (() => number) | undefined): WayOut => {
  const way = wayOutOf(proxy, clock)
  if (Either.isLeft(way)) throw new SidecarUnusable(way.left)
  return way.right
}

/** settings of each upstream, whose connections are closed together */
const makeSettings = (
  config: SidecarConfig,
  clock: (() => number) | undefined,
  onExchange: (exchange: Exchange) => void
) => {
  const way = readWay(config, clock)
  const opened: Array<Connections> = []
  const settings = (of: Omit<SettingsOf, "way">) => {
    const made = proxySettings({
      ...of,
      way,
      connectMillis: config.timeouts.connect_ms,
      idleMillis: config.timeouts.idle_ms,
      onExchange
    })
    opened.push(made.connections)
    return made
  }
  const close = () => {
    for (const made of opened) made.close()
  }
  return { settings, close }
}

const trackerOf = (
  tracker: NonNullable<SidecarConfig["tracker"]>,
  {
    settings,
    publicBase,
    clock
  }: {
    readonly settings: ReturnType<typeof makeSettings>["settings"]
    readonly publicBase: string
    readonly clock: (() => number) | undefined
  }
): TrackerRoute => {
  const ca = mountedFile(tracker.ca_path, clock)
  const trust = () => ({ ca: ca.current(), unverified: tracker.insecure_skip_verify === true })
  return {
    upstream: usable(prefixUpstream(tracker.url), "tracker.url"),
    token: mountedFile(tracker.token_path, clock),
    workspace: tracker.workspace,
    publicBase,
    settings: settings({ peer: trackerPeer, trust, egress: undefined })
  }
}

/** throws `SidecarUnusable`; `publicBase`: address under which the adapter reaches the sidecar */
export const makeOutbound = (
  config: SidecarConfig,
  given: {
    readonly apiServer: string | undefined
    readonly newId: () => string
    readonly publicBase: string
    readonly onExchange: (exchange: Exchange) => void
    readonly onExposed: (host: string) => void
    readonly witness: Witness
    readonly metering: Pick<ModelRoute, "log" | "budget">
    /** monotonic milliseconds, for the age of mounted files */
    readonly clock?: (() => number) | undefined
  }
): Outbound => {
  const { publicBase, onExchange, clock } = given
  const { settings, close } = makeSettings(config, clock, onExchange)
  const egress = egressOf(config, given.apiServer)

  const secret = config.model.secret_dir === undefined ? () => undefined : mountedSecret(config.model.secret_dir, clock)
  const modelCa = () => {
    const value = secret()?.get("ca_cert")
    return value === undefined ? undefined : Redacted.value(value)
  }
  const serverCa = mountedFile(config.server.ca_path, clock)

  const registryRoute = ({
    host,
    repository,
    plain_http,
    config_path
  }: NonNullable<SidecarConfig["registry"]>): RegistryRoute => {
    const of = {
      host,
      repository,
      plainHttp: plain_http,
      config: mountedFile(config_path, clock),
      newToken: given.newId
    }
    return { ...usable(registryOf(of, settings({ peer: registryPeer, egress })), "registry.host"), publicBase }
  }

  return {
    model: {
      upstream: usable(modelUpstream(config.model.url), "model.url"),
      secret,
      podToken: mountedFile(config.model.sa_token_path, clock),
      policy: policyOf(config),
      decide: lastDecision(resolveRequest),
      publicBase: publicBase + (config.model.prefix ?? ""),
      onExposed: given.onExposed,
      settings: settings({ peer: modelPeer, trust: () => ({ ca: modelCa() }), egress }),
      witness: given.witness,
      ...given.metering
    },
    tracker: config.tracker === undefined ? undefined : trackerOf(config.tracker, { settings, publicBase, clock }),
    registry: config.registry === undefined ? undefined : registryRoute(config.registry),
    server: {
      // the operator chose the server, so no outbound policy; it is evald itself, so no proxy unless named
      connections: settings({
        peer: serverPeer,
        trust: () => ({ ca: serverCa.current() }),
        egress: undefined,
        own: true
      }).connections,
      token: mountedFile(config.server.token_path, clock)
    },
    close
  }
}

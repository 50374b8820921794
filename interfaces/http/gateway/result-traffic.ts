/**
 * Results of local units on their way out: `/cb/<secret>/v2/…` to the job's own repository, `/cb/<secret>/api/2.0/mlflow/…` to the
 * tracking server. Credentials are added here, so that an adapter never holds one. The same routes as the sidecar's, below a prefix.
 * Reference: gateway.md, "Routes", "Registry".
 */

import { Context, Effect, Either, Layer, Redacted } from "effect"
import { LRUCache } from "lru-cache"
import type { NotFound, Unavailable } from "../../../application/errors.ts"
import type { UnitId } from "../../../application/ports/runtime.ts"
import { SecretReader } from "../../../application/ports/secret-reader.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { prefixUpstream } from "../../../domain/credentials/upstream.ts"
import type { Job, OciExport } from "../../../domain/job/job.ts"
import { isLoopback } from "../../../domain/loopback.ts"
import type { WayOut } from "../../../domain/proxies.ts"
import { trackerPeer } from "../../../infrastructure/outbound/tracker-peer.ts"
import { proxySettings, registryOf, type SettingsOf } from "../../gateway/engine.ts"
import { Fault } from "../../gateway/fault.ts"
import type { MountedFile } from "../../gateway/mounted-files.ts"
import { registryPeer } from "../../gateway/peers.ts"
import { type Caller, type ProxySettings, refuse } from "../../gateway/proxy.ts"
import { type RegistryRoute, toRegistry, toUpload } from "../../gateway/registry-route.ts"
import { routeOf } from "../../gateway/route.ts"
import { toTracker } from "../../gateway/tracker-route.ts"
import type { Exchange } from "../exchange.ts"
import { untilClosed } from "./until-closed.ts"

export interface ResultRequest {
  readonly exchange: Exchange
  readonly unit: UnitId
  /** `/cb/<secret>` */
  readonly base: string
  /** undecoded path and query below it */
  readonly path: string
}

/** the default serves none: clusters have a sidecar per pod */
export class ResultTraffic extends Context.Reference<ResultTraffic>()("evald/interfaces/http/ResultTraffic", {
  defaultValue: (): {
    /** answers on the raw streams; undefined: not served here, like an unknown route */
    readonly handle: (request: ResultRequest) => Effect.Effect<"answered" | undefined, NotFound | Unavailable>
  } => ({ handle: () => Effect.sync(() => undefined) })
}) {}

export interface TrackerTraffic {
  /** setting `tracker.tracking_uri` */
  readonly uri: string
  /** undefined: the tracking server asks for no token */
  readonly token: MountedFile | undefined
  /** additional roots in PEM */
  readonly ca: () => string | undefined
  readonly unverified: boolean
  /** undefined when the tracking server knows no workspaces: it then refuses the header */
  readonly workspace: (tenant: string) => Effect.Effect<string | undefined>
}

export interface ResultTrafficOptions {
  /** setting `oci.insecure`: registries over plain http; loopback ones always are */
  readonly insecureRegistries: boolean
  readonly tracker: TrackerTraffic | undefined
  readonly way: WayOut
  /** random and not to be guessed, for upload addresses on other hosts */
  readonly newToken: () => string
}

/** registries with their tokens, kept between requests */
const maxRegistries = 256

interface KnownRegistry {
  readonly route: Omit<RegistryRoute, "publicBase">
  /** docker-config-json as it was read for the latest request */
  readonly config: { text: string | undefined }
}

const dockerConfig = [".dockerconfigjson", "config.json"] as const

const registries = (settings: ProxySettings, options: ResultTrafficOptions) => {
  const known = new LRUCache<string, KnownRegistry>({ max: maxRegistries })
  return ({ coordinates: { host, repository }, connection }: OciExport): Either.Either<KnownRegistry, string> => {
    const key = JSON.stringify([host, repository, connection])
    const found = known.get(key)
    if (found !== undefined) return Either.right(found)
    const plainHttp = options.insecureRegistries || isLoopback(host)
    const config: KnownRegistry["config"] = { text: undefined }
    const file = { current: () => config.text, expire: () => {} }
    return Either.map(
      registryOf({ host, repository, plainHttp, config: file, newToken: options.newToken }, settings),
      (route) => {
        const made = { route, config }
        known.set(key, made)
        return made
      }
    )
  }
}

/** Left: shown to the adapter */
const credentials = (
  secrets: SecretReader["Type"],
  connection: string | undefined
): Effect.Effect<Either.Either<string | undefined, string>> =>
  connection === undefined
    ? Effect.succeed(Either.right(undefined))
    : Effect.map(Effect.either(secrets.read(connection)), (read) =>
        Either.flatMap(
          Either.mapLeft(read, ({ message }) => message),
          (keys) => {
            const value = dockerConfig.map((name) => keys.get(name)).find((found) => found !== undefined)
            return value === undefined
              ? Either.left(`secret '${connection}' has no key ${dockerConfig.join(" or ")}`)
              : Either.right(Redacted.value(value))
          }
        )
      )

/** registries of jobs, with what asks them */
interface RegistryWay {
  readonly secrets: SecretReader["Type"]
  readonly settings: ProxySettings
  readonly registryFor: ReturnType<typeof registries>
}

const toOwnRegistry = (
  { secrets, settings, registryFor }: RegistryWay,
  caller: Caller,
  oci: OciExport,
  at: { readonly publicBase: string; readonly token: string | undefined }
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { publicBase, token } = at
    const read = yield* credentials(secrets, oci.connection)
    const registry = registryFor(oci)
    if (Either.isLeft(read))
      return refuse(caller, "registry", new Fault(502, "credential_unavailable", read.left), settings)
    if (Either.isLeft(registry))
      return refuse(caller, "registry", new Fault(502, "upstream_invalid", `oci_host ${registry.left}`), settings)
    registry.right.config.text = read.right
    const target = { ...registry.right.route, publicBase }
    if (token === undefined) toRegistry(caller, target)
    else toUpload(caller, target, token)
  })

/** the tracking server, with what asks it */
interface TrackerWay {
  readonly tracker: TrackerTraffic
  readonly settings: ProxySettings
}

const toOwnTracker = (
  { tracker, settings }: TrackerWay,
  caller: Caller,
  tenant: string,
  publicBase: string
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const upstream = prefixUpstream(tracker.uri)
    if (Either.isLeft(upstream)) {
      const fault = new Fault(502, "upstream_invalid", `tracker.tracking_uri ${upstream.left}`)
      return refuse(caller, "tracker", fault, settings)
    }
    const workspace = yield* tracker.workspace(tenant)
    toTracker(caller, { upstream: upstream.right, token: tracker.token, workspace, publicBase, settings })
  })

/** what this unit may reach; undefined: nothing of that kind */
const serve = (
  ways: { readonly registry: RegistryWay; readonly tracker: TrackerWay | undefined },
  caller: Caller,
  request: Job["request"],
  { exchange, unit, base, path }: ResultRequest
): Effect.Effect<void> | undefined => {
  const oci = request.exports?.oci
  const publicBase = `http://127.0.0.1:${exchange.source.socket.localPort ?? 0}${base}`
  const route = routeOf(exchange.method, path, {
    jobId: unit.jobId,
    ...(oci === undefined ? {} : { repository: oci.coordinates.repository })
  })
  if (route._tag === "Registry" && oci !== undefined)
    return toOwnRegistry(ways.registry, caller, oci, { publicBase, token: undefined })
  if (route._tag === "Upload" && oci !== undefined)
    return toOwnRegistry(ways.registry, caller, oci, { publicBase, token: route.token })
  if (route._tag === "Tracker" && ways.tracker !== undefined && request.experiment !== undefined)
    return toOwnTracker(ways.tracker, caller, unit.tenant, publicBase)
  return undefined
}

const make = (options: ResultTrafficOptions) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const secrets = yield* SecretReader
    const open = (of: Pick<SettingsOf, "peer" | "trust">) =>
      Effect.acquireRelease(
        // the user's own machine asks, so that no outbound policy applies
        Effect.sync(() => proxySettings({ ...of, egress: undefined, way: options.way })),
        ({ connections }) => Effect.sync(connections.close)
      )
    const settings = yield* open({ peer: registryPeer })
    const registry: RegistryWay = { secrets, settings, registryFor: registries(settings, options) }
    const { tracker } = options
    const trust = () => ({ ca: tracker?.ca(), unverified: tracker?.unverified === true })
    const ways = {
      registry,
      tracker: tracker === undefined ? undefined : { tracker, settings: yield* open({ peer: trackerPeer, trust }) }
    }

    return {
      handle: (request: ResultRequest) =>
        Effect.gen(function* () {
          const { source, sink, trace, expectsContinue } = request.exchange
          const { job } = yield* store.loadBenchmark(request.unit.jobId, request.unit.index)
          const caller: Caller = { request: source, response: sink, trace, expectsContinue, path: request.path }
          const work = serve(ways, caller, job, request)
          if (work === undefined) return undefined
          yield* work
          yield* untilClosed(sink)
          return "answered" as const
        })
    }
  })

export const layer = (options: ResultTrafficOptions): Layer.Layer<ResultTraffic, never, JobStore | SecretReader> =>
  Layer.scoped(ResultTraffic, make(options))

/**
 * The sidecar of one pod: all traffic of the adapter passes here and gets its credential here. Plain node code without the Effect
 * runtime, because one of these starts with every pod and its start is part of every benchmark. Reference: gateway.md, "Routes".
 */
import { Either } from "effect"
import { prefixUpstream, type Upstream } from "../../domain/credentials/upstream.ts"
import type { SidecarConfig } from "../../providers/contract/sidecar-config.ts"
import { Fault } from "../gateway/fault.ts"
import { toModel } from "../gateway/model-route.ts"
import { type Caller, type Exchange, refuse } from "../gateway/proxy.ts"
import { toRegistry, toUpload } from "../gateway/registry-route.ts"
import { routeOf } from "../gateway/route.ts"
import { toTracker } from "../gateway/tracker-route.ts"
import { makeWitness } from "../gateway/witness/witness.ts"
import { makeCounters } from "./counters.ts"
import { readEventBody } from "./event-body.ts"
import { makePost } from "./event-post.ts"
import { makeRelay, type RelayOptions } from "./event-relay.ts"
import { toEvents } from "./event-route.ts"
import { openSpool } from "./event-spool.ts"
import { bind, closeServer, healthServer, proxyServer } from "./listener.ts"
import { makeOutbound, type Outbound, usable } from "./outbound.ts"
import { makeSampleRelay, toSamples } from "./sample-route.ts"

export type Log = RelayOptions["log"]

export interface SidecarEnvironment {
  readonly log: Log
  /** unique texts of `[A-Za-z0-9_-]`, not guessable */
  readonly newId: () => string
  /** 0..1 */
  readonly random: () => number
  /** address of the cluster's API server, which must not be reachable through the proxy */
  readonly apiServer: string | undefined
  /** a plain sidecar is done: its terminal event was taken and nothing is open */
  readonly onDone: () => void
  /** pauses other than the contract's, for tests */
  readonly tuning?: Pick<RelayOptions, "backoff" | "forbiddenMillis"> & {
    readonly doneMillis?: number
    readonly fileClock?: () => number
  }
}

export interface Leftover {
  /** events that could not be delivered */
  readonly unsent: number
  /** older progress events that made room in a full spool */
  readonly dropped: number
  /** the `benchmark_status_event` of the last unsent terminal event */
  readonly terminal: { readonly [name: string]: unknown } | undefined
}

export interface RunningSidecar {
  readonly port: number
  readonly healthPort: number
  /** events that are not delivered yet */
  readonly pending: () => number
  /** lets open exchanges finish, then delivers what is left */
  readonly stop: (timing: { readonly serveMillis: number; readonly flushMillis: number }) => Promise<Leftover>
}

/** how long a plain sidecar stays after its work */
const doneMillis = 30_000

/** what is sent to the server, each kind from a queue of its own */
const makeRelays = async (
  { identity, spool: limits, timeouts }: SidecarConfig,
  { log, newId, random, tuning }: SidecarEnvironment,
  way: Outbound["server"],
  given: Pick<RelayOptions, "spool" | "onTerminalDelivered"> & { readonly server: Upstream }
) => {
  const jobPath = `/api/v1/evaluations/jobs/${identity.job_id}`
  const posting = { ...way, server: given.server, tenant: identity.tenant, newId }
  const relaying = {
    renewToken: way.token.expire,
    waitMillis: timeouts.event_wait_ms,
    log,
    random,
    ...(tuning?.backoff === undefined ? {} : { backoff: tuning.backoff }),
    ...(tuning?.forbiddenMillis === undefined ? {} : { forbiddenMillis: tuning.forbiddenMillis })
  }
  const relay = makeRelay({
    ...relaying,
    spool: given.spool,
    limits: { maxFiles: limits.max_files, maxBytes: limits.max_bytes },
    post: makePost({ ...posting, path: `${jobPath}/events`, type: "application/json" }),
    onTerminalDelivered: given.onTerminalDelivered
  })
  const samples = await makeSampleRelay(limits.dir, {
    ...relaying,
    post: makePost({
      ...posting,
      path: `${jobPath}/benchmarks/${identity.benchmark_index}/samples`,
      type: "application/x-ndjson"
    })
  })
  return { relay, samples }
}

/** throws `SidecarUnusable`, or the system's error when a port or the spool cannot be opened */
export const startSidecar = async (config: SidecarConfig, environment: SidecarEnvironment): Promise<RunningSidecar> => {
  const { identity } = config
  const { log } = environment
  const counters = makeCounters()
  const witness = makeWitness()
  const onExchange = (exchange: Exchange) => {
    counters.onExchange(exchange)
    log("debug", "exchange", { ...exchange })
  }
  let exposed = 0
  const server = usable(prefixUpstream(config.server.base_url), "server.base_url")
  const eventIdentity = {
    benchmarkIndex: identity.benchmark_index,
    providerId: identity.provider_id,
    benchmarkId: identity.benchmark_id
  }

  let terminalDelivered = false
  let doneTimer: ReturnType<typeof setTimeout> | undefined
  let stopping = false
  const considerDone = () => {
    clearTimeout(doneTimer)
    if (config.mode !== "plain" || stopping || !terminalDelivered || counters.openExchanges() > 0) return
    doneTimer = setTimeout(environment.onDone, environment.tuning?.doneMillis ?? doneMillis)
  }
  const routeContext = {
    jobId: identity.job_id,
    benchmarkIndex: identity.benchmark_index,
    ...(config.registry === undefined ? {} : { repository: config.registry.repository })
  }

  let outbound: Outbound | undefined
  const handle = (caller: Caller): void => {
    const { request, response } = caller
    const end = counters.begin()
    response.once("close", () => {
      end()
      considerDone()
    })
    const stop = (name: string, fault: Fault) => refuse(caller, name, fault, { onExchange })
    // the ports are bound before the upstreams are known: the address of the sidecar is part of what upstreams are told
    if (outbound === undefined) {
      stop("other", new Fault(503, "overloaded", "the sidecar is starting", { "retry-after": "1" }))
      return
    }
    if (request.headers.upgrade !== undefined) {
      stop("other", new Fault(501, "upgrade_not_supported", "protocol upgrades are not supported"))
      return
    }
    const route = routeOf(request.method ?? "GET", request.url ?? "", routeContext)
    switch (route._tag) {
      case "Invalid":
        stop("other", new Fault(400, "path_invalid", route.message))
        break
      case "Forbidden":
        stop(
          "other",
          new Fault(403, "forbidden", "only events and samples of this pod's own benchmark can be sent to the server")
        )
        break
      case "Health":
        response.writeHead(200, { "content-type": "application/json" }).end('{"status":"healthy"}')
        break
      case "Events":
        toEvents(caller, { identity: eventIdentity, relay, witness, onExchange })
        break
      case "Samples":
        toSamples(caller, samples, onExchange)
        break
      case "Tracker":
        if (outbound.tracker !== undefined) toTracker(caller, outbound.tracker)
        else stop("tracker", new Fault(404, "route_not_found", "no tracking server is configured for this benchmark"))
        break
      case "Registry":
        if (outbound.registry !== undefined) toRegistry(caller, outbound.registry)
        break
      case "Upload":
        if (outbound.registry !== undefined) toUpload(caller, outbound.registry, route.token)
        break
      case "Model":
        toModel(caller, outbound.model)
    }
  }

  const proxies = [proxyServer(handle, environment.newId), proxyServer(handle, environment.newId)] as const
  const onError = (code: string) => log("warning", "a listening socket failed", { code })
  const port = (await bind(proxies[0], { port: config.listen.port, host: "127.0.0.1", onError })) ?? config.listen.port
  await bind(proxies[1], { port, host: "::1", optional: true, onError })
  const ready = makeOutbound(config, {
    apiServer: environment.apiServer,
    newId: environment.newId,
    publicBase: `http://localhost:${port}`,
    onExchange,
    witness,
    onExposed: (host) => {
      exposed += 1
      if (exposed === 1) log("warning", "a credential is sent over plain http to a host outside the cluster", { host })
    },
    clock: environment.tuning?.fileClock
  })

  const spool = await openSpool(config.spool.dir, (body) => Either.getOrUndefined(readEventBody(body, eventIdentity)))
  for (const name of spool.ignored)
    log("warning", "a file in the event spool is no event of this benchmark and is left alone", { name })
  const onTerminalDelivered = () => {
    terminalDelivered = true
    considerDone()
  }
  const { relay, samples } = await makeRelays(config, environment, ready.server, { server, spool, onTerminalDelivered })
  outbound = ready

  const gauges = () => ({
    evald_sidecar_events_pending: relay.pending(),
    evald_sidecar_events_dropped: relay.dropped(),
    evald_sidecar_plain_http_credentials: exposed
  })
  const health = healthServer(
    () => ({ healthy: !stopping }),
    config.metrics === true ? () => counters.text(gauges()) : undefined
  )
  const healthPort =
    (await bind(health, { port: config.listen.health_port, host: undefined, onError })) ?? config.listen.health_port
  log("info", "the sidecar listens", {
    url: `http://127.0.0.1:${port}`,
    health_port: healthPort,
    pending_events: relay.pending()
  })

  return {
    port,
    healthPort,
    pending: relay.pending,
    stop: async ({ serveMillis, flushMillis }) => {
      stopping = true
      clearTimeout(doneTimer)
      await Promise.all(proxies.filter(({ listening }) => listening).map((proxy) => closeServer(proxy, serveMillis)))
      await Promise.all([relay.flush(flushMillis), samples.flush(flushMillis)])
      await Promise.all([relay.stop(), samples.stop()])
      const unsent = relay.pending()
      const body = await relay.unsentTerminal()
      const terminal = body === undefined ? undefined : Either.getOrUndefined(readEventBody(body, eventIdentity))?.event
      ready.close()
      await closeServer(health, 0)
      return { unsent, dropped: relay.dropped(), terminal }
    }
  }
}

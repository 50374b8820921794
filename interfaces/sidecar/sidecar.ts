/**
 * The sidecar of one pod: all traffic of the adapter passes here and gets its credential here. Plain node code without the Effect
 * runtime, because one of these starts with every pod and its start is part of every benchmark. Reference: gateway.md, "Routes".
 */
import { Either } from "effect"
import { prefixUpstream, type Upstream } from "../../domain/credentials/upstream.ts"
import type { SidecarConfig } from "../../providers/contract/sidecar-config.ts"
import { defined } from "../../values/defined.ts"
import type { Caller, Exchange } from "../gateway/proxy.ts"
import { makeWitness } from "../gateway/witness/witness.ts"
import { type Counters, makeCounters } from "./counters.ts"
import { makeDispatch, type Parts } from "./dispatch.ts"
import { type EventIdentity, readEventBody } from "./event-body.ts"
import { makePost } from "./event-post.ts"
import { makeRelay, type Relay, type RelayOptions } from "./event-relay.ts"
import { openSpool } from "./event-spool.ts"
import { isFirstStart } from "./first-start.ts"
import { type LeftSamples, sendLeft } from "./left-samples.ts"
import { bind, closeServer, healthServer, proxyServer } from "./listener.ts"
import { boundNewSpace } from "./new-space.ts"
import { makeOutbound, type Outbound, usable } from "./outbound.ts"
import { makePodBudget } from "./pod-budget.ts"
import { openPodRequestLog } from "./pod-request-log.ts"
import { makeSampleRelay, type SampleRelay } from "./sample-route.ts"
import { makeSpentReport, type SpentReport } from "./spent-report.ts"

export type Log = RelayOptions["log"]

export interface SidecarEnvironment {
  readonly log: Log
  /** unique texts of `[A-Za-z0-9_-]`, not guessable */
  readonly newId: () => string
  /** 0..1 */
  readonly random: () => number
  /** address of the cluster's API server, which must not be reachable through the proxy */
  readonly apiServer: string | undefined
  /** records in the adapter's result folder; absent: nobody looks there */
  readonly left?: LeftSamples
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

/** when a plain sidecar is done: its terminal event was taken, nothing is open, and nobody has come for a while */
const makeEnding = (
  { mode }: SidecarConfig,
  { onDone, tuning }: SidecarEnvironment,
  openExchanges: Counters["openExchanges"]
) => {
  let terminalDelivered = false
  let stopping = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const consider = () => {
    clearTimeout(timer)
    if (mode !== "plain" || stopping || !terminalDelivered || openExchanges() > 0) return
    timer = setTimeout(onDone, tuning?.doneMillis ?? doneMillis)
  }
  return {
    consider,
    delivered: () => {
      terminalDelivered = true
      consider()
    },
    stop: () => {
      stopping = true
      clearTimeout(timer)
    },
    isStopping: () => stopping
  }
}

/** the credentials that leave over plain http: counted, and told once */
const makeExposure = (log: Log) => {
  let exposed = 0
  return {
    count: () => exposed,
    onExposed: (host: string) => {
      exposed += 1
      if (exposed === 1) log("warning", "a credential is sent over plain http to a host outside the cluster", { host })
    }
  }
}

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
    ...defined({ backoff: tuning?.backoff, forbiddenMillis: tuning?.forbiddenMillis })
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

/** what the adapter sent itself is not sent again: its calls hold the lines of its files, byte for byte */
const flushSamples = async (
  samples: SampleRelay,
  { left, log }: SidecarEnvironment,
  flushMillis: number
): Promise<void> => {
  const begin = performance.now()
  if (left !== undefined && (await left.bytes()) > samples.taken())
    await sendLeft(left, { accept: samples.accept, log, limit: flushMillis })
  await samples.flush(Math.max(0, flushMillis - (performance.now() - begin)))
}

interface Settling {
  readonly report: SpentReport
  readonly relay: Relay
  readonly requestLog: ReturnType<typeof openPodRequestLog>
}

/** when nothing is asked any more: answers that were given are kept, and what was used is told if no event has told it */
const settle = async ({ report, relay, requestLog }: Settling, flushMillis: number): Promise<void> => {
  await requestLog.then((log) => log?.flush()).catch(() => {})
  const word = flushMillis > 0 ? await report.lastWord() : undefined
  if (word !== undefined) await relay.accept(word, false)
}

const leftIn = async (relay: Relay, identity: EventIdentity): Promise<Leftover> => {
  const unsent = relay.pending()
  const body = await relay.unsentTerminal()
  const terminal = body === undefined ? undefined : Either.getOrUndefined(readEventBody(body, identity))?.event
  return { unsent, dropped: relay.dropped(), terminal }
}

/** what is done with every exchange that ends */
const makeOnExchange = ({ log_level }: SidecarConfig, log: Log, counters: Counters) => {
  const boundSpace = boundNewSpace()
  return (exchange: Exchange): void => {
    counters.onExchange(exchange)
    boundSpace()
    if (log_level === "debug") log("debug", "exchange", { ...exchange })
  }
}

/** throws `SidecarUnusable`, or the system's error when a port or the spool cannot be opened */
export const startSidecar = async (config: SidecarConfig, environment: SidecarEnvironment): Promise<RunningSidecar> => {
  const { log } = environment
  const counters = makeCounters()
  const ending = makeEnding(config, environment, counters.openExchanges)
  const exposure = makeExposure(log)
  const witness = makeWitness()
  const isFirst = isFirstStart(config.spool.dir)
  const onExchange = makeOnExchange(config, log, counters)
  const server = usable(prefixUpstream(config.server.base_url), "server.base_url")
  const identity: EventIdentity = {
    benchmarkIndex: config.identity.benchmark_index,
    providerId: config.identity.provider_id,
    benchmarkId: config.identity.benchmark_id
  }

  // the ports are bound before the upstreams are known: the address of the sidecar is part of what upstreams are told
  let parts: Parts | undefined
  const report = makeSpentReport(environment.newId, identity, witness)
  const dispatch = makeDispatch(config, { identity, report, onExchange })
  const handle = (caller: Caller): void => {
    const end = counters.begin()
    caller.response.on("close", () => {
      end()
      ending.consider()
    })
    dispatch(caller, parts)
  }
  const proxies = [proxyServer(handle, environment.newId), proxyServer(handle, environment.newId)] as const
  const onError = (code: string) => log("warning", "a listening socket failed", { code })
  const port = (await bind(proxies[0], { port: config.listen.port, host: "127.0.0.1", onError })) ?? config.listen.port
  await bind(proxies[1], { port, host: "::1", optional: true, onError })
  const requestLog = openPodRequestLog(config, log, isFirst)
  const outbound = makeOutbound(config, {
    apiServer: environment.apiServer,
    newId: environment.newId,
    publicBase: `http://localhost:${port}`,
    onExchange,
    witness,
    metering: {
      log: config.request_log === undefined ? undefined : requestLog,
      budget: makePodBudget(config, { isFirst, report, relay: () => parts?.relay })
    },
    onExposed: exposure.onExposed,
    clock: environment.tuning?.fileClock
  })
  const spool = await openSpool(config.spool.dir, (body) => Either.getOrUndefined(readEventBody(body, identity)))
  for (const name of spool.ignored)
    log("warning", "a file in the event spool is no event of this benchmark and is left alone", { name })
  const given = { server, spool, onTerminalDelivered: ending.delivered }
  const { relay, samples } = await makeRelays(config, environment, outbound.server, given)
  parts = { outbound, relay, samples }

  const gauges = () => ({
    evald_sidecar_events_pending: relay.pending(),
    evald_sidecar_events_dropped: relay.dropped(),
    evald_sidecar_plain_http_credentials: exposure.count()
  })
  const metrics = config.metrics === true ? () => counters.text(gauges()) : undefined
  const health = healthServer(() => ({ healthy: !ending.isStopping() }), metrics)
  const healthPort =
    (await bind(health, { port: config.listen.health_port, host: undefined, onError })) ?? config.listen.health_port
  const addresses = { url: `http://127.0.0.1:${port}`, health_port: healthPort, pending_events: relay.pending() }
  log("info", "the sidecar listens", addresses)

  const stop: RunningSidecar["stop"] = async ({ serveMillis, flushMillis }) => {
    ending.stop()
    await Promise.all(proxies.filter(({ listening }) => listening).map((proxy) => closeServer(proxy, serveMillis)))
    await settle({ report, relay, requestLog }, flushMillis)
    await Promise.all([relay.flush(flushMillis), flushSamples(samples, environment, flushMillis)])
    await Promise.all([relay.stop(), samples.stop()])
    const leftover = await leftIn(relay, identity)
    outbound.close()
    await closeServer(health, 0)
    return leftover
  }
  return { port, healthPort, pending: relay.pending, stop }
}

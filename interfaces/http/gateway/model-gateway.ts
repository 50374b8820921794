/**
 * The model part of the local gateway: `/cb/<secret>/model/*` goes to the job's real endpoint with the real credentials, so that an
 * adapter only ever holds references. The same decision and the same streaming as the sidecar. Reference: adapter-contract.md, "Addresses", "Credential helpers"; gateway.md, "Routes".
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Either, Redacted } from "effect"
import { LRUCache } from "lru-cache"
import { lastDecision } from "../../../domain/credentials/last-decision.ts"
import { localPolicy, type ModelSecret, resolveRequest } from "../../../domain/credentials/resolve.ts"
import { modelUpstream } from "../../../domain/credentials/upstream.ts"
import { straight, type WayOut } from "../../../domain/proxies.ts"
import type { UnitBudget } from "../../gateway/budget/unit-budget.ts"
import { proxySettings } from "../../gateway/engine.ts"
import { Fault } from "../../gateway/fault.ts"
import { toModel } from "../../gateway/model-route.ts"
import { modelPeer } from "../../gateway/peers.ts"
import { type Exchange, type ProxySettings, refuse } from "../../gateway/proxy.ts"
import type { RequestLog } from "../../gateway/request-log/request-log.ts"
import { pathProblem } from "../../gateway/route.ts"
import type { Witness } from "../../gateway/witness/witness.ts"

/** the unit on whose behalf the request comes */
export interface ModelContext {
  /** the job's `model.url` */
  readonly modelUrl: string
  /** keys of the secret named by `model.auth.secret_ref`; undefined without one, Left when it cannot be used (shown to the adapter) */
  readonly secret: Either.Either<ModelSecret | undefined, { readonly message: string }>
  /** raw path and query below `/cb/<secret>/model`, beginning with `/` (or `?`, or empty) */
  readonly path: string
  /** `http://127.0.0.1:<port>/cb/<secret>/model` */
  readonly publicBase: string
  /** X-Request-Id of the exchange */
  readonly trace: string
  /** looks on */
  readonly witness?: Witness | undefined
  /** of jobs that may be resumed */
  readonly log?: RequestLog | undefined
  /** of jobs that have one */
  readonly budget?: UnitBudget | undefined
  /** node asked by `checkContinue` */
  readonly expectsContinue?: boolean
}

export interface ModelGateway {
  /** answers on the raw streams; the answer is complete when `response` closes */
  readonly handle: (request: IncomingMessage, response: ServerResponse, context: ModelContext) => void
  /** closes idle upstream connections */
  readonly close: () => void
}

export interface ModelGatewayOptions {
  /** default: no proxy */
  readonly way?: WayOut
  /** silence after which an exchange is given up; default 900,000 */
  readonly idleMillis?: number
  /** connect and TLS together; default 10,000 */
  readonly connectMillis?: number
  readonly onExchange?: (exchange: Exchange) => void
}

/** sets of connections kept apart by their CA; a forgotten one ends with its exchanges */
const maxRoots = 32
/** read addresses of models that are remembered */
const maxUpstreams = 100

/** one per server; keeps connections to models alive between requests */
export const makeModelGateway = (options: ModelGatewayOptions = {}): ModelGateway => {
  // roots differ from secret to secret, so each CA has connections of its own
  const byCa = new LRUCache<string, ProxySettings>({ max: maxRoots })
  const settingsFor = (ca: string): ProxySettings => {
    const known = byCa.get(ca)
    if (known !== undefined) return known
    const settings = proxySettings({
      ...options,
      peer: modelPeer,
      trust: () => ({ ca }),
      egress: undefined,
      way: options.way ?? straight
    })
    byCa.set(ca, settings)
    return settings
  }
  const upstreams = new LRUCache<string, ReturnType<typeof modelUpstream>>({ max: maxUpstreams })
  const upstreamOf = (url: string) => {
    const upstream = upstreams.get(url) ?? modelUpstream(url)
    upstreams.set(url, upstream)
    return upstream
  }
  const decide = lastDecision(resolveRequest)
  const handle: ModelGateway["handle"] = (request, response, context) => {
    const path = context.path.startsWith("/") ? context.path : `/${context.path}`
    const caller = { request, response, trace: context.trace, expectsContinue: context.expectsContinue === true, path }
    const stop = (fault: Fault) => refuse(caller, "model", fault, settingsFor(""))
    if (request.headers.upgrade !== undefined)
      return stop(new Fault(501, "upgrade_not_supported", "protocol upgrades are not supported"))
    const problem = pathProblem(context.path)
    if (problem !== undefined) return stop(new Fault(400, "path_invalid", problem))
    if (Either.isLeft(context.secret))
      return stop(new Fault(502, "credential_unavailable", context.secret.left.message))
    const upstream = upstreamOf(context.modelUrl)
    if (Either.isLeft(upstream)) return stop(new Fault(502, "upstream_invalid", `model.url ${upstream.left}`))
    const secret = context.secret.right
    const ca = secret?.get("ca_cert")
    toModel(caller, {
      upstream: upstream.right,
      secret: () => secret,
      podToken: undefined,
      policy: localPolicy,
      decide,
      publicBase: context.publicBase,
      // the user's own machine asks, and the user chose the address
      onExposed: () => {},
      settings: settingsFor(ca === undefined ? "" : Redacted.value(ca)),
      witness: context.witness,
      log: context.log,
      budget: context.budget
    })
  }
  return {
    handle,
    close: () => {
      for (const { connections } of byCa.values()) connections.close()
      byCa.clear()
    }
  }
}

/**
 * The model part of the local gateway: `/cb/<secret>/model/*` goes to the job's real endpoint with the real credentials, so that an
 * adapter only ever holds references. The same decision and the same streaming as the sidecar. Reference: adapter-contract.md, "Addresses", "Credential helpers"; gateway.md, "Routes".
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Either, Redacted } from "effect"
import { type CredentialDecision, localPolicy, type ModelSecret, resolveRequest } from "../../../domain/credentials/resolve.ts"
import { modelUpstream } from "../../../domain/credentials/upstream.ts"
import { makeConnections, modelPeer } from "../../gateway/connections.ts"
import { Fault } from "../../gateway/fault.ts"
import { valuesOf } from "../../gateway/headers.ts"
import { type Exchange, forward, type ProxySettings, refuse } from "../../gateway/proxy.ts"
import { pathProblem } from "../../gateway/route.ts"

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
  /** silence after which an exchange is given up; default 900,000 */
  readonly idleMillis?: number
  /** connect and TLS together; default 10,000 */
  readonly connectMillis?: number
  readonly onExchange?: (exchange: Exchange) => void
}

const route = "model"
/** sets of connections kept apart by their CA; a forgotten one ends with its exchanges */
const maxRoots = 32
/** the server's own request headers stay here: neither tenant nor identity concern a model */
const dropped: ReadonlySet<string> = new Set(["x-tenant"])
const unchanged: ReadonlyMap<string, string> = new Map()

const headerOf = (decision: Extract<CredentialDecision, { readonly _tag: "Forward" }>): string | undefined => {
  const { authorization } = decision
  if (authorization._tag === "Inject") return Redacted.value(authorization.value)
  return authorization._tag === "Keep" ? authorization.value : undefined
}

/** one per server; keeps connections to models alive between requests */
export const makeModelGateway = (options: ModelGatewayOptions = {}): ModelGateway => {
  // roots differ from secret to secret, so each CA has connections of its own
  const byCa = new Map<string, ProxySettings>()
  const settingsFor = (ca: string): ProxySettings => {
    const known = byCa.get(ca)
    if (known !== undefined) return known
    const settings: ProxySettings = {
      connections: makeConnections({
        peer: modelPeer,
        connectMillis: options.connectMillis ?? 10_000,
        ca: () => ca,
        egress: undefined,
        maxPerOrigin: 256,
        maxQueued: 1_024
      }),
      idleMillis: options.idleMillis ?? 900_000,
      maxHeadBytes: 65_536,
      onExchange: options.onExchange ?? (() => {})
    }
    const [oldest, ...others] = byCa.keys()
    if (oldest !== undefined && others.length + 1 >= maxRoots) byCa.delete(oldest)
    byCa.set(ca, settings)
    return settings
  }
  const handle: ModelGateway["handle"] = (request, response, context) => {
    const caller = { request, response, trace: context.trace, expectsContinue: context.expectsContinue === true }
    const stop = (fault: Fault) => refuse(caller, route, fault, settingsFor(""))
    if (request.headers.upgrade !== undefined) return stop(new Fault(501, "upgrade_not_supported", "protocol upgrades are not supported"))
    const problem = pathProblem(context.path)
    if (problem !== undefined) return stop(new Fault(400, "path_invalid", problem))
    if (Either.isLeft(context.secret)) return stop(new Fault(502, "credential_unavailable", context.secret.left.message))
    const upstream = modelUpstream(context.modelUrl)
    if (Either.isLeft(upstream)) return stop(new Fault(502, "upstream_invalid", `model.url ${upstream.left}`))
    const secret = context.secret.right
    const decision = resolveRequest({ authorization: valuesOf(request.rawHeaders, "authorization") }, secret, upstream.right, localPolicy)
    if (decision._tag === "Refuse") return stop(new Fault(decision.status, decision.code, decision.message))
    const ca = secret?.get("ca_cert")
    forward(
      caller,
      {
        route,
        upstream: decision.upstream,
        path: context.path.startsWith("/") ? context.path : `/${context.path}`,
        authorization: headerOf(decision),
        drop: dropped,
        replace: unchanged,
        publicBase: context.publicBase
      },
      settingsFor(ca === undefined ? "" : Redacted.value(ca))
    )
  }
  return {
    handle,
    close: () => {
      for (const { connections } of byCa.values()) connections.close()
      byCa.clear()
    }
  }
}

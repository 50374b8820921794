/**
 * One exchange through the gateway: raw node streams, bodies never buffered or parsed, back-pressure both ways, chunk boundaries and
 * trailers kept, no limit on the total time. A caller that leaves stops the upstream; an upstream that breaks after the head cuts the
 * caller, so that a truncated answer never looks complete. Reference: gateway.md, "Rewriting", "Streams and limits".
 */
import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse
} from "node:http"
import { type Upstream, upstreamPath } from "../../domain/credentials/upstream.ts"
import type { Connections } from "../../infrastructure/outbound/connections.ts"
import { OutboundError } from "../../infrastructure/outbound/outbound-error.ts"
import { Fault, sendFault } from "./fault.ts"
import { announcesBody, bodyForm, downstreamHeaders, relocation, trailerPairs, upstreamHeaders } from "./headers.ts"
import { faultOf, outboundFault } from "./peers.ts"
import { endBeforeBody, hasUnreadBody } from "./unread-body.ts"
import type { ExchangeWitness } from "./witness/witness.ts"

/** what happened, for metrics and log; no paths, hosts or headers */
export interface Exchange {
  readonly route: string
  readonly method: string
  /** 0: the caller left before an answer */
  readonly status: number
  /** body bytes from and to the caller */
  readonly bytesIn: number
  readonly bytesOut: number
  /** until the upstream's head; undefined without one */
  readonly ttfbMillis: number | undefined
  readonly durationMillis: number
  readonly aborted: boolean
}

export interface Target {
  /** label of the route, for metrics */
  readonly route: string
  readonly upstream: Upstream
  /** raw path and query as the upstream is to see them, before its base path */
  readonly path: string
  readonly authorization: string | undefined
  readonly drop: ReadonlySet<string>
  readonly replace: ReadonlyMap<string, string>
  readonly add?: readonly [name: string, value: string]
  readonly dropFromAnswer?: ReadonlySet<string>
  /** address under which the caller reaches this upstream, for redirects; no trailing slash */
  readonly publicBase: string
  readonly relocate?: (location: string) => string
  /** the request's body, when it was read before (small ones that may have to be sent twice) */
  readonly body?: Buffer
  /** called with the head of the answer; true takes the answer over (for a second attempt), which then must be consumed */
  readonly intercept?: (answer: IncomingMessage) => boolean
  /** looks on */
  readonly witness?: ExchangeWitness | undefined
}

export interface ProxySettings {
  readonly connections: Connections
  /** silence in both directions, waiting for the head included */
  readonly idleMillis: number
  readonly maxHeadBytes: number
  readonly onExchange: (exchange: Exchange) => void
}

export interface Caller {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** goes out as X-Request-Id */
  readonly trace: string
  /** the caller waits for `100 Continue` */
  readonly expectsContinue: boolean
  /** raw path and query when the routes lie below a prefix; default the request's own target */
  readonly path?: string
}

/** raw path and query of the request as the routes see it */
export const targetOf = ({ path, request }: Pick<Caller, "path" | "request">): string => path ?? request.url ?? "/"

const none: ReadonlySet<string> = new Set()

/** sends the fault and reports the exchange */
export const refuse = (
  caller: Caller,
  route: string,
  fault: Fault,
  settings: Pick<ProxySettings, "onExchange">
): void => {
  sendFault(caller.response, fault, caller.trace)
  settings.onExchange({
    route,
    method: caller.request.method ?? "GET",
    status: fault.status,
    bytesIn: 0,
    bytesOut: 0,
    ttfbMillis: undefined,
    durationMillis: 0,
    aborted: false
  })
}

/** one exchange on its way: what has passed so far, for the report at its end */
interface Passage {
  readonly caller: Caller
  readonly target: Target
  readonly settings: ProxySettings
  readonly method: string
  readonly started: number
  bytesIn: number
  bytesOut: number
  ttfbMillis: number | undefined
  status: number
  reported: boolean
  /** the whole answer of the upstream came */
  ended: boolean
}

const begin = (caller: Caller, target: Target, settings: ProxySettings): Passage => ({
  caller,
  target,
  settings,
  method: caller.request.method ?? "GET",
  started: performance.now(),
  bytesIn: 0,
  bytesOut: 0,
  ttfbMillis: undefined,
  status: 0,
  reported: false,
  ended: false
})

const report = (passage: Passage, aborted: boolean): void => {
  if (passage.reported) return
  passage.reported = true
  const { target, method, status, bytesIn, bytesOut, ttfbMillis } = passage
  target.witness?.ended(!aborted && passage.ended)
  passage.settings.onExchange({
    route: target.route,
    method,
    status,
    bytesIn,
    bytesOut,
    ttfbMillis,
    durationMillis: performance.now() - passage.started,
    aborted
  })
}

const openUpstream = ({ caller, target, settings, method }: Passage, agent: Agent): ClientRequest => {
  const { upstream } = target
  return openRequest({
    agent,
    protocol: upstream.protocol,
    host: upstream.hostname,
    port: upstream.port,
    method,
    path: upstreamPath(upstream, target.path),
    headers: upstreamHeaders(caller.request.rawHeaders, {
      method,
      host: upstream.host,
      authorization: target.authorization,
      requestId: caller.trace,
      drop: target.drop,
      replace: target.replace,
      add: target.add
    }),
    timeout: settings.idleMillis,
    maxHeaderSize: settings.maxHeadBytes
  })
}

/** the upstream's failures become an answer, and whoever leaves takes the other side along */
const bindSides = (passage: Passage, outgoing: ClientRequest): void => {
  const { caller, target, settings } = passage
  const { response } = caller
  const { host } = target.upstream
  outgoing.on("error", (error) => {
    if (response.writableEnded || response.destroyed) return
    const fault = faultOf(error, host)
    if (!response.headersSent) passage.status = fault.status
    sendFault(response, fault, caller.trace)
  })
  outgoing.on("timeout", () =>
    outgoing.destroy(new Fault(504, "upstream_timeout", `'${host}' was silent for ${settings.idleMillis} ms`))
  )
  if (caller.expectsContinue)
    outgoing.on("continue", () => {
      if (!response.headersSent) response.writeContinue()
    })
  response.on("error", () => outgoing.destroy())
  response.on("close", () => {
    const aborted = !response.writableFinished
    if (aborted) outgoing.destroy()
    report(passage, aborted)
  })
}

const passHead = (passage: Passage, answer: IncomingMessage): void => {
  const { caller, target } = passage
  const { upstream, witness } = target
  const status = answer.statusCode ?? 502
  passage.status = status
  witness?.head(status, bodyForm(answer.rawHeaders))
  const origin = `${upstream.protocol}//${upstream.host}`
  caller.response.sendDate = false
  caller.response.writeHead(
    status,
    answer.statusMessage ?? "",
    downstreamHeaders(
      answer.rawHeaders,
      target.relocate ?? relocation(origin, target.publicBase),
      target.dropFromAnswer ?? none
    )
  )
}

const passAnswer = (passage: Passage, outgoing: ClientRequest, answer: IncomingMessage): void => {
  const { request, response } = passage.caller
  const { witness } = passage.target
  answer.on("data", (chunk: Buffer) => {
    passage.bytesOut += chunk.length
    witness?.answered(chunk)
    if (response.write(chunk)) return
    answer.pause()
    response.once("drain", () => answer.resume())
  })
  answer.on("end", () => {
    passage.ended = true
    if (answer.rawTrailers.length > 0) response.addTrailers(trailerPairs(answer.rawTrailers))
    endBeforeBody(request, response)
    // the rest of the upload has nowhere to go, and must not wait for an upstream that reads no more
    if (hasUnreadBody(request)) outgoing.destroy()
  })
  answer.on("error", () => response.destroy())
  answer.on("close", () => {
    if (!answer.complete) response.destroy()
  })
  // the head must not wait for a body that comes later; a body that is already here goes out with it
  setImmediate(() => {
    if (passage.bytesOut === 0 && !response.writableEnded && !response.destroyed) response.flushHeaders()
  })
}

const passBody = (passage: Passage, outgoing: ClientRequest): void => {
  const { caller, target } = passage
  const { request } = caller
  const { witness, body } = target
  if (body !== undefined || !announcesBody(request.rawHeaders)) {
    passage.bytesIn = body?.length ?? 0
    if (body !== undefined) witness?.asked(body)
    outgoing.end(body)
    return
  }
  request.on("data", (chunk: Buffer) => {
    passage.bytesIn += chunk.length
    witness?.asked(chunk)
    if (outgoing.destroyed || outgoing.write(chunk)) return
    request.pause()
    outgoing.once("drain", () => request.resume())
  })
  // an upstream that is gone reads no more: let the rest of the upload run out, so that its answer can be read
  outgoing.on("close", () => request.resume())
  request.on("end", () => {
    if (outgoing.destroyed) return
    if (request.rawTrailers.length > 0) outgoing.addTrailers(trailerPairs(request.rawTrailers))
    outgoing.end()
  })
  if (caller.expectsContinue) outgoing.flushHeaders()
}

/** forwards the request; every outcome ends in an answer or a cut connection */
export const forward = (caller: Caller, target: Target, settings: ProxySettings): void => {
  const passage = begin(caller, target, settings)
  // the caller may have left while a token was fetched
  if (caller.response.destroyed) {
    report(passage, true)
    return
  }
  const agent = settings.connections.agentFor(target.upstream)
  if (agent instanceof OutboundError) {
    refuse(caller, target.route, outboundFault(agent), settings)
    return
  }
  const outgoing = openUpstream(passage, agent)
  bindSides(passage, outgoing)
  outgoing.on("response", (answer) => {
    passage.ttfbMillis = performance.now() - passage.started
    if (target.intercept?.(answer) === true) {
      // the attempt that follows reports the exchange
      passage.reported = true
      return
    }
    passHead(passage, answer)
    passAnswer(passage, outgoing, answer)
  })
  passBody(passage, outgoing)
}

/**
 * One exchange through the gateway: raw node streams, bodies never buffered or parsed, back-pressure both ways, chunk boundaries and
 * trailers kept, no limit on the total time. A caller that leaves stops the upstream; an upstream that breaks after the head cuts the
 * caller, so that a truncated answer never looks complete. Reference: gateway.md, "Rewriting", "Streams and limits".
 */
import { type IncomingMessage, request as openRequest, type ServerResponse } from "node:http"
import { type Upstream, upstreamPath } from "../../domain/credentials/upstream.ts"
import type { Connections } from "../../infrastructure/outbound/connections.ts"
import { OutboundError } from "../../infrastructure/outbound/outbound-error.ts"
import { Fault, sendFault } from "./fault.ts"
import { announcesBody, downstreamHeaders, relocation, trailerPairs, upstreamHeaders } from "./headers.ts"
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

/** forwards the request; every outcome ends in an answer or a cut connection */
export const forward = (caller: Caller, target: Target, settings: ProxySettings): void => {
  const { request, response } = caller
  const { upstream, witness } = target
  const method = request.method ?? "GET"
  const started = performance.now()
  let bytesIn = 0
  let bytesOut = 0
  let ttfbMillis: number | undefined
  let status = 0
  let reported = false
  /** the whole answer of the upstream came */
  let ended = false
  const report = (aborted: boolean) => {
    if (reported) return
    reported = true
    witness?.ended(!aborted && ended)
    settings.onExchange({
      route: target.route,
      method,
      status,
      bytesIn,
      bytesOut,
      ttfbMillis,
      durationMillis: performance.now() - started,
      aborted
    })
  }
  const fail = (fault: Fault) => {
    if (!response.headersSent) status = fault.status
    sendFault(response, fault, caller.trace)
  }

  // the caller may have left while a token was fetched
  if (response.destroyed) {
    report(true)
    return
  }
  const agent = settings.connections.agentFor(upstream)
  if (agent instanceof OutboundError) {
    refuse(caller, target.route, outboundFault(agent), settings)
    return
  }
  const outgoing = openRequest({
    agent,
    protocol: upstream.protocol,
    host: upstream.hostname,
    port: upstream.port,
    method,
    path: upstreamPath(upstream, target.path),
    headers: upstreamHeaders(request.rawHeaders, {
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
  outgoing.on("error", (error) => {
    if (!response.writableEnded && !response.destroyed) fail(faultOf(error, upstream.host))
  })
  outgoing.on("timeout", () =>
    outgoing.destroy(new Fault(504, "upstream_timeout", `'${upstream.host}' was silent for ${settings.idleMillis} ms`))
  )
  outgoing.on("continue", () => {
    if (caller.expectsContinue && !response.headersSent) response.writeContinue()
  })
  response.on("error", () => outgoing.destroy())
  response.on("close", () => {
    const aborted = !response.writableFinished
    if (aborted) outgoing.destroy()
    report(aborted)
  })

  outgoing.on("response", (answer) => {
    ttfbMillis = performance.now() - started
    if (target.intercept?.(answer) === true) {
      // the attempt that follows reports the exchange
      reported = true
      return
    }
    status = answer.statusCode ?? 502
    witness?.head(status, answer.headers)
    const origin = `${upstream.protocol}//${upstream.host}`
    response.sendDate = false
    response.writeHead(
      status,
      answer.statusMessage ?? "",
      downstreamHeaders(
        answer.rawHeaders,
        target.relocate ?? relocation(origin, target.publicBase),
        target.dropFromAnswer ?? none
      )
    )
    answer.on("data", (chunk: Buffer) => {
      bytesOut += chunk.length
      witness?.answered(chunk)
      if (!response.write(chunk)) answer.pause()
    })
    response.on("drain", () => answer.resume())
    answer.on("end", () => {
      ended = true
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
      if (bytesOut === 0 && !response.writableEnded && !response.destroyed) response.flushHeaders()
    })
  })

  if (target.body !== undefined || !announcesBody(request.rawHeaders)) {
    bytesIn = target.body?.length ?? 0
    if (target.body !== undefined) witness?.asked(target.body)
    outgoing.end(target.body)
    return
  }
  request.on("data", (chunk: Buffer) => {
    bytesIn += chunk.length
    witness?.asked(chunk)
    if (!outgoing.destroyed && !outgoing.write(chunk)) request.pause()
  })
  outgoing.on("drain", () => request.resume())
  // an upstream that is gone reads no more: let the rest of the upload run out, so that its answer can be read
  outgoing.on("close", () => request.resume())
  request.on("end", () => {
    if (outgoing.destroyed) return
    if (request.rawTrailers.length > 0) outgoing.addTrailers(trailerPairs(request.rawTrailers))
    outgoing.end()
  })
  if (caller.expectsContinue) outgoing.flushHeaders()
}

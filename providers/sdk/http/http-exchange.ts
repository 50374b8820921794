/**
 * One HTTP request over node's own client: kept-alive connections, streamed answers with arrival times, no redirects, no decompression.
 * Interruption closes the connection at once.
 */
import { createReadStream } from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import { StringDecoder } from "node:string_decoder"
import { rootCertificates } from "node:tls"
import { Data, Effect, type Scope } from "effect"

export type TransportReason = "unreachable" | "broken" | "timeout" | "too_large"

export class TransportError extends Data.TaggedError("TransportError")<{
  readonly reason: TransportReason
  readonly message: string
}> {}

/** a body that is read while it is sent; `bytes` is its exact length */
export interface FileBody {
  readonly path: string
  readonly bytes: number
}

interface Exchange {
  readonly method: "GET" | "HEAD" | "POST" | "PUT"
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly body?: string | Buffer | FileBody
  /** without a byte in either direction for this long the request ends as `timeout` */
  readonly idleMs: number
  /** decides on the head of the answer: a function takes the text as it arrives, undefined collects it */
  readonly stream?: (
    status: number,
    headers: http.IncomingHttpHeaders
  ) => ((text: string, atMs: number) => void) | undefined
}

export interface Reply {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  /** empty when the answer was streamed */
  readonly text: string
  /** `performance.now()` when the request was written and when the last byte came */
  readonly startedAtMs: number
  readonly endedAtMs: number
}

export interface HttpClient {
  readonly send: (exchange: Exchange) => Effect.Effect<Reply, TransportError>
}

const maxReplyCharacters = 64 * 1024 * 1024

const neverConnected = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "ETIMEDOUT"
])

const maxRefusalIdleMs = 2000

/** time-outs of the socket itself, told apart from ours */
const idleMessage = "idle"

const failureOf = (error: NodeJS.ErrnoException, idleMs: number): TransportError => {
  if (error.message === idleMessage)
    return new TransportError({ reason: "timeout", message: `no byte came for ${Math.round(idleMs / 1000)} s` })
  const code = error.code ?? ""
  const reason = neverConnected.has(code) || /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code) ? "unreachable" : "broken"
  const [first] = error instanceof AggregateError ? error.errors : []
  const message = error.message || (first instanceof Error ? first.message : "") || code || "connection failed"
  return new TransportError({ reason, message })
}

interface Agents {
  readonly plain: http.Agent
  readonly secure: https.Agent
}

/**
 * A kept connection that the server closed while the request was on its way says nothing about the request: it is sent again on the next
 * connection, until a fresh one is used.
 */
const wasStale = (outgoing: http.ClientRequest, error: NodeJS.ErrnoException, answered: boolean) =>
  outgoing.reusedSocket && !answered && (error.code === "ECONNRESET" || error.code === "EPIPE")

const isFile = (body: Exchange["body"]): body is FileBody => typeof body === "object" && !Buffer.isBuffer(body)

const lengthOf = (body: NonNullable<Exchange["body"]>): number => (isFile(body) ? body.bytes : Buffer.byteLength(body))

const cut = (where: string) => Object.assign(new Error(`the connection was closed ${where}`), { code: "ECONNRESET" })

const tooLarge = () =>
  new TransportError({
    reason: "too_large",
    message: `the answer is larger than ${maxReplyCharacters} characters`
  })

/** one request on its way: it ends once, in whatever comes first */
interface Sending {
  readonly exchange: Exchange
  readonly outgoing: http.ClientRequest
  readonly startedAtMs: number
  readonly settle: (result: Effect.Effect<Reply, TransportError>) => void
  readonly fail: (error: Error) => void
  /** nobody waits for it any more */
  readonly abandon: () => void
  answered: boolean
  /** what has come of an answer that says no: its status counts, also when the connection is closed over the rest */
  refusal: (() => Reply) | undefined
}

const begin = (
  exchange: Exchange,
  agents: Agents,
  resume: (result: Effect.Effect<Reply, TransportError>) => void
): Sending => {
  const secure = exchange.url.protocol === "https:"
  const length = exchange.body === undefined ? {} : { "content-length": String(lengthOf(exchange.body)) }
  const options = {
    method: exchange.method,
    headers: { ...exchange.headers, ...length },
    agent: secure ? agents.secure : agents.plain
  }
  const outgoing = (secure ? https : http).request(exchange.url, options)
  let settled = false
  const sending: Sending = {
    exchange,
    outgoing,
    // nothing has been written yet: what it takes to make the request is ours
    startedAtMs: performance.now(),
    answered: false,
    refusal: undefined,
    settle: (result) => {
      if (settled) return
      settled = true
      resume(result)
    },
    fail: (error) => {
      if (settled) return
      const { refusal, answered } = sending
      if (refusal !== undefined) sending.settle(Effect.succeed(refusal()))
      else
        sending.settle(
          wasStale(outgoing, error, answered)
            ? Effect.suspend(() => request(exchange, agents))
            : Effect.fail(failureOf(error, exchange.idleMs))
        )
      outgoing.destroy()
    },
    abandon: () => {
      settled = true
    }
  }
  return sending
}

/** takes the answer as it comes, to its end */
const receive = (sending: Sending, incoming: http.IncomingMessage): void => {
  const { exchange, outgoing, startedAtMs, settle, fail } = sending
  const { headers, statusCode: status = 0 } = incoming
  sending.answered = true
  const take = exchange.stream?.(status, headers)
  const decoder = new StringDecoder("utf8")
  let text = ""
  const replyWith = (whole: string): Reply => ({
    status,
    headers,
    text: whole,
    startedAtMs,
    endedAtMs: performance.now()
  })
  if (status >= 400 && take === undefined) {
    sending.refusal = () => replyWith(text)
    // the other side may have stopped reading: its text is worth a moment, its status is known
    outgoing.setTimeout(Math.min(exchange.idleMs, maxRefusalIdleMs))
  }
  incoming.on("data", (chunk: Buffer) => {
    const atMs = performance.now()
    const piece = decoder.write(chunk)
    if (take !== undefined) return take(piece, atMs)
    text += piece
    if (text.length <= maxReplyCharacters) return
    settle(Effect.fail(tooLarge()))
    outgoing.destroy()
  })
  incoming.on("error", fail)
  incoming.on("end", () => {
    const rest = decoder.end()
    if (take !== undefined && rest !== "") take(rest, performance.now())
    settle(Effect.succeed(replyWith(take === undefined ? text + rest : "")))
    // answered before everything was sent: nobody reads the rest
    if (!outgoing.writableFinished) outgoing.destroy()
  })
  incoming.on("close", () => fail(cut("within the answer")))
}

const sendBody = ({ exchange: { body }, outgoing, fail }: Sending): void => {
  if (!isFile(body)) {
    outgoing.end(body)
    return
  }
  const source = createReadStream(body.path)
  source.on("error", fail)
  outgoing.on("close", () => source.destroy())
  source.pipe(outgoing)
}

const request = (exchange: Exchange, agents: Agents): Effect.Effect<Reply, TransportError> =>
  Effect.async<Reply, TransportError>((resume) => {
    const sending = begin(exchange, agents, resume)
    const { outgoing, fail } = sending
    outgoing.on("error", fail)
    outgoing.setTimeout(exchange.idleMs, () => fail(new Error(idleMessage)))
    outgoing.on("response", (incoming) => receive(sending, incoming))
    outgoing.on("close", () => fail(cut("without an answer")))
    sendBody(sending)
    return Effect.sync(() => {
      sending.abandon()
      outgoing.destroy()
    })
  })

/** connections are shared by all requests of the client and closed with the scope; `ca` (PEM) is trusted beside the system's authorities */
export const makeHttpClient = (options: { readonly ca?: string } = {}): Effect.Effect<HttpClient, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => ({
      plain: new http.Agent({ keepAlive: true, scheduling: "lifo" }),
      secure: new https.Agent({
        keepAlive: true,
        scheduling: "lifo",
        ...(options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] })
      })
    })),
    ({ plain, secure }) =>
      Effect.sync(() => {
        plain.destroy()
        secure.destroy()
      })
  ).pipe(Effect.map((agents) => ({ send: (exchange) => request(exchange, agents) })))

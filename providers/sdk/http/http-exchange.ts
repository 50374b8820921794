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

const request = (exchange: Exchange, agents: Agents): Effect.Effect<Reply, TransportError> =>
  Effect.async<Reply, TransportError>((resume) => {
    const secure = exchange.url.protocol === "https:"
    const length = exchange.body === undefined ? {} : { "content-length": String(lengthOf(exchange.body)) }
    const options = {
      method: exchange.method,
      headers: { ...exchange.headers, ...length },
      agent: secure ? agents.secure : agents.plain
    }
    const startedAtMs = performance.now()
    const outgoing = (secure ? https : http).request(exchange.url, options)
    let settled = false
    let answered = false
    const settle = (result: Effect.Effect<Reply, TransportError>) => {
      if (settled) return
      settled = true
      resume(result)
    }
    /** what has come of an answer that says no: its status counts, also when the connection is closed over the rest */
    let refusal: (() => Reply) | undefined
    const fail = (error: Error) => {
      if (settled) return
      if (refusal !== undefined) {
        settle(Effect.succeed(refusal()))
        outgoing.destroy()
        return
      }
      settle(
        wasStale(outgoing, error, answered)
          ? Effect.suspend(() => request(exchange, agents))
          : Effect.fail(failureOf(error, exchange.idleMs))
      )
      outgoing.destroy()
    }
    outgoing.on("error", fail)
    outgoing.setTimeout(exchange.idleMs, () => fail(new Error(idleMessage)))
    outgoing.on("response", (incoming) => {
      answered = true
      const status = incoming.statusCode ?? 0
      const take = exchange.stream?.(status, incoming.headers)
      const decoder = new StringDecoder("utf8")
      let text = ""
      if (status >= 400 && take === undefined) {
        refusal = () => ({ status, headers: incoming.headers, text, startedAtMs, endedAtMs: performance.now() })
        // the other side may have stopped reading: its text is worth a moment, its status is known
        outgoing.setTimeout(Math.min(exchange.idleMs, maxRefusalIdleMs))
      }
      incoming.on("data", (chunk: Buffer) => {
        const atMs = performance.now()
        const piece = decoder.write(chunk)
        if (take !== undefined) return take(piece, atMs)
        text += piece
        if (text.length <= maxReplyCharacters) return
        settle(
          Effect.fail(
            new TransportError({
              reason: "too_large",
              message: `the answer is larger than ${maxReplyCharacters} characters`
            })
          )
        )
        outgoing.destroy()
      })
      incoming.on("error", fail)
      incoming.on("end", () => {
        const rest = decoder.end()
        if (take !== undefined && rest !== "") take(rest, performance.now())
        const reply: Reply = {
          status,
          headers: incoming.headers,
          text: take === undefined ? text + rest : "",
          startedAtMs,
          endedAtMs: performance.now()
        }
        settle(Effect.succeed(reply))
        // answered before everything was sent: nobody reads the rest
        if (!outgoing.writableFinished) outgoing.destroy()
      })
      incoming.on("close", () =>
        fail(Object.assign(new Error("the connection was closed within the answer"), { code: "ECONNRESET" }))
      )
    })
    outgoing.on("close", () =>
      fail(Object.assign(new Error("the connection was closed without an answer"), { code: "ECONNRESET" }))
    )
    const { body } = exchange
    if (isFile(body)) {
      const source = createReadStream(body.path)
      source.on("error", fail)
      outgoing.on("close", () => source.destroy())
      source.pipe(outgoing)
    } else outgoing.end(body)
    return Effect.sync(() => {
      settled = true
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

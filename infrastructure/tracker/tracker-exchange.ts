/** One request to the tracking server over node's own client: CA bundle, time limit, token read at each call. Answers may be text or HTML. */
import { type ClientRequest, request as httpRequest } from "node:http"
import { request as httpsRequest, type RequestOptions } from "node:https"
import { TLSSocket } from "node:tls"
import { Effect, Redacted } from "effect"
import { Unavailable } from "../../application/errors.ts"

export interface TrackerConnection {
  /** setting `tracker.tracking_uri` */
  readonly uri: string
  /** read at every call, so that a renewed token is used at once */
  readonly token: () => Redacted.Redacted | undefined
  /** PEM, read at every call */
  readonly ca: () => string | undefined
  readonly insecure: boolean
  readonly timeoutMillis: number
}

export interface TrackerAnswer {
  readonly status: number
  /** parsed body; undefined when it is not JSON */
  readonly json: unknown
}

export interface TrackerCall {
  readonly method: "GET" | "POST"
  /** path and query below the server's base path */
  readonly path: string
  readonly body?: unknown
  readonly workspace?: string | undefined
}

/** the tracking server is there and its certificate is not trusted, or the CA file can not be used */
export class TrackerUntrusted extends Error {
  constructor(reason: string) {
    super(`TLS to the tracking server failed: ${reason}; if its certificate is private, tracker.ca_cert_path must name a file with its CA`)
  }
}

const reasonOf = (error: Error): string => ("code" in error && typeof error.code === "string" ? error.code : error.message)

/** is the connection of this request made and its handshake not yet over? */
const watchHandshake = (request: ClientRequest): (() => boolean) => {
  let underWay = false
  request.once("socket", (socket) => {
    if (!(socket instanceof TLSSocket) || request.reusedSocket) return
    socket.once("connect", () => {
      underWay = true
    })
    socket.once("secureConnect", () => {
      underWay = false
    })
  })
  return () => underWay
}

const maxAnswerBytes = 4 * 1024 * 1024

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** fails only when no answer came; every status is an answer */
export const exchange = (connection: TrackerConnection, operation: string, call: TrackerCall): Effect.Effect<TrackerAnswer, Unavailable> =>
  Effect.async<TrackerAnswer, Unavailable>((resume, signal) => {
    const base = new URL(connection.uri)
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const token = connection.token()
    const ca = connection.ca()
    const failed = (cause: unknown) => resume(Effect.fail(new Unavailable({ peer: "tracker", operation, cause })))
    const secure = base.protocol === "https:"
    const options: RequestOptions = {
      hostname: base.hostname.replace(/^\[|\]$/g, ""),
      port: base.port,
      method: call.method,
      path: base.pathname.replace(/\/$/, "") + call.path,
      signal,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
        ...(token === undefined ? {} : { authorization: `Bearer ${Redacted.value(token)}` }),
        ...(call.workspace === undefined ? {} : { "x-mlflow-workspace": call.workspace })
      },
      ...(secure ? { rejectUnauthorized: !connection.insecure, ...(ca === undefined ? {} : { ca }) } : {})
    }
    let request: ClientRequest
    try {
      request = (secure ? httpsRequest : httpRequest)(options)
    } catch (error) {
      // a CA file that is none shows when the connection is prepared
      return failed(secure && error instanceof Error ? new TrackerUntrusted(reasonOf(error)) : error)
    }
    const isInHandshake = watchHandshake(request)
    request.once("response", (response) => {
      const chunks: Array<Buffer> = []
      let size = 0
      response
        .on("data", (chunk: Buffer) => {
          size += chunk.length
          if (size > maxAnswerBytes) request.destroy(new Error("the answer is too large"))
          else chunks.push(chunk)
        })
        .once("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, json: parsed(Buffer.concat(chunks).toString("utf8")) })))
        .on("error", failed)
        .once("close", () => failed(new Error("the answer was cut short")))
    })
    request.on("error", (error) => failed(isInHandshake() ? new TrackerUntrusted(reasonOf(error)) : error))
    request.end(body)
  }).pipe(
    Effect.timeoutFail({
      duration: connection.timeoutMillis,
      onTimeout: () => new Unavailable({ peer: "tracker", operation, cause: "no answer in time" })
    })
  )

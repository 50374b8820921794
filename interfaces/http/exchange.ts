/**
 * One HTTP exchange as the handlers see it. The listener (`listener.ts`) fills the request side and writes the answer; nothing else
 * touches the socket, apart from the model gateway, which needs the raw streams.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import type { Stream } from "effect"

export interface Exchange {
  /** as sent; HEAD is routed as GET */
  readonly method: string
  /** undecoded path without the query */
  readonly path: string
  /** undecoded query without `?`; "" when there is none */
  readonly search: string
  readonly headers: IncomingHttpHeaders
  /** identifier of the exchange: `X-Request-Id` of every answer and `trace` of every error body */
  readonly trace: string
  readonly source: IncomingMessage
  readonly sink: ServerResponse
  /** the caller sends its body when it is told `100 Continue` */
  readonly expectsContinue: boolean
  /** blanked out of its body before anybody reads it: a secret that an adapter may repeat in what it reports */
  readonly unspoken?: string
}

/** decoded path parameters by name */
export type Params = { readonly [name: string]: string }

declare const made: unique symbol

export type Headers = { readonly [name: string]: string }

/** a success whose JSON text was made from a value of `A`, or was rendered already; a failure */
export interface Answer<out A = unknown> {
  readonly status: number
  readonly headers?: Headers
  /** a stream is sent chunk by chunk with back-pressure; its failure after the head cuts the connection */
  readonly body?: string | Uint8Array | Stream.Stream<Uint8Array, unknown>
  /** in types alone: what the body was made from */
  readonly [made]?: A
}

/** `value` is JSON text already */
export const jsonText = (value: string, headers: Headers = {}, status = 200): Answer<never> => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: value
})

export const json = <A>(value: A, headers: Headers = {}, status = 200): Answer<A> =>
  jsonText(JSON.stringify(value), headers, status)

export const empty: Answer<never> = { status: 204 }

/** pattern of the route for metrics and logs: never the path, which may hold a secret */
export interface Outcome {
  readonly route: string
  /** "answered": the handler wrote to the socket itself */
  readonly answer: Answer | "answered"
}

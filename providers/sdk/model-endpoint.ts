/** Requests to one OpenAI-compatible endpoint: address, key, retries, and the small differences between servers. Reference: providers-and-collections.md, "Framework wrappers". */
import type { IncomingHttpHeaders } from "node:http"
import { Effect, Either, Redacted, type Scope } from "effect"
import { AdapterError } from "./adapter.ts"
import { errorTextOf, fromStatus, fromTransport, unreadable } from "./endpoint-error.ts"
import { makeHttpClient, type Reply } from "./http-exchange.ts"
import { isObject, type JsonObject, parseJson } from "./json-value.ts"
import { delayBeforeRetry } from "./retry.ts"

export interface EndpointOptions {
  /** `model.url`: `/v1` is appended unless its last segment is `v1`, `v2`, … */
  readonly url: string
  readonly apiKey?: Redacted.Redacted
  /** PEM, trusted beside the system's authorities */
  readonly ca?: string
  /** per try: whole answer, or the longest pause within a stream; default 300,000 ms */
  readonly timeoutMs?: number
  /** tries beyond the first, default 5 */
  readonly maxRetries?: number
  /** W3C trace context of the job, sent with every request */
  readonly traceparent?: string
}

interface Ask<A> {
  readonly path: string
  /** absent: a GET */
  readonly body?: JsonObject
  readonly retries?: number
  /** called for each try; what it returns takes the text of a streamed answer, as far as the server streams */
  readonly stream?: () => { readonly push: (text: string, atMs: number) => void; readonly read: (reply: Reply) => Either.Either<A, AdapterError> }
  /** reads the body of an answer that is not streamed */
  readonly read: (body: JsonObject, reply: Reply) => A | undefined
}

export interface Endpoint {
  /** base address without query, for messages */
  readonly address: string
  readonly ask: <A>(ask: Ask<A>) => Effect.Effect<{ readonly value: A; readonly reply: Reply; readonly retries: number }, AdapterError>
}

interface Tried<A> {
  /** absent when no whole answer came */
  readonly reply?: Reply
  readonly result: Either.Either<{ readonly value: A; readonly reply: Reply }, AdapterError>
}

/** base URL of the API, its query kept */
const apiBase = (url: string): Either.Either<URL, AdapterError> => {
  const bad = (why: string) => Either.left(new AdapterError({ code: "model_endpoint_unreachable", message: `model.url ${why}: ${url}`, retryable: false }))
  if (!URL.canParse(url)) return bad("is no URL")
  const base = new URL(url)
  if (base.protocol !== "http:" && base.protocol !== "https:") return bad("must begin with http:// or https://")
  base.hash = ""
  base.pathname = base.pathname.replace(/\/+$/, "")
  if (!/\/v[0-9]+$/.test(base.pathname)) base.pathname = `${base.pathname === "/" ? "" : base.pathname}/v1`
  return Either.right(base)
}

const isEventStream = (headers: IncomingHttpHeaders) => (headers["content-type"] ?? "").includes("text/event-stream")

/** members of a request that some servers refuse, and what to send instead; learned from the refusal and remembered */
const adaptations: ReadonlyArray<{
  readonly name: string
  readonly member: string
  readonly refused: RegExp
  readonly apply: (body: JsonObject) => JsonObject
}> = [
  {
    name: "max_completion_tokens",
    member: "max_tokens",
    refused: /max_completion_tokens/,
    apply: ({ max_tokens, ...rest }) => ({ ...rest, max_completion_tokens: max_tokens })
  },
  { name: "no stream_options", member: "stream_options", refused: /stream_options/, apply: ({ stream_options: _, ...rest }) => rest },
  { name: "no seed", member: "seed", refused: /\bseed\b/, apply: ({ seed: _, ...rest }) => rest }
]

/** asks for the answer's JSON and reads it; every way not to be an answer has its own words */
const readBody = <A>(ask: Ask<A>, reply: Reply, address: string): Either.Either<A, AdapterError> => {
  const parsed = parseJson(reply.text)
  const type = reply.headers["content-type"] ?? "no content type"
  if (reply.text.trim() === "") return Either.left(unreadable("with an empty body.", "", address))
  if (!isObject(parsed))
    return Either.left(unreadable(`with ${type} instead of a JSON object. Is model.url the address of an OpenAI-compatible API?`, reply.text, address))
  const value = ask.read(parsed, reply)
  if (value !== undefined) return Either.right(value)
  if (parsed["error"] === undefined || parsed["error"] === null) return Either.left(unreadable("with JSON of another shape", reply.text, address))
  return Either.left(unreadable(`with an error instead of an answer: ${errorTextOf(reply.text).text}`, "", address))
}

export const makeEndpoint = (options: EndpointOptions): Effect.Effect<Endpoint, AdapterError, Scope.Scope> =>
  Effect.gen(function* () {
    const base = yield* apiBase(options.url)
    const http = yield* makeHttpClient(options.ca === undefined ? {} : { ca: options.ca })
    const address = `${base.origin}${base.pathname}`
    const timeoutMs = options.timeoutMs ?? 300_000
    const key = options.apiKey === undefined ? undefined : Redacted.value(options.apiKey)
    const headers = {
      accept: "application/json",
      "content-type": "application/json",
      "user-agent": "evald",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(options.traceparent === undefined ? {} : { traceparent: options.traceparent })
    }
    const learned = new Set<string>()

    const hideKey = (error: AdapterError) =>
      key === undefined || key.length < 4 ? error : new AdapterError({ ...error, message: error.message.replaceAll(key, "***") })

    const adapted = (body: JsonObject) =>
      adaptations.reduce((sent, { name, member, apply }) => (learned.has(name) && member in sent ? apply(sent) : sent), body)

    /** true when the refusal taught something new, so that the same request is worth another try */
    const learn = (status: number, body: JsonObject | undefined, text: string): boolean => {
      if (body === undefined || (status !== 400 && status !== 422)) return false
      const found = adaptations.find(({ name, member, refused }) => !learned.has(name) && member in body && refused.test(text))
      if (found !== undefined) learned.add(found.name)
      return found !== undefined
    }

    const once = <A>(ask: Ask<A>) => {
      const url = new URL(base)
      url.pathname = `${base.pathname}${ask.path}`
      const streaming = ask.stream?.()
      const exchange = {
        method: ask.body === undefined ? ("GET" as const) : ("POST" as const),
        url,
        headers,
        idleMs: timeoutMs,
        ...(ask.body === undefined ? {} : { body: JSON.stringify(adapted(ask.body)) }),
        ...(streaming === undefined
          ? {}
          : { stream: (status: number, head: IncomingHttpHeaders) => (status < 300 && isEventStream(head) ? streaming.push : undefined) })
      }
      return http.send(exchange).pipe(
        Effect.mapError((error) => fromTransport(error, address)),
        Effect.timeoutFail({
          duration: streaming === undefined ? timeoutMs : timeoutMs * 4,
          onTimeout: () =>
            new AdapterError({ code: "model_request_timeout", message: `The model endpoint ${address} did not finish its answer in time.`, retryable: true })
        }),
        Effect.match({
          onFailure: (error): Tried<A> => ({ result: Either.left(error) }),
          onSuccess: (reply): Tried<A> => {
            if (reply.status < 200 || reply.status >= 300) return { reply, result: Either.left(fromStatus(reply.status, reply.text, address)) }
            const streamed = streaming !== undefined && isEventStream(reply.headers)
            const result = streamed ? streaming.read(reply) : readBody(ask, reply, address)
            return { reply, result: Either.map(result, (value) => ({ value, reply })) }
          }
        })
      )
    }

    const ask = <A>(request: Ask<A>) =>
      Effect.gen(function* () {
        const limit = request.retries ?? options.maxRetries ?? 5
        let timeouts = 0
        let retries = 0
        while (true) {
          const { reply, result } = yield* once(request)
          if (Either.isRight(result)) return { ...result.right, retries }
          if (reply !== undefined && learn(reply.status, request.body, reply.text)) continue
          const error = hideKey(result.left)
          if (error.code === "model_request_timeout") timeouts++
          if (!error.retryable || retries >= limit || timeouts > 1) return yield* error
          yield* Effect.sleep(yield* delayBeforeRetry(retries, reply?.headers["retry-after"]))
          retries++
        }
      })
    return { address, ask }
  })

/** Requests to one OpenAI-compatible endpoint: address, key, retries, and the small differences between servers. Reference: providers-and-collections.md, "Framework wrappers". */
import type { IncomingHttpHeaders } from "node:http"
import { Effect, Either, Redacted, type Scope } from "effect"
import { defined } from "../../../values/defined.ts"
import { isObject, type JsonObject, parseJson } from "../../../values/json.ts"
import { AdapterError } from "../adapter.ts"
import { withoutGatewaySecret } from "../gateway-secret.ts"
import { type HttpClient, makeHttpClient, type Reply } from "../http/http-exchange.ts"
import { delayBeforeRetry } from "../http/retry.ts"
import { errorTextOf, fromStatus, fromTransport, unreadable } from "./endpoint-error.ts"

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

/** takes the text of a streamed answer */
interface Streaming<A> {
  readonly push: (text: string, atMs: number) => void
  readonly read: (reply: Reply) => Either.Either<A, AdapterError>
}

interface Ask<A> {
  readonly path: string
  /** absent: a GET */
  readonly body?: JsonObject
  readonly retries?: number
  /** told to the gateway alone: a probe is not judged, of a load generator only the usage is. Reference: validity.md, "What the gateway sees". */
  readonly role?: "probe" | "load"
  /** called for each try; what it returns takes the text of a streamed answer, as far as the server streams */
  readonly stream?: () => Streaming<A>
  /** reads the body of an answer that is not streamed */
  readonly read: (body: JsonObject, reply: Reply) => A | undefined
}

export interface Asked<A> {
  readonly value: A
  readonly reply: Reply
  /** tries before this one */
  readonly retries: number
  /** the body that got through, changed where the endpoint had refused the first one; empty for a GET */
  readonly sent: JsonObject
}

export interface Endpoint {
  /** base address without query and secret, for messages */
  readonly address: string
  readonly ask: <A>(ask: Ask<A>) => Effect.Effect<Asked<A>, AdapterError>
  /** what the endpoint refused and what it is sent instead, learned so far: "no temperature" */
  readonly adaptations: Effect.Effect<ReadonlyArray<string>>
}

interface Tried<A> {
  /** absent when no whole answer came */
  readonly reply?: Reply
  readonly result: Either.Either<{ readonly value: A; readonly reply: Reply }, AdapterError>
}

/** base URL of the API, its query kept */
const apiBase = (url: string): Either.Either<URL, AdapterError> => {
  const bad = (why: string) =>
    Either.left(
      new AdapterError({ code: "model_endpoint_unreachable", message: `model.url ${why}: ${url}`, retryable: false })
    )
  if (!URL.canParse(url)) return bad("is no URL")
  const base = new URL(url)
  if (base.protocol !== "http:" && base.protocol !== "https:") return bad("must begin with http:// or https://")
  base.hash = ""
  base.pathname = base.pathname.replace(/\/+$/, "")
  if (!/\/v[0-9]+$/.test(base.pathname)) base.pathname = `${base.pathname === "/" ? "" : base.pathname}/v1`
  return Either.right(base)
}

const isEventStream = (headers: IncomingHttpHeaders) => (headers["content-type"] ?? "").includes("text/event-stream")

/** what is sent instead of a member that a server refuses */
interface Adaptation {
  /** as results name it */
  readonly name: string
  readonly apply: (body: JsonObject) => JsonObject
}

const without = (member: string, when: (value: unknown) => boolean = () => true): Adaptation => ({
  name: `no ${member}`,
  apply: (body) => Object.fromEntries(Object.entries(body).filter(([key, value]) => key !== member || !when(value)))
})

const LIMITS = ["max_tokens", "max_completion_tokens"] as const

const atLeast = (least: number): Adaptation => ({
  name: `limits of at least ${least} tokens`,
  apply: (body) => ({
    ...body,
    ...Object.fromEntries(LIMITS.flatMap((name) => (Number(body[name]) < least ? [[name, least]] : [])))
  })
})

/** "max_tokens must be at least 16", "'max_completion_tokens': … Expected a value >= 16" */
const LEAST_LIMIT =
  /max_(?:completion_|output_)?tokens[\s\S]{0,160}?(?:at least|>=|greater than or equal to|minimum(?: value)?(?: of| is|:))\s*(\d{1,4})(?!\d)/i

/** what a refusal teaches about the request: read in this order, one thing at a time */
const LESSONS: ReadonlyArray<(refusal: string, body: JsonObject) => Adaptation | undefined> = [
  (refusal, body) =>
    "max_tokens" in body && /max_completion_tokens/.test(refusal)
      ? {
          name: "max_completion_tokens",
          apply: ({ max_tokens, ...rest }) =>
            max_tokens === undefined ? rest : { ...rest, max_completion_tokens: max_tokens }
        }
      : undefined,
  (refusal, body) => {
    const least = Number(LEAST_LIMIT.exec(refusal)?.[1])
    return LIMITS.some((name) => Number(body[name]) < least) ? atLeast(least) : undefined
  },
  // only the 0 that nobody asked for is left out: another temperature was wished for
  (refusal, body) =>
    body["temperature"] === 0 && /\btemperature\b/i.test(refusal)
      ? without("temperature", (value) => value === 0)
      : undefined,
  (refusal, body) =>
    "stream_options" in body && /stream_options/.test(refusal) ? without("stream_options") : undefined,
  (refusal, body) => ("seed" in body && /\bseed\b/.test(refusal) ? without("seed") : undefined)
]

/** asks for the answer's JSON and reads it; every way not to be an answer has its own words */
const readBody = <A>(ask: Ask<A>, reply: Reply, address: string): Either.Either<A, AdapterError> => {
  const parsed = parseJson(reply.text)
  const type = reply.headers["content-type"] ?? "no content type"
  if (reply.text.trim() === "") return Either.left(unreadable("with an empty body.", "", address))
  if (!isObject(parsed))
    return Either.left(
      unreadable(
        `with ${type} instead of a JSON object. Is model.url the address of an OpenAI-compatible API?`,
        reply.text,
        address
      )
    )
  const value = ask.read(parsed, reply)
  if (value !== undefined) return Either.right(value)
  if (parsed["error"] === undefined || parsed["error"] === null)
    return Either.left(unreadable("with JSON of another shape", reply.text, address))
  return Either.left(unreadable(`with an error instead of an answer: ${errorTextOf(reply.text).text}`, "", address))
}

const readReply = <A>(ask: Ask<A>, reply: Reply, streaming: Streaming<A> | undefined, address: string): Tried<A> => {
  if (reply.status < 200 || reply.status >= 300)
    return { reply, result: Either.left(fromStatus(reply.status, reply.text, address)) }
  const streamed = streaming !== undefined && isEventStream(reply.headers)
  const result = streamed ? streaming.read(reply) : readBody(ask, reply, address)
  return { reply, result: Either.map(result, (value) => ({ value, reply })) }
}

const adapted = (body: JsonObject, known: ReadonlyMap<string, Adaptation>) =>
  [...known.values()].reduce((sent, { apply }) => apply(sent), body)

/** what the refusal of this body says that is not known yet */
const lessonOf = (
  { status, text }: Reply,
  body: JsonObject,
  known: ReadonlyMap<string, Adaptation>
): Adaptation | undefined => {
  if (status !== 400 && status !== 422) return undefined
  const sent = adapted(body, known)
  return LESSONS.map((lesson) => lesson(text, sent)).find((lesson) => lesson !== undefined && !known.has(lesson.name))
}

/** where and as whom requests are sent */
interface Way {
  readonly http: HttpClient
  readonly base: URL
  readonly address: string
  readonly headers: { readonly [name: string]: string }
  readonly timeoutMs: number
}

/** one try; it does not fail, since its failure may teach something */
const once = <A>(
  { http, base, address, headers, timeoutMs }: Way,
  ask: Ask<A>,
  known: ReadonlyMap<string, Adaptation>
): Effect.Effect<Tried<A>> => {
  const url = new URL(base)
  url.pathname = `${base.pathname}${ask.path}`
  const streaming = ask.stream?.()
  const exchange = {
    method: ask.body === undefined ? ("GET" as const) : ("POST" as const),
    url,
    headers: ask.role === undefined ? headers : { ...headers, "x-evald-role": ask.role },
    idleMs: timeoutMs,
    ...(ask.body === undefined ? {} : { body: JSON.stringify(adapted(ask.body, known)) }),
    ...(streaming === undefined
      ? {}
      : {
          stream: (status: number, head: IncomingHttpHeaders) =>
            status < 300 && isEventStream(head) ? streaming.push : undefined
        })
  }
  return http.send(exchange).pipe(
    Effect.mapError((error) => fromTransport(error, address)),
    Effect.timeoutFail({
      duration: streaming === undefined ? timeoutMs : timeoutMs * 4,
      onTimeout: () =>
        new AdapterError({
          code: "model_request_timeout",
          message: `The model endpoint ${address} did not finish its answer in time.`,
          retryable: true
        })
    }),
    Effect.match({
      onFailure: (error): Tried<A> => ({ result: Either.left(error) }),
      onSuccess: (reply) => readReply(ask, reply, streaming, address)
    })
  )
}

export const makeEndpoint = (options: EndpointOptions): Effect.Effect<Endpoint, AdapterError, Scope.Scope> =>
  Effect.gen(function* () {
    const base = yield* apiBase(options.url)
    const http = yield* makeHttpClient(options.ca === undefined ? {} : { ca: options.ca })
    const address = withoutGatewaySecret(`${base.origin}${base.pathname}`)
    const key = options.apiKey === undefined ? undefined : Redacted.value(options.apiKey)
    const headers = {
      accept: "application/json",
      "content-type": "application/json",
      "user-agent": "evald",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...defined({ traceparent: options.traceparent })
    }
    const way: Way = { http, base, address, headers, timeoutMs: options.timeoutMs ?? 300_000 }
    /** what a request got through with; a refusal that nothing helped against teaches nothing */
    const learned = new Map<string, Adaptation>()

    const hideKey = (error: AdapterError) =>
      key === undefined || key.length < 4
        ? error
        : new AdapterError({ ...error, message: error.message.replaceAll(key, "***") })

    const ask = <A>(request: Ask<A>) =>
      Effect.gen(function* () {
        const limit = request.retries ?? options.maxRetries ?? 5
        const known = new Map(learned)
        let timeouts = 0
        let retries = 0
        while (true) {
          const { reply, result } = yield* once(way, request, known)
          if (Either.isRight(result)) {
            for (const [name, adaptation] of known) learned.set(name, adaptation)
            return { ...result.right, retries, sent: adapted(request.body ?? {}, known) }
          }
          const lesson =
            reply === undefined || request.body === undefined ? undefined : lessonOf(reply, request.body, known)
          if (lesson !== undefined) {
            known.set(lesson.name, lesson)
            continue
          }
          const error = hideKey(result.left)
          if (error.code === "model_request_timeout") timeouts++
          if (!error.retryable || retries >= limit || timeouts > 1) return yield* error
          yield* Effect.sleep(yield* delayBeforeRetry(retries, reply?.headers["retry-after"]))
          retries++
        }
      })
    return { address, ask, adaptations: Effect.sync(() => [...learned.keys()]) }
  })

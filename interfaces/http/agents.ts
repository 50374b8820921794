/**
 * Agents' programs at `/mcp`. Each of their questions becomes a request of the caller to this server, which is authenticated, reviewed, limited and
 * written down like one that came over the network; nothing else answers them. What speaks their protocol is loaded with the first of them.
 * Reference: docs/mcp.md, "Over HTTP".
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { Effect, Runtime, Stream } from "effect"
import { defined } from "../../values/defined.ts"
import { makeClient } from "../client/client.ts"
import type { Dispatch } from "./dispatch.ts"
import { errorAnswer, type Failure, internalError } from "./error-response.ts"
import type { Answer, Exchange } from "./exchange.ts"
import * as Body from "./middleware/body.ts"
import * as JsonDocument from "./middleware/json-document.ts"
import { HttpSettings, type Services } from "./services.ts"

/** what says who asks, for which tenant and from where; the rest of the head is about the agent's message */
const ofCaller = ["host", "authorization", "x-tenant", "x-user", "x-forwarded-for", "traceparent", "tracestate"]

const headersOf = (
  exchange: Exchange,
  given: RequestInit["headers"],
  body: Buffer | undefined
): IncomingHttpHeaders => {
  const headers: IncomingHttpHeaders = Object.fromEntries(new Headers(given))
  for (const name of ofCaller) {
    const value = exchange.headers[name]
    if (value !== undefined) headers[name] = value
  }
  return body === undefined ? headers : { ...headers, "content-length": String(body.length) }
}

/** the body of a request that never was on the network, beside what the connection of the agent's own request says of its caller */
const sourceOf = ({ source }: Exchange, headers: IncomingHttpHeaders, body: Buffer | undefined): IncomingMessage =>
  Object.assign(Readable.from(body === undefined ? [] : [body]), {
    headers,
    rawHeaders: source.rawHeaders,
    socket: source.socket
    // handlers read the body and look at these, at nothing else
  }) as unknown as IncomingMessage

const responseOf = ({ status, headers, body }: Answer): Response => {
  const content =
    body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : Stream.toReadableStream(body)
  return new Response((content ?? null) as ConstructorParameters<typeof Response>[0], {
    status,
    ...defined({ headers })
  })
}

/** `fetch` to this server in the name of who sent `exchange` */
const inside =
  (exchange: Exchange, ask: Dispatch, runtime: Runtime.Runtime<Services>): typeof fetch =>
  async (address, init = {}) => {
    const { pathname, search } = new URL(String(address))
    const body = typeof init.body === "string" ? Buffer.from(init.body) : undefined
    const headers = headersOf(exchange, init.headers, body)
    const { answer } = await Runtime.runPromise(runtime)(
      ask({
        ...exchange,
        ...{ method: init.method ?? "GET", path: pathname, search: search.slice(1), headers, expectsContinue: false },
        source: sourceOf(exchange, headers, body)
      }),
      init.signal instanceof AbortSignal ? { signal: init.signal } : {}
    )
    return responseOf(answer === "answered" ? errorAnswer(internalError, exchange.trace) : answer)
  }

/** the agent's message as the library reads it; credentials are none of its business */
const requestOf = ({ headers, path }: Exchange): Request => {
  const sent = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (typeof value === "string" && name !== "authorization") sent.set(name, value)
  return new Request(`http://evald${path}`, { method: "POST", headers: sent, body: "{}" })
}

const answerOf = async (response: Response): Promise<Answer> => ({
  status: response.status,
  headers: { ...Object.fromEntries(response.headers), "cache-control": "no-store" },
  ...(response.body === null ? {} : { body: await response.text() })
})

export const agents =
  ({ content, writing }: NonNullable<HttpSettings["Type"]["mcp"]>) =>
  (exchange: Exchange, ask: Dispatch): Effect.Effect<Answer, Failure, Services> =>
    Effect.gen(function* () {
      const { build, maxBodyBytes, stallMillis } = yield* HttpSettings
      const bytes = yield* Body.read(exchange, { maxBytes: maxBodyBytes, stallMillis }, ["application/json"])
      const { value: document } = yield* JsonDocument.parse(bytes)
      const runtime = yield* Effect.runtime<Services>()
      return yield* Effect.promise(async () => {
        const { answerRequest } = await import("../mcp/answer-request.ts")
        const client = makeClient({ baseUrl: "http://evald", fetch: inside(exchange, ask, runtime) })
        return answerOf(
          await answerRequest(
            { version: build.version, client, seen: { content }, ...defined({ writing }) },
            requestOf(exchange),
            document
          )
        )
      })
    })

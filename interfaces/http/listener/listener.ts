/**
 * From node's request event to an answer. One fiber per request, started synchronously; a caller that hangs up interrupts it. Node's own
 * refusals (head too large, bad syntax, slow head) get the error body as well. Measured against the platform's server: 48 instead of
 * 89 µs of CPU per small request, which the target for reads needs (ARCHITECTURE, decision 14).
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { Cause, Effect, type FiberId, FiberId as Ids, Runtime, type Scope } from "effect"
import { endSocket } from "../../gateway/unread-body.ts"
import type { makeDispatch } from "../dispatch.ts"
import { type ErrorContent, errorAnswer } from "../error-response.ts"
import type { Answer, Exchange, Headers } from "../exchange.ts"
import type { Metrics } from "../metrics/metrics.ts"
import { encode } from "../middleware/compression.ts"
import type { RequestId } from "../middleware/request-id.ts"
import type { Services } from "../services.ts"
import type { NodeServer } from "./node-server.ts"
import { headersOf, headProblem, targetOf } from "./request-head.ts"
import { writeAnswer } from "./write-answer.ts"

export interface ListenerOptions {
  readonly dispatch: ReturnType<typeof makeDispatch>
  /** why a request is not served on its connection */
  readonly connectionRefusal: (source: IncomingMessage, path: string) => ErrorContent | undefined
  readonly requestId: (headers: IncomingMessage["headers"]) => RequestId
  readonly metrics: Metrics["Type"]
}

const security: Headers = { "x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin" }

const refusalOf = (code: string | undefined): ErrorContent => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        code: "request_head_too_large",
        message: "the request line and headers are larger than service.max_head_bytes"
      }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { code: "request_timeout", message: "the request did not arrive in time" }
    default:
      return { code: "invalid_value", message: "the request is not valid HTTP/1.1" }
  }
}

const unknownExpectation = ({ headers }: IncomingMessage): ErrorContent => ({
  code: "expectation_failed",
  message: `Expect is '${(headers.expect ?? "").slice(0, 80)}'; only 100-continue can be met`,
  headers: { connection: "close" }
})

/** answers on the bare socket, where node has no response object to offer */
const refuseOnSocket = (requestId: ListenerOptions["requestId"]) => (error: NodeJS.ErrnoException, socket: Duplex) => {
  if (error.code === "ECONNRESET") {
    socket.destroy()
    return
  }
  const { trace, headers } = requestId({})
  const answer = errorAnswer(refusalOf(error.code), trace)
  const body = String(answer.body)
  const head = Object.entries({
    ...headers,
    ...security,
    ...answer.headers,
    connection: "close",
    "content-length": String(Buffer.byteLength(body))
  })
  endSocket(
    socket,
    `HTTP/1.1 ${answer.status} \r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`
  )
}

const broken = (sink: ServerResponse, trace: string, cause: Cause.Cause<never>): Effect.Effect<void> =>
  Effect.zipRight(
    Effect.logError("an answer could not be written", cause).pipe(Effect.annotateLogs({ trace })),
    Effect.sync(() => sink.destroy())
  )

const ignored = () => {}

const interruptedBy: FiberId.FiberId = Ids.none

type OnRequest = (source: IncomingMessage, sink: ServerResponse) => void

/** the handlers are the server's for the life of the scope */
const listening = (
  server: NodeServer,
  {
    onRequest,
    onContinue,
    onExpectation,
    onClientError
  }: {
    readonly onRequest: OnRequest
    readonly onContinue: OnRequest
    readonly onExpectation: OnRequest
    readonly onClientError: (error: NodeJS.ErrnoException, socket: Duplex) => void
  }
) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      server
        .on("request", onRequest)
        .on("checkContinue", onContinue)
        .on("checkExpectation", onExpectation)
        .on("clientError", onClientError)
    ),
    () =>
      Effect.sync(() =>
        server
          .off("request", onRequest)
          .off("checkContinue", onContinue)
          .off("checkExpectation", onExpectation)
          .off("clientError", onClientError)
      )
  )

/** attaches to the server for the life of the scope */
export const attach = (
  server: NodeServer,
  { dispatch, connectionRefusal, requestId, metrics }: ListenerOptions
): Effect.Effect<void, never, Scope.Scope | Services> =>
  Effect.gen(function* () {
    const runFork = Runtime.runFork(yield* Effect.runtime<Services>())
    const serve = (
      source: IncomingMessage,
      sink: ServerResponse,
      expectsContinue: boolean,
      problem: ErrorContent | undefined
    ) => {
      const started = performance.now()
      const { trace, headers } = requestId(source.headers)
      const target = targetOf(source.url ?? "/")
      const { path, search } = target
      const exchange: Exchange = {
        method: source.method ?? "GET",
        path,
        search,
        headers: headersOf(source, target),
        trace,
        source,
        sink,
        expectsContinue
      }
      const shared = { ...headers, ...security }
      const refusal = problem ?? connectionRefusal(source, path)
      metrics.started()
      // what the socket does not take any more is nobody's loss, and must not end the process
      sink.on("error", ignored)
      const outcome =
        refusal === undefined
          ? dispatch(exchange)
          : Effect.succeed({ route: "refused", answer: errorAnswer(refusal, trace) })
      const work = Effect.flatMap(outcome, ({ route, answer }) => {
        metrics.finished(
          exchange.method,
          route,
          answer === "answered" ? sink.statusCode : answer.status,
          performance.now() - started
        )
        if (answer === "answered") return Effect.void
        const write = (one: Answer) => writeAnswer(sink, one, shared, exchange.method !== "HEAD")
        const encoded = encode(source.headers, answer)
        return Effect.isEffect(encoded) ? Effect.flatMap(encoded, write) : write(encoded)
      })
      // an answer that cannot be written must not leave the caller waiting
      const fiber = runFork(
        Effect.onError(work, (cause) => (Cause.isInterruptedOnly(cause) ? Effect.void : broken(sink, trace, cause)))
      )
      sink.once("close", () => {
        metrics.closed()
        if (!sink.writableFinished) fiber.unsafeInterruptAsFork(interruptedBy)
      })
    }
    const onRequest = (source: IncomingMessage, sink: ServerResponse) => serve(source, sink, false, headProblem(source))
    const onContinue = (source: IncomingMessage, sink: ServerResponse) => serve(source, sink, true, headProblem(source))
    const onExpectation = (source: IncomingMessage, sink: ServerResponse) =>
      serve(source, sink, true, headProblem(source) ?? unknownExpectation(source))
    // node would drop header lines beyond its own limit without a word
    server.maxHeadersCount = 0
    yield* listening(server, { onRequest, onContinue, onExpectation, onClientError: refuseOnSocket(requestId) })
  })

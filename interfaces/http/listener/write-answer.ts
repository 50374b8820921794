/** Puts an answer on the wire. A stream is written with back-pressure; when it fails after its head, the connection is cut. */
import type { ServerResponse } from "node:http"
import { Effect, Stream } from "effect"
import { drainBody, endAfterBody, hasUnreadBody } from "../../gateway/unread-body.ts"
import type { Answer, Headers } from "../exchange.ts"

const drained = (sink: ServerResponse): Effect.Effect<void> =>
  Effect.async((resume) => {
    // both go whichever comes: a stream that fills the buffer often would collect listeners otherwise
    const forget = () => sink.off("drain", done).off("close", done)
    const done = () => {
      forget()
      resume(Effect.void)
    }
    sink.on("drain", done).on("close", done)
    return Effect.sync(forget)
  })

const writeStream = (body: Stream.Stream<Uint8Array, unknown>, sink: ServerResponse) =>
  Stream.runForEach(body, (chunk) => (sink.destroyed || sink.write(chunk) ? Effect.void : drained(sink))).pipe(
    Effect.matchCauseEffect({
      // what was written goes out; ending normally would pass off a truncated answer as complete
      onFailure: () => Effect.sync(() => sink.socket?.destroySoon()),
      onSuccess: () => Effect.sync(() => sink.end())
    })
  )

const isStream = (body: NonNullable<Answer["body"]>): body is Stream.Stream<Uint8Array, unknown> =>
  typeof body === "object" && Stream.StreamTypeId in body

const requestTimeout = 408

/** before its request was read to the end: whole, and the connection closes when the rest of the request is out of the way */
const writeEarly = (
  sink: ServerResponse,
  { status, headers, body }: Answer,
  shared: Headers,
  withBody: boolean
): Effect.Effect<void> => {
  const content = body === undefined || isStream(body) ? undefined : body
  const length = content === undefined ? {} : { "content-length": Buffer.byteLength(content) }
  sink.writeHead(status, { ...shared, ...headers, ...length, connection: "close" })
  if (body === undefined || !isStream(body)) {
    // who stopped sending is not waited for
    if (status === requestTimeout) sink.end(withBody ? content : undefined)
    else endAfterBody(sink.req, sink, withBody ? content : undefined)
    return Effect.void
  }
  sink.flushHeaders()
  drainBody(sink.req, () => {})
  if (withBody) return writeStream(body, sink)
  sink.end()
  return Effect.void
}

/** `shared`: headers of every answer of the exchange. `withBody` false: HEAD */
export const writeAnswer = (
  sink: ServerResponse,
  answer: Answer,
  shared: Headers,
  withBody: boolean
): Effect.Effect<void> => {
  if (sink.destroyed || sink.headersSent) return Effect.void
  if (hasUnreadBody(sink.req)) return writeEarly(sink, answer, shared, withBody)
  const { status, headers, body } = answer
  if (body === undefined) {
    sink.writeHead(status, { ...shared, ...headers }).end()
    return Effect.void
  }
  if (isStream(body)) {
    sink.writeHead(status, { ...shared, ...headers })
    sink.flushHeaders()
    if (withBody) return writeStream(body, sink)
    sink.end()
    return Effect.void
  }
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength
  sink.writeHead(status, { ...shared, ...headers, "content-length": length })
  if (withBody) sink.end(body)
  else sink.end()
  return Effect.void
}

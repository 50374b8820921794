/** Puts an answer on the wire. A stream is written with back-pressure; when it fails after its head, the connection is cut. */
import type { ServerResponse } from "node:http"
import { Effect, Stream } from "effect"
import type { Answer, Headers } from "./exchange.ts"

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

const isStream = (body: NonNullable<Answer["body"]>): body is Stream.Stream<Uint8Array, unknown> => typeof body === "object" && Stream.StreamTypeId in body

/** `shared`: headers of every answer of the exchange. `withBody` false: HEAD */
export const writeAnswer = (sink: ServerResponse, { status, headers, body }: Answer, shared: Headers, withBody: boolean): Effect.Effect<void> => {
  if (sink.destroyed || sink.headersSent) return Effect.void
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

/** The body of an answer of the API server: whole as text, or as it comes, and never left unread on its connection. */
import type { IncomingMessage } from "node:http"
import { Effect, Stream } from "effect"
import { type KubeError, noAnswer } from "./kube-error.ts"

/** an answer larger than this is no answer of an API server */
const maxAnswerBytes = 268_435_456

export const reasonOf = (error: unknown): string =>
  error instanceof Error && error.message !== "" ? error.message : "the connection failed"

/** the whole body as text */
export const collect = (operation: string, response: IncomingMessage): Effect.Effect<string, KubeError> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    let ended = false
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxAnswerBytes) response.destroy(new Error(`the answer is larger than ${maxAnswerBytes} bytes`))
      else chunks.push(chunk)
    })
    response.once("end", () => {
      ended = true
      resume(Effect.succeed(Buffer.concat(chunks).toString("utf8")))
    })
    response.on("error", (error) => resume(Effect.fail(noAnswer(operation, reasonOf(error)))))
    response.once("close", () => {
      if (!ended) resume(Effect.fail(noAnswer(operation, "the answer was cut short")))
    })
    return Effect.sync(() => response.destroy())
  })

/** cuts an answer whose reader failed or was interrupted: unread it would keep its connection */
export const orCut = <A>(
  response: IncomingMessage,
  reading: Effect.Effect<A, KubeError>
): Effect.Effect<A, KubeError> =>
  Effect.onError(reading, () =>
    Effect.sync(() => {
      if (!response.readableEnded) response.destroy()
    })
  )

/** what has arrived, at the reader's pace; `begun` is told once somebody reads */
export const incoming = (
  operation: string,
  response: IncomingMessage,
  begun: () => void
): Stream.Stream<Uint8Array, KubeError> => {
  let failure: Error | undefined
  response.on("error", (error) => {
    failure = error
  })
  const pull = Effect.async<Uint8Array, KubeError | undefined>((resume) => {
    const look = () => {
      const chunk: Buffer | null = response.read()
      if (chunk !== null) return settle(Effect.succeed(new Uint8Array(chunk)))
      if (response.readableEnded) return settle(Effect.fail(undefined))
      if (failure !== undefined || response.destroyed)
        settle(Effect.fail(noAnswer(operation, failure === undefined ? "the answer was cut short" : reasonOf(failure))))
    }
    const names = ["readable", "end", "error", "close"] as const
    const stop = () => {
      for (const name of names) response.off(name, look)
    }
    const settle = (result: Effect.Effect<Uint8Array, KubeError | undefined>) => {
      stop()
      resume(result)
    }
    for (const name of names) response.on(name, look)
    look()
    return Effect.sync(stop)
  })
  const reading = Effect.sync(() => {
    begun()
    return response
  })
  return Stream.acquireRelease(reading, (open) => Effect.sync(() => open.destroy())).pipe(
    Stream.flatMap(() =>
      Stream.unfoldEffect(undefined, () =>
        pull.pipe(
          Effect.map((chunk) => [chunk, undefined] as const),
          Effect.asSome,
          Effect.catchAll((error) => (error === undefined ? Effect.succeedNone : Effect.fail(error)))
        )
      )
    )
  )
}

/** The few API calls of the demo, over plain HTTP like any client. Failures are one readable line. */
import { Data, Effect, Stream } from "effect"
import { decodeJob, type JobView } from "./job-view.ts"

export class DemoFailed extends Data.TaggedError("DemoFailed")<{ readonly message: string; readonly exitCode: number }> {}

const failed = (message: string) => new DemoFailed({ message, exitCode: 1 })
const reason = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error ? inner.message : String(inner)
}

const refusal = (text: string, status: number): string => {
  try {
    const body = JSON.parse(text) as {
      readonly message?: string
      readonly message_code?: string
      readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
    }
    const details = (body.errors ?? []).map(({ path, message }) => `\n  ${path === "" ? "(body)" : path}: ${message}`).join("")
    return `${body.message_code ?? status}: ${body.message ?? text}${details}`
  } catch {
    return `HTTP ${status}: ${text.slice(0, 200)}`
  }
}

const call = (url: string, init: RequestInit) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, { ...init, signal })
      return { status: response.status, text: await response.text() }
    },
    catch: (cause) => failed(`${url} does not answer: ${reason(cause)}`)
  }).pipe(
    Effect.filterOrFail(
      ({ status }) => status < 400,
      ({ status, text }) => failed(refusal(text, status))
    )
  )

const job = (text: string) => Effect.mapError(decodeJob(text), (error) => failed(`the server's answer is not a job record: ${error.message}`))

export const submit = (baseUrl: string, body: unknown): Effect.Effect<JobView, DemoFailed> =>
  call(`${baseUrl}/api/v1/evaluations/jobs`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }).pipe(
    Effect.flatMap(({ text }) => job(text))
  )

export const get = (baseUrl: string, id: string): Effect.Effect<JobView, DemoFailed> =>
  Effect.flatMap(call(`${baseUrl}/api/v1/evaluations/jobs/${id}`, {}), ({ text }) => job(text))

/** records of the job as they change, from its event stream; ends when the server closes the stream */
export const watch = (baseUrl: string, id: string): Stream.Stream<JobView, DemoFailed> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const abort = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      )
      const response = yield* Effect.tryPromise({
        try: () => fetch(`${baseUrl}/api/v1/evaluations/jobs/${id}/watch`, { signal: abort.signal, headers: { accept: "text/event-stream" } }),
        catch: (cause) => failed(`the job cannot be watched: ${reason(cause)}`)
      })
      const { body } = response
      if (!response.ok || body === null) return yield* failed(`the job cannot be watched: HTTP ${response.status}`)
      return Stream.fromReadableStream({ evaluate: () => body, onError: (cause) => failed(`the event stream broke: ${reason(cause)}`) }).pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.filter((line) => line.startsWith("data:")),
        Stream.mapEffect((line) => job(line.slice("data:".length)))
      )
    })
  )

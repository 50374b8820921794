/** The few API calls of the demo, through the clients of the contract. Failures are one readable line. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import { Data, Effect, Stream } from "effect"
import { makeClient } from "../../client/client.ts"
import { Api, type Operation } from "../../http/api.ts"
import { decodeJob, type JobView } from "./job-view.ts"

export class DemoFailed extends Data.TaggedError("DemoFailed")<{
  readonly message: string
  readonly exitCode: number
}> {}

const failed = (message: string) => new DemoFailed({ message, exitCode: 1 })
const reason = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? reason(cause.cause) : cause
  return inner instanceof Error ? inner.message : String(inner)
}

interface Refusal {
  readonly message_code: string
  readonly message: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

const isRefusal = (error: object): error is Refusal => "message_code" in error

const lineOf = (baseUrl: string, error: object): DemoFailed => {
  if (!isRefusal(error)) return failed(`${baseUrl} does not answer as the API does: ${reason(error)}`)
  const details = (error.errors ?? [])
    .map(({ path, message }) => `\n  ${path === "" ? "(body)" : path}: ${message}`)
    .join("")
  return failed(`${error.message_code}: ${error.message}${details}`)
}

const jobs = (baseUrl: string) =>
  Effect.map(HttpApiClient.make(Api, { baseUrl }), (client) => client.jobs).pipe(Effect.provide(FetchHttpClient.layer))

export const submit = (
  baseUrl: string,
  payload: Operation<"submitJob">["payload"]
): Effect.Effect<JobView, DemoFailed> =>
  Effect.flatMap(jobs(baseUrl), ({ submitJob }) => submitJob({ headers: {}, urlParams: {}, payload })).pipe(
    Effect.mapError((error) => lineOf(baseUrl, error)),
    // a plan is the answer to a dry run
    Effect.filterOrFail(
      (answer) => "resource" in answer,
      () => failed("the server's answer is not a job record")
    )
  )

export const get = (baseUrl: string, id: string): Effect.Effect<JobView, DemoFailed> =>
  Effect.flatMap(jobs(baseUrl), ({ getJob }) => getJob({ path: { id }, headers: {} })).pipe(
    Effect.mapError((error) => lineOf(baseUrl, error)),
    Effect.filterOrFail(
      (answer) => answer !== undefined,
      () => failed("the server's answer is not a job record")
    )
  )

const record = (text: string) =>
  Effect.mapError(decodeJob(text), (error) => failed(`the server's answer is not a job record: ${error.message}`))

/** records of the job as they change, from its event stream; ends when the server closes the stream */
export const watch = (baseUrl: string, id: string): Stream.Stream<JobView, DemoFailed> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const abort = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      )
      const response = yield* Effect.tryPromise({
        try: () => makeClient({ baseUrl }).open("watchJob", { path: { id }, signal: abort.signal }),
        catch: (cause) => failed(`the job cannot be watched: ${reason(cause)}`)
      })
      const { body } = response
      if (!response.ok || body === null) return yield* failed(`the job cannot be watched: HTTP ${response.status}`)
      return Stream.fromReadableStream({
        evaluate: () => body,
        onError: (cause) => failed(`the event stream broke: ${reason(cause)}`)
      }).pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.filter((line) => line.startsWith("data:")),
        Stream.mapEffect((line) => record(line.slice("data:".length)))
      )
    })
  )

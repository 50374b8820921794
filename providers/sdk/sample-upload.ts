/**
 * Brings sample records to the server while the adapter writes them: reads the files on, a call of whole lines at a time, and never holds
 * up the run. What did not arrive stays in the files, where the runtime finds it. Reference: samples.md, "Upload"; adapter-contract.md, "Sample records".
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Clock, Console, Context, Deferred, Duration, Effect, Fiber, Queue, type Scope } from "effect"
import type { JobSpec } from "../contract/job-spec.ts"
import type { Attempt } from "./events/event-delivery.ts"
import { delayBeforeRetry } from "./http/retry.ts"
import { type Batch, makeSampleFiles } from "./sample-files.ts"

/** what writers of sample files tell the upload; without one nothing happens */
export class SampleSink extends Context.Reference<SampleSink>()("evald/providers/sdk/SampleSink", {
  defaultValue: (): {
    /** records were written */
    readonly written: Effect.Effect<void>
    /** runs `rewrite`, which puts all lines of the files into their final order, when nothing is being read */
    readonly reordered: <A, E>(rewrite: Effect.Effect<A, E>) => Effect.Effect<A, E>
  } => ({ written: Effect.void, reordered: (rewrite) => rewrite })
}) {}

export interface SampleUpload {
  readonly sink: Context.Tag.Service<SampleSink>
  /** sends the rest for so long; whether everything arrived */
  readonly finish: (limit: Duration.Duration) => Effect.Effect<boolean>
}

/** the name says that a server of an older kind, or one that wants none, is not asked again */
const nothing: SampleUpload = {
  sink: { written: Effect.void, reordered: (rewrite) => rewrite },
  finish: () => Effect.succeed(false)
}

/** without news of writers; frameworks write files of their own accord */
const lookEvery = Duration.seconds(2)

/** where the runtime sees what it need not read again */
export const uploadedMark = "samples-uploaded"

export interface UploadOptions {
  readonly results: string
  /** posts one call; at most one at a time */
  readonly post: (body: Buffer) => Effect.Effect<Attempt>
  readonly spoolDir?: string
}

type Turn = "sent" | "nothing" | "over"

export const makeSampleUpload = (
  job: JobSpec,
  options: UploadOptions
): Effect.Effect<SampleUpload, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { write = true, upload = true } = job.samples ?? {}
    if (!write || !upload) return nothing
    const files = makeSampleFiles(options.results)
    const wake = yield* Queue.sliding<void>(1)
    const closing = yield* Deferred.make<void>()
    const turn = yield* Effect.makeSemaphore(1)
    let over = false
    let tries = 0
    let refused = 0

    /** lines that the server does not take as they are would hold up all others */
    const skip = (batch: Batch, { detail }: Attempt) =>
      Effect.suspend(() => {
        files.take(batch)
        refused += batch.lines
        return Console.error(`${batch.lines} sample records were not taken (${detail})`)
      })
    const stop = (why: string) =>
      Effect.suspend(() => {
        over = true
        return Console.error(`sample records are not sent any more: ${why}`)
      })

    const settle = (batch: Batch, tried: Attempt): Effect.Effect<Turn> =>
      Effect.gen(function* () {
        switch (tried.outcome) {
          case "accepted":
            tries = 0
            files.take(batch)
            return "sent"
          case "gone":
            yield* stop(tried.detail)
            return "over"
          case "conflict":
            if (!tried.detail.includes("sample_conflict")) {
              yield* stop(tried.detail)
              return "over"
            }
            yield* skip(batch, tried)
            return "sent"
          case "refused":
          case "too_large":
            yield* skip(batch, tried)
            return "sent"
          default: {
            const delay = yield* delayBeforeRetry(tries++, tried.retryAfter)
            yield* Effect.race(Effect.sleep(delay), Deferred.await(closing))
            return "nothing"
          }
        }
      })

    const step: Effect.Effect<Turn> = turn.withPermits(1)(
      Effect.suspend(() => {
        const batch = over ? undefined : files.next()
        if (batch === undefined) return Effect.succeed<Turn>(over ? "over" : "nothing")
        return Effect.flatMap(options.post(batch.body), (tried) => settle(batch, tried))
      })
    )

    const worker = Effect.gen(function* () {
      while (!over && !(yield* Deferred.isDone(closing))) {
        const done = yield* step
        if (done === "nothing")
          yield* Effect.raceFirst(Effect.raceFirst(Queue.take(wake), Deferred.await(closing)), Effect.sleep(lookEvery))
      }
    }).pipe(Effect.catchAllDefect((defect) => Console.error(`sample records are not sent any more: ${String(defect)}`)))
    const fiber = yield* Effect.forkScoped(worker)

    const mark = Effect.ignore(
      Effect.try(() => {
        if (options.spoolDir !== undefined)
          writeFileSync(join(options.spoolDir, uploadedMark), JSON.stringify(files.taken()))
      })
    )

    return {
      sink: {
        written: Effect.asVoid(Queue.offer(wake, undefined)),
        reordered: (rewrite) =>
          turn.withPermits(1)(
            Effect.gen(function* () {
              const all = files.next() === undefined
              const done = yield* rewrite
              // what was sent is not sent again where nothing is missing; else all of it, and the server knows what it has
              if (all) files.rewritten()
              return done
            })
          )
      },
      finish: (limit) =>
        Effect.gen(function* () {
          yield* Deferred.succeed(closing, undefined)
          yield* Fiber.await(fiber)
          const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(limit)
          for (;;) {
            const done = yield* step
            if (done === "over") return false
            if (done === "nothing" && files.next() === undefined) break
            if (done === "nothing") {
              if ((yield* Clock.currentTimeMillis) >= until) return false
              yield* Effect.sleep(Duration.millis(500))
            }
          }
          if (refused === 0) yield* mark
          return refused === 0
        }).pipe(
          Effect.catchAllDefect((defect) =>
            Effect.as(Console.error(`sample records were not sent: ${String(defect)}`), false)
          )
        )
    }
  })

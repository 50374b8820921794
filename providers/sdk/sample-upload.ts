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

/** brings one call of lines after the other to the server, and keeps what became of them */
const makeCourier = (
  files: ReturnType<typeof makeSampleFiles>,
  post: UploadOptions["post"],
  closing: Effect.Effect<void>
) => {
  let over = false
  let tries = 0
  let refused = 0

  /** lines that the server does not take as they are would hold up all others */
  const skip = (batch: Batch, { detail }: Attempt) =>
    Effect.suspend(() => {
      files.take(batch)
      refused += batch.lines
      return Effect.as(Console.error(`${batch.lines} sample records were not taken (${detail})`), "sent" as const)
    })
  const stop = (why: string) =>
    Effect.suspend(() => {
      over = true
      return Effect.as(Console.error(`sample records are not sent any more: ${why}`), "over" as const)
    })
  const settle = (batch: Batch, tried: Attempt): Effect.Effect<Turn> =>
    Effect.gen(function* () {
      switch (tried.outcome) {
        case "accepted":
          tries = 0
          files.take(batch)
          return "sent"
        case "gone":
          return yield* stop(tried.detail)
        case "conflict":
          return yield* tried.detail.includes("sample_conflict") ? skip(batch, tried) : stop(tried.detail)
        case "refused":
        case "too_large":
          return yield* skip(batch, tried)
        default: {
          const delay = yield* delayBeforeRetry(tries++, tried.retryAfter)
          yield* Effect.race(Effect.sleep(delay), closing)
          return "nothing"
        }
      }
    })

  const next: Effect.Effect<Turn> = Effect.suspend(() => {
    const batch = over ? undefined : files.next()
    if (batch === undefined) return Effect.succeed<Turn>(over ? "over" : "nothing")
    return Effect.flatMap(post(batch.body), (tried) => settle(batch, tried))
  })
  return { next, isOver: () => over, refused: () => refused }
}

/** what the run left, for at most `limit`; whether all of it found its end */
const sendRest = (
  step: Effect.Effect<Turn>,
  isEmpty: () => boolean,
  limit: Duration.Duration
): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(limit)
    for (;;) {
      const done = yield* step
      if (done === "over") return false
      if (done === "sent") continue
      if (isEmpty()) return true
      if ((yield* Clock.currentTimeMillis) >= until) return false
      yield* Effect.sleep(Duration.millis(500))
    }
  })

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
    const courier = makeCourier(files, options.post, Deferred.await(closing))
    const isEmpty = () => files.next() === undefined
    const step = turn.withPermits(1)(courier.next)

    const worker = Effect.gen(function* () {
      while (!courier.isOver() && !(yield* Deferred.isDone(closing))) {
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
              const all = isEmpty()
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
          const whole = (yield* sendRest(step, isEmpty, limit)) && courier.refused() === 0
          if (whole) yield* mark
          return whole
        }).pipe(
          Effect.catchAllDefect((defect) =>
            Effect.as(Console.error(`sample records were not sent: ${String(defect)}`), false)
          )
        )
    }
  })

/**
 * Progress of a run as status events that never hold it up: the latest report wins, one event is in flight, a phase is reported at once,
 * progress within it at most every 2 s, three tries and then the event is dropped. Reference: states-and-scores.md, "Benchmark states"; adapter-contract.md, "Delivery".
 */

import { randomUUID } from "node:crypto"
import { Console, Deferred, Effect, Fiber, Queue, type Scope } from "effect"
import { defined } from "../../../values/defined.ts"
import { steadyMillis } from "../../../values/steady-millis.ts"
import type { Callbacks, ReportedPhase } from "../adapter.ts"
import { delayBeforeRetry } from "../http/retry.ts"
import { type Identity, type Report, renderEvent, runningEvent, type Warning } from "./event-body.ts"
import type { Attempt, Delivery } from "./event-delivery.ts"
import { makeProgressLog } from "./progress-log.ts"

export interface EventChannel extends Callbacks {
  /** resolves when the server says that the job is over (404 or 409): the evaluation has to stop */
  readonly stopped: Effect.Effect<void>
  /** ends the reports, waits for the event in flight; warnings that were not accepted are left for the terminal event */
  readonly close: Effect.Effect<ReadonlyArray<Warning>>
}

const gapMs = 2000
const maxTries = 3
const maxWarnings = 100

/** the last try of at most three; none after closing has begun */
const send = (
  delivery: Pick<Delivery, "attempt">,
  body: string,
  run: { readonly isOver: Effect.Effect<boolean>; readonly closing: Effect.Effect<void> }
): Effect.Effect<Attempt> =>
  Effect.gen(function* () {
    for (let tries = 1; ; tries++) {
      const tried = yield* delivery.attempt(body)
      const again = tried.outcome === "retry" || tried.outcome === "cut" || tried.outcome === "denied"
      if (!again || tries >= maxTries || (yield* run.isOver)) return tried
      yield* Effect.race(Effect.sleep(yield* delayBeforeRetry(tries - 1, tried.retryAfter)), run.closing)
    }
  })

/** what the next event tells */
interface News {
  readonly phase: ReportedPhase
  /** nobody was told of the phase yet */
  readonly isNewPhase: boolean
  readonly progress: Omit<Report, "phase">
  readonly warning: Warning | undefined
}

/** what waits to be told: the latest report, all warnings, and since when each phase has been silent */
const makeOutbox = () => {
  const announced = new Set<ReportedPhase>()
  const lastSent = new Map<ReportedPhase, number>()
  let phase: ReportedPhase = "initializing"
  let pending: Report | undefined
  /** not tried yet, and tried in vain */
  const warnings: Array<Warning> = []
  const unheard: Array<Warning> = []
  return {
    report: (report: Report) => {
      pending = report
    },
    warn: (warning: Warning) => {
      if (warnings.length + unheard.length < maxWarnings) warnings.push(warning)
    },
    /** takes what is told at `now`, in monotonic milliseconds */
    take: (now: number): News => {
      const report = pending
      const warning = warnings.shift()
      pending = undefined
      phase = report?.phase ?? phase
      lastSent.set(phase, now)
      const { phase: _, ...progress } = report ?? { phase }
      return { phase, isNewPhase: !announced.has(phase), progress, warning }
    },
    settle: (news: News, accepted: boolean) => {
      if (accepted) announced.add(news.phase)
      else if (news.warning !== undefined) unheard.push(news.warning)
    },
    /** milliseconds until the next event may go out; undefined when there is none */
    dueIn: (now: number): number | undefined => {
      if (pending === undefined && warnings.length === 0) return undefined
      const last = lastSent.get(pending?.phase ?? phase)
      return last === undefined ? 0 : Math.max(0, last + gapMs - now)
    },
    unheard: () => [...unheard, ...warnings]
  }
}

export const makeCallbacks = (
  job: Identity,
  delivery: Pick<Delivery, "attempt">
): Effect.Effect<EventChannel, never, Scope.Scope> =>
  Effect.gen(function* () {
    const stopped = yield* Deferred.make<void>()
    const closing = yield* Deferred.make<void>()
    const wake = yield* Queue.sliding<void>(1)
    const logProgress = makeProgressLog()
    const outbox = makeOutbox()

    const isOver = Effect.zipWith(Deferred.isDone(closing), Deferred.isDone(stopped), (a, b) => a || b)

    const sendNews = Effect.gen(function* () {
      const news = outbox.take(yield* steadyMillis)
      const { phase, isNewPhase, progress, warning } = news
      const event = runningEvent(job, {
        ...(isNewPhase ? { phase } : {}),
        progress,
        ...defined({ warning }),
        eventId: randomUUID()
      })
      const tried = yield* send(delivery, renderEvent(event), { isOver, closing: Deferred.await(closing) })
      outbox.settle(news, tried.outcome === "accepted")
      if (tried.outcome === "accepted") return
      if (tried.outcome === "gone" || tried.outcome === "conflict") {
        yield* Console.error(`the job is over (${tried.detail}): stopping`)
        yield* Deferred.succeed(stopped, undefined)
      } else {
        yield* Console.error(`status event dropped: ${tried.detail}`)
      }
    })

    const worker = Effect.gen(function* () {
      while (!(yield* isOver)) {
        const delay = outbox.dueIn(yield* steadyMillis)
        if (delay === 0) yield* sendNews
        else {
          const changed = Effect.race(Queue.take(wake), Deferred.await(closing))
          yield* delay === undefined ? changed : Effect.race(changed, Effect.sleep(delay))
        }
      }
    })
    const fiber = yield* Effect.forkScoped(worker)

    return {
      stopped: Deferred.await(stopped),
      status: (report) =>
        Effect.suspend(() => {
          outbox.report(report)
          return Effect.zipRight(logProgress(report), Effect.asVoid(Queue.offer(wake, undefined)))
        }),
      warn: (warning) =>
        Effect.suspend(() => {
          outbox.warn(warning)
          return Effect.zipRight(
            Console.error(`warning ${warning.code}: ${warning.message}`),
            Effect.asVoid(Queue.offer(wake, undefined))
          )
        }),
      close: Effect.gen(function* () {
        yield* Deferred.succeed(closing, undefined)
        yield* Fiber.await(fiber)
        return outbox.unheard()
      })
    }
  })

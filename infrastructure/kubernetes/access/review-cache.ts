/**
 * Answers of the reviewer, remembered for as long as each allows, the least recently used forgotten first. Refusals are kept apart, so that
 * no number of them pushes out a yes. Whoever asks while the same question is open waits for that one call, which goes on when a caller
 * leaves. Failures are never remembered.
 */
import { Clock, Deferred, Effect, type Exit, Scope } from "effect"
import { LRUCache } from "lru-cache"

export interface ReviewCache<A, E> {
  /** the remembered answer, else that of `ask`, which runs at most once at a time for a key and is told the last yes, whose time is over */
  readonly get: (key: string, ask: (before: A | undefined) => Effect.Effect<A, E>) => Effect.Effect<A, E>
}

export interface CacheOptions<A> {
  /** answers of each kind */
  readonly capacity: number
  readonly isRefusal: (answer: A) => boolean
  /** time in milliseconds since the epoch until which an answer counts; one that is not in the future is not remembered */
  readonly validUntil: (answer: A, now: number) => number
}

interface Remembered<A> {
  readonly answer: A
  readonly until: number
}

export const makeReviewCache = <A, E>({
  capacity,
  isRefusal,
  validUntil
}: CacheOptions<A>): Effect.Effect<ReviewCache<A, E>, never, Scope.Scope> =>
  Effect.map(Scope.Scope, (scope) => {
    // a yes stays beyond its time, for whoever asks again
    const accepted = new LRUCache<string, Remembered<A>>({ max: capacity })
    const refused = new LRUCache<string, Remembered<A>>({ max: capacity })
    const open = new Map<string, Deferred.Deferred<A, E>>()

    const remember = (key: string, answer: A, now: number) => {
      accepted.delete(key)
      refused.delete(key)
      const until = validUntil(answer, now)
      if (until <= now) return
      ;(isRefusal(answer) ? refused : accepted).set(key, { answer, until })
    }
    const settle = (key: string, shared: Deferred.Deferred<A, E>) => (exit: Exit.Exit<A, E>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        open.delete(key)
        if (exit._tag === "Success") remember(key, exit.value, now)
        return Deferred.done(shared, exit)
      })
    const start = (key: string, ask: Effect.Effect<A, E>) =>
      Effect.uninterruptible(
        Effect.gen(function* () {
          const shared = yield* Deferred.make<A, E>()
          open.set(key, shared)
          yield* Effect.forkIn(Effect.onExit(Effect.interruptible(ask), settle(key, shared)), scope)
          return shared
        })
      )

    return {
      get: (key, ask) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const yes = accepted.get(key)
          if (yes !== undefined && yes.until > now) return Effect.succeed(yes.answer)
          const no = refused.get(key)
          if (no !== undefined && no.until > now) return Effect.succeed(no.answer)
          const pending = open.get(key)
          return Effect.flatMap(
            pending === undefined
              ? start(
                  key,
                  Effect.suspend(() => ask(yes?.answer))
                )
              : Effect.succeed(pending),
            Deferred.await
          )
        })
    }
  })

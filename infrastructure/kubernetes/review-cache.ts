/**
 * Answers of the reviewer, remembered for as long as each allows, the least recently used forgotten first. Whoever asks while the same
 * question is open waits for that one call, which goes on when a caller leaves. Failures are never remembered. Contract: cluster 5.1.
 */
import { Clock, Deferred, Effect, type Exit, Scope } from "effect"

export interface ReviewCache<A, E> {
  /** the remembered answer, else that of `ask`, which runs at most once at a time for a key */
  readonly get: (key: string, ask: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

export interface CacheOptions<A> {
  readonly capacity: number
  /** time in milliseconds since the epoch until which an answer counts; one that is not in the future is not remembered */
  readonly validUntil: (answer: A, now: number) => number
}

interface Remembered<A> {
  readonly answer: A
  readonly until: number
}

export const makeReviewCache = <A, E>({ capacity, validUntil }: CacheOptions<A>): Effect.Effect<ReviewCache<A, E>, never, Scope.Scope> =>
  Effect.map(Scope.Scope, (scope) => {
    // in the order of their last use
    const remembered = new Map<string, Remembered<A>>()
    const open = new Map<string, Deferred.Deferred<A, E>>()

    const remember = (key: string, answer: A, now: number) => {
      const until = validUntil(answer, now)
      if (until <= now) return
      remembered.set(key, { answer, until })
      const [oldest] = remembered.size > capacity ? remembered.keys() : []
      if (oldest !== undefined) remembered.delete(oldest)
    }
    const recall = (key: string, now: number): Remembered<A> | undefined => {
      const found = remembered.get(key)
      if (found === undefined) return undefined
      remembered.delete(key)
      if (found.until <= now) return undefined
      remembered.set(key, found)
      return found
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
          const found = recall(key, now)
          if (found !== undefined) return Effect.succeed(found.answer)
          const pending = open.get(key)
          return Effect.flatMap(pending === undefined ? start(key, ask) : Effect.succeed(pending), Deferred.await)
        })
    }
  })

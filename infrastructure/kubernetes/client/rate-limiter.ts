/**
 * At most so many API calls per second, in the order of their importance: launching and removing, then observing, then signals.
 * While a more important lane waits, each lower one still gets one call in ten, so that none starves and signals stay far below their
 * 30 %. Reference: cluster-objects.md, "Launching".
 */
import { Clock, Deferred, Effect, Scope } from "effect"

/** `review` never waits: callers of the API stand behind it */
export type Lane = "launch" | "observe" | "signal" | "review"

export interface RateLimiter {
  /** resolves when one call may be made */
  readonly take: (lane: Lane) => Effect.Effect<void>
  /** calls that could be made at once */
  readonly available: Effect.Effect<number>
  /** calls that wait for their turn, by lane */
  readonly waiting: Effect.Effect<ReadonlyArray<{ readonly lane: Lane; readonly count: number }>>
}

export interface RateLimits {
  /** calls per second */
  readonly qps: number
  /** calls at once after a pause */
  readonly burst: number
}

type Waiting = Set<Deferred.Deferred<void>>

const turns = 10

export const makeRateLimiter = ({ qps, burst }: RateLimits): Effect.Effect<RateLimiter, never, Scope.Scope> =>
  Effect.gen(function* () {
    const lanes: { readonly [L in Exclude<Lane, "review">]: Waiting } = {
      launch: new Set(),
      observe: new Set(),
      signal: new Set()
    }
    let tokens = burst
    let filledAt = yield* Clock.currentTimeMillis
    let turn = 0
    const scope = yield* Scope.Scope
    let granting = false

    const fill = Effect.map(Clock.currentTimeMillis, (now) => {
      tokens = Math.min(burst, tokens + (Math.max(0, now - filledAt) * qps) / 1000)
      filledAt = now
    })
    const next = (): Waiting | undefined => {
      turn = (turn + 1) % turns
      const order =
        turn === 3
          ? (["observe", "launch", "signal"] as const)
          : turn === 7
            ? (["signal", "launch", "observe"] as const)
            : (["launch", "observe", "signal"] as const)
      return order.map((lane) => lanes[lane]).find((lane) => lane.size > 0)
    }
    const isIdle = () => lanes.launch.size + lanes.observe.size + lanes.signal.size === 0
    const grant: Effect.Effect<void> = Effect.gen(function* () {
      for (;;) {
        if (isIdle()) {
          granting = false
          return
        }
        yield* fill
        if (tokens < 1) {
          yield* Effect.sleep(Math.max(1, Math.ceil(((1 - tokens) * 1000) / qps)))
          continue
        }
        const lane = next()
        const [first] = lane ?? []
        if (lane === undefined || first === undefined) continue
        tokens -= 1
        lane.delete(first)
        yield* Deferred.succeed(first, undefined)
      }
    })
    const startGranting = Effect.uninterruptible(
      Effect.suspend(() => {
        if (granting) return Effect.void
        granting = true
        return Effect.asVoid(Effect.forkIn(Effect.interruptible(grant), scope))
      })
    )
    const wait = (lane: Waiting) =>
      Effect.gen(function* () {
        const turnCame = yield* Deferred.make<void>()
        lane.add(turnCame)
        yield* startGranting
        yield* Effect.onInterrupt(Deferred.await(turnCame), () => Effect.sync(() => lane.delete(turnCame)))
      })
    const take = (lane: Lane): Effect.Effect<void> =>
      lane === "review"
        ? Effect.void
        : Effect.flatMap(fill, () => {
            if (!isIdle() || tokens < 1) return wait(lanes[lane])
            tokens -= 1
            return Effect.void
          })
    const waiting = Effect.sync(() =>
      (["launch", "observe", "signal"] as const).map((lane) => ({ lane, count: lanes[lane].size }))
    )
    return { take, waiting, available: Effect.map(fill, () => Math.max(0, Math.floor(tokens) - lanes.launch.size)) }
  })

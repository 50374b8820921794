/**
 * How many tokens of strangers reach the reviewer. Only refused ones count, by source and in total, so that callers with valid tokens are
 * never slowed down for long, however many they are. A source begins with one review at a time and gets more with every valid token. Once
 * it has sent invalid ones it shares half of the total with all others that did: the other half is kept for sources without a record, so
 * that a valid caller gets through while others flood. Reference: cluster-objects.md, "Reviews".
 */
import { Clock, Deferred, Effect } from "effect"
import { Throttled, Unavailable } from "../../../application/errors.ts"

/** refused tokens within a minute, after which further ones have to wait; they come back evenly over the minute */
export interface GateLimits {
  readonly perSource: number
  readonly total: number
}

export interface ReviewGate {
  /**
   * Runs the review when its turn comes. `Throttled`: its source, or everybody together, has sent too many invalid tokens;
   * `Unavailable`: its turn did not come within 5 s.
   */
  readonly pass: <A, E>(
    source: string,
    review: Effect.Effect<A, E>,
    isAccepted: (answer: A) => boolean
  ) => Effect.Effect<A, E | Throttled | Unavailable>
}

const atOnce = 32
const widestWindow = 16
/** refused tokens that anybody may have sent, such as one that has just expired */
const forgiven = 2
const mostSources = 10_000
const mostWaiting = 4000
const mostWaitingOfSource = 1000
const longestWait = "5 seconds"
const tellEveryMillis = 60_000

/** refused tokens that are not forgotten yet */
interface Meter {
  spent: number
  at: number
}

interface Waiter {
  readonly turn: Deferred.Deferred<void>
  outcome: "granted" | Throttled | undefined
}

interface Source extends Meter {
  readonly name: string
  inFlight: number
  /** reviews that it may have under way */
  window: number
  readonly waiting: Set<Waiter>
}

type Ending = "accepted" | "refused" | "failed"

const drain = (meter: Meter, perMinute: number, now: number) => {
  meter.spent = Math.max(0, meter.spent - (Math.max(0, now - meter.at) * perMinute) / 60_000)
  meter.at = now
}

const throttled = (scope: "source" | "total", excess: number, perMinute: number) =>
  new Throttled({ scope, retryAfterSeconds: Math.max(1, Math.ceil((excess * 60) / perMinute)) })

/** who has sent what, who waits, and whose turn it is; without a clock of its own */
interface Turns {
  readonly sourceOf: (name: string, now: number) => Source
  readonly judge: (source: Source, now: number) => "go" | "wait" | Throttled
  readonly begin: (source: Source) => void
  readonly end: (source: Source, ending: Ending, now: number) => void
  /** false: too many wait already */
  readonly enqueue: (source: Source, waiter: Waiter) => boolean
  readonly leaveQueue: (source: Source, waiter: Waiter) => void
}

/** sources that were seen, the least recently seen first; beyond so many the first idle one is forgotten */
const makeSources = () => {
  const sources = new Map<string, Source>()
  return (name: string, now: number): Source => {
    const source = sources.get(name) ?? { name, spent: 0, at: now, inFlight: 0, window: 1, waiting: new Set<Waiter>() }
    sources.delete(name)
    sources.set(name, source)
    if (sources.size > mostSources)
      for (const idle of sources.values())
        if (idle !== source && idle.inFlight === 0 && idle.waiting.size === 0) {
          sources.delete(idle.name)
          break
        }
    return source
  }
}

const makeTurns = ({ perSource, total }: GateLimits): Turns => {
  const queue = new Set<Source>()
  const all: Meter & { inFlight: number; waiting: number } = { spent: 0, at: 0, inFlight: 0, waiting: 0 }

  const judge: Turns["judge"] = (source, now) => {
    drain(source, perSource, now)
    drain(all, total, now)
    const share = source.spent > forgiven ? total / 2 : total
    if (source.spent > perSource - 1) return throttled("source", source.spent - perSource + 1, perSource)
    if (all.spent > share - 1) return throttled("total", all.spent - share + 1, total)
    const isOpen =
      source.inFlight < source.window &&
      source.spent + source.inFlight <= perSource - 1 &&
      all.spent + all.inFlight <= share - 1 &&
      all.inFlight < atOnce
    return isOpen ? "go" : "wait"
  }
  const begin: Turns["begin"] = (source) => {
    source.inFlight += 1
    all.inFlight += 1
  }
  const leaveQueue: Turns["leaveQueue"] = (source, waiter) => {
    if (source.waiting.delete(waiter)) all.waiting -= 1
    if (source.waiting.size === 0) queue.delete(source)
  }
  const settle = (source: Source, waiter: Waiter, outcome: "granted" | Throttled) => {
    leaveQueue(source, waiter)
    waiter.outcome = outcome
    Deferred.unsafeDone(waiter.turn, Effect.void)
  }
  /** gives the sources that wait one turn after the other, as far as there is room */
  const serve = (now: number) => {
    for (let moved = true; moved && all.inFlight < atOnce; ) {
      moved = false
      for (const source of [...queue]) {
        const verdict = judge(source, now)
        if (verdict === "wait") continue
        if (verdict !== "go") {
          for (const waiter of [...source.waiting]) settle(source, waiter, verdict)
          continue
        }
        const [first] = source.waiting
        if (first === undefined) continue
        begin(source)
        settle(source, first, "granted")
        moved = true
      }
    }
  }
  const end: Turns["end"] = (source, ending, now) => {
    source.inFlight -= 1
    all.inFlight -= 1
    drain(source, perSource, now)
    drain(all, total, now)
    if (ending === "refused") {
      source.spent += 1
      all.spent += 1
      source.window = 1
    } else if (ending === "accepted") source.window = Math.min(widestWindow, source.window * 2)
    serve(now)
  }
  const enqueue: Turns["enqueue"] = (source, waiter) => {
    if (all.waiting >= mostWaiting || source.waiting.size >= mostWaitingOfSource) return false
    source.waiting.add(waiter)
    queue.add(source)
    all.waiting += 1
    return true
  }
  return { sourceOf: makeSources(), judge, begin, end, enqueue, leaveQueue }
}

const awaitTurn = (turns: Turns, source: Source, perMinute: number): Effect.Effect<void, Throttled | Unavailable> =>
  Effect.gen(function* () {
    const waiter: Waiter = { turn: yield* Deferred.make<void>(), outcome: undefined }
    if (!turns.enqueue(source, waiter)) return yield* throttled("total", 0, perMinute)
    const giveUp = Effect.map(Clock.currentTimeMillis, (now) =>
      waiter.outcome === "granted" ? turns.end(source, "failed", now) : turns.leaveQueue(source, waiter)
    )
    yield* Effect.interruptible(Deferred.await(waiter.turn)).pipe(
      Effect.timeoutOption(longestWait),
      Effect.onInterrupt(() => giveUp)
    )
    // a turn that came at the last moment counts
    if (waiter.outcome === "granted") return
    yield* giveUp
    return yield* waiter.outcome ?? new Unavailable({ peer: "review", operation: "TokenReview: too many wait" })
  })

export const makeReviewGate = (limits: GateLimits): ReviewGate => {
  const turns = makeTurns(limits)
  let toldAt = Number.NEGATIVE_INFINITY

  /** never interrupted between the grant and its end, apart from the wait itself */
  const enter = (name: string): Effect.Effect<Source, Throttled | Unavailable> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const source = turns.sourceOf(name, now)
      const verdict = turns.judge(source, now)
      if (verdict instanceof Throttled) return Effect.fail(verdict)
      if (verdict === "wait" || source.waiting.size > 0)
        return Effect.as(awaitTurn(turns, source, limits.total), source)
      turns.begin(source)
      return Effect.succeed(source)
    })

  /** once a minute: an operator must see that somebody tries, and the log must not be flooded as well */
  const tell = (name: string, { scope }: Throttled) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now - toldAt < tellEveryMillis) return Effect.void
      toldAt = now
      const who = scope === "source" ? `source ${name} has` : `many sources, ${name} among them, have`
      return Effect.logWarning(`${who} sent too many invalid tokens: further unknown ones are answered 429 for a while`)
    })

  return {
    pass: (name, review, isAccepted) =>
      Effect.acquireUseRelease(
        Effect.tapErrorTag(enter(name), "Throttled", (error) => tell(name, error)),
        () => review,
        (source, exit) =>
          Effect.map(Clock.currentTimeMillis, (now) =>
            turns.end(source, exit._tag === "Failure" ? "failed" : isAccepted(exit.value) ? "accepted" : "refused", now)
          )
      )
  }
}

/**
 * Keys that want work. A key waits at most once and is worked on at most once at a time: news about it meanwhile bring it back exactly once.
 * Lower ranks go first; within a rank the groups take turns, so that one with many keys does not hold up the others. A key that fails
 * comes back later and later, beside news about it, which bring it back at once.
 */
import { Effect, FiberMap, Queue, Random, type Scope } from "effect"
import { steadyMillis } from "../../../values/steady-millis.ts"

export interface KeyRules<K> {
  /** equal for equal keys */
  readonly nameOf: (key: K) => string
  /** 0 goes first */
  readonly rankOf: (key: K) => number
  readonly groupOf: (key: K) => string
}

/** what becomes of a key after its work */
export type Outcome =
  /** comes back after this time; absent: when there are news */
  | { readonly _tag: "Done"; readonly againMillis?: number }
  /** failed: comes back after a time that doubles with every failure in a row */
  | { readonly _tag: "BackOff" }
  /** failed, and it is known how long waiting is worth it */
  | { readonly _tag: "After"; readonly millis: number }
  /** somebody was faster: almost at once with fresh data, three times in a row, then as a failure */
  | { readonly _tag: "Soon" }

export interface WorkQueue<K> {
  /** there are news about a key */
  readonly add: (key: K) => void
  /** as `add` when the time has passed; an earlier time for the same key stays */
  readonly addAfter: (key: K, millis: number) => void
  /** the key is not worked on any more unless there are news */
  readonly forget: (key: K) => void
  /** works until interrupted, with so many keys at once */
  readonly run: <R>(
    workers: number,
    work: (key: K) => Effect.Effect<Outcome, never, R>
  ) => Effect.Effect<never, never, R>
  /** keys that could be worked on now */
  readonly depth: () => number
  /** keys that wait for their time, and how often they came back after a failure so far */
  readonly waiting: () => number
  readonly retries: () => number
  /** the longest that a key has been worked on, in milliseconds of the steady clock; 0: nothing is */
  readonly longestAt: (now: number) => number
}

const firstMillis = 500
const longestMillis = 300_000
const soonMillis = 200
const soonAtMost = 3
const spread = 0.2

interface Failing {
  failures: number
  conflicts: number
}

/** keys that are ready, by rank and group */
const makeReady = <K>({ nameOf, rankOf, groupOf }: KeyRules<K>) => {
  const ranks = new Map<number, Map<string, Array<K>>>()
  const names = new Set<string>()
  return {
    size: () => names.size,
    push: (key: K): boolean => {
      const name = nameOf(key)
      if (names.has(name)) return false
      names.add(name)
      const groups = ranks.get(rankOf(key)) ?? new Map<string, Array<K>>()
      ranks.set(rankOf(key), groups)
      const group = groups.get(groupOf(key))
      if (group === undefined) groups.set(groupOf(key), [key])
      else group.push(key)
      return true
    },
    take: (): K | undefined => {
      for (const rank of [...ranks.keys()].sort((left, right) => left - right)) {
        const groups = ranks.get(rank)
        const [first] = groups ?? []
        if (groups === undefined || first === undefined) continue
        const [group, keys] = first
        const key = keys.shift()
        // the group goes to the end of the line
        groups.delete(group)
        if (keys.length > 0) groups.set(group, keys)
        if (key === undefined) continue
        names.delete(nameOf(key))
        return key
      }
      return undefined
    }
  }
}

/** how long each key waits after its work */
const makePauses = () => {
  const failing = new Map<string, Failing>()
  let retries = 0
  const failingOf = (name: string): Failing => {
    const found = failing.get(name) ?? { failures: 0, conflicts: 0 }
    failing.set(name, found)
    return found
  }
  /** milliseconds until the key comes back; absent: not before there are news */
  const waitAfter = (name: string, outcome: Outcome): Effect.Effect<number | undefined> => {
    if (outcome._tag === "Done") {
      failing.delete(name)
      return Effect.succeed(outcome.againMillis)
    }
    retries += 1
    if (outcome._tag === "After") return Effect.succeed(outcome.millis)
    const state = failingOf(name)
    if (outcome._tag === "Soon" && state.conflicts < soonAtMost) {
      state.conflicts += 1
      return Effect.succeed(soonMillis)
    }
    state.failures += 1
    const base = Math.min(longestMillis, firstMillis * 2 ** Math.min(state.failures - 1, 20))
    return Effect.map(Random.next, (random) =>
      Math.min(longestMillis, Math.round(base * (1 - spread + 2 * spread * random)))
    )
  }
  return { waitAfter, retries: () => retries, forget: (name: string) => void failing.delete(name) }
}

const manyAtOnce = <R>(count: number, effect: Effect.Effect<never, never, R>) =>
  Effect.all(
    Array.from({ length: count }, () => effect),
    { concurrency: "unbounded", discard: true }
  )

/** timers go with the scope */
export const makeWorkQueue = <K>(rules: KeyRules<K>): Effect.Effect<WorkQueue<K>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { nameOf } = rules
    const ready = makeReady(rules)
    const turns = yield* Queue.unbounded<void>()
    const timers = yield* FiberMap.make<string>()
    const runTimer = yield* FiberMap.runtime(timers)<never>()
    const clock = yield* Effect.clock
    const now = () => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)
    const due = new Map<string, number>()
    const working = new Map<string, number>()
    const again = new Map<string, K>()
    const pauses = makePauses()

    const add = (key: K) => {
      const name = nameOf(key)
      if (working.has(name)) again.set(name, key)
      else if (ready.push(key)) turns.unsafeOffer(undefined)
    }
    /** its timer finds that it is not wanted */
    const cancel = (name: string) => void due.delete(name)
    const addAfter = (key: K, millis: number) => {
      const name = nameOf(key)
      const at = now() + millis
      if ((due.get(name) ?? Number.POSITIVE_INFINITY) <= at) return
      due.set(name, at)
      const wait = Effect.zipRight(
        Effect.sleep(Math.max(0, millis)),
        Effect.sync(() => {
          if (due.get(name) !== at) return
          due.delete(name)
          add(key)
        })
      )
      runTimer(name, wait)
    }
    const settle = (key: K, outcome: Outcome) =>
      Effect.map(pauses.waitAfter(nameOf(key), outcome), (wait) => {
        if (wait !== undefined) addAfter(key, wait)
      })
    const turn = <R>(work: (key: K) => Effect.Effect<Outcome, never, R>) =>
      Effect.gen(function* () {
        yield* Queue.take(turns)
        const key = ready.take()
        if (key === undefined) return
        const name = nameOf(key)
        cancel(name)
        working.set(name, yield* steadyMillis)
        const end = Effect.sync(() => {
          working.delete(name)
          const renewed = again.get(name)
          if (renewed !== undefined && again.delete(name)) add(renewed)
        })
        const worked = Effect.catchAllDefect(work(key), (defect) =>
          Effect.as(Effect.logError(`the work on ${name} died`, defect), { _tag: "BackOff" } as const)
        )
        yield* Effect.ensuring(
          Effect.flatMap(worked, (outcome) => settle(key, outcome)),
          end
        )
      })
    return {
      add,
      addAfter,
      forget: (key) => {
        cancel(nameOf(key))
        pauses.forget(nameOf(key))
      },
      run: (workers, work) => Effect.zipRight(manyAtOnce(workers, Effect.forever(turn(work))), Effect.never),
      depth: ready.size,
      waiting: () => due.size,
      retries: pauses.retries,
      longestAt: (at) => Math.max(0, ...[...working.values()].map((since) => at - since))
    }
  })

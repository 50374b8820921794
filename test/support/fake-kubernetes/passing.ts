/** Time that passes for clients of a fake cluster: never while a request is on its way, which would run into its time limit at once. */
import { Effect, TestClock } from "effect"
import { quiet } from "../until.ts"
import type { FakeKubernetes } from "./fake-kubernetes.ts"

type Cluster = Pick<FakeKubernetes, "pending">

/** nothing is on its way, and whoever got an answer has gone on */
const settled = (cluster: Cluster): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let calm = 0; calm < 2; ) {
      yield* quiet
      calm = cluster.pending() <= 0 ? calm + 1 : 0
    }
  })

export const pass = (cluster: Cluster, seconds: number, step = 1): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let left = seconds; left > 0; left -= step) {
      yield* settled(cluster)
      yield* TestClock.adjust(`${Math.min(step, left)} seconds`)
    }
    yield* settled(cluster)
  })

/** lets time pass until it is true; answers how many seconds it took */
export const passUntil = (cluster: Cluster, what: string, holds: () => boolean, step = 1): Effect.Effect<number> =>
  Effect.gen(function* () {
    for (let seconds = 0; seconds < 3600; seconds += step) {
      yield* settled(cluster)
      if (holds()) return seconds
      yield* TestClock.adjust(`${step} seconds`)
    }
    return yield* Effect.dieMessage(`not within an hour: ${what}`)
  })

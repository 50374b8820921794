/** T1: an operator in a storm: ten minutes of simulated time for each seed, and after every step all that there is is what a model says. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as Client from "../../infrastructure/kubernetes/client/client.ts"
import { fixedAccess } from "../../infrastructure/kubernetes/client/connection.ts"
import { storm } from "../cluster/support/operator-storm.ts"
import { layer as fake } from "../support/fake-kubernetes/fake-kubernetes.ts"
import { answers, type FakeRequest } from "../support/fake-kubernetes/faults.ts"
import { operating, writesOf } from "../support/fake-kubernetes/operating.ts"
import { platform } from "../support/operator-inputs.ts"
import { seedOf } from "../support/seed.ts"
import { seededDice } from "../support/seeded-dice.ts"

const stormMillis = 600_000
const administrator = "Bearer administrator"
const ofOperator = ({ token, verb }: FakeRequest): boolean => token !== "administrator" && verb !== "watch"

/** `resyncSeconds`: everything is listed again so often */
const rage = (seed: number, resyncSeconds: number) =>
  Effect.gen(function* () {
    const { cluster, start, pass } = yield* operating({ resyncSeconds })
    const dice = seededDice(seed)
    const homes = ["services-a", "services-b"]
    const tenants = ["team-a", "team-b", "team-c", "team-d"]
    for (const name of [...homes, ...tenants]) cluster.addNamespace(name)
    const client = yield* Client.make({
      connection: { ...cluster.connection, access: fixedAccess({}, { authorization: administrator }) },
      qps: 1_000_000,
      burst: 1_000_000
    })
    let running = yield* start
    const refuse = (status: number, times: number, retryAfterSeconds?: number) =>
      Effect.sync(() =>
        cluster.faults.add({
          when: ofOperator,
          times,
          fault: answers(status, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
        })
      )
    const { step, happened } = storm(
      {
        platform,
        resources: {
          group: "evald.internal",
          version: "v1alpha1",
          plural: "evaluationservices",
          kind: "EvaluationService"
        },
        client,
        until: (what, seconds, problem) =>
          Effect.gen(function* () {
            for (let left = seconds; ; left -= 1) {
              yield* pass(1)
              const last = yield* problem
              if (last === undefined) return
              if (left === 0) return yield* Effect.dieMessage(`${what}, not within ${seconds} s: ${last}`)
            }
          }),
        troubles: {
          "watches cut": () => Effect.sync(() => cluster.watches.drop()),
          "watches ended": () => Effect.sync(() => cluster.watches.end()),
          "410 in a watch": () => Effect.sync(() => cluster.watches.gone()),
          "410 to a request": (its) => refuse(410, its.between(1, 3)),
          "429 with a wait": (its) => refuse(429, its.between(1, 8), its.between(1, 5)),
          "500": (its) => refuse(500, its.between(1, 4)),
          "the operator dies": () =>
            Effect.gen(function* () {
              yield* running.stop
              running = yield* start
            })
        }
      },
      dice,
      { homes, tenants }
    )
    const end = (yield* Clock.currentTimeMillis) + stormMillis
    let steps = 0
    while ((yield* Clock.currentTimeMillis) < end) {
      yield* step
      steps += 1
    }
    console.info(`seed ${seed}: ${steps} steps, ${JSON.stringify(happened)}`)
    assert.isAtLeast(steps, 20)
    // the calm after it
    cluster.faults.clear()
    yield* pass(20)
    const from = cluster.requests.length
    yield* pass(60, 5)
    assert.deepStrictEqual(
      writesOf(cluster, from).map(({ method, path }) => `${method} ${path}`),
      []
    )
    yield* running.stop
  }).pipe(Effect.provide(fake))

describe("T1: an operator in a storm", () => {
  const seed = seedOf(process.env)
  it.scoped.each([
    { seed, resyncSeconds: 60 },
    { seed: seed + 1, resyncSeconds: 10_000_000 },
    { seed: seed + 2, resyncSeconds: 60 },
    { seed: seed + 3, resyncSeconds: 10_000_000 }
  ])("ten minutes, seed $seed, everything listed again after $resyncSeconds s", ({ seed: own, resyncSeconds }) =>
    rage(own, resyncSeconds)
  )
})

/** What every store of callback secrets does, whatever lies below it. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted, TestClock } from "effect"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { UnitSecrets } from "../../../application/ports/stores/unit-secrets.ts"
import type { StorageLayer } from "../../support/storage.ts"
import { jobId } from "../../support/stored-jobs.ts"

export const unitSecretsSuite = (name: string, storage: StorageLayer) =>
  describe(`unit secrets: ${name}`, () => {
    layer(storage)((it) => {
      const unit = (number: number, attempt = 1) => ({ tenant: "t", jobId: jobId(number), index: 3, attempt })

      it.effect("a secret names its unit and nothing else does", () =>
        Effect.gen(function* () {
          const secrets = yield* UnitSecrets
          const first = yield* secrets.issue(unit(1))
          const second = yield* secrets.issue(unit(2))
          assert.match(Redacted.value(first), /^[A-Za-z0-9_-]{43}$/)
          assert.deepEqual(yield* secrets.identify(first), unit(1))
          assert.deepEqual(yield* secrets.identify(second), unit(2))
          assert.isUndefined(yield* secrets.identify(Redacted.make(`${Redacted.value(first)}x`)))
          assert.isUndefined(yield* secrets.identify(Redacted.make("")))
        })
      )

      it.effect("a new secret of the same unit replaces the old one; other attempts keep theirs", () =>
        Effect.gen(function* () {
          const secrets = yield* UnitSecrets
          const old = yield* secrets.issue(unit(3))
          const other = yield* secrets.issue(unit(3, 2))
          const next = yield* secrets.issue(unit(3))
          assert.isUndefined(yield* secrets.identify(old))
          assert.deepEqual(yield* secrets.identify(next), unit(3))
          assert.deepEqual(yield* secrets.identify(other), unit(3, 2))
        })
      )

      it.effect("a retired secret works for the grace time, which a second retirement does not prolong", () =>
        Effect.gen(function* () {
          const secrets = yield* UnitSecrets
          const secret = yield* secrets.issue(unit(4))
          yield* secrets.retire(unit(4), 10_000)
          yield* TestClock.adjust("9 seconds")
          assert.deepEqual(yield* secrets.identify(secret), unit(4))
          yield* secrets.retire(unit(4), 10_000)
          yield* TestClock.adjust("2 seconds")
          assert.isUndefined(yield* secrets.identify(secret))
        })
      )

      it.effect(
        "the secrets of a job are retired at once; those of others, and those that are retired already, are not",
        () =>
          Effect.gen(function* () {
            const secrets = yield* UnitSecrets
            const [ended, first, second] = [unit(6), { ...unit(6), index: 4 }, { ...unit(6), index: 5, attempt: 2 }]
            const early = yield* secrets.issue(ended)
            const [one, two] = [yield* secrets.issue(first), yield* secrets.issue(second)]
            const other = yield* secrets.issue(unit(7))
            yield* secrets.retire(ended, 1000)
            yield* secrets.retireJob(jobId(6), 10_000)
            yield* TestClock.adjust("9 seconds")
            assert.isUndefined(yield* secrets.identify(early))
            assert.deepEqual([yield* secrets.identify(one), yield* secrets.identify(two)], [first, second])
            yield* TestClock.adjust("2 seconds")
            assert.deepEqual(
              [yield* secrets.identify(one), yield* secrets.identify(two), yield* secrets.identify(other)],
              [undefined, undefined, unit(7)]
            )
          })
      )

      it.effect("a forgotten job takes its secrets with it", () =>
        Effect.gen(function* () {
          const secrets = yield* UnitSecrets
          const secret = yield* secrets.issue(unit(5))
          yield* (yield* JobStore).forget(jobId(5))
          assert.isUndefined(yield* secrets.identify(secret))
        })
      )
    })
  })

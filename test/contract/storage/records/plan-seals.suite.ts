/** What every store's seals of plans do, whatever lies below them. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PlanSeals } from "../../../../application/ports/stores/plan-seals.ts"
import type { StorageLayer } from "../../../support/storage.ts"

export const planSealsSuite = (name: string, storage: StorageLayer) =>
  describe(`seals of plans: ${name}`, () => {
    layer(storage)((it) => {
      it.effect("are of one text, and only as they are written", () =>
        Effect.gen(function* () {
          const { seal, isSealOf } = yield* PlanSeals
          const one = seal("a plan")
          assert.match(one, /^[A-Za-z0-9_-]{43}$/)
          assert.isTrue(isSealOf(one, "a plan"))
          for (const other of [seal("another plan"), `${one}=`, ` ${one}`, one.slice(1), ""])
            assert.isFalse(isSealOf(other, "a plan"), other)
          assert.isFalse(isSealOf(one, "a plan "))
        })
      )
    })
  })

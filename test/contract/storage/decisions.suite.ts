/** What every store of comparisons and gates does, whatever lies below it. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { DecisionStore, type StoredDecision } from "../../../application/ports/stores/decision-store.ts"
import type { StorageLayer } from "../../support/storage.ts"

const decision = (number: number, given: Partial<StoredDecision> = {}): StoredDecision => ({
  tenant: "a",
  kind: "gate",
  id: `id-${number}`,
  series: "s",
  look: number,
  inputs: `inputs-${number}`,
  createdAt: "2026-08-17T10:00:00.000Z",
  jobs: ["one", "other"],
  record: `{"number":${number}}`,
  ...given
})

const page = { limit: 10, offset: 0 }

export const decisionsSuite = (name: string, storage: StorageLayer) =>
  describe(`decisions: ${name}`, () => {
    layer(storage)((it) => {
      it.effect("a look of a series is taken once; the next one counts all before it", () =>
        Effect.gen(function* () {
          const store = yield* DecisionStore
          const of = (number: number, given = {}) => decision(number, { series: "counted", ...given })
          assert.deepEqual(yield* store.earlier("a", "gate", "counted", "inputs-1"), { looks: 0 })
          assert.strictEqual(yield* store.add(of(1)), "added")
          assert.strictEqual(yield* store.add(of(1, { id: "late", inputs: "others", record: "{}" })), "taken")
          assert.isUndefined(yield* store.find("a", "gate", "late"))
          assert.strictEqual(yield* store.add(of(2, { jobs: ["one", "one"] })), "added")
          assert.deepEqual(yield* store.earlier("a", "gate", "counted", "inputs-1"), {
            looks: 2,
            same: { id: "id-1", record: '{"number":1}' }
          })
          assert.deepEqual(yield* store.earlier("a", "gate", "counted", "inputs-9"), { looks: 2 })
        })
      )
      it.effect("tenants and kinds see nothing of each other", () =>
        Effect.gen(function* () {
          const store = yield* DecisionStore
          yield* store.add(decision(7, { series: "own" }))
          assert.strictEqual(yield* store.find("a", "gate", "id-7"), '{"number":7}')
          assert.isUndefined(yield* store.find("b", "gate", "id-7"))
          assert.isUndefined(yield* store.find("a", "comparison", "id-7"))
          assert.deepEqual(yield* store.earlier("b", "gate", "own", "inputs-7"), { looks: 0 })
          assert.deepEqual(yield* store.ofJob("b", "gate", "one", page), { items: [], total: 0 })
        })
      )
      it.effect("the list of a job begins with the newest, in pages", () =>
        Effect.gen(function* () {
          const store = yield* DecisionStore
          for (const number of [21, 22, 23]) yield* store.add(decision(number, { series: "listed", jobs: ["listed"] }))
          const listed = (limit: number, offset: number) => store.ofJob("a", "gate", "listed", { limit, offset })
          assert.deepEqual(yield* listed(2, 0), { items: ['{"number":23}', '{"number":22}'], total: 3 })
          assert.deepEqual(yield* listed(2, 2), { items: ['{"number":21}'], total: 3 })
        })
      )
    })
  })

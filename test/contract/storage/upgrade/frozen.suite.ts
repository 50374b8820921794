/** A database that a server of an earlier build wrote is brought to the present schema: all of it is there, and work goes on where it stood. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Schema, type Scope } from "effect"
import { storedPlan } from "../../../../application/jobs/stored-plan.ts"
import { CollectionStore } from "../../../../application/ports/stores/collection-store.ts"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { ProviderStore } from "../../../../application/ports/stores/provider-store.ts"
import { TaskQueue } from "../../../../application/ports/task-queue.ts"
import { checkDatabase } from "../../../../infrastructure/sql/connection/check.ts"
import type { Database } from "../../../../infrastructure/sql/connection/client.ts"
import type { DatabaseRefused } from "../../../../infrastructure/sql/connection/location.ts"
import { migrate, migrations, schemaVersion } from "../../../../infrastructure/sql/migrate.ts"
import { Plan, planWire } from "../../../../interfaces/http/dto/plan.ts"
import { type Frozen, frozenDatabases, type Said } from "../../../support/releases/frozen.ts"
import type { StorageLayer } from "../../../support/storage.ts"
import { cancel } from "../../../support/store-actions.ts"

export interface FrozenPlace {
  readonly database: Layer.Layer<Database, DatabaseRefused>
  readonly storage: StorageLayer
  readonly said: Said
}

/** `restored`: a copy of the frozen database in a place of its own */
export const frozenSuite = (
  name: string,
  restored: (frozen: Frozen) => Effect.Effect<FrozenPlace, unknown, Scope.Scope>
): void => {
  describe(`a frozen database: ${name}`, () => {
    it("there is one for every version of the schema", () => {
      const schemas = frozenDatabases.map(({ schema }) => schema)
      const newest = Math.max(...schemas)
      assert.deepStrictEqual(
        [...new Set(schemas)],
        Array.from({ length: newest }, (_, number) => number + 1)
      )
    })

    for (const frozen of frozenDatabases)
      it.scopedLive(`of release ${frozen.release}, schema ${frozen.schema}, is upgraded with all it holds`, () =>
        Effect.gen(function* () {
          const { database, storage, said } = yield* restored(frozen)
          assert.strictEqual(
            yield* Effect.provide(migrate(migrations.slice(0, frozen.schema)), database),
            frozen.schema
          )
          assert.strictEqual(yield* Effect.provide(migrate(), database), frozen.schema)
          assert.strictEqual(yield* Effect.provide(migrate(), database), schemaVersion)
          assert.deepStrictEqual(yield* Effect.provide(checkDatabase, database), [])
          yield* Effect.provide(wholeOf(said), storage)
          assert.deepStrictEqual(yield* Effect.provide(checkDatabase, database), [])
        })
      )
  })
}

/** every job was stored with its plan, whichever build stored it */
const isPlanned = ({ resource: { tenant, id }, benchmarks }: Said["records"][number]) =>
  Effect.gen(function* () {
    const plan = planWire(yield* storedPlan({ tenant, owner: "local" }, id))
    assert.isTrue(Schema.is(Schema.encodedSchema(Plan))(plan), JSON.stringify(plan))
    assert.deepStrictEqual(
      plan.benchmarks.map(({ provider_id, parameters, command }) => [plan.runtime, provider_id, parameters, command]),
      benchmarks.map(({ provider_id, parameters }) => ["local", provider_id, parameters, "evald adapter evald"])
    )
  })

const wholeOf = (said: Said) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    for (const record of said.records) {
      const { tenant, id } = record.resource
      const { json } = yield* store.render(tenant, id)
      assert.deepStrictEqual(JSON.parse(json), record)
      yield* isPlanned(record)
      const named = yield* store.page(tenant, { limit: 50, offset: 0, name: record.name.slice(1) })
      assert.include(
        named.items.map((text) => (JSON.parse(text) as typeof record).resource.id),
        id
      )
    }
    assert.strictEqual((yield* Effect.flip(store.load("b", said.gone)))._tag, "NotFound")
    const [a, b] = [yield* store.page("a", { limit: 50, offset: 0 }), yield* store.page("b", { limit: 50, offset: 0 })]
    assert.strictEqual(a.total + b.total, said.records.length)
    assert.deepStrictEqual([...a.errors, ...b.errors], [])
    assert.deepStrictEqual(
      (yield* (yield* ProviderStore).list("a")).records.map(({ id }) => id),
      said.providers
    )
    assert.deepStrictEqual(
      (yield* (yield* CollectionStore).list("a")).records.map(({ id }) => id),
      said.collections
    )
    // what had not ended is known, and what waited is claimed
    const held = said.records.find(({ name }) => name === "held")
    const waiting = (held?.status.benchmarks ?? []).flatMap(({ status }, index) =>
      status === "pending" ? [index] : []
    )
    assert.lengthOf(yield* store.live(undefined, 50), held?.status.benchmarks.length ?? 0)
    const tasks = yield* (yield* TaskQueue).claim("launch", "new", 50, 30_000)
    assert.deepStrictEqual(tasks.map(({ index }) => index).toSorted(), waiting)
    yield* cancel("a", held?.resource.id ?? "")
    assert.lengthOf(yield* store.live(undefined, 50), 0)
  })

/** What benchmarks used of their models, in memory. */
import { Effect, Layer } from "effect"
import { type ModelUsage, UsageStore } from "../../application/ports/stores/usage-store.ts"
import { addUsage } from "../../domain/budget/usage.ts"
import { Tables } from "./tables.ts"

const make = Effect.map(Tables, (tables) =>
  UsageStore.of({
    byModel: (tenant, { from, to, model }) =>
      Effect.sync(() => {
        const found = new Map<string, ModelUsage>()
        for (const one of tables.usage.values()) {
          const isWanted =
            one.tenant === tenant &&
            (from === undefined || one.endedAt >= from) &&
            (to === undefined || one.endedAt < to) &&
            (model === undefined || one.model === model)
          if (!isWanted) continue
          const before = found.get(one.model)
          const benchmarks = (before?.benchmarks ?? 0) + 1
          found.set(one.model, { model: one.model, benchmarks, usage: addUsage(before?.usage, one.usage) })
        }
        return [...found.values()].sort((a, b) => (a.model < b.model ? -1 : 1))
      }),
    lately: (tenant, { providerId, id }, limit) =>
      Effect.sync(() =>
        [...tables.usage.values()]
          .filter((one) => one.tenant === tenant && one.providerId === providerId && one.id === id)
          .filter(({ state }) => state === "completed")
          .slice(-limit)
          .toReversed()
          .map(({ usage }) => usage)
      )
  })
)

export const layer: Layer.Layer<UsageStore, never, Tables> = Layer.effect(UsageStore, make)

/** Comparisons and gates in memory. */
import { Effect, Layer } from "effect"
import { DecisionStore } from "../../application/ports/stores/decision-store.ts"
import { defined } from "../../values/defined.ts"
import { digestOf } from "../../values/digest.ts"
import { Tables } from "./tables.ts"

const make = Effect.map(Tables, ({ decisions }) =>
  DecisionStore.of({
    digest: digestOf,
    add: (decision) =>
      Effect.sync(() => {
        const { tenant, kind, series, look } = decision
        const isTaken = decisions.some(
          (one) => one.tenant === tenant && one.kind === kind && one.series === series && one.look === look
        )
        if (isTaken) return "taken"
        decisions.push(decision)
        return "added"
      }),
    find: (tenant, kind, id) =>
      Effect.sync(() => decisions.find((one) => one.tenant === tenant && one.kind === kind && one.id === id)?.record),
    earlier: (tenant, kind, series, inputs) =>
      Effect.sync(() => {
        const all = decisions.filter((one) => one.tenant === tenant && one.kind === kind && one.series === series)
        const same = all.find((one) => one.inputs === inputs)
        return {
          looks: Math.max(0, ...all.map(({ look }) => look)),
          ...defined({ same: same === undefined ? undefined : { id: same.id, record: same.record } })
        }
      }),
    ofJob: (tenant, kind, jobId, { limit, offset }) =>
      Effect.sync(() => {
        const all = decisions
          .filter((one) => one.tenant === tenant && one.kind === kind && one.jobs.includes(jobId))
          .toReversed()
        return { items: all.slice(offset, offset + limit).map(({ record }) => record), total: all.length }
      })
  })
)

export const layer: Layer.Layer<DecisionStore, never, Tables> = Layer.effect(DecisionStore, make)

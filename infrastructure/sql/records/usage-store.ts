/** What benchmarks used of their models, in a database. */
import { Effect, Layer } from "effect"
import { UsageStore } from "../../../application/ports/stores/usage-store.ts"
import type { Usage } from "../../../domain/budget/usage.ts"
import { Database } from "../connection/client.ts"
import type { Param } from "../connection/session.ts"

type Sums = { readonly [Name in (typeof columns)[number]]: number | string } & { readonly cost: number | null }

const columns = [
  ...(["requests", "retries", "replayed", "input_tokens"] as const),
  ...(["output_tokens", "reasoning_tokens", "estimated_tokens"] as const)
]

const usageOf = (row: Sums): Usage => ({
  requests: Number(row.requests),
  retries: Number(row.retries),
  replayed: Number(row.replayed),
  inputTokens: Number(row.input_tokens),
  outputTokens: Number(row.output_tokens),
  reasoningTokens: Number(row.reasoning_tokens),
  estimatedTokens: Number(row.estimated_tokens),
  ...(row.cost === null ? {} : { cost: Number(row.cost) })
})

const sums = columns.map((name) => `sum(${name}) AS ${name}`).join(", ")
const knownCost = "CASE WHEN count(cost) = count(*) THEN sum(cost) END AS cost"

const make = Effect.map(Database, (database) =>
  UsageStore.of({
    byModel: (tenant, { from, to, model }) => {
      const filters: ReadonlyArray<readonly [condition: string, value: Param | undefined]> = [
        ["tenant = ?", tenant],
        ["ended_at >= ?", from],
        ["ended_at < ?", to],
        ["model = ?", model]
      ]
      const used = filters.filter(([, value]) => value !== undefined)
      const text = `SELECT model, count(*) AS benchmarks, ${sums}, ${knownCost} FROM model_usage
        WHERE ${used.map(([condition]) => condition).join(" AND ")} GROUP BY model ORDER BY model`
      return Effect.map(
        database.readLong("usageByModel", (session) =>
          session.query<Sums & { readonly model: string; readonly benchmarks: number | string }>(
            text,
            used.map(([, value]) => value ?? null)
          )
        ),
        (rows) => rows.map((row) => ({ model: row.model, benchmarks: Number(row.benchmarks), usage: usageOf(row) }))
      )
    },
    lately: (tenant, { providerId, id }, limit) =>
      Effect.map(
        database.read("usageLately", (session) =>
          session.query<Sums>(
            `SELECT ${columns.join(", ")}, cost FROM model_usage
              WHERE tenant = ? AND provider_id = ? AND benchmark_id = ? AND (state = 'completed' OR state IS NULL) ORDER BY key DESC LIMIT ?`,
            [tenant, providerId, id, limit]
          )
        ),
        (rows) => rows.map(usageOf)
      )
  })
)

export const layer: Layer.Layer<UsageStore, never, Database> = Layer.effect(UsageStore, make)

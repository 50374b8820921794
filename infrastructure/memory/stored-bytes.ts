/** How much is kept of each tenant in memory: the lengths of jobs and samples as texts. */
import { Effect, Layer } from "effect"
import { StoredBytes } from "../../application/ports/stores/stored-bytes.ts"
import { step, Tables } from "./tables.ts"

const make = Effect.map(Tables, (tables) =>
  StoredBytes.of({
    measure: step(() =>
      Effect.sync(() => {
        const found = new Map<string, number>()
        const add = (tenant: string, text: string) =>
          found.set(tenant, (found.get(tenant) ?? 0) + Buffer.byteLength(text))
        for (const { job } of tables.jobs.values()) add(job.tenant, JSON.stringify(job))
        for (const { tenant, rows } of tables.samples.values()) for (const { text } of rows.values()) add(tenant, text)
        return found
      })
    )
  })
)

export const layer: Layer.Layer<StoredBytes, never, Tables> = Layer.effect(StoredBytes, make)

/** Notes and log tails of units in memory. */
import { Effect, Layer } from "effect"
import type { UnitId } from "../../application/ports/runtime.ts"
import { type UnitNote, UnitRecords } from "../../application/ports/stores/unit-records.ts"

interface KeptLog {
  readonly unit: UnitId
  readonly text: string
}

const keyOf = ({ jobId, index, attempt }: UnitId): string => `${jobId}/${index}/${attempt}`

const make = Effect.sync(() => {
  const notes = new Map<string, UnitNote>()
  const logs = new Map<string, KeptLog>()
  return UnitRecords.of({
    notes: Effect.sync(() => [...notes.values()]),
    note: (all) =>
      Effect.sync(() => {
        for (const one of all) notes.set(keyOf(one.unit), one)
      }),
    forget: (units) =>
      Effect.sync(() => {
        for (const unit of units) notes.delete(keyOf(unit))
      }),
    keepLog: (unit, container, text) => Effect.sync(() => void logs.set(`${keyOf(unit)}/${container}`, { unit, text })),
    keptLog: (unit, container) => Effect.sync(() => logs.get(`${keyOf(unit)}/${container}`)?.text),
    discardLogs: (jobId, index) =>
      Effect.sync(() => {
        for (const [key, { unit }] of logs)
          if (unit.jobId === jobId && (index === undefined || unit.index === index)) logs.delete(key)
      })
  })
})

export const layer: Layer.Layer<UnitRecords> = Layer.effect(UnitRecords, make)

/** Notes and log tails of units at rest. */
import { Effect, Layer } from "effect"
import type { UnitId } from "../../../application/ports/runtime.ts"
import { UnitRecords } from "../../../application/ports/stores/unit-records.ts"
import { Database } from "../connection/client.ts"

interface NoteRow {
  readonly tenant: string
  readonly job_id: string
  readonly idx: number
  readonly attempt: number
  readonly note: string
}

const ofUnit = "WHERE job_id = ? AND idx = ? AND attempt = ?"
const keyOf = ({ jobId, index, attempt }: UnitId) => [jobId, index, attempt]

const make = Effect.gen(function* () {
  const database = yield* Database
  return UnitRecords.of({
    notes: Effect.map(
      database.read("unitNotes", (session) =>
        session.query<NoteRow>("SELECT tenant, job_id, idx, attempt, note FROM unit_notes", [])
      ),
      (rows) =>
        rows.map(({ tenant, job_id, idx, attempt, note }) => ({
          unit: { tenant, jobId: job_id, index: idx, attempt },
          note
        }))
    ),
    note: (notes) =>
      database.write("noteUnits", (session) =>
        Effect.forEach(
          notes,
          ({ unit, note }) =>
            session.write(
              `INSERT INTO unit_notes (tenant, job_id, idx, attempt, note) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (job_id, idx, attempt) DO UPDATE SET note = excluded.note`,
              [unit.tenant, ...keyOf(unit), note]
            ),
          { discard: true }
        )
      ),
    forget: (units) =>
      database.write("forgetUnits", (session) =>
        Effect.forEach(units, (unit) => session.write(`DELETE FROM unit_notes ${ofUnit}`, keyOf(unit)), {
          discard: true
        })
      ),
    keepLog: (unit, container, text) =>
      Effect.asVoid(
        database.write("keepUnitLog", (session) =>
          session.write(
            `INSERT INTO unit_logs (tenant, job_id, idx, attempt, container, text) VALUES (?, ?, ?, ?, ?, ?)
              ON CONFLICT (job_id, idx, attempt, container) DO UPDATE SET text = excluded.text`,
            [unit.tenant, ...keyOf(unit), container, text]
          )
        )
      ),
    keptLog: (unit, container) =>
      Effect.map(
        database.read("keptUnitLog", (session) =>
          session.query<{ text: string }>(`SELECT text FROM unit_logs ${ofUnit} AND container = ?`, [
            ...keyOf(unit),
            container
          ])
        ),
        ([row]) => row?.text
      ),
    discardLogs: (jobId, index) =>
      Effect.asVoid(
        database.write("discardUnitLogs", (session) =>
          index === undefined
            ? session.write("DELETE FROM unit_logs WHERE job_id = ?", [jobId])
            : session.write("DELETE FROM unit_logs WHERE job_id = ? AND idx = ?", [jobId, index])
        )
      )
  })
})

export const layer: Layer.Layer<UnitRecords, never, Database> = Layer.effect(UnitRecords, make)

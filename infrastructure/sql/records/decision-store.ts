/** Comparisons and gates in a database. */

import { Effect, Layer } from "effect"
import { DecisionStore } from "../../../application/ports/stores/decision-store.ts"
import { defined } from "../../../values/defined.ts"
import { digestOf } from "../../../values/digest.ts"
import { Database } from "../connection/client.ts"

interface RecordRow {
  readonly id: string
  readonly record: string
}

const insertText = `INSERT INTO decisions (tenant, kind, id, series, look, inputs, created_at, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant, kind, series, look) DO NOTHING RETURNING key`

const pageText = `SELECT d.id, d.record FROM decision_jobs j JOIN decisions d ON d.key = j.decision_key
  WHERE j.tenant = ? AND j.job_id = ? AND j.kind = ? ORDER BY j.decision_key DESC LIMIT ? OFFSET ?`

const make = Effect.map(Database, (database) =>
  DecisionStore.of({
    digest: digestOf,
    add: ({ tenant, kind, id, series, look, inputs, createdAt, jobs, record }) =>
      database.write("addDecision", (session) =>
        Effect.gen(function* () {
          const [row] = yield* session.write<{ key: number | string }>(insertText, [
            ...[tenant, kind, id, series, look, inputs, createdAt, record]
          ])
          if (row === undefined) return "taken"
          for (const job of new Set(jobs))
            yield* session.write("INSERT INTO decision_jobs (tenant, job_id, kind, decision_key) VALUES (?, ?, ?, ?)", [
              ...[tenant, job, kind, row.key]
            ])
          return "added"
        })
      ),
    find: (tenant, kind, id) =>
      Effect.map(
        database.read("findDecision", (session) =>
          session.query<RecordRow>("SELECT id, record FROM decisions WHERE tenant = ? AND kind = ? AND id = ?", [
            ...[tenant, kind, id]
          ])
        ),
        ([row]) => row?.record
      ),
    earlier: (tenant, kind, series, inputs) =>
      database.read("earlierDecisions", (session) =>
        Effect.gen(function* () {
          const [last] = yield* session.query<{ looks: number | null }>(
            "SELECT max(look) AS looks FROM decisions WHERE tenant = ? AND kind = ? AND series = ?",
            [tenant, kind, series]
          )
          const [same] = yield* session.query<RecordRow>(
            "SELECT id, record FROM decisions WHERE tenant = ? AND kind = ? AND series = ? AND inputs = ? ORDER BY look LIMIT 1",
            [tenant, kind, series, inputs]
          )
          return { looks: last?.looks ?? 0, ...defined({ same }) }
        })
      ),
    ofJob: (tenant, kind, jobId, { limit, offset }) =>
      database.read("decisionsOfJob", (session) =>
        Effect.gen(function* () {
          const [all] = yield* session.query<{ total: number | string }>(
            "SELECT count(*) AS total FROM decision_jobs WHERE tenant = ? AND job_id = ? AND kind = ?",
            [tenant, jobId, kind]
          )
          const rows = yield* session.query<RecordRow>(pageText, [tenant, jobId, kind, limit, offset])
          return { items: rows.map(({ record }) => record), total: Number(all?.total ?? 0) }
        })
      )
  })
)

export const layer: Layer.Layer<DecisionStore, never, Database> = Layer.effect(DecisionStore, make)

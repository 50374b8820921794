/** What comparisons look at, of all samples of a benchmark: narrow rows in steps, so that nobody waits for a million of them. */
import { Effect } from "effect"
import type { SampleUnit } from "../../../application/ports/stores/sample-store.ts"
import type { ScoredSample } from "../../../domain/comparison/pair-samples.ts"
import type { SampleVerdict } from "../../../domain/sample/sample.ts"
import { absent } from "../../../domain/sample/sample-query.ts"
import { breath } from "../../in-process/in-steps.ts"
import type { Database } from "../connection/client.ts"
import type { Session } from "../connection/session.ts"

interface SetRow {
  readonly key: number
  readonly stored: number
}

interface Row {
  readonly sample_id: string
  readonly task: string
  readonly repetition: number
  readonly kind: number
  readonly score: number
  readonly cluster: string | null
  readonly prompt: string | null
}

const step = 2500

const rowsAfter = (session: Session, set: number, last: Row | undefined) =>
  session.query<Row>(
    `SELECT sample_id, task, repetition, kind, score, cluster, prompt FROM sample_rows
     WHERE set_key = ?${last === undefined ? "" : " AND (sample_id, task, repetition) > (?, ?, ?)"}
     ORDER BY sample_id, task, repetition LIMIT ${step}`,
    [set, ...(last === undefined ? [] : [last.sample_id, last.task, last.repetition])]
  )

/** member by member: there are tens of thousands, and a spread takes longer than reading the row */
const sampleOf = (row: Row, verdict: SampleVerdict): ScoredSample => {
  const { sample_id: sampleId, task, repetition: repeat, score, cluster, prompt } = row
  const sample: { -readonly [Name in keyof ScoredSample]: ScoredSample[Name] } = { sampleId, task, repeat, verdict }
  if (score !== absent.score) sample.score = score
  if (cluster !== null) sample.cluster = cluster
  if (prompt !== null) sample.prompt = prompt
  return sample
}

/** undefined: there are more than `most` */
export const scoredSamples = (database: typeof Database.Service, unit: SampleUnit, most: number) =>
  Effect.gen(function* () {
    const [set] = yield* database.read("scoredSamples", (session) =>
      session.query<SetRow>(
        "SELECT key, stored FROM sample_sets WHERE tenant = ? AND job_id = ? AND idx = ? AND gone = 0",
        [unit.tenant, unit.jobId, unit.index]
      )
    )
    if (set === undefined) return []
    if (set.stored > most) return undefined
    const kinds = yield* database.read("scoredSamples", (session) =>
      session.query<{ kind: number; verdict: SampleVerdict }>(
        "SELECT kind, verdict FROM sample_kinds WHERE set_key = ?",
        [set.key]
      )
    )
    const verdicts = new Map(kinds.map(({ kind, verdict }) => [kind, verdict] as const))
    const samples: Array<ScoredSample> = []
    let last: Row | undefined
    for (;;) {
      const after = last
      const rows = yield* database.read("scoredSamples", (session) => rowsAfter(session, set.key, after))
      for (const row of rows) samples.push(sampleOf(row, verdicts.get(row.kind) ?? "error"))
      last = rows.at(-1)
      if (rows.length < step) return samples
      yield* breath
    }
  })

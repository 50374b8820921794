/** Figures over the samples of a benchmark. Sums are kept with each call; only repeats and clusters are put together when they are asked for. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { SampleUnit } from "../../../application/ports/stores/sample-store.ts"
import { isScored, type SampleVerdict } from "../../../domain/sample/sample.ts"
import {
  basisOf,
  type ClusterSum,
  type GroupedFigures,
  type KindSums,
  type SampleSeal,
  summaryOf
} from "../../../domain/sample/summary.ts"
import { breath } from "../../in-process/in-steps.ts"
import type { Database } from "../connection/client.ts"
import { marks, type Session } from "../connection/session.ts"
import { kindOf } from "./sample-rows.ts"

interface SetRow {
  readonly key: number
  readonly revision: number
  readonly stored: number
  readonly repeats: number
  readonly clustered: number
  readonly digest: string | null
  readonly digest_revision: number | null
}

interface KindRow {
  readonly kind: number
  readonly verdict: SampleVerdict
  readonly stored: number
  readonly with_score: number
  readonly score_sum: number
  readonly score_squares: number
  readonly score_min: number
  readonly score_max: number
  readonly fractions: number
}

const setOf = (session: Session, unit: SampleUnit) =>
  Effect.map(
    session.query<SetRow>(
      "SELECT key, revision, stored, repeats, clustered, digest, digest_revision FROM sample_sets WHERE tenant = ? AND job_id = ? AND idx = ? AND gone = 0 AND stored > 0",
      [unit.tenant, unit.jobId, unit.index]
    ),
    ([row]) => row
  )

const sumsOf = (row: KindRow): KindSums => ({
  verdict: row.verdict,
  stored: row.stored,
  withScore: row.with_score,
  scoreSum: row.score_sum,
  scoreSquares: row.score_squares,
  scoreMin: row.score_min,
  scoreMax: row.score_max,
  fractions: row.fractions
})

/** x of each item and its cluster, repeats averaged */
const itemsText = (kinds: number, correct: number, byScore: boolean) =>
  `SELECT avg(${byScore ? "score" : `CASE WHEN kind IN (${marks(correct)}) THEN 1.0 ELSE 0.0 END`}) AS x, max(cluster) AS cluster
   FROM sample_rows WHERE set_key = ? AND kind IN (${marks(kinds)}) GROUP BY sample_id, task`

interface ItemSums {
  readonly items: number | string
  readonly sum: number | null
  readonly squares: number | null
  readonly min: number | null
  readonly max: number | null
}

const grouped = (session: Session, set: SetRow, rows: ReadonlyArray<KindRow>) =>
  Effect.gen(function* () {
    const scored = rows.filter(({ verdict }) => isScored(verdict)).map(({ kind }) => kind)
    const correct = rows.filter(({ verdict }) => verdict === "correct").map(({ kind }) => kind)
    const byScore = basisOf(rows.map(sumsOf)) === "score"
    // a list in a statement is never empty
    const right = correct.length === 0 ? [-1] : correct
    const kinds = scored.length === 0 ? [-1] : scored
    const items = itemsText(kinds.length, right.length, byScore)
    const params = [...(byScore ? [] : right), set.key, ...kinds]
    const [all] = yield* session.query<ItemSums>(
      `SELECT count(*) AS items, sum(x) AS sum, sum(x * x) AS squares, min(x) AS min, max(x) AS max FROM (${items}) i`,
      params
    )
    const figures: GroupedFigures = {
      items: Number(all?.items ?? 0),
      sum: all?.sum ?? 0,
      sumOfSquares: all?.squares ?? 0,
      min: all?.min ?? 0,
      max: all?.max ?? 0
    }
    if (set.clustered === 0) return figures
    const named = yield* session.query<{ items: number | string; sum: number }>(
      `SELECT count(*) AS items, sum(x) AS sum FROM (${items}) i WHERE cluster IS NOT NULL GROUP BY cluster ORDER BY cluster`,
      params
    )
    const alone = yield* session.query<{ x: number }>(`SELECT x FROM (${items}) i WHERE cluster IS NULL`, params)
    const clusters: ReadonlyArray<ClusterSum> = [
      ...named.map((one) => ({ items: Number(one.items), sum: one.sum })),
      ...alone.map(({ x }) => ({ items: 1, sum: x }))
    ]
    return { ...figures, clusters }
  })

export const sampleSummary = (session: Session, unit: SampleUnit) =>
  Effect.gen(function* () {
    const set = yield* setOf(session, unit)
    if (set === undefined) return undefined
    const rows = yield* session.query<KindRow>(
      "SELECT kind, verdict, stored, with_score, score_sum, score_squares, score_min, score_max, fractions FROM sample_kinds WHERE set_key = ? ORDER BY kind",
      [set.key]
    )
    const together = set.repeats > 1 || set.clustered !== 0 ? yield* grouped(session, set, rows) : undefined
    return summaryOf(rows.map(sumsOf), set.repeats, together)
  })

interface CountedKind {
  readonly verdict: SampleVerdict
  readonly reason: string
  readonly finish_reason: string
  readonly flags: string
  readonly stored: number
}

export const sampleKinds = (session: Session, unit: SampleUnit) =>
  Effect.gen(function* () {
    const set = yield* setOf(session, unit)
    if (set === undefined) return []
    const rows = yield* session.query<CountedKind>(
      "SELECT verdict, reason, finish_reason, flags, stored FROM sample_kinds WHERE set_key = ? AND stored > 0 ORDER BY kind",
      [set.key]
    )
    return rows.map((row) => ({ ...kindOf(row), stored: row.stored }))
  })

interface DigestRow {
  readonly sample_id: string
  readonly task: string
  readonly repetition: number
  readonly digest: Buffer
}

const step = 2000

const digestsAfter = (session: Session, set: number, last: DigestRow | undefined) =>
  session.query<DigestRow>(
    `SELECT sample_id, task, repetition, digest FROM sample_rows WHERE set_key = ?${last === undefined ? "" : " AND (sample_id, task, repetition) > (?, ?, ?)"}
     ORDER BY sample_id, task, repetition LIMIT ${step}`,
    [set, ...(last === undefined ? [] : [last.sample_id, last.task, last.repetition])]
  )

/** in the order of the bytes of their keys; in steps, so that nobody waits for a million of them */
const eachDigest = (database: typeof Database.Service, set: number, take: (digest: Buffer) => void) =>
  Effect.gen(function* () {
    let last: DigestRow | undefined
    for (;;) {
      const after = last
      const rows = yield* database.read("samplesDigest", (session) => digestsAfter(session, set, after))
      for (const { digest } of rows) take(digest)
      last = rows.at(-1)
      if (rows.length < step) return
      yield* breath
    }
  })

export const sampleDigests = (database: typeof Database.Service, unit: SampleUnit) =>
  Effect.gen(function* () {
    const set = yield* database.read("sampleDigests", (session) => setOf(session, unit))
    const digests: Array<Buffer> = []
    if (set !== undefined) yield* eachDigest(database, set.key, (digest) => digests.push(digest))
    return Buffer.concat(digests)
  })

export const samplesDigest = (database: typeof Database.Service, unit: SampleUnit) =>
  Effect.gen(function* () {
    const set = yield* database.read("samplesDigest", (session) => setOf(session, unit))
    if (set === undefined) return undefined
    if (set.digest !== null && set.digest_revision === set.revision)
      return { count: set.stored, sha256: set.digest } satisfies SampleSeal
    const hash = createHash("sha256")
    let count = 0
    yield* eachDigest(database, set.key, (digest) => {
      hash.update(digest)
      count++
    })
    const digest = hash.digest("hex")
    yield* database.write("keepDigest", (session) =>
      session.write("UPDATE sample_sets SET digest = ?, digest_revision = ? WHERE key = ? AND revision = ?", [
        digest,
        set.revision,
        set.key,
        set.revision
      ])
    )
    return { count, sha256: digest } satisfies SampleSeal
  })

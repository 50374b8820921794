/**
 * Stores the records of one call. What they meet is read first, so that only new records are packed and compressed; the transaction
 * then holds only if nothing was added to the set meanwhile, else all of it is done again.
 */
import { Effect } from "effect"
import { NotFound } from "../../../application/errors.ts"
import {
  type Added,
  type AddOptions,
  SamplesRefused,
  type SampleUnit
} from "../../../application/ports/stores/sample-store.ts"
import { type Known, type Plan, planCall } from "../../../domain/sample/meet.ts"
import { keyText, limits, type Sample, type SampleKey, type SampleVerdict } from "../../../domain/sample/sample.ts"
import { kindText } from "../../../domain/sample/sample-query.ts"
import { makePacker, type Packed } from "../../samples/chunks.ts"
import { inSteps, type Prepared, prepare, textOf } from "../../samples/prepare.ts"
import type { Database } from "../connection/client.ts"
import { columnsOf, type Param, type Session, tuples } from "../connection/session.ts"
import { inserted, insertedTypes, insertedValues, kindOf, replacedAssignments, replacedValues } from "./sample-rows.ts"

interface SetRow {
  readonly key: number
  readonly revision: number
}

interface Before {
  readonly revision: number
  readonly stored: ReadonlyMap<string, Known & { readonly kind: number }>
}

interface FoundRow {
  readonly sample_id: string
  readonly task: string
  readonly repetition: number
  readonly kind: number
  readonly verdict: SampleVerdict
  readonly digest: Buffer
}

/** rows of one statement: on SQLite one has so many parameters, on PostgreSQL its text is written in the thread that serves everybody */
const part = { sqlite: 100, pg: 125 } as const

const parts = <A>(all: ReadonlyArray<A>, dialect: Session["dialect"]): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / part[dialect]) }, (_, number) =>
    all.slice(number * part[dialect], (number + 1) * part[dialect])
  )

const foundColumns = "r.sample_id, r.task, r.repetition, r.kind, k.verdict, r.digest"

/** the stored ones among these keys */
const foundRows = (session: Session, set: number, keys: ReadonlyArray<SampleKey>) => {
  const rows = keys.map(({ sampleId, task, repeat }): ReadonlyArray<Param> => [sampleId, task, repeat])
  if (session.dialect === "pg") {
    // the limit keeps each key a look-up, also where nothing is known yet about how large the table became
    const text = `SELECT ${foundColumns} FROM unnest(?::text[], ?::text[], ?::int[]) w (sample_id, task, repetition)
      CROSS JOIN LATERAL (SELECT * FROM sample_rows x WHERE x.set_key = ? AND x.sample_id = w.sample_id AND x.task = w.task AND x.repetition = w.repetition LIMIT 1) r
      JOIN sample_kinds k ON k.set_key = r.set_key AND k.kind = r.kind`
    return session.query<FoundRow>(text, [...columnsOf(rows, 3), set])
  }
  return Effect.map(
    Effect.forEach(parts(rows, "sqlite"), (some) =>
      session.query<FoundRow>(
        `WITH w (sample_id, task, repetition) AS (VALUES ${tuples(some.length, 3)})
         SELECT ${foundColumns} FROM w CROSS JOIN sample_rows r ON r.set_key = ? AND r.sample_id = w.sample_id AND r.task = w.task AND r.repetition = w.repetition
         JOIN sample_kinds k ON k.set_key = r.set_key AND k.kind = r.kind`,
        [...some.flat(), set]
      )
    ),
    (found) => found.flat()
  )
}

const setText = "SELECT key, revision FROM sample_sets WHERE tenant = ? AND job_id = ? AND idx = ? AND gone = 0"

const readBefore = (session: Session, unit: SampleUnit, records: ReadonlyArray<Prepared>) =>
  Effect.gen(function* () {
    const [set] = yield* session.query<SetRow>(setText, [unit.tenant, unit.jobId, unit.index])
    if (set === undefined || set.revision === 0) return { revision: 0, stored: new Map() } satisfies Before
    const rows = yield* foundRows(
      session,
      set.key,
      records.map(({ key }) => key)
    )
    const stored = rows.map(
      ({
        sample_id,
        task,
        repetition,
        kind,
        verdict,
        digest
      }): readonly [string, Known & { readonly kind: number }] => [
        keyText({ sampleId: sample_id, task, repeat: repetition }),
        { kind, verdict, digest: digest.toString("hex") }
      ]
    )
    return { revision: set.revision, stored: new Map(stored) } satisfies Before
  })

/** what one call changes in the figures of a kind */
interface KindChange {
  readonly sample: Sample
  number: number
  stored: number
  withScore: number
  sum: number
  squares: number
  min: number
  max: number
  fractions: number
}

const noChange = (sample: Sample, number: number): KindChange => ({
  ...{ sample, number, stored: 0, withScore: 0, sum: 0, squares: 0 },
  ...{ min: Number.MAX_VALUE, max: -Number.MAX_VALUE, fractions: 0 }
})

const count = (change: KindChange, { score }: Sample): void => {
  change.stored += 1
  if (score === undefined) return
  change.withScore += 1
  change.sum += score
  change.squares += score * score
  change.min = Math.min(change.min, score)
  change.max = Math.max(change.max, score)
  if (score !== 0 && score !== 1) change.fractions += 1
}

const insertKind = `INSERT INTO sample_kinds
  (set_key, kind, verdict, reason, finish_reason, flags, stored, with_score, score_sum, score_squares, score_min, score_max, fractions)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (set_key, kind) DO UPDATE SET stored = sample_kinds.stored + excluded.stored, with_score = sample_kinds.with_score + excluded.with_score,
  score_sum = sample_kinds.score_sum + excluded.score_sum, score_squares = sample_kinds.score_squares + excluded.score_squares,
  score_min = CASE WHEN excluded.score_min < sample_kinds.score_min THEN excluded.score_min ELSE sample_kinds.score_min END,
  score_max = CASE WHEN excluded.score_max > sample_kinds.score_max THEN excluded.score_max ELSE sample_kinds.score_max END,
  fractions = sample_kinds.fractions + excluded.fractions`

interface KindNames {
  readonly kind: number
  readonly verdict: SampleVerdict
  readonly reason: string
  readonly finish_reason: string
  readonly flags: string
}

/** the number of each record's kind, once the figures of all kinds are written */
const writeKinds = (session: Session, set: number, records: ReadonlyArray<Prepared>) =>
  Effect.gen(function* () {
    const rows = yield* session.query<KindNames>(
      "SELECT kind, verdict, reason, finish_reason, flags FROM sample_kinds WHERE set_key = ?",
      [set]
    )
    const numbers = new Map(rows.map((row) => [kindText(kindOf(row)), row.kind]))
    const changes = new Map<string, KindChange>()
    const kinds = records.map(({ sample }) => {
      const text = kindText(sample)
      const number = numbers.get(text) ?? numbers.size
      numbers.set(text, number)
      const change = changes.get(text) ?? noChange(sample, number)
      changes.set(text, change)
      count(change, sample)
      return number
    })
    if (numbers.size > limits.kinds) return yield* new SamplesRefused({ why: "kinds", keys: [] })
    for (const { sample, number, stored, withScore, sum, squares, min, max, fractions } of changes.values()) {
      const { verdict, reason = "", finishReason = "", flags } = sample
      yield* session.write(insertKind, [
        ...[set, number, verdict, reason, finishReason, flags.join(",")],
        ...[stored, withScore, sum, squares, min, max, fractions]
      ])
    }
    return kinds
  })

const writeChunks = (session: Session, set: number, { chunks }: Packed) =>
  Effect.forEach(chunks, ({ hash, data }) =>
    Effect.map(
      session.write<{ key: number | string }>(
        "INSERT INTO sample_chunks (set_key, hash, data) VALUES (?, ?, ?) ON CONFLICT (set_key, hash) DO UPDATE SET hash = excluded.hash RETURNING key",
        [set, hash, data]
      ),
      ([row]) => Number(row?.key ?? 0)
    )
  )

const insertRows = (session: Session, rows: ReadonlyArray<ReadonlyArray<Param>>, giveWay: Effect.Effect<void>) =>
  Effect.forEach(
    parts(rows, session.dialect),
    (some) =>
      Effect.zipRight(
        giveWay,
        session.dialect === "pg"
          ? session.write(
              `INSERT INTO sample_rows (${inserted}) SELECT * FROM unnest(${insertedTypes.map((type) => `?::${type}[]`).join(", ")})`,
              columnsOf(some, insertedTypes.length)
            )
          : session.write(
              `INSERT INTO sample_rows (${inserted}) VALUES ${tuples(some.length, insertedTypes.length)}`,
              some.flat()
            )
      ),
    { discard: true }
  )

const replaceText = `UPDATE sample_rows SET ${replacedAssignments} WHERE set_key = ? AND sample_id = ? AND task = ? AND repetition = ?`

/** the job is there and stays until the transaction ends; the set is locked by it */
const lockSet = (session: Session, unit: SampleUnit, now: string) =>
  Effect.gen(function* () {
    const isServer = session.dialect === "pg"
    const jobs = yield* session.query(
      `SELECT 1 FROM jobs WHERE tenant = ? AND id = ?${isServer ? " FOR KEY SHARE" : ""}`,
      [unit.tenant, unit.jobId]
    )
    if (jobs.length === 0) return yield* new NotFound({ kind: "job", id: unit.jobId })
    yield* session.write(
      `INSERT INTO sample_sets (tenant, job_id, idx, gone, stored, revision, repeats, clustered, updated_at) VALUES (?, ?, ?, 0, 0, 0, 0, 0, ?)
       ON CONFLICT (job_id, idx) WHERE gone = 0 DO NOTHING`,
      [unit.tenant, unit.jobId, unit.index, now]
    )
    const [set] = yield* session.query<SetRow>(setText + (isServer ? " FOR UPDATE" : ""), [
      unit.tenant,
      unit.jobId,
      unit.index
    ])
    return set ?? (yield* new NotFound({ kind: "job", id: unit.jobId }))
  })

interface Call {
  readonly unit: SampleUnit
  readonly options: AddOptions
  readonly before: Before
  readonly plan: Plan<Prepared>
  readonly packed: Packed
  readonly now: string
  readonly giveWay: Effect.Effect<void>
}

/** undefined: something was added since `before` was read */
const write = (session: Session, { unit, options, before, plan, packed, now, giveWay }: Call) =>
  Effect.gen(function* () {
    const set = yield* lockSet(session, unit, now)
    if (set.revision !== before.revision) return undefined
    const [job] = yield* session.query<{ stored: number | string | null }>(
      "SELECT sum(stored) AS stored FROM sample_sets WHERE job_id = ? AND gone = 0",
      [unit.jobId]
    )
    if (Number(job?.stored ?? 0) + plan.fresh.length > options.maxPerJob)
      return yield* new SamplesRefused({ why: "full", keys: [] })
    const records = [...plan.fresh, ...plan.replacing]
    const kinds = yield* writeKinds(session, set.key, records)
    const chunks = yield* writeChunks(session, set.key, packed)
    const written = records.map((prepared, number) => {
      const slot = packed.slots[number] ?? { chunk: 0, start: 0, length: 0 }
      return { prepared, slot, chunk: chunks[slot.chunk] ?? 0, kind: kinds[number] ?? 0 }
    })
    const fresh = written.slice(0, plan.fresh.length)
    if (fresh.length > 0)
      yield* insertRows(
        session,
        fresh.map((one) => insertedValues(set.key, one)),
        giveWay
      )
    for (const one of written.slice(plan.fresh.length)) {
      const { sampleId, task, repeat } = one.prepared.key
      yield* session.write("UPDATE sample_kinds SET stored = stored - 1 WHERE set_key = ? AND kind = ?", [
        set.key,
        before.stored.get(keyText(one.prepared.key))?.kind ?? -1
      ])
      yield* session.write(replaceText, [...replacedValues(one), set.key, sampleId, task, repeat])
    }
    const repeats = records.reduce((most, { sample }) => Math.max(most, sample.repeat + 1), 0)
    yield* session.write(
      `UPDATE sample_sets SET stored = stored + ?, revision = revision + 1, updated_at = ?, clustered = CASE WHEN clustered > ? THEN clustered ELSE ? END,
       repeats = CASE WHEN repeats > ? THEN repeats ELSE ? END WHERE key = ?`,
      [
        fresh.length,
        now,
        ...twice(records.some(({ sample }) => sample.cluster !== undefined) ? 1 : 0),
        ...twice(repeats),
        set.key
      ]
    )
    return { stored: fresh.length, replaced: plan.replacing.length, duplicate: plan.duplicate } satisfies Added
  })

const twice = (value: number): readonly [number, number] => [value, value]

/** calls for one benchmark that meet each other again and again; each time one of them gets through */
const attempts = 100

export const addSamples = (
  database: typeof Database.Service,
  unit: SampleUnit,
  samples: ReadonlyArray<Sample>,
  options: AddOptions,
  now: string
) =>
  Effect.gen(function* () {
    const records = yield* prepare(samples)
    for (let attempt = 0; attempt < attempts; attempt++) {
      const before = yield* database.read("readSamples", (session) => readBefore(session, unit, records))
      const plan = planCall(before.stored, records)
      if (plan.conflicts.length > 0) return yield* new SamplesRefused({ why: "conflict", keys: plan.conflicts })
      const changing = [...plan.fresh, ...plan.replacing]
      if (changing.length === 0) return { stored: 0, replaced: 0, duplicate: plan.duplicate } satisfies Added
      const packer = makePacker()
      yield* inSteps(changing, (record) => packer.add(textOf(record, options.content)))
      const packed = yield* packer.finish
      const added = yield* database.writeLong(
        "addSamples",
        (session) => write(session, { unit, options, before, plan, packed, now, giveWay: database.giveWay }),
        unit.jobId
      )
      if (added !== undefined) return added
    }
    return yield* Effect.dieMessage(`samples of job ${unit.jobId} met others at every attempt`)
  })

/**
 * Stores the records of one call. What they meet is read first, so that only new records are stored, in chunks that were packed while they were read where all
 * of them are new. Nobody sees a chunk without its rows, so that chunks go first, a few in each transaction, and others wait less for a call; the transaction of
 * the rows makes the call whole. Each of them holds only if nothing was added to the set meanwhile, else all of it is done again.
 */
import { Effect } from "effect"
import { NotFound } from "../../../application/errors.ts"
import {
  type Added,
  type AddOptions,
  type IncomingSample,
  SamplesRefused,
  type SampleUnit
} from "../../../application/ports/stores/sample-store.ts"
import { type Plan, planCall } from "../../../domain/sample/meet.ts"
import { keyText, limits } from "../../../domain/sample/sample.ts"
import { inSteps, usualStep } from "../../in-process/in-steps.ts"
import { makePacker, type Packed, type Packer } from "../../samples/chunks.ts"
import { type Taken, takeAll } from "../../samples/prepare.ts"
import type { Database } from "../connection/client.ts"
import { columnsOf, type Param, type Session, tuples } from "../connection/session.ts"
import { type KindChange, type KindChanges, kindChanges, writeKinds } from "./kind-changes.ts"
import { inserted, insertedTypes, insertedValues, replacedAssignments, replacedValues } from "./sample-rows.ts"
import { type Before, parts, readBefore, type SetRow, setText } from "./stored-before.ts"

/** chunks of one transaction */
const chunkPart = 8

/**
 * The keys of the chunks. Nobody is told of them before the transaction of the rows was flushed, and on PostgreSQL that flush is of everything before it: theirs
 * is left out there, so that fewer flushes stand in the way of others.
 */
const writeChunks = (session: Session, set: number, chunks: Packed["chunks"]) =>
  Effect.gen(function* () {
    if (session.dialect === "pg") yield* session.write("SET LOCAL synchronous_commit = off", [])
    const unlike = [...new Map(chunks.map((chunk) => [chunk.hash, chunk])).values()]
    const stored = yield* session.write<{ key: number | string; hash: string }>(
      `INSERT INTO sample_chunks (set_key, hash, data) VALUES ${tuples(unlike.length, 3)}
       ON CONFLICT (set_key, hash) DO UPDATE SET hash = excluded.hash RETURNING key, hash`,
      unlike.flatMap(({ hash, data }) => [set, hash, data])
    )
    const keys = new Map(stored.map(({ key, hash }) => [hash, Number(key)]))
    return chunks.map(({ hash }) => keys.get(hash) ?? 0)
  })

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
  readonly plan: Plan<Taken>
  readonly now: string
}

/** the key of the set, if it takes the call; undefined: something was added since `before` was read */
const enter = (session: Session, { unit, options, before, plan, now }: Call) =>
  Effect.gen(function* () {
    const set = yield* lockSet(session, unit, now)
    if (set.revision !== before.revision) return undefined
    const [job] = yield* session.query<{ stored: number | string | null }>(
      "SELECT sum(stored) AS stored FROM sample_sets WHERE job_id = ? AND gone = 0",
      [unit.jobId]
    )
    if (Number(job?.stored ?? 0) + plan.fresh.length > options.maxPerJob)
      return yield* new SamplesRefused({ why: "full", keys: [] })
    return set.key
  })

interface StoredChunks {
  readonly set: number
  /** in their order */
  readonly keys: ReadonlyArray<number>
}

/** undefined as with `enter`; what a call leaves here is found again when it is sent again, and goes with its set */
const storeChunks = (database: typeof Database.Service, call: Call, { chunks }: Packed) =>
  Effect.gen(function* () {
    const keys: Array<number> = []
    let first: number | undefined
    for (let start = 0; start < chunks.length; start += chunkPart) {
      const some = chunks.slice(start, start + chunkPart)
      const part = yield* database.writeLong(
        "addChunks",
        (session) =>
          Effect.gen(function* () {
            const set = yield* enter(session, call)
            return set === undefined ? undefined : { set, keys: yield* writeChunks(session, set, some) }
          }),
        call.unit.jobId
      )
      first ??= part?.set
      if (part === undefined || part.set !== first) return undefined
      keys.push(...part.keys)
    }
    return first === undefined ? undefined : ({ set: first, keys } satisfies StoredChunks)
  })

/** rows made between two turns of others: one of them takes a tenth of what a record takes */
const rowStep = 64

/** what the transaction of the rows writes, made before it so that nobody waits for that */
interface Rows {
  readonly set: number
  readonly kinds: ReadonlyArray<KindChange>
  readonly fresh: ReadonlyArray<ReadonlyArray<Param>>
  /** with the kind that each record had */
  readonly replacing: ReadonlyArray<{ readonly values: ReadonlyArray<Param>; readonly kind: number }>
  readonly repeats: number
  readonly isClustered: boolean
}

const makeRows = (
  { before, plan }: Call,
  { numbers, changes }: KindChanges,
  { slots }: Packed,
  chunks: StoredChunks,
  { dialect, pause }: typeof Database.Service
) =>
  Effect.gen(function* () {
    const records = [...plan.fresh, ...plan.replacing]
    const written = records.map((taken, at) => {
      const slot = slots[at] ?? { chunk: 0, start: 0, length: 0 }
      return { taken, slot, chunk: chunks.keys[slot.chunk] ?? 0, kind: numbers[at] ?? 0 }
    })
    const steps = <A, B>(all: ReadonlyArray<A>, make: (one: A) => B) => inSteps(all, make, rowStep, pause)
    const fresh = yield* steps(written.slice(0, plan.fresh.length), (one) => insertedValues(chunks.set, one, dialect))
    const replacing = yield* steps(written.slice(plan.fresh.length), (one) => {
      const { sampleId, task, repeat } = one.taken.key
      return {
        values: [...replacedValues(one), chunks.set, sampleId, task, repeat],
        kind: before.stored.get(keyText(one.taken.key))?.kind ?? -1
      }
    })
    const repeats = records.reduce((most, { sample }) => Math.max(most, sample.repeat + 1), 0)
    const isClustered = records.some(({ sample }) => sample.cluster !== undefined)
    return { set: chunks.set, kinds: changes, fresh, replacing, repeats, isClustered } satisfies Rows
  })

/** undefined as with `enter`, or when the set is another one than that of the chunks */
const writeRows = (session: Session, call: Call, rows: Rows, giveWay: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const { set, fresh, replacing } = rows
    if ((yield* enter(session, call)) !== set) return undefined
    yield* writeKinds(session, set, rows.kinds)
    yield* insertRows(session, fresh, giveWay)
    for (const [number, { values, kind }] of replacing.entries()) {
      if (number % usualStep === usualStep - 1) yield* giveWay
      yield* session.write("UPDATE sample_kinds SET stored = stored - 1 WHERE set_key = ? AND kind = ?", [set, kind])
      yield* session.write(replaceText, values)
    }
    // a COMMIT under way is a flush that others wait for; in a SQLite file all of this would be undone for them
    if (session.dialect === "pg") yield* giveWay
    yield* session.write(
      `UPDATE sample_sets SET stored = stored + ?, revision = revision + 1, updated_at = ?, clustered = CASE WHEN clustered > ? THEN clustered ELSE ? END,
       repeats = CASE WHEN repeats > ? THEN repeats ELSE ? END WHERE key = ?`,
      [fresh.length, call.now, ...twice(rows.isClustered ? 1 : 0), ...twice(rows.repeats), set]
    )
    return {
      stored: fresh.length,
      replaced: replacing.length,
      duplicate: call.plan.duplicate
    } satisfies Added
  })

const twice = (value: number): readonly [number, number] => [value, value]

/** calls for one benchmark that meet each other again and again; each time one of them gets through */
const attempts = 100

export const addSamples = (
  database: typeof Database.Service,
  unit: SampleUnit,
  samples: ReadonlyArray<IncomingSample>,
  options: AddOptions,
  now: string
) =>
  Effect.acquireUseRelease(
    Effect.sync(makePacker),
    (packer) => addPacked(database, unit, samples, options, now, packer),
    (packer) => Effect.sync(packer.end)
  )

const addPacked = (
  database: typeof Database.Service,
  unit: SampleUnit,
  samples: ReadonlyArray<IncomingSample>,
  options: AddOptions,
  now: string,
  packer: Packer
) =>
  Effect.gen(function* () {
    const records = yield* takeAll(samples, options.content, packer.add, database.pause)
    for (let attempt = 0; attempt < attempts; attempt++) {
      const before = yield* database.read("readSamples", (session) =>
        readBefore(
          session,
          unit,
          records.map(({ key }) => key)
        )
      )
      const plan = planCall(before.stored, records)
      if (plan.conflicts.length > 0) return yield* new SamplesRefused({ why: "conflict", keys: plan.conflicts })
      const changing = [...plan.fresh, ...plan.replacing]
      if (changing.length === 0) {
        // what was found is perhaps not on the disk yet, as the call that stores it is not answered yet
        yield* database.writeLong("addSamples", () => Effect.void, unit.jobId)
        return { stored: 0, replaced: 0, duplicate: plan.duplicate } satisfies Added
      }
      const kinds = kindChanges(
        before.kinds,
        changing.map(({ sample }) => sample)
      )
      if (kinds.total > limits.kinds) return yield* new SamplesRefused({ why: "kinds", keys: [] })
      const packed = yield* packer.finish(changing.map(({ number }) => number))
      const call = { unit, options, before, plan, now }
      const chunks = yield* storeChunks(database, call, packed)
      if (chunks === undefined) continue
      const rows = yield* makeRows(call, kinds, packed, chunks, database)
      const added = yield* database.writeLong(
        "addSamples",
        (session) => writeRows(session, call, rows, database.giveWay),
        unit.jobId
      )
      if (added !== undefined) return added
    }
    return yield* Effect.dieMessage(`samples of job ${unit.jobId} met others at every attempt`)
  })

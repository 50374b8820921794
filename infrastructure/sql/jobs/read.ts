/** Reading whole jobs, single benchmarks and records. */
import type { SqlError } from "@effect/sql"
import { Effect } from "effect"
import { NotFound } from "../../../application/errors.ts"
import type { BenchmarkSelector, LiveBenchmark, SelectorProblem } from "../../../application/ports/stores/job-store.ts"
import type { Job, JobState } from "../../../domain/job/job.ts"
import { itemsOfPage } from "../../../domain/paging.ts"
import { inSteps } from "../../in-process/in-steps.ts"
import { marks, type Param, type Session } from "../connection/session.ts"
import * as BenchmarkRow from "../rows/benchmark-row.ts"
import * as JobRecord from "../rows/job-record.ts"
import * as JobRow from "../rows/job-row.ts"
import { partsOf, type RecordParts, renderedPart, wholeRecord } from "../rows/record-parts.ts"
import type { JobContext } from "./context.ts"
import type { RecordCache } from "./record-cache.ts"

/** rows that are read in one turn of the loop; a lock may be held over all turns, so that they are few */
const atOnce = 100

const missing = (id: string) => new NotFound({ kind: "job", id })

const selectJob = `SELECT ${JobRow.selectedColumns("j")} FROM jobs j WHERE j.id = ?`
const selectBenchmark = `SELECT ${BenchmarkRow.selectedColumns("b")} FROM job_benchmarks b WHERE b.job_key = ?`

/** the job's row, locked until the transaction ends when `lock` says so (SQLite has one writer anyway) */
const jobRow = (session: Session, tenant: string | undefined, id: string, lock: boolean) =>
  Effect.flatMap(
    session.query<JobRow.JobRow>(
      `${selectJob}${tenant === undefined ? "" : " AND j.tenant = ?"}${lock && session.dialect === "pg" ? " FOR UPDATE" : ""}`,
      tenant === undefined ? [id] : [id, tenant]
    ),
    ([row]) => (row === undefined ? Effect.fail(missing(id)) : Effect.succeed(row))
  )

export const benchmarkRows = (session: Session, jobKey: number) =>
  session.query<BenchmarkRow.BenchmarkRow>(`${selectBenchmark} ORDER BY b.idx`, [jobKey])

const selection = (select: BenchmarkSelector): readonly [string, ReadonlyArray<Param>] => {
  if ("index" in select) return ["b.idx = ?", [select.index]]
  if (select.providerId === undefined) return ["b.benchmark_id = ?", [select.benchmarkId]]
  return ["b.benchmark_id = ? AND b.provider_id = ?", [select.benchmarkId, select.providerId]]
}

export type JoinedRow = JobRow.JobRow &
  Omit<BenchmarkRow.BenchmarkRow, "state"> & { readonly benchmark_state: BenchmarkRow.BenchmarkRow["state"] }

/** columns of a `JoinedRow`, of `jobs j` and `job_benchmarks b` */
export const selectJoined = (from: string): string =>
  `SELECT ${JobRow.selectedColumns("j")}, b.idx, b.state AS benchmark_state, b.data, b.spec FROM ${from}`

const selectOne = `${selectJoined("jobs j JOIN job_benchmarks b ON b.job_key = j.key")} WHERE j.id = ?`

interface Target {
  readonly tenant?: string
  readonly jobId: string
  readonly select: BenchmarkSelector
}

const joinedRow = (session: Session, { tenant, jobId, select }: Target, lock: boolean) =>
  Effect.gen(function* () {
    const [where, params] = selection(select)
    const [owned, owner]: readonly [string, ReadonlyArray<Param>] =
      tenant === undefined ? ["", []] : [" AND j.tenant = ?", [tenant]]
    const locking = lock && session.dialect === "pg" ? " FOR NO KEY UPDATE OF j, b" : ""
    const [first, second] = yield* session.query<JoinedRow>(`${selectOne}${owned} AND ${where} LIMIT 2${locking}`, [
      jobId,
      ...owner,
      ...params
    ])
    if (first === undefined) {
      yield* jobRow(session, tenant, jobId, false)
      return yield* Effect.fail<SelectorProblem>({ _tag: "UnknownBenchmark" })
    }
    return second === undefined ? first : yield* Effect.fail<SelectorProblem>({ _tag: "AmbiguousBenchmark" })
  })

/** a job's row and the one of its benchmark that is meant, both locked; a job that is not there is said before a benchmark that is not */
export const lockedBenchmark = (session: Session, target: Target) => joinedRow(session, target, true)

type StoredRequest = Omit<Job["request"], "benchmarks">

/** undefined when the job was removed meanwhile, or its request is lost */
const requestOf = (session: Session, jobKey: number) =>
  Effect.map(session.query<{ data: string }>("SELECT data FROM job_requests WHERE job_key = ?", [jobKey]), ([row]) =>
    row === undefined ? undefined : (JSON.parse(row.data) as StoredRequest)
  )

const versionOf = (session: Session, jobKey: number) =>
  Effect.map(
    session.query<{ version: number }>("SELECT version FROM jobs WHERE key = ?", [jobKey]),
    ([row]) => row?.version
  )

/** several statements see one moment when the job's version is the same before and after them */
const unlessChanged = <A, E2>(
  session: Session,
  row: JobRow.JobRow,
  value: A,
  again: Effect.Effect<A, E2>
): Effect.Effect<A, E2 | SqlError.SqlError> =>
  Effect.flatMap(versionOf(session, row.key), (version) => (version === row.version ? Effect.succeed(value) : again))

interface Loaded {
  readonly key: number
  readonly version: number
  readonly job: Job
}

export const loadJob = (
  session: Session,
  tenant: string,
  id: string,
  lock: boolean
): Effect.Effect<Loaded, NotFound | SqlError.SqlError> =>
  Effect.gen(function* () {
    const row = yield* jobRow(session, tenant, id, lock)
    // without its request a job can still be cancelled and removed
    const request = (yield* requestOf(session, row.key)) ?? {
      name: row.name,
      model: JSON.parse(row.model) as Job["model"]
    }
    const benchmarks = yield* inSteps(yield* benchmarkRows(session, row.key), BenchmarkRow.benchmarkOfRow, atOnce)
    const job: Job = {
      ...JobRow.headOfRow(row),
      request: { ...request, benchmarks: benchmarks.map((benchmark) => benchmark.entry) },
      benchmarks
    }
    const loaded = { key: row.key, version: row.version, job }
    return lock ? loaded : yield* unlessChanged(session, row, loaded, loadJob(session, tenant, id, lock))
  })

/** of the request's benchmarks only the one that was asked for, so that the cost does not grow with the job */
export const loadBenchmark = (session: Session, jobId: string, index: number) =>
  Effect.gen(function* () {
    const row = yield* joinedRow(session, { jobId, select: { index } }, false).pipe(
      Effect.catchTags({
        UnknownBenchmark: () => Effect.fail(missing(jobId)),
        AmbiguousBenchmark: () => Effect.fail(missing(jobId))
      })
    )
    const benchmark = BenchmarkRow.benchmarkOfRow({ ...row, state: row.benchmark_state })
    const request = yield* requestOf(session, row.key)
    if (request === undefined) return yield* missing(jobId)
    return { head: JobRow.headOfRow(row), benchmark, job: { ...request, benchmarks: [benchmark.entry] } }
  })

/** undefined for none and for several */
export const indexOf = (session: Session, jobId: string, select: BenchmarkSelector) => {
  const [where, params] = selection(select)
  const query = `SELECT b.idx FROM jobs j JOIN job_benchmarks b ON b.job_key = j.key WHERE j.id = ? AND ${where} LIMIT 2`
  return Effect.map(session.query<{ idx: number }>(query, [jobId, ...params]), (rows) =>
    rows.length === 1 ? rows[0]?.idx : undefined
  )
}

/** columns of a `RecordRow`, of the texts only those that are asked for; `string_agg` with an order is the same on both databases */
const recordSelect = ({
  request,
  statuses,
  results
}: RecordParts) => `SELECT ${JobRecord.recordColumns("j")}, ${request ? "r.wire" : "NULL"} AS request,
  ${statuses ? "(SELECT string_agg(b.status, ',' ORDER BY b.idx) FROM job_benchmarks b WHERE b.job_key = j.key)" : "NULL"} AS statuses,
  ${results ? "(SELECT string_agg(b.result, ',' ORDER BY b.idx) FROM job_benchmarks b WHERE b.job_key = j.key AND b.result IS NOT NULL)" : "NULL"} AS results
  FROM jobs j LEFT JOIN job_requests r ON r.job_key = j.key`

const selectRecord = `${recordSelect(wholeRecord)} WHERE j.id = ? AND j.tenant = ?`
const selectVersion = "SELECT version FROM jobs WHERE id = ? AND tenant = ?"

const recordRow = (session: Session, tenant: string, id: string) =>
  Effect.flatMap(session.query<JobRecord.RecordRow>(selectRecord, [id, tenant]), ([row]) => {
    if (row === undefined) return Effect.fail(missing(id))
    const problem = JobRecord.unreadable(row)
    return problem === undefined ? Effect.succeed(row) : Effect.dieMessage(`job ${id} cannot be shown: ${problem}`)
  })

/** committed data: what was rendered before is taken when the job's version says that it is still true */
export const renderCached = (session: Session, context: JobContext, cache: RecordCache, tenant: string, id: string) => {
  const anew = Effect.map(recordRow(session, tenant, id), (row) => {
    const record = JobRecord.rendered(row, context.wire)
    cache.keep(id, row.version, record)
    return record
  })
  if (!cache.has(id)) return anew
  return Effect.flatMap(session.query<{ version: number }>(selectVersion, [id, tenant]), ([row]) => {
    if (row === undefined) {
      cache.forget(id)
      return Effect.fail(missing(id))
    }
    const known = cache.at(id, row.version)
    return known === undefined ? anew : Effect.succeed(known)
  })
}

/** numbers of keys that one statement asks for: few forms of a text, so that all stay prepared */
const batchSizes = [1, 8, 51, 101]

/** `text` makes a statement for as many keys as it is told; some keys may be asked for twice */
const ofKeys = <Row>(
  session: Session,
  text: (keys: number) => string,
  keys: ReadonlyArray<number>
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> => {
  const [first] = keys
  if (first === undefined) return Effect.succeed([])
  const size = batchSizes.find((one) => one >= keys.length) ?? keys.length
  return session.query<Row>(text(size), [...keys, ...Array.from({ length: size - keys.length }, () => first)])
}

/** rows of these jobs by id; a job removed meanwhile has none */
const recordRows = (session: Session, parts: RecordParts, keys: ReadonlyArray<number>) =>
  Effect.map(
    ofKeys<JobRecord.RecordRow>(session, (count) => `${recordSelect(parts)} WHERE j.key IN (${marks(count)})`, keys),
    (rows) => new Map(rows.map((row) => [row.id, row]))
  )

/** bytes of the texts asked for, which the databases know without reading them */
const sizesText = ({ request, statuses, results }: RecordParts, keys: number) => {
  const perBenchmark = [
    ...(statuses ? ["octet_length(b.status)"] : []),
    ...(results ? ["coalesce(octet_length(b.result), 0)"] : [])
  ].join(" + ")
  const benchmarks =
    perBenchmark === ""
      ? "0"
      : `coalesce((SELECT sum(${perBenchmark}) FROM job_benchmarks b WHERE b.job_key = j.key), 0)`
  return `SELECT j.key, ${request ? "coalesce(octet_length(r.wire), 0)" : "0"} + ${benchmarks} AS bytes
    FROM jobs j LEFT JOIN job_requests r ON r.job_key = j.key WHERE j.key IN (${marks(keys)})`
}

const recordSizes = (session: Session, parts: RecordParts, keys: ReadonlyArray<number>) =>
  Effect.map(
    ofKeys<{ key: number; bytes: number | string }>(session, (count) => sizesText(parts, count), keys),
    (rows) => new Map(rows.map(({ key, bytes }) => [key, Number(bytes)]))
  )

interface ListedJob {
  readonly key: number
  readonly id: string
  readonly version: number
}

/**
 * The records of these jobs in their order, or why one cannot be shown, as many from the beginning as a page may hold in bytes; those
 * rendered before come from memory. `fields`: only these members, and only what they need is read.
 */
export const recordsOf = (
  session: Session,
  context: JobContext,
  cache: RecordCache,
  jobs: ReadonlyArray<ListedJob>,
  fields: ReadonlySet<string> | undefined
) =>
  Effect.gen(function* () {
    const parts = fields === undefined ? wholeRecord : partsOf(fields)
    const known = jobs.map(({ id, version }) => (fields === undefined ? cache.at(id, version) : undefined))
    const sizes = yield* recordSizes(
      session,
      parts,
      jobs.filter((_, position) => known[position] === undefined).map(({ key }) => key)
    )
    const taken = itemsOfPage(jobs.map(({ key }, position) => known[position]?.json.length ?? sizes.get(key) ?? 0))
    const rows = yield* recordRows(
      session,
      parts,
      jobs.slice(0, taken).flatMap(({ key }, position) => (known[position] === undefined ? [key] : []))
    )
    const records = jobs
      .slice(0, taken)
      .flatMap(({ id }, position): ReadonlyArray<{ readonly json: string } | string> => {
        const before = known[position]
        if (before !== undefined) return [before]
        const row = rows.get(id)
        if (row === undefined) return []
        const problem = JobRecord.unreadable(row, parts)
        if (problem !== undefined) return [`${id}: ${problem}`]
        if (fields !== undefined) return [{ json: renderedPart(row, fields, context.wire) }]
        const record = JobRecord.rendered(row, context.wire)
        cache.keep(id, row.version, record)
        return [record]
      })
    return { records, taken }
  })

type LiveRow = BenchmarkRow.BenchmarkRow & {
  readonly tenant: string
  readonly job_id: string
  readonly job_state: JobState
}

export const liveBenchmarks = (
  session: Session,
  after: { readonly jobId: string; readonly index: number } | undefined,
  limit: number
) => {
  const [where, params]: readonly [string, ReadonlyArray<Param>] =
    after === undefined
      ? ["", []]
      : ["AND j.id >= ? AND (j.id > ? OR b.idx > ?)", [after.jobId, after.jobId, after.index]]
  const text = `SELECT j.tenant, j.id AS job_id, j.state AS job_state, ${BenchmarkRow.selectedColumns("b")} FROM jobs j JOIN job_benchmarks b ON b.job_key = j.key
    WHERE j.state IN ('pending', 'running') AND b.state IN ('pending', 'running') ${where} ORDER BY j.id, b.idx LIMIT ?`
  return Effect.flatMap(session.query<LiveRow>(text, [...params, limit]), (rows) =>
    inSteps(
      rows,
      (row): LiveBenchmark => ({
        tenant: row.tenant,
        jobId: row.job_id,
        jobState: row.job_state,
        benchmark: BenchmarkRow.benchmarkOfRow(row)
      }),
      atOnce
    )
  )
}

/**
 * Pages of samples. The kinds that pass the filter say how many there are and which ranges of an index hold them; a page is a merge of
 * the beginnings of these ranges, whatever the filter and the order.
 */
import { Effect } from "effect"
import type {
  SamplePage,
  SampleScope,
  SampleUnit,
  StoredSample
} from "../../../application/ports/stores/sample-store.ts"
import { compareSamples, matchesKind, type SampleQuery } from "../../../domain/sample/sample-query.ts"
import { unpack } from "../../samples/chunks.ts"
import { marks, type Param, type Session } from "../connection/session.ts"
import { type KindRow, kindOf, type SampleRow, sampleOfRow, selected, sortColumns } from "./sample-rows.ts"

const kindsOf = (session: Session, { tenant, jobId, index }: SampleScope) =>
  session.query<KindRow>(
    `SELECT s.key AS set_key, s.idx, k.kind, k.verdict, k.reason, k.finish_reason, k.flags, k.stored
     FROM sample_sets s JOIN sample_kinds k ON k.set_key = s.key
     WHERE s.tenant = ? AND s.job_id = ? AND s.gone = 0${index === undefined ? "" : " AND s.idx = ?"} AND k.stored > 0`,
    [tenant, jobId, ...(index === undefined ? [] : [index])]
  )

/** ranges read by one statement: few numbers, so that there are few texts */
const batchSizes = [1, 2, 4, 8, 16, 32] as const
const largestBatch = 32

const batchSize = (wanted: number): number => batchSizes.find((size) => size >= wanted) ?? largestBatch

const read = (session: Session, ranges: ReadonlyArray<KindRow>, { sort, after, limit }: SampleQuery) => {
  const column = sortColumns[sort.by]
  const way = sort.descending ? "DESC" : "ASC"
  const beyond = after === undefined ? "" : ` AND (${column}, key) ${sort.descending ? "<" : ">"} (?, ?)`
  const one = `SELECT * FROM (SELECT ${selected} FROM sample_rows WHERE set_key = ? AND kind = ?${beyond} ORDER BY ${column} ${way}, key ${way} LIMIT ?) r`
  const position: ReadonlyArray<Param> = after === undefined ? [] : [after.value, after.row]
  const size = batchSize(ranges.length)
  const params = Array.from({ length: size }, (_, number): ReadonlyArray<Param> => {
    const range = ranges[number]
    return range === undefined ? [0, 0, ...position, 0] : [range.set_key, range.kind, ...position, limit + 1]
  })
  return session.query<SampleRow>(Array.from({ length: size }, () => one).join(" UNION ALL "), params.flat())
}

/** the first rows of all these ranges, in order, one more than the page holds */
const merged = (session: Session, ranges: ReadonlyArray<KindRow>, query: SampleQuery) =>
  Effect.gen(function* () {
    const byKind = new Map(ranges.map((range) => [`${range.set_key}/${range.kind}`, range]))
    const rangeOf = (row: SampleRow) => byKind.get(`${row.set_key}/${row.kind}`)
    const column = sortColumns[query.sort.by]
    const order = compareSamples(query.sort)
    const placed = (row: SampleRow) => ({
      row,
      position: { benchmark: rangeOf(row)?.idx ?? 0, value: row[column], row: Number(row.key) }
    })
    let best: ReadonlyArray<ReturnType<typeof placed>> = []
    for (let start = 0; start < ranges.length; start += largestBatch) {
      const rows = yield* read(session, ranges.slice(start, start + largestBatch), query)
      best = [...best, ...rows.map(placed)].sort(order).slice(0, query.limit + 1)
    }
    // only what is shown is worth its making
    return best.flatMap(({ row }): ReadonlyArray<StoredSample> => {
      const range = rangeOf(row)
      return range === undefined ? [] : [sampleOfRow(row, range.idx, kindOf(range), query.sort.by)]
    })
  })

/** one benchmark after the other, because their order comes first */
const byBenchmark = (session: Session, ranges: ReadonlyArray<KindRow>, query: SampleQuery) =>
  Effect.gen(function* () {
    const sign = query.sort.descending ? -1 : 1
    const benchmarks = [...new Set(ranges.map(({ idx }) => idx))].sort((a, b) => sign * (a - b))
    const found: Array<StoredSample> = []
    const { after, ...first } = query
    for (const benchmark of benchmarks) {
      const place = after === undefined ? 1 : sign * (benchmark - after.benchmark)
      if (place < 0) continue
      const own = ranges.filter(({ idx }) => idx === benchmark)
      found.push(
        ...(yield* merged(session, own, place === 0 ? query : { ...first, limit: query.limit - found.length }))
      )
      if (found.length > query.limit) break
    }
    return found
  })

export const pageSamples = (session: Session, scope: SampleScope, query: SampleQuery) =>
  Effect.gen(function* () {
    const ranges = (yield* kindsOf(session, scope)).filter((row) => matchesKind(kindOf(row), query.filter))
    const found = yield* query.sort.by === "index"
      ? byBenchmark(session, ranges, query)
      : merged(session, ranges, query)
    return {
      items: found.slice(0, query.limit),
      total: ranges.reduce((sum, { stored }) => sum + stored, 0),
      more: found.length > query.limit
    } satisfies SamplePage
  })

const rowNames = selected
  .split(", ")
  .map((name) => `r.${name}`)
  .join(", ")

export const findSample = (
  session: Session,
  unit: SampleUnit,
  key: { readonly sampleId: string; readonly repeat: number; readonly task?: string }
) =>
  Effect.map(
    // a look-up by name, whatever is known of the tables: joined, PostgreSQL read all rows of a kind until it had looked at them for the first time
    session.query<SampleRow & KindRow>(
      `SELECT ${rowNames}, k.verdict, k.reason, k.finish_reason, k.flags FROM (
         SELECT ${selected} FROM sample_rows
         WHERE set_key = (SELECT key FROM sample_sets WHERE tenant = ? AND job_id = ? AND idx = ? AND gone = 0)
         AND sample_id = ?${key.task === undefined ? "" : " AND task = ?"} AND repetition = ? ORDER BY task LIMIT 1) r
       JOIN sample_kinds k ON k.set_key = r.set_key AND k.kind = r.kind`,
      [unit.tenant, unit.jobId, unit.index, key.sampleId, ...(key.task === undefined ? [] : [key.task]), key.repeat]
    ),
    ([row]) => (row === undefined ? undefined : sampleOfRow(row, unit.index, kindOf(row), "index"))
  )

interface ChunkRow {
  readonly key: number | string
  readonly data: Buffer
}

/** chunks read by one statement */
const chunksAtOnce = 32

export const chunkRows = (session: Session, keys: ReadonlyArray<number>) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: Math.ceil(keys.length / chunksAtOnce) }, (_, part) =>
        keys.slice(part * chunksAtOnce, (part + 1) * chunksAtOnce)
      ),
      (some) =>
        session.query<ChunkRow>(`SELECT key, data FROM sample_chunks WHERE key IN (${marks(some.length)})`, some)
    ),
    (rows) => rows.flat()
  )

/** the texts of these samples, out of the chunks in which they lie */
export const textsIn = (rows: ReadonlyArray<ChunkRow>, samples: ReadonlyArray<StoredSample>) =>
  Effect.gen(function* () {
    const opened = yield* Effect.forEach(
      rows,
      ({ key, data }) => Effect.map(unpack(data), (bytes) => [Number(key), bytes] as const),
      { concurrency: 4 }
    )
    const chunks = new Map(opened)
    return samples.map(({ place: { chunk, start, length } }) =>
      chunks.get(chunk)?.toString("utf8", start, start + length)
    )
  })

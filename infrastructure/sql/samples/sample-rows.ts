/** A sample as a row, and back. */
import type { SampleUnit, StoredSample } from "../../../application/ports/stores/sample-store.ts"
import type { SampleReason, SampleVerdict } from "../../../domain/sample/sample.ts"
import { absent, type SampleKind, type SortMember, sortValue } from "../../../domain/sample/sample-query.ts"
import type { Slot } from "../../samples/division.ts"
import type { Taken } from "../../samples/prepare.ts"
import type { Dialect, Param } from "../connection/session.ts"

export interface KindRow {
  readonly set_key: number
  readonly idx: number
  readonly kind: number
  readonly verdict: SampleVerdict
  readonly reason: string
  readonly finish_reason: string
  readonly flags: string
  readonly stored: number
}

export type KindNames = Omit<KindRow, "set_key" | "idx" | "kind" | "stored">

export const kindOf = ({ verdict, reason, finish_reason, flags }: KindNames): SampleKind => ({
  verdict,
  flags: flags === "" ? [] : flags.split(","),
  ...(reason === "" ? {} : { reason: reason as SampleReason }),
  ...(finish_reason === "" ? {} : { finishReason: finish_reason })
})

export interface SampleRow {
  /** numbers beyond 32 bits arrive as text from PostgreSQL */
  readonly key: number | string
  readonly chunk: number | string
  readonly score: number
  readonly latency: number
  readonly set_key: number
  readonly kind: number
  readonly position: number
  readonly repetition: number
  readonly tokens: number
  readonly start: number
  readonly length: number
  readonly sample_id: string
  readonly task: string
  readonly cluster: string | null
  readonly digest: Buffer
}

export const selected =
  "key, chunk, score, latency, set_key, kind, position, repetition, tokens, start, length, sample_id, task, cluster, digest"

/** what an insert names, in the order of `insertedValues` */
export const inserted =
  "chunk, score, latency, set_key, kind, position, repetition, tokens, start, length, sample_id, task, cluster, digest, prompt"
export const insertedTypes = [
  "int8",
  "float8",
  "float8",
  "int",
  "int",
  "int",
  "int",
  "int",
  "int",
  "int",
  "text",
  "text",
  "text",
  "bytea",
  "text"
] as const

/** columns that a record in the place of another brings */
export const replacedAssignments =
  "chunk = ?, score = ?, latency = ?, kind = ?, position = ?, tokens = ?, start = ?, length = ?, cluster = ?, digest = ?, prompt = ?"

export const sortColumns = {
  index: "position",
  score: "score",
  tokens: "tokens",
  latency_ms: "latency"
} as const satisfies {
  readonly [Member in SortMember]: string
}

interface Written {
  readonly taken: Taken
  readonly slot: Slot
  readonly chunk: number
  readonly kind: number
}

/** bytes as a text where they come among a whole column of them: the driver would make it of a buffer, which is one object more for each record */
const digestOf = ({ digest }: Taken, dialect: Dialect): Param =>
  dialect === "pg" ? `\\x${digest}` : Buffer.from(digest, "hex")

const valuesOf = ({ sample, prompt }: Taken) => ({
  score: sortValue(sample, "score"),
  latency: sortValue(sample, "latency_ms"),
  tokens: sortValue(sample, "tokens"),
  cluster: sample.cluster ?? null,
  prompt: prompt ?? null
})

export const insertedValues = (
  setKey: number,
  { taken, slot, chunk, kind }: Written,
  dialect: Dialect
): ReadonlyArray<Param> => {
  const { sample } = taken
  const { score, latency, tokens, cluster, prompt } = valuesOf(taken)
  return [
    ...[chunk, score, latency, setKey, kind, sample.index, sample.repeat, tokens, slot.start, slot.length],
    ...[sample.sampleId, sample.task, cluster, digestOf(taken, dialect), prompt]
  ]
}

export const replacedValues = ({ taken, slot, chunk, kind }: Written): ReadonlyArray<Param> => {
  const { score, latency, tokens, cluster, prompt } = valuesOf(taken)
  return [
    chunk,
    score,
    latency,
    kind,
    taken.sample.index,
    tokens,
    slot.start,
    slot.length,
    cluster,
    Buffer.from(taken.digest, "hex"),
    prompt
  ]
}

/** `kind`: of the row's number in its set */
export const sampleOfRow = (
  row: SampleRow,
  benchmark: SampleUnit["index"],
  kind: SampleKind,
  by: SortMember
): StoredSample => {
  const sample = {
    sampleId: row.sample_id,
    task: row.task,
    repeat: row.repetition,
    index: row.position,
    ...kind,
    ...(row.score === absent.score ? {} : { score: row.score }),
    ...(row.tokens === absent.tokens ? {} : { completionTokens: row.tokens }),
    ...(row.latency === absent.latency ? {} : { latencyMillis: row.latency }),
    ...(row.cluster === null ? {} : { cluster: row.cluster })
  }
  return {
    ...sample,
    benchmark,
    digest: row.digest.toString("hex"),
    position: { benchmark, value: sortValue(sample, by), row: Number(row.key) },
    place: { chunk: Number(row.chunk), start: row.start, length: row.length }
  }
}

/** Records as they go from one thread to another: a column of each member, because a thousand objects take as long to hand over as to read. */
import type { Sample } from "../../../domain/sample/sample.ts"
import { defined } from "../../../values/defined.ts"
import type { ReadRecord } from "./line-reader.ts"

/** `verdict`, `reason`, `finishReason` and `flags`, of which the records of a call have few combinations */
type Kind = Pick<Sample, "verdict" | "reason" | "finishReason" | "flags">

/** numbers of a record, one after the other */
const numbers = ["repeat", "index", "score", "completionTokens", "latencyMillis"] as const

/** where a record lies, one after the other */
const places = ["begin", "end", "from", "to"] as const

/** bytes of a digest */
const digestBytes = 32

export interface Columns {
  readonly sampleIds: ReadonlyArray<string>
  readonly prompts: ReadonlyArray<string | undefined>
  readonly digests: Uint8Array
  /** NaN: absent */
  readonly numbers: Float64Array
  readonly places: Uint32Array
  readonly tasks: ReadonlyArray<string>
  readonly kinds: ReadonlyArray<Kind>
  /** of each record the number of its task, then of its kind */
  readonly named: Uint16Array
  /** members that few records need */
  readonly scores: ReadonlyMap<number, NonNullable<Sample["scores"]>>
  readonly clusters: ReadonlyMap<number, string>
}

/** the number of each value among those that are unlike, by a text of it */
const numbering = <A>() => {
  const all: Array<A> = []
  const known = new Map<string, number>()
  return {
    all,
    numberOf: (value: A, text: string): number => {
      const found = known.get(text)
      if (found !== undefined) return found
      known.set(text, all.length)
      return all.push(value) - 1
    }
  }
}

const kindIn = ({ verdict, reason, finishReason, flags }: ReadRecord["sample"]): Kind => ({
  verdict,
  flags,
  ...defined({ reason, finishReason })
})

export const columnsOf = (records: ReadonlyArray<ReadRecord>): Columns => {
  const tasks = numbering<string>()
  const kinds = numbering<Kind>()
  const digests = Buffer.from(new ArrayBuffer(records.length * digestBytes))
  const scores = new Map<number, NonNullable<Sample["scores"]>>()
  const clusters = new Map<number, string>()
  for (const [at, { sample, digest }] of records.entries()) {
    digests.write(digest, at * digestBytes, "hex")
    // whoever has a score needs no other
    if (sample.score === undefined && sample.scores !== undefined) scores.set(at, sample.scores)
    if (sample.cluster !== undefined) clusters.set(at, sample.cluster)
  }
  return {
    sampleIds: records.map(({ sample }) => sample.sampleId),
    prompts: records.map(({ prompt }) => prompt),
    digests,
    numbers: Float64Array.from(records.flatMap(({ sample }) => numbers.map((name) => sample[name] ?? Number.NaN))),
    places: Uint32Array.from(records.flatMap((record) => places.map((name) => record[name]))),
    named: Uint16Array.from(
      records.flatMap(({ sample }) => {
        const kind = kindIn(sample)
        return [tasks.numberOf(sample.task, sample.task), kinds.numberOf(kind, JSON.stringify(kind))]
      })
    ),
    tasks: tasks.all,
    kinds: kinds.all,
    scores,
    clusters
  }
}

const orAbsent = (value: number | undefined): number | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : value

/** the record of this number; scores beside a score of its own are left out */
export const recordAt = (columns: Columns, at: number): ReadRecord => {
  const [repeat = 0, index = 0, score, completionTokens, latencyMillis] = columns.numbers.subarray(
    at * numbers.length,
    (at + 1) * numbers.length
  )
  const [begin = 0, end = 0, from = 0, to = 0] = columns.places.subarray(at * places.length, (at + 1) * places.length)
  const [task = 0, kind = 0] = columns.named.subarray(2 * at, 2 * at + 2)
  const { buffer, byteOffset } = columns.digests
  const { verdict, flags, ...rest } = columns.kinds[kind] ?? { verdict: "error", flags: [] }
  return {
    sample: {
      sampleId: columns.sampleIds[at] ?? "",
      task: columns.tasks[task] ?? "",
      ...{ repeat, index, verdict, flags, ...rest },
      ...defined({
        score: orAbsent(score),
        scores: columns.scores.get(at),
        completionTokens: orAbsent(completionTokens),
        latencyMillis: orAbsent(latencyMillis),
        cluster: columns.clusters.get(at)
      })
    },
    digest: Buffer.from(buffer, byteOffset + at * digestBytes, digestBytes).toString("hex"),
    prompt: columns.prompts[at],
    ...{ begin, end, from, to }
  }
}

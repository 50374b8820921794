/**
 * Sample records that an ended unit left in its result folder and did not send: `samples/*.ndjson`, one record a line. Read in parts, and
 * never more than a sane adapter leaves. Reference: samples.md, "Upload"; adapter-contract.md, "Sample records".
 */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { wireSentence } from "../../../config/wire-names.ts"
import { readSample } from "../../../domain/sample/read-sample.ts"
import { limits, type Sample } from "../../../domain/sample/sample.ts"
import { defined } from "../../../values/defined.ts"
import { type GuardedFile, readGuarded, withGuarded } from "./guarded-file.ts"

export interface LeftFolders {
  readonly results: string
  readonly spool: string
}

export interface LeftBatch {
  readonly samples: ReadonlyArray<Sample>
  /** lines that are no records, and what is wrong with the first of them */
  readonly unreadable: number
  readonly reason?: string
}

const maxFiles = 1000
const partBytes = 1024 * 1024
/** written by adapters of ours: bytes of each file that the server has */
const uploadedMark = "samples-uploaded"

const orNone = <A>(reading: Promise<A>, none: A): Promise<A> =>
  reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return none
    throw error
  })

const uploadedBytes = async (spool: string): Promise<ReadonlyMap<string, unknown>> => {
  try {
    const text = await readGuarded(join(spool, uploadedMark), partBytes)
    return new Map(Object.entries(JSON.parse(text.toString("utf8")) as object))
  } catch {
    return new Map()
  }
}

const judge = (line: Buffer, number: number): { readonly sample?: Sample; readonly problem?: string } => {
  try {
    const { sample, problems } = readSample(JSON.parse(line.toString("utf8")), [number])
    return sample === undefined ? { problem: wireSentence(problems[0]?.message ?? "it is no record") } : { sample }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** whole lines of the file; what is longer than a line may be is given as `undefined` */
async function* linesOf({ size, read }: GuardedFile): AsyncGenerator<Buffer | undefined> {
  let rest: Buffer = Buffer.alloc(0)
  let tooLong = false
  for (let offset = 0; offset < size; offset += partBytes) {
    const part = await read(offset, Math.min(partBytes, size - offset))
    let from = 0
    for (let end = part.indexOf(10); end >= 0; end = part.indexOf(10, from)) {
      yield tooLong ? undefined : Buffer.concat([rest, part.subarray(from, end)])
      rest = Buffer.alloc(0)
      tooLong = false
      from = end + 1
    }
    tooLong ||= rest.length + part.length - from > limits.lineBytes
    rest = tooLong ? Buffer.alloc(0) : Buffer.concat([rest, part.subarray(from)])
  }
  if (rest.length > 0) yield rest
}

const batchLines = 500

async function* batchesOf(file: GuardedFile): AsyncGenerator<LeftBatch> {
  let samples: Array<Sample> = []
  let [number, unreadable] = [0, 0]
  let reason: string | undefined
  const take = (): LeftBatch => {
    const batch = { samples, unreadable, ...defined({ reason }) }
    samples = []
    unreadable = 0
    reason = undefined
    return batch
  }
  for await (const line of linesOf(file)) {
    const { sample, problem } = line === undefined ? { problem: "the line is too long" } : judge(line, number)
    if (sample !== undefined) samples.push(sample)
    else {
      unreadable += 1
      reason ??= `line ${number}: ${problem}`
    }
    number += 1
    if (samples.length >= batchLines) yield take()
  }
  if (samples.length > 0 || unreadable > 0) yield take()
}

const namesIn = async (results: string): Promise<ReadonlyArray<string>> =>
  (await orNone(readdir(join(results, "samples")), [])).filter((name) => name.endsWith(".ndjson")).sort()

/** of all files together, without the names that are no plain files */
export const leftBytes = async (results: string): Promise<number> => {
  let bytes = 0
  for (const name of await namesIn(results))
    await withGuarded(join(results, "samples", name), async ({ size }) => {
      bytes += size
    }).catch(() => undefined)
  return bytes
}

export const leftAny = async (results: string): Promise<boolean> => (await namesIn(results)).length > 0

/** what the unit left and the server does not have for sure, batch by batch; ends early when `signal` says so */
export const eachLeftBatch = async (
  { results, spool }: LeftFolders,
  use: (batch: LeftBatch) => Promise<void>,
  signal: AbortSignal
): Promise<void> => {
  const folder = join(results, "samples")
  const names = await namesIn(results)
  const uploaded = await uploadedBytes(spool)
  for (const name of names.slice(0, maxFiles)) {
    if (signal.aborted) return
    await withGuarded(join(folder, name), async (file) => {
      if (uploaded.get(name) === file.size) return
      for await (const batch of batchesOf(file)) {
        if (signal.aborted) return
        await use(batch)
      }
    }).catch((error: unknown) =>
      use({ samples: [], unreadable: 1, reason: error instanceof Error ? error.message : String(error) })
    )
  }
}

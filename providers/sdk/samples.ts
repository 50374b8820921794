/**
 * Per-sample records: `samples/<task>.ndjson` below the result folder, one JSON object a line. An interrupted run is continued from
 * what is there: finished samples are not asked again, a torn last line is cut off. Reference: adapter-contract.md, "Sample records".
 */
import { createHash } from "node:crypto"
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readdirSync, readSync, writeSync } from "node:fs"
import { join } from "node:path"
import { type Context, Effect, Option, Schema, type Scope } from "effect"
import { cutUtf8, oneLine } from "../../values/clean-text.ts"
import { parseJson } from "../../values/json.ts"
import { SampleRecord } from "../contract/sample-record.ts"
import { AdapterError } from "./adapter.ts"
import { isOrdered, type PlacedLine, writeInOrder } from "./sample-order.ts"
import { SampleSink } from "./sample-upload.ts"

export interface SampleOptions {
  /** `output_dir` of the job */
  readonly outputDir: string
  readonly task: string
  /** `samples` of the job; nothing is written or read without `write` */
  readonly write: boolean
  readonly includeText: boolean
  /** bytes after which a further file is begun; default 256 MiB */
  readonly maxFileBytes?: number
}

export interface SampleSummary {
  /** relative to the result folder; further files end in `-001`, `-002`, … */
  readonly path: string
  /** of all files, one after the other, in the order of the data set */
  readonly sha256: string
  readonly lines: number
}

export interface SampleWriter {
  /** the record of a sample that an earlier run finished (`correct`, `incorrect` or `invalid`) */
  readonly finished: (sampleId: string, repeat: number) => SampleRecord | undefined
  readonly write: (record: SampleRecord) => Effect.Effect<void, AdapterError>
  /** puts the records into their final order; none when nothing is written */
  readonly summary: Effect.Effect<Option.Option<SampleSummary>, AdapterError>
}

const maxFileBytes = 256 * 1024 * 1024
const maxLineBytes = 1024 * 1024
const maxTextBytes = 256 * 1024
const texts = ["prompt", "response", "reasoning", "reference", "choices"] as const

/** name of a task as a file name: lower case, `[a-z0-9._-]`, at most 40 characters, no leading dot */
export const slugOf = (task: string): string =>
  task
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, "-")
    .replace(/^\.+/, "")
    .slice(0, 40) || "task"

/** as the server takes them */
const maxFinishLength = 64
const maxCount = 2_147_483_647
const isTold = (value: unknown): boolean =>
  typeof value === "boolean" ||
  (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= maxCount)

/** endpoints make up names and figures as they like: what is none is left out, because the whole record would be refused for it */
const withoutNonsense = (record: SampleRecord): SampleRecord => {
  const { finish_reason: finish, tokens, ...rest } = record
  const name = oneLine((finish ?? "").slice(0, maxFinishLength))
  const told = Object.entries(tokens ?? {}).filter(([, value]) => isTold(value))
  return {
    ...rest,
    ...(told.length === 0 ? {} : { tokens: Object.fromEntries(told) }),
    ...(name === "" ? {} : { finish_reason: name })
  }
}

const cutMember = (value: unknown, bytes: number): unknown => {
  if (typeof value === "string") return cutUtf8(value, bytes)
  const text = JSON.stringify(value) ?? ""
  return Buffer.byteLength(text) <= bytes ? value : undefined
}

const cutTexts = (record: SampleRecord, bytes: number): SampleRecord => {
  const cut = texts.map((name) => [name, cutMember(record[name], bytes)] as const)
  if (cut.every(([name, value]) => value === record[name])) return record
  const kept = Object.fromEntries(
    Object.entries({ ...record, ...Object.fromEntries(cut), truncated: true }).filter(
      ([, value]) => value !== undefined
    )
  )
  return Schema.decodeUnknownSync(SampleRecord)(kept)
}

/** texts are cut to 256 KiB each, and further until the line holds */
const renderSample = (given: SampleRecord, includeText: boolean): string => {
  const record = withoutNonsense(given)
  const { prompt: _, response: __, reasoning: ___, reference: ____, choices: _____, ...plain } = record
  if (!includeText) return `${JSON.stringify(plain)}\n`
  for (let bytes = maxTextBytes; bytes >= 1024; bytes /= 4) {
    const line = `${JSON.stringify(cutTexts(record, bytes))}\n`
    if (Buffer.byteLength(line) <= maxLineBytes) return line
  }
  return `${JSON.stringify({ ...plain, truncated: true })}\n`
}

const chunkBytes = 1024 * 1024

/** every complete line with the offset behind it */
const scanLines = (file: number, onLine: (line: Buffer, end: number) => void): void => {
  const chunk = Buffer.alloc(chunkBytes)
  let rest = Buffer.alloc(0)
  let offset = 0
  for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
    const data = Buffer.concat([rest, chunk.subarray(0, read)])
    let from = 0
    for (let to = data.indexOf(10); to >= 0; to = data.indexOf(10, from)) {
      onLine(data.subarray(from, to), offset + to + 1)
      from = to + 1
    }
    offset += from
    rest = Buffer.from(data.subarray(from))
  }
}

const finishedVerdicts = new Set<string>(["correct", "incorrect", "invalid"])
const decodeRecord = Schema.decodeUnknownOption(SampleRecord)
const keyOf = (sampleId: string, repeat: number) => `${repeat}\0${sampleId}`

const nothingWritten: SampleWriter = {
  finished: () => undefined,
  write: () => Effect.void,
  summary: Effect.succeedNone
}

const failure = (cause: unknown) =>
  new AdapterError({
    code: "adapter_internal_error",
    message: `The per-sample records cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`,
    retryable: false
  })

/** opens or continues the records of a task; the files are closed with the scope */
export const openSamples = (options: SampleOptions): Effect.Effect<SampleWriter, AdapterError, Scope.Scope> =>
  options.write ? Effect.flatMap(SampleSink, (sink) => openFiles(options, sink)) : Effect.succeed(nothingWritten)

/** a line that is no record of ours stays behind all others */
const placeOf = (record: SampleRecord | undefined) =>
  record === undefined
    ? { index: Number.MAX_SAFE_INTEGER, repeat: 0, sampleId: "" }
    : { index: record.index, repeat: record.repeat, sampleId: record.sample_id }

/** each line of a file with its place, as a record where it is one of ours; a torn last line is cut off */
const readRecords = (
  path: string,
  onRecord: (record: SampleRecord | undefined, offset: number, bytes: number) => void
): void => {
  const opened = openSync(path, "r+")
  let end = 0
  scanLines(opened, (line, offset) => {
    const record = decodeRecord(parseJson(line.toString("utf8")))
    onRecord(Option.getOrUndefined(record), end, offset - end)
    end = offset
  })
  if (fstatSync(opened).size > end) ftruncateSync(opened, end)
  closeSync(opened)
}

/** of the files, one after the other */
const sha256Of = (paths: ReadonlyArray<string>): string => {
  const hash = createHash("sha256")
  for (const path of paths) {
    const opened = openSync(path, "r")
    const chunk = Buffer.alloc(chunkBytes)
    for (let read = readSync(opened, chunk); read > 0; read = readSync(opened, chunk))
      hash.update(chunk.subarray(0, read))
    closeSync(opened)
  }
  return hash.digest("hex")
}

const openFiles = (
  options: SampleOptions,
  sink: Context.Tag.Service<SampleSink>
): Effect.Effect<SampleWriter, AdapterError, Scope.Scope> => {
  const folder = join(options.outputDir, "samples")
  const slug = slugOf(options.task)
  const limit = options.maxFileBytes ?? maxFileBytes
  const fileName = (number: number) =>
    number === 0 ? `${slug}.ndjson` : `${slug}-${String(number).padStart(3, "0")}.ndjson`
  const finished = new Map<string, SampleRecord>()
  let lines: Array<PlacedLine> = []
  let last = 0
  let file = -1
  let size = 0

  const readExisting = (number: number) =>
    readRecords(join(folder, fileName(number)), (record, offset, bytes) => {
      lines.push({ ...placeOf(record), file: number, offset, bytes })
      if (record !== undefined && finishedVerdicts.has(record.verdict))
        finished.set(keyOf(record.sample_id, record.repeat), record)
    })

  const openNext = (number: number) => {
    if (file >= 0) closeSync(file)
    last = number
    file = openSync(join(folder, fileName(number)), "a", 0o600)
    size = fstatSync(file).size
  }

  const append = (record: SampleRecord) => {
    const line = Buffer.from(renderSample(record, options.includeText))
    if (size > 0 && size + line.length > limit) openNext(last + 1)
    writeSync(file, line)
    lines.push({ ...placeOf(record), file: last, offset: size, bytes: line.length })
    size += line.length
  }

  /** nothing is done where the answers came in order, as those of frameworks do */
  const reorder = () => {
    if (isOrdered(lines)) return
    closeSync(file)
    const count = writeInOrder(lines, { folder, fileName, count: last + 1, limit })
    file = -1
    lines = []
    for (let number = 0; number < count; number++) readExisting(number)
    openNext(count - 1)
  }

  const summarise = (): SampleSummary => {
    const paths = Array.from({ length: last + 1 }, (_, number) => join(folder, fileName(number)))
    return { path: `samples/${fileName(0)}`, sha256: sha256Of(paths), lines: lines.length }
  }

  const open = Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true })
      const present = new Set(readdirSync(folder))
      let number = 0
      for (; present.has(fileName(number)); number++) readExisting(number)
      openNext(Math.max(0, number - 1))
    },
    catch: failure
  })
  const close = Effect.sync(() => closeSync(file))
  return Effect.acquireRelease(open, () => close).pipe(
    Effect.as({
      finished: (sampleId, repeat) => finished.get(keyOf(sampleId, repeat)),
      write: (record) => Effect.zipLeft(Effect.try({ try: () => append(record), catch: failure }), sink.written),
      summary: Effect.zipRight(
        sink.reordered(Effect.try({ try: reorder, catch: failure })),
        Effect.try({ try: () => Option.some(summarise()), catch: failure })
      )
    } satisfies SampleWriter)
  )
}

/**
 * Reads a captured log for the API: the last lines, those since a time, with receive times, and live while the unit runs. Colours and
 * other terminal codes are taken out here; the file keeps them. Reference: adapter-contract.md, "Local processes"; api.md, "Logs".
 */
import { readdir } from "node:fs/promises"
import { basename } from "node:path"
import { Chunk, Effect, Option, Stream } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import type { LogQuery } from "../../../application/ports/runtime.ts"
import { maxLineBytes } from "../../unit/log-lines.ts"
import { stripTerminalCodes } from "../../unit/terminal-codes.ts"
import { unusableMachine } from "../system-failure.ts"
import { type GuardedFile, NotPlain, readGuarded, withGuarded } from "./guarded-file.ts"
import { droppedBytes, type LogSegment, segmentsOf, timeEntryBytes } from "./log-store.ts"
import type { LogWatch } from "./log-watch.ts"

const blockBytes = 64 * 1024
const newline = 10

/** a follower that was woken reads what comes within this time at once */
const gather = "50 millis"

/** what is read at once, more than any line that was captured; a file with a longer one was not written by the capture */
const mostLineBytes = 16 * maxLineBytes

/** as many receive times as a log of the default size can have */
const mostTimesBytes = 32 * 1024 * 1024

/** how far back the last lines are searched in one segment */
const mostTailBytes = 1024 * 1024 * 1024

/** an offset behind everything: nothing more is read of this segment */
const behind = Number.MAX_SAFE_INTEGER

interface Position {
  /** segment number */
  readonly segment: number
  readonly offset: number
}

const later = (a: Position, b: Position): Position =>
  a.segment > b.segment || (a.segment === b.segment && a.offset >= b.offset) ? a : b

const isGone = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")

const segmentsIn = async (directory: string): Promise<ReadonlyArray<LogSegment>> => {
  const names = await readdir(directory).catch((error: unknown) => {
    if (isGone(error)) return []
    throw error
  })
  return segmentsOf(directory, names)
}

/** `otherwise` for what was removed meanwhile, or is no file of the capture */
const inSegment = <A>(segment: LogSegment, use: (file: GuardedFile) => Promise<A>, otherwise: A): Promise<A> =>
  withGuarded(segment.path, use).catch((error: unknown) => {
    if (isGone(error) || error instanceof NotPlain) return otherwise
    throw error
  })

/** pairs of time and offset, in order; none where they can not be read */
const timesOf = async (segment: LogSegment): Promise<Float64Array> => {
  const bytes = await readGuarded(segment.timesPath, mostTimesBytes).catch(() => Buffer.alloc(0))
  const whole = bytes.length - (bytes.length % timeEntryBytes)
  return new Float64Array(Uint8Array.from(bytes.subarray(0, whole)).buffer)
}

/** where the last `lines` lines of this segment begin, and how many it has of them */
const tailOf = async (
  { size, read }: GuardedFile,
  lines: number
): Promise<{ readonly offset: number; readonly found: number }> => {
  let found = 0
  const first = Math.max(0, size - mostTailBytes)
  for (let end = size; end > first; ) {
    const start = Math.max(first, end - blockBytes)
    const block = await read(start, end - start)
    for (let at = block.length - 1; at >= 0; at--) {
      // the newline that ends the last line begins no line behind it
      if (block[at] !== newline || start + at === size - 1) continue
      found += 1
      if (found === lines) return { offset: start + at + 1, found }
    }
    end = start
  }
  return { offset: first, found: size === 0 ? 0 : found + 1 }
}

const tailStart = async (segments: ReadonlyArray<LogSegment>, lines: number | undefined): Promise<Position> => {
  let start: Position = { segment: segments[0]?.number ?? 0, offset: 0 }
  if (lines === undefined) return start
  let wanted = lines
  for (const segment of segments.toReversed()) {
    const { offset, found } = await inSegment(segment, (file) => tailOf(file, wanted), { offset: 0, found: 0 })
    start = { segment: segment.number, offset }
    wanted -= found
    if (wanted <= 0) break
  }
  return start
}

const sinceStart = async (segments: ReadonlyArray<LogSegment>, since: number): Promise<Position> => {
  for (const segment of segments) {
    const times = await timesOf(segment)
    for (let at = 0; at + 1 < times.length; at += 2)
      if ((times[at] ?? 0) >= since) return { segment: segment.number, offset: times[at + 1] ?? 0 }
  }
  const last = segments.at(-1)
  return last === undefined
    ? { segment: 0, offset: 0 }
    : { segment: last.number, offset: await inSegment(last, async ({ size }) => size, behind) }
}

/** receive times of a segment as far as its text was read, so that neither is read twice */
interface Times {
  readonly segment: number
  /** bytes of the index that were read */
  readonly read: number
  /** pairs of time and offset, in order, from the one that holds where the text goes on */
  readonly known: ReadonlyArray<number>
}

/** the times that hold from `from` to `to`, read on from where they were read last; what can not be read has none */
const timesOver = async (segment: LogSegment, last: Times | undefined, from: number, to: number): Promise<Times> => {
  const before = last?.segment === segment.number ? last : { read: 0, known: [] }
  let at = before.read
  const known = [...before.known]
  /** those that another one has replaced by `from` */
  const forget = () => {
    let past = 0
    while ((known[past + 3] ?? Number.POSITIVE_INFINITY) <= from) past += 2
    known.splice(0, past)
  }
  const readOn = async ({ read }: GuardedFile) => {
    // an entry behind the text says that none before it is missing
    while ((known.at(-1) ?? -1) <= to && at < mostTimesBytes) {
      const bytes = await read(at, blockBytes)
      const whole = bytes.length - (bytes.length % timeEntryBytes)
      if (whole === 0) return
      at += whole
      for (let entry = 0; entry < whole; entry += timeEntryBytes) {
        const offset = bytes.readDoubleLE(entry + 8)
        // another order was not written by the capture
        if (offset > (known.at(-1) ?? -1)) known.push(bytes.readDoubleLE(entry), offset)
      }
      forget()
    }
  }
  await withGuarded(segment.timesPath, readOn).catch(() => undefined)
  forget()
  return { segment: segment.number, read: at, known }
}

/** complete lines of a block with the time of each in front */
const stamped = (text: Buffer, offset: number, times: ReadonlyArray<number>): string => {
  let entry = 0
  let start = 0
  let out = ""
  while (start < text.length) {
    const found = text.indexOf(newline, start)
    const end = found < 0 ? text.length : found + 1
    while ((times[entry + 3] ?? Number.POSITIVE_INFINITY) <= offset + start) entry += 2
    out += `${new Date(times[entry] ?? 0).toISOString()} ${text.toString("utf8", start, end)}`
    start = end
  }
  return out
}

/** about a block of complete lines, more when a single line is longer; empty when there is none yet */
const linesAt = async ({ size, read }: GuardedFile, offset: number): Promise<Buffer> => {
  if (offset >= size) return Buffer.alloc(0)
  for (let length = blockBytes; ; length *= 2) {
    const block = await read(offset, length)
    const end = block.lastIndexOf(newline) + 1
    if (end > 0 || block.length < length) return block.subarray(0, end)
    if (length >= mostLineBytes) return block
  }
}

interface Piece {
  readonly text: string
  readonly next: Position
  readonly times?: Times
}

const leftOut = async (directory: string, from: number, to: number): Promise<string> =>
  to > from + 1 ? `…[${await droppedBytes(directory)} bytes left out here]\n` : ""

/** the next complete lines from this position; undefined when there are none now. `timestamps`: with the times of the piece before, if there is one */
const readFrom = async (
  directory: string,
  position: Position,
  timestamps: false | { readonly last: Times | undefined }
): Promise<Piece | undefined> => {
  let mark = ""
  let from = position
  for (const segment of (await segmentsIn(directory)).filter(({ number }) => number >= position.segment)) {
    const { number } = segment
    if (number > from.segment) {
      mark += await leftOut(directory, from.segment, number)
      from = { segment: number, offset: 0 }
    }
    if (from.offset === behind) continue
    const lines = await inSegment(segment, (file) => linesAt(file, from.offset), undefined)
    if (lines === undefined) {
      return {
        text: `${mark}…[${basename(segment.path)} is not a regular file and is not shown]\n`,
        next: { segment: number, offset: behind }
      }
    }
    if (lines.length === 0) continue // a segment gets no more lines once its successor exists
    const next = { segment: number, offset: from.offset + lines.length }
    const times = timestamps && (await timesOver(segment, timestamps.last, from.offset, next.offset))
    const text = times === false ? lines.toString("utf8") : stamped(lines, from.offset, times.known)
    return { text: mark + stripTerminalCodes(text), next, ...(times === false ? {} : { times }) }
  }
  return undefined
}

/** true when anything was captured here */
export const hasLog = async (directory: string): Promise<boolean> => (await segmentsIn(directory)).length > 0

/** the last lines as they are shown in an error message */
export const lastLines = async (directory: string, count: number): Promise<ReadonlyArray<string>> => {
  const segments = await segmentsIn(directory)
  let position: Position | undefined = segments.length === 0 ? undefined : await tailStart(segments, count)
  let lines: ReadonlyArray<string> = []
  let rest = ""
  while (position !== undefined) {
    const piece = await readFrom(directory, position, false)
    const parts: ReadonlyArray<string> = `${rest}${piece?.text ?? ""}`.split("\n")
    rest = parts.at(-1) ?? ""
    lines = [...lines, ...parts.slice(0, -1)].slice(-count)
    position = piece?.next
  }
  return lines
}

/** reads of a log; fails where the disk does */
export const fromFiles = <A>(run: () => Promise<A>): Effect.Effect<A, Unavailable> =>
  Effect.tryPromise({ try: run, catch: unusableMachine("read a log") })

/** where a reader stands */
interface Place {
  readonly position: Position
  readonly times: Times | undefined
}

export interface CapturedLog {
  readonly directory: string
  /** whether the unit may still write */
  readonly isLive: () => boolean
  readonly watch: LogWatch
}

/** The log as UTF-8 pieces. `now` in milliseconds gives `sinceSeconds` its meaning; with `follow` the stream goes on until the unit is not live. */
export const readLog = (
  { directory, isLive, watch }: CapturedLog,
  query: LogQuery,
  now: number
): Stream.Stream<Uint8Array, Unavailable> =>
  Effect.gen(function* () {
    const followed = query.follow ? yield* watch.follow(directory, isLive) : undefined
    const start = yield* fromFiles(async () => {
      const segments = await segmentsIn(directory)
      const tail = await tailStart(segments, query.tailLines)
      return query.sinceSeconds === undefined
        ? tail
        : later(tail, await sinceStart(segments, now - query.sinceSeconds * 1000))
    })
    const step = ({
      position,
      times
    }: Place): Effect.Effect<Option.Option<readonly [Chunk.Chunk<Uint8Array>, Place]>, Unavailable> =>
      Effect.gen(function* () {
        // both asked before reading, so that what a dying unit wrote last is not missed
        const version = followed?.version() ?? 0
        const live = followed !== undefined && isLive()
        const piece = yield* fromFiles(() => readFrom(directory, position, query.timestamps && { last: times }))
        if (piece !== undefined)
          return Option.some([
            Chunk.of(new TextEncoder().encode(piece.text)),
            { position: piece.next, times: piece.times }
          ] as const)
        if (!live) return Option.none()
        yield* Effect.zipRight(followed.changedSince(version), Effect.sleep(gather))
        return Option.some([Chunk.empty<Uint8Array>(), { position, times }] as const)
      })
    return Stream.unfoldChunkEffect({ position: start, times: undefined }, step)
  }).pipe(Stream.unwrapScoped)

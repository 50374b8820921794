/**
 * Reads a captured log for the API: the last lines, those since a time, with receive times, and live while the unit runs. Colours and
 * other terminal codes are taken out here; the file keeps them. Contract: adapter 8; decisions 3, "Logs API".
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs"
import { Chunk, Effect, Option, Stream } from "effect"
import type { LogQuery } from "../../application/ports/runtime.ts"
import { stripTerminalCodes } from "../unit/terminal-codes.ts"
import { droppedBytes, type LogSegment, segmentsIn, timeEntryBytes } from "./log-store.ts"

const blockBytes = 64 * 1024
const newline = 10
const pollEvery = "200 millis"

interface Position {
  /** segment number */
  readonly segment: number
  readonly offset: number
}

const later = (a: Position, b: Position): Position => (a.segment > b.segment || (a.segment === b.segment && a.offset >= b.offset) ? a : b)

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

const readAt = (path: string, offset: number, length: number): Buffer => {
  const buffer = Buffer.allocUnsafe(length)
  const file = openSync(path, "r")
  try {
    return buffer.subarray(0, readSync(file, buffer, 0, length, offset))
  } finally {
    closeSync(file)
  }
}

/** pairs of time and offset, in order */
const timesOf = (segment: LogSegment): Float64Array => {
  try {
    const bytes = readFileSync(segment.timesPath)
    const whole = bytes.length - (bytes.length % timeEntryBytes)
    return new Float64Array(Uint8Array.from(bytes.subarray(0, whole)).buffer)
  } catch {
    return new Float64Array()
  }
}

/** where the last `lines` lines of this segment begin, and how many it has of them */
const tailOf = (segment: LogSegment, lines: number): { readonly offset: number; readonly found: number } => {
  let found = 0
  const file = openSync(segment.path, "r")
  try {
    const size = fstatSync(file).size
    const buffer = Buffer.allocUnsafe(blockBytes)
    for (let end = size; end > 0; ) {
      const start = Math.max(0, end - blockBytes)
      const block = buffer.subarray(0, readSync(file, buffer, 0, end - start, start))
      for (let at = block.length - 1; at >= 0; at--) {
        // the newline that ends the last line begins no line behind it
        if (block[at] !== newline || start + at === size - 1) continue
        found += 1
        if (found === lines) return { offset: start + at + 1, found }
      }
      end = start
    }
    return { offset: 0, found: size === 0 ? 0 : found + 1 }
  } finally {
    closeSync(file)
  }
}

const tailStart = (segments: ReadonlyArray<LogSegment>, lines: number): Position => {
  let wanted = lines
  let start: Position = { segment: segments[0]?.number ?? 0, offset: 0 }
  for (const segment of segments.toReversed()) {
    const { offset, found } = tailOf(segment, wanted)
    start = { segment: segment.number, offset }
    wanted -= found
    if (wanted <= 0) break
  }
  return start
}

const sinceStart = (segments: ReadonlyArray<LogSegment>, since: number): Position => {
  for (const segment of segments) {
    const times = timesOf(segment)
    for (let at = 0; at + 1 < times.length; at += 2) if ((times[at] ?? 0) >= since) return { segment: segment.number, offset: times[at + 1] ?? 0 }
  }
  const last = segments.at(-1)
  return last === undefined ? { segment: 0, offset: 0 } : { segment: last.number, offset: sizeOf(last.path) }
}

/** complete lines of a block with the time of each in front */
const stamped = (text: Buffer, offset: number, times: Float64Array): string => {
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
const linesAt = (path: string, offset: number): Buffer => {
  for (let length = blockBytes; ; length *= 2) {
    const block = readAt(path, offset, length)
    const end = block.lastIndexOf(newline) + 1
    if (end > 0 || block.length < length) return block.subarray(0, end)
  }
}

interface Piece {
  readonly text: string
  readonly next: Position
}

const leftOut = (directory: string, from: number, to: number): string => (to > from + 1 ? `…[${droppedBytes(directory)} bytes left out here]\n` : "")

/** the next complete lines from this position; undefined when there are none now */
const readFrom = (directory: string, position: Position, timestamps: boolean): Piece | undefined => {
  const segments = segmentsIn(directory)
  let mark = ""
  let from = position
  for (const segment of segments.filter(({ number }) => number >= position.segment)) {
    if (segment.number > from.segment) {
      mark += leftOut(directory, from.segment, segment.number)
      from = { segment: segment.number, offset: 0 }
    }
    const lines = linesAt(segment.path, from.offset)
    if (lines.length === 0) continue // a segment gets no more lines once its successor exists
    const text = timestamps ? stamped(lines, from.offset, timesOf(segment)) : lines.toString("utf8")
    return { text: mark + stripTerminalCodes(text), next: { segment: segment.number, offset: from.offset + lines.length } }
  }
  return undefined
}

/** true when anything was captured here */
export const hasLog = (directory: string): boolean => segmentsIn(directory).length > 0

/** the last lines as they are shown in an error message */
export const lastLines = (directory: string, count: number): ReadonlyArray<string> => {
  const segments = segmentsIn(directory)
  let position: Position | undefined = segments.length === 0 ? undefined : tailStart(segments, count)
  let text = ""
  while (position !== undefined) {
    const piece = readFrom(directory, position, false)
    text += piece?.text ?? ""
    position = piece?.next
  }
  return text.split("\n").slice(0, -1).slice(-count)
}

/**
 * The log as UTF-8 pieces. `now` in milliseconds gives `sinceSeconds` its meaning; `isLive` says whether the unit may still write:
 * with `follow` the stream goes on until it does not.
 */
export const readLog = (directory: string, query: LogQuery, now: number, isLive: () => boolean): Stream.Stream<Uint8Array> => {
  const start = Effect.sync(() => {
    const segments = segmentsIn(directory)
    const tail = tailStart(segments, query.tailLines)
    return query.sinceSeconds === undefined ? tail : later(tail, sinceStart(segments, now - query.sinceSeconds * 1000))
  })
  const step = (position: Position): Effect.Effect<Option.Option<readonly [Chunk.Chunk<Uint8Array>, Position]>> =>
    Effect.suspend(() => {
      // asked before reading, so that what a dying unit wrote last is not missed
      const live = query.follow && isLive()
      const piece = readFrom(directory, position, query.timestamps)
      if (piece !== undefined) return Effect.succeed(Option.some([Chunk.of(new TextEncoder().encode(piece.text)), piece.next] as const))
      if (!live) return Effect.succeedNone
      return Effect.as(Effect.sleep(pollEvery), Option.some([Chunk.empty<Uint8Array>(), position] as const))
    })
  return Stream.unwrap(Effect.map(start, (position) => Stream.unfoldChunkEffect(position, step)))
}

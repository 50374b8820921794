/**
 * A captured log on disk: the head (`jobrun.log`) and a ring of numbered segments (`jobrun.log.1`, …) of which only the newest are
 * kept, each with a side index of receive times. Together they never take more than the limit. Reference: adapter-contract.md, "Local processes".
 */
import { closeSync, fstatSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { openToAppend, readGuarded, writePrivate } from "./guarded-file.ts"
import { namesIn } from "./unit-directory.ts"

const logName = "jobrun.log"

/** bytes of one entry of the time index: milliseconds since the epoch and offset in the segment, both as doubles */
export const timeEntryBytes = 16

/** times closer together than this share an entry */
const timeGrain = 10

export interface LogSegment {
  /** 0 is the head */
  readonly number: number
  readonly path: string
  readonly timesPath: string
}

const segmentAt = (directory: string, number: number): LogSegment => {
  const path = join(directory, number === 0 ? logName : `${logName}.${number}`)
  return { number, path, timesPath: `${path}.times` }
}

/** the segments among the names of this directory, head first */
export const segmentsOf = (directory: string, names: ReadonlyArray<string>): ReadonlyArray<LogSegment> =>
  names
    .flatMap((name) =>
      name === logName ? [0] : /^jobrun\.log\.\d+$/.test(name) ? [Number(name.slice(logName.length + 1))] : []
    )
    .toSorted((a, b) => a - b)
    .map((number) => segmentAt(directory, number))

/** the segments that exist now, head first */
export const segmentsIn = (directory: string): ReadonlyArray<LogSegment> => segmentsOf(directory, namesIn(directory))

const droppedPath = (directory: string) => join(directory, `${logName}.dropped`)

/** bytes that were left out between the head and the oldest kept segment */
export const droppedBytes = (directory: string): Promise<number> =>
  readGuarded(droppedPath(directory), 32).then(
    (text) => Number(text.toString("latin1")) || 0,
    () => 0
  )

export interface LogWriter {
  /** whole lines; never fails: what can not be written is left out and noted at the end */
  readonly write: (lines: string) => void
  readonly close: () => void
}

const headShare = 1 / 8
const ringSegments = 7

/** continues the log when an earlier attempt left one, which had left out `dropped` bytes; `now` in milliseconds */
export const openLog = (directory: string, maxBytes: number, now: () => number, dropped = 0): LogWriter => {
  const segmentBytes = Math.max(4096, Math.floor(maxBytes * headShare))
  let number = segmentsIn(directory).at(-1)?.number ?? 0
  let size = 0
  let lost = 0
  let leftOut = dropped
  let lastTime = Number.NEGATIVE_INFINITY
  let text = -1
  let times = -1
  /** sizes of full segments, for the count of what is left out */
  const written = new Map<number, number>()
  const open = () => {
    const segment = segmentAt(directory, number)
    text = openToAppend(segment.path)
    times = openToAppend(segment.timesPath)
    size = fstatSync(text).size
    lastTime = Number.NEGATIVE_INFINITY
  }
  const close = () => {
    for (const file of [text, times]) if (file >= 0) closeSync(file)
    text = -1
    times = -1
  }
  const rotate = () => {
    written.set(number, size)
    close()
    number += 1
    const oldest = number - ringSegments
    if (oldest >= 1) {
      const { path, timesPath } = segmentAt(directory, oldest)
      for (const file of [path, timesPath]) rmSync(file, { force: true })
      leftOut += written.get(oldest) ?? segmentBytes
      writePrivate(droppedPath(directory), String(leftOut))
      written.delete(oldest)
    }
    open()
  }
  open()
  return {
    write: (lines) => {
      if (lines === "") return
      const bytes = Buffer.from(lines)
      try {
        if (size > 0 && size + bytes.length > segmentBytes) rotate()
        const at = now()
        if (at - lastTime >= timeGrain) {
          const entry = Buffer.alloc(timeEntryBytes)
          entry.writeDoubleLE(at, 0)
          entry.writeDoubleLE(size, 8)
          writeSync(times, entry)
          lastTime = at
        }
        size += writeSync(text, bytes)
      } catch {
        lost += bytes.length
      }
    },
    close: () => {
      try {
        if (lost > 0 && text >= 0)
          writeSync(text, `[evald: ${lost} bytes of output could not be written, the disk may be full]\n`)
        close()
      } catch {
        // a full disk must not stop the end of a unit
      }
    }
  }
}

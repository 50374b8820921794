/** Sample files of a run as they grow: `samples/*.ndjson` below the result folder, read on from where the last look ended. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs"
import { join } from "node:path"

export interface Batch {
  /** whole lines, each with its end */
  readonly body: Buffer
  readonly lines: number
  /** name of the file, and the first byte after the batch */
  readonly file: string
  readonly end: number
}

/** what a call may hold, with room for what a receiver counts differently */
const maxBytes = 3.5 * 1024 * 1024
const maxLines = 1000

/** end of the last line that belongs to the batch, and how many there are */
const cut = (bytes: Buffer): { readonly end: number; readonly lines: number } => {
  let end = 0
  let lines = 0
  for (let found = bytes.indexOf(10); found >= 0 && lines < maxLines; found = bytes.indexOf(10, end)) {
    end = found + 1
    lines++
  }
  return { end, lines }
}

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".ndjson"))
      .sort()
  } catch {
    return []
  }
}

const readFrom = (path: string, offset: number): Buffer | undefined => {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    if (fstatSync(file).size <= offset) return undefined
    const bytes = Buffer.alloc(Math.min(maxBytes, fstatSync(file).size - offset))
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, offset))
  } finally {
    closeSync(file)
  }
}

export const makeSampleFiles = (results: string) => {
  const folder = join(results, "samples")
  const done = new Map<string, number>()
  return {
    /** the next lines that were not taken yet; undefined when there are none */
    next: (): Batch | undefined => {
      for (const file of namesIn(folder)) {
        const offset = done.get(file) ?? 0
        const bytes = readFrom(join(folder, file), offset)
        const { end, lines } = bytes === undefined ? { end: 0, lines: 0 } : cut(bytes)
        if (bytes !== undefined && lines > 0) return { body: bytes.subarray(0, end), lines, file, end: offset + end }
      }
      return undefined
    },
    take: ({ file, end }: Batch): void => {
      done.set(file, end)
    },
    /** bytes taken, by file */
    taken: (): { readonly [file: string]: number } => Object.fromEntries(done),
    /** the files were written anew with the same lines: those that were taken need not be taken again */
    rewritten: (): void => {
      for (const file of namesIn(folder)) done.set(file, readLength(join(folder, file)))
    }
  }
}

const readLength = (path: string): number => {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  const { size } = fstatSync(file)
  closeSync(file)
  return size
}

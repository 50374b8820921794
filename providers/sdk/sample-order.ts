/**
 * The final order of sample files: by position in the data set and repeat, whatever the order in which the answers came, so that their
 * published digest says what was asked and answered, not who was faster. Reference: adapter-contract.md, "Sample records".
 */
import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"

/** a line of a file, and what it is ordered by */
export interface PlacedLine {
  readonly index: number
  readonly repeat: number
  readonly sampleId: string
  /** number of the file */
  readonly file: number
  readonly offset: number
  readonly bytes: number
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const compare = (a: PlacedLine, b: PlacedLine): number =>
  a.index - b.index || a.repeat - b.repeat || compareTexts(a.sampleId, b.sampleId)

export const isOrdered = (lines: ReadonlyArray<PlacedLine>): boolean =>
  lines.every((line, at) => at === 0 || compare(lines[at - 1] ?? line, line) <= 0)

export interface FilesInOrder {
  readonly folder: string
  /** by number, from 0 */
  readonly fileName: (number: number) => string
  /** files there are */
  readonly count: number
  /** bytes after which a further file is begun */
  readonly limit: number
}

/** writes the files anew; each appears whole. Answers how many there are then. */
export const writeInOrder = (
  lines: ReadonlyArray<PlacedLine>,
  { folder, fileName, count, limit }: FilesInOrder
): number => {
  const sources = Array.from({ length: count }, (_, number) => openSync(join(folder, fileName(number)), "r"))
  const temporary = (number: number) => join(folder, `${fileName(number)}.tmp`)
  let number = 0
  let target = openSync(temporary(0), "w", 0o600)
  let size = 0
  for (const { file, offset, bytes } of lines.toSorted(compare)) {
    if (size > 0 && size + bytes > limit) {
      closeSync(target)
      number += 1
      size = 0
      target = openSync(temporary(number), "w", 0o600)
    }
    const line = Buffer.alloc(bytes)
    readSync(sources[file] ?? 0, line, 0, bytes, offset)
    writeSync(target, line)
    size += bytes
  }
  for (const open of [target, ...sources]) closeSync(open)
  for (let done = 0; done <= number; done++) renameSync(temporary(done), join(folder, fileName(done)))
  for (let rest = number + 1; rest < count; rest++) rmSync(join(folder, fileName(rest)), { force: true })
  return number + 1
}

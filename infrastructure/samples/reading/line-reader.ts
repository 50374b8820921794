/**
 * The lines of a call, read one after the other: what is wrong with them, and of each that is a record what is kept of it. The same in the thread that serves
 * and in one of its own. A record's document is gone when the next line is read: a thousand of them at once would cost more to collect than
 * to read. Reference: samples.md, "Upload", "Members".
 */
import { isUtf8 } from "node:buffer"
import { Either } from "effect"
import type { ReadLines, ReadOptions } from "../../../application/ports/stores/sample-store.ts"
import { readSample } from "../../../domain/sample/read-sample.ts"
import { limits, type Sample } from "../../../domain/sample/sample.ts"
import { type Violation, violation } from "../../../domain/violation.ts"
import { scan } from "../../../values/json-text/json-scan.ts"
import { readJson } from "../../../values/json-text/read-json.ts"
import { keptText, promptOf, recordText } from "../record-text.ts"
import type { Place, TextRoom } from "../text-room.ts"

/** a record that was read; its text lies in the room where it was written */
export interface ReadRecord extends Place {
  readonly sample: Omit<Sample, "document">
  readonly digest: string
  readonly prompt: string | undefined
  /** the line in the body, in bytes */
  readonly begin: number
  readonly end: number
}

/** as `ReadLines`, with the records as they were read */
export type Reading =
  | Exclude<ReadLines, { readonly _tag: "Read" }>
  | {
      readonly _tag: "Read"
      readonly records: ReadonlyArray<ReadRecord>
      readonly unknown: ReadonlyArray<string>
    }

export interface LineReader {
  /** reads one line more; undefined: there is more to be read */
  readonly next: () => Reading | undefined
}

/** begin and end of every line, blank ones at the end left out */
const linesOf = (bytes: Buffer): ReadonlyArray<readonly [begin: number, end: number]> => {
  const lines: Array<readonly [number, number]> = []
  for (let begin = 0; begin < bytes.length; ) {
    const found = bytes.indexOf(10, begin)
    const end = found < 0 ? bytes.length : found
    lines.push([begin, end])
    begin = end + 1
  }
  return lines
}

const shape = { depth: 64, values: 100_000, nameBytes: 1024, namesBytes: 2_097_152 }

const excesses = { depth: "levels", values: "values", nameBytes: "bytes in a name", namesBytes: "bytes in all names" }

const tooLarge = (message: string): Reading => ({ _tag: "Refused", code: "request_body_too_large", message })

const wrong = (first: Violation, ...rest: ReadonlyArray<Violation>): Reading => ({
  _tag: "Wrong",
  problems: [first, ...rest]
})

/** what can be told of the body as a whole */
const refusalOf = (body: Buffer, lines: number): Reading | undefined => {
  if (!isUtf8(body)) return { _tag: "Refused", code: "invalid_json_request", message: "the body is not UTF-8" }
  if (lines > limits.callLines)
    return tooLarge(`the body has ${lines} lines; send at most ${limits.callLines} in one call`)
  return lines === 0
    ? wrong(violation([], "the body has no line; send one record a line", "invalid_json_request"))
    : undefined
}

/** the value of a line, or what is wrong with it as JSON */
const parsed = (line: Buffer): { readonly value: unknown } | { readonly problem: string } => {
  const { excess } = scan(line, shape)
  if (excess !== undefined) return { problem: `has more than ${shape[excess]} ${excesses[excess]}` }
  const value = readJson(line.toString("utf8"))
  return Either.isRight(value) ? { value: value.right } : { problem: `is not JSON: ${value.left}` }
}

/** `room`: where the texts are written */
export const makeLineReader = (body: Buffer, { content, most }: ReadOptions, room: TextRoom): LineReader => {
  const lines = linesOf(body)
  const refusal = refusalOf(body, lines.length)
  const records: Array<ReadRecord> = []
  const unknown = new Set<string>()
  const problems: Array<Violation> = []
  let number = 0
  const end = (): Reading => {
    const [first, ...rest] = problems
    return first === undefined ? { _tag: "Read", records, unknown: [...unknown] } : wrong(first, ...rest.slice(0, most))
  }
  const take = (value: unknown, begin: number, end: number): void => {
    const read = readSample(value, [number])
    problems.push(...read.problems)
    for (const name of read.unknown) if (unknown.size < most) unknown.add(name)
    if (read.sample === undefined) return
    const { document: _, ...sample } = read.sample
    const record = recordText(read.sample)
    const place = room.write(keptText(read.sample, record, content))
    records.push({ sample, digest: record.digest, prompt: promptOf(read.sample), begin, end, ...place })
  }
  return {
    next: () => {
      const line = lines[number]
      if (refusal !== undefined || line === undefined) return refusal ?? end()
      const [from, to] = line
      if (to - from > limits.lineBytes)
        return tooLarge(`line ${number} has ${to - from} bytes; a line has at most ${limits.lineBytes}`)
      const json = parsed(body.subarray(from, to))
      if ("value" in json) take(json.value, from, to)
      else problems.push(violation([number], `line ${number} ${json.problem}`, "invalid_json_request"))
      number += 1
      return number >= lines.length || problems.length > most ? end() : undefined
    }
  }
}

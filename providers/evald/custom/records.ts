/** Data files as records with line numbers: JSON Lines, and CSV with a header (RFC 4180). The first bad line is named. */
import { parse } from "csv-parse/sync"
import { Either } from "effect"
import { isObject } from "../../../values/json.ts"
import { readJson } from "../../../values/json-text/read-json.ts"
import type { DataFile } from "./data-files.ts"

export interface DataRecord {
  /** 1-based, of the record's first line */
  readonly line: number
  readonly fields: { readonly [column: string]: unknown }
}

export interface BadLine {
  readonly line: number
  readonly problem: string
}

const readJsonl = (text: string): Either.Either<ReadonlyArray<DataRecord>, BadLine> => {
  const records: Array<DataRecord> = []
  for (const [index, raw] of text.split("\n").entries()) {
    const content = raw.trim()
    if (content === "") continue
    const line = index + 1
    const parsed = readJson(content)
    if (Either.isLeft(parsed)) return Either.left({ line, problem: `is not JSON: ${parsed.left}` })
    const value = parsed.right
    if (!isObject(value)) return Either.left({ line, problem: "must be a JSON object" })
    records.push({ line, fields: { ...value } })
  }
  return Either.right(records)
}

interface CsvRow {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

const misquoted = "has a quotation mark in a place where none may be; quote the whole cell and double the marks in it"

const lineEnds = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0

/** a cell in quotes may hold commas, line breaks and doubled quotes */
const readCsvRows = (text: string): Either.Either<ReadonlyArray<CsvRow>, BadLine> => {
  const bytes = Buffer.from(text)
  const starts: Array<number> = []
  let read = 0
  let line = 1
  // the library counts a Windows line end within a cell twice
  const startAfter = (rest: string) => line + lineEnds(/^[\r\n]*/.exec(rest)?.[0] ?? "")
  return Either.try({
    try: () =>
      parse(bytes, {
        record_delimiter: ["\r\n", "\n", "\r"],
        relax_column_count: true,
        skip_empty_lines: true,
        on_record: (cells, { bytes: end }) => {
          const row = bytes.toString("latin1", read, end)
          starts.push(startAfter(row))
          line += lineEnds(row)
          read = end
          return cells
        }
      }),
    catch: () => ({ line: startAfter(bytes.toString("latin1", read, read + 10_000)), problem: misquoted })
  }).pipe(
    Either.map((rows) =>
      rows
        .map((cells, index): CsvRow => ({ line: starts[index] ?? 1, cells }))
        .filter(({ cells }) => cells.length > 1 || cells[0] !== "")
    )
  )
}

const readCsv = (text: string): Either.Either<ReadonlyArray<DataRecord>, BadLine> =>
  Either.flatMap(readCsvRows(text), ([header, ...rows]) => {
    if (header === undefined) return Either.left({ line: 1, problem: "must be a header with the column names" })
    const columns = header.cells.map((name) => name.trim())
    const repeated = columns.find((name, index) => columns.indexOf(name) !== index)
    if (repeated !== undefined)
      return Either.left({ line: header.line, problem: `names the column ${JSON.stringify(repeated)} twice` })
    const wrong = rows.find(({ cells }) => cells.length !== columns.length)
    if (wrong !== undefined) {
      return Either.left({
        line: wrong.line,
        problem: `has ${wrong.cells.length} cells, but the header has ${columns.length}`
      })
    }
    // an empty cell is an absent value
    return Either.right(
      rows.map(({ line, cells }) => ({
        line,
        fields: Object.fromEntries(
          columns.flatMap((name, index) => (cells[index] === "" ? [] : [[name, cells[index]]]))
        )
      }))
    )
  })

/** all records of a file in order; a byte order mark is ignored, blank lines are skipped */
export const readRecords = ({
  format,
  text
}: Pick<DataFile, "format" | "text">): Either.Either<ReadonlyArray<DataRecord>, BadLine> => {
  const plain = text.replace(/^\uFEFF/, "")
  return format === "csv" ? readCsv(plain) : readJsonl(plain)
}

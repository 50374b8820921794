/** Data files as records with line numbers: JSON Lines, and CSV with a header (RFC 4180). The first bad line is named. */
import { Either } from "effect"
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
    const parsed = Either.try({ try: (): unknown => JSON.parse(content), catch: (cause) => (cause instanceof Error ? cause.message : String(cause)) })
    if (Either.isLeft(parsed)) return Either.left({ line, problem: `is not JSON: ${parsed.left}` })
    const value = parsed.right
    if (typeof value !== "object" || value === null || Array.isArray(value)) return Either.left({ line, problem: "must be a JSON object" })
    records.push({ line, fields: { ...value } })
  }
  return Either.right(records)
}

interface CsvRow {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/** a cell in quotes may hold commas, line breaks and doubled quotes */
const readCsvRows = (text: string): Either.Either<ReadonlyArray<CsvRow>, BadLine> => {
  const rows: Array<CsvRow> = []
  const cell = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y
  let cells: Array<string> = []
  let line = 1
  let start = 1
  for (let at = 0; at < text.length || cells.length > 0; ) {
    cell.lastIndex = at
    const found = cell.exec(text)
    if (found === null)
      return Either.left({ line, problem: "has a quotation mark in a place where none may be; quote the whole cell and double the marks in it" })
    const [whole, quoted, plain = "", end] = found
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    line += whole.split(/\r?\n|\r/).length - 1
    at += whole.length
    if (end === ",") continue
    if (cells.length > 1 || cells[0] !== "") rows.push({ line: start, cells })
    cells = []
    start = line
  }
  return Either.right(rows)
}

const readCsv = (text: string): Either.Either<ReadonlyArray<DataRecord>, BadLine> =>
  Either.flatMap(readCsvRows(text), ([header, ...rows]) => {
    if (header === undefined) return Either.left({ line: 1, problem: "must be a header with the column names" })
    const columns = header.cells.map((name) => name.trim())
    const repeated = columns.find((name, index) => columns.indexOf(name) !== index)
    if (repeated !== undefined) return Either.left({ line: header.line, problem: `names the column ${JSON.stringify(repeated)} twice` })
    const wrong = rows.find(({ cells }) => cells.length !== columns.length)
    if (wrong !== undefined) {
      return Either.left({ line: wrong.line, problem: `has ${wrong.cells.length} cells, but the header has ${columns.length}` })
    }
    // an empty cell is an absent value
    return Either.right(
      rows.map(({ line, cells }) => ({
        line,
        fields: Object.fromEntries(columns.flatMap((name, index) => (cells[index] === "" ? [] : [[name, cells[index]]])))
      }))
    )
  })

/** all records of a file in order; a byte order mark is ignored, blank lines are skipped */
export const readRecords = ({ format, text }: Pick<DataFile, "format" | "text">): Either.Either<ReadonlyArray<DataRecord>, BadLine> => {
  const plain = text.replace(/^\uFEFF/, "")
  return format === "csv" ? readCsv(plain) : readJsonl(plain)
}

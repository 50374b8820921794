/** What an importer is: original rows of a public set in, rows of custom data out. Reference: providers-and-collections.md, "Embedded benchmarks". */
import { Either } from "effect"
import { type DataRecord, readRecords } from "../custom/records.ts"

/** a row that `custom_jsonl` reads; members beyond its columns are kept for people */
export interface ImportedRow {
  readonly id: string
  readonly question?: string
  readonly prompt?: string
  readonly choices?: ReadonlyArray<string>
  readonly answer: string | ReadonlyArray<string>
  readonly [extra: string]: unknown
}

export interface LeftOut {
  /** where in the original file */
  readonly row: string
  readonly reason: string
}

export interface Imported {
  readonly rows: ReadonlyArray<ImportedRow>
  readonly leftOut: ReadonlyArray<LeftOut>
}

export interface ImportFormat {
  readonly id: string
  readonly title: string
  /** as the set's authors publish it; a user's copy may have another one */
  readonly licence: string
  /** parameters with which `custom_jsonl` scores the rows */
  readonly parameters: { readonly [name: string]: unknown }
  readonly notes: ReadonlyArray<string>
  /** `name`: of the file, without its ending. Left: what is wrong, beginning with the place */
  readonly read: (text: string, name: string) => Either.Either<Imported, string>
}

/** a text member that is not blank */
export const textOf = ({ fields }: Pick<DataRecord, "fields">, name: string): string | undefined => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === "string" && value.trim() !== "" ? value : undefined
}

/** every record by `convert`; its left is what is wrong with the record. `header` is put before a CSV that has none */
export const eachRecord = (
  format: "jsonl" | "csv",
  text: string,
  convert: (record: DataRecord, index: number) => Either.Either<ImportedRow | LeftOut, string>,
  header?: string
): Either.Either<Imported, string> => {
  const added = header === undefined ? 0 : 1
  const records = readRecords({
    format,
    text: header === undefined ? text : `${header}\n${text.replace(/^\uFEFF/, "")}`
  })
  if (Either.isLeft(records))
    return Either.left(`line ${Math.max(1, records.left.line - added)} ${records.left.problem}`)
  const rows: Array<ImportedRow> = []
  const leftOut: Array<LeftOut> = []
  for (const [index, record] of records.right.entries()) {
    const converted = convert(record, index)
    if (Either.isLeft(converted)) return Either.left(`line ${record.line - added} ${converted.left}`)
    if ("reason" in converted.right) leftOut.push(converted.right as LeftOut)
    else rows.push(converted.right as ImportedRow)
  }
  return Either.right({ rows, leftOut })
}

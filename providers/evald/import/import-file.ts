/** Reads the original file of a public set and writes it as custom data, with a record of where it came from. Reference: providers-and-collections.md, "Embedded benchmarks". */
import { createHash } from "node:crypto"
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { basename, extname } from "node:path"
import { Either } from "effect"
import { bigBenchHard } from "./big-bench-hard.ts"
import { gsm8k } from "./gsm8k.ts"
import { humanEval } from "./humaneval.ts"
import { ifEval } from "./ifeval.ts"
import type { Imported, ImportFormat } from "./import-format.ts"
import { mmlu } from "./mmlu.ts"
import { truthfulQa } from "./truthfulqa.ts"

export const IMPORT_FORMATS: ReadonlyArray<ImportFormat> = [gsm8k, mmlu, ifEval, bigBenchHard, truthfulQa, humanEval]

export interface ImportRequest {
  readonly format: string
  readonly file: string
  /** where the rows go; default: `<name>.<format>.jsonl` in the working directory */
  readonly output?: string
  /** what the user's copy is licensed under, when it is not the published licence */
  readonly licence?: string
}

export interface ImportReport {
  readonly output: string
  readonly record: string
  readonly imported: Imported
  readonly format: ImportFormat
}

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex")
const reason = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

/** written beside and moved, so that a half-written file is never seen */
const write = (path: string, text: string) => {
  writeFileSync(`${path}.part`, text)
  renameSync(`${path}.part`, path)
}

/** the rows go to `output`, the record to `<output>.source.json`; left: one sentence for the user */
export const importFile = (request: ImportRequest): Either.Either<ImportReport, string> =>
  Either.gen(function* () {
    const format = IMPORT_FORMATS.find(({ id }) => id === request.format)
    if (format === undefined) {
      return yield* Either.left(
        `the format ${JSON.stringify(request.format)} is not known; known are ${IMPORT_FORMATS.map(({ id }) => id).join(", ")}`
      )
    }
    const bytes = yield* Either.try({
      try: () => readFileSync(request.file),
      catch: (cause) => `${request.file} cannot be read: ${reason(cause)}`
    })
    const text = yield* Either.try({
      try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
      catch: () => `${request.file} is not UTF-8 text`
    })
    const name = basename(request.file, extname(request.file))
    const imported = yield* Either.mapLeft(
      format.read(text, name),
      (problem) => `${request.file} is not ${format.title}: ${problem}`
    )
    if (imported.rows.length === 0) return yield* Either.left(`${request.file}: there is no row to import`)
    const output = request.output ?? `${name}.${format.id}.jsonl`
    const rows = imported.rows.map((row) => `${JSON.stringify(row)}\n`).join("")
    const record = {
      format: format.id,
      licence: request.licence ?? format.licence,
      licence_from:
        request.licence === undefined
          ? "the published licence of the set; check that it holds for this copy"
          : "the user",
      source: { file: basename(request.file), bytes: bytes.length, sha256: sha256(bytes) },
      output: { file: basename(output), rows: imported.rows.length, sha256: sha256(rows) },
      parameters: { data_path: basename(output), ...format.parameters },
      notes: format.notes,
      left_out: imported.leftOut
    }
    yield* Either.try({
      try: () => {
        write(output, rows)
        write(`${output}.source.json`, `${JSON.stringify(record, undefined, 2)}\n`)
      },
      catch: (cause) => `${output} cannot be written: ${reason(cause)}`
    })
    return { output, record: `${output}.source.json`, imported, format }
  })

/**
 * Writes what an evaluation of another tool became: a collection, its rows where a folder stands for a bucket, and a record with everything
 * that was left out. Reference: docs/custom-data.md, "Evaluations of other tools".
 */

import { createHash } from "node:crypto"
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { stringify } from "yaml"
import { defined } from "../../../values/defined.ts"
import { type Imported, type ImportedSet, idOf } from "./imported.ts"

export interface WriteOptions {
  readonly directory: string
  readonly bucket: string
  /** name and SHA-256 of the original */
  readonly source: { readonly file: string; readonly sha256: string; readonly format: string }
  /** the endpoint of graders; absent: the job names it */
  readonly judge?: { readonly url: string; readonly name?: string }
}

export interface Written {
  readonly id: string
  readonly collection: string
  readonly data: string
  readonly record: string
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** written beside and moved, so that a half-written file is never seen */
const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.part`, text)
  renameSync(`${path}.part`, path)
}

const judgeOf = (set: ImportedSet, { judge }: WriteOptions) => {
  const name = judge?.name ?? set.judge
  return judge === undefined || name === undefined ? undefined : { url: judge.url, name }
}

const entryOf = (set: ImportedSet, key: string, options: WriteOptions) => {
  const judge = set.scorer === "grader" ? judgeOf(set, options) : undefined
  return {
    id: "custom_jsonl",
    provider_id: "evald",
    parameters: {
      data_path: `${set.id}.jsonl`,
      scorer: set.scorer,
      ...defined({ judge })
    },
    test_data_ref: { s3: { bucket: options.bucket, key } }
  }
}

export const writeImported = (imported: Imported, options: WriteOptions): Written => {
  const id = idOf(imported.name, "imported")
  const data = join(options.directory, "data", options.bucket, id)
  const files = imported.sets.map((set) => {
    const text = set.rows.map((row) => `${JSON.stringify(row)}\n`).join("")
    write(join(data, `${set.id}.jsonl`), text)
    return {
      file: `${set.id}.jsonl`,
      ...{ scorer: set.scorer, rows: set.rows.length, sha256: sha256(text), notes: set.notes },
      ...defined({ judge: set.judge })
    }
  })
  const collection = join(options.directory, "collections", `${id}.yaml`)
  write(
    collection,
    stringify(
      {
        ...{ id, name: imported.name.slice(0, 256), category: "imported" },
        description: `Imported from ${options.source.format} (${options.source.file}).`,
        tags: ["imported", options.source.format],
        benchmarks: imported.sets.map((set) => entryOf(set, id, options))
      },
      { lineWidth: 0 }
    )
  )
  const record = join(options.directory, `${id}.import.json`)
  write(record, `${JSON.stringify({ source: options.source, files, left_out: imported.leftOut }, undefined, 2)}\n`)
  return { id, collection, data, record }
}

/** Where custom data comes from, for `additional_info.dataset`: files, hashes, and what an importer recorded beside them. Reference: providers-and-collections.md, "Embedded benchmarks". */

import { defined } from "../../../values/defined.ts"
import { isObject, type JsonObject, member, parseJson, textMember } from "../../../values/json.ts"
import type { DataFile } from "./data-files.ts"

/** a folder may hold thousands of files; the hash of the whole set is recorded anyway */
const NAMED_FILES = 20

export interface DataOrigin {
  /** members of `additional_info.dataset` */
  readonly members: JsonObject
  readonly notes: ReadonlyArray<string>
}

/** format, licence and original of imported rows; a note when the record can not be believed */
const importedFrom = ({
  name,
  sha256,
  record
}: DataFile): { readonly imported?: JsonObject; readonly note?: string } => {
  if (record === undefined) return {}
  const value = parseJson(record)
  const [format, licence] = [textMember(value, "format"), textMember(value, "licence")]
  if (!isObject(value) || format === undefined || licence === undefined)
    return { note: `${name}.source.json is not the record of an import` }
  const licenceFrom = textMember(value, "licence_from")
  const source = member(value, "source")
  const unchanged = textMember(member(value, "output"), "sha256") === sha256
  return {
    imported: {
      format,
      licence,
      ...defined({ licence_from: licenceFrom }),
      ...(isObject(source) ? { source } : {}),
      unchanged
    },
    ...(unchanged ? {} : { note: `${name} was changed after its import from ${format}` })
  }
}

export const originOf = (files: ReadonlyArray<DataFile>): DataOrigin => {
  const told = files.map((file) => ({ file, ...importedFrom(file) }))
  const licences = [
    ...new Set(told.flatMap(({ imported }) => (imported === undefined ? [] : [String(imported["licence"])])))
  ]
  return {
    members: {
      ...(licences.length === 0 ? {} : { licence: licences.join(", ") }),
      files: told.slice(0, NAMED_FILES).map(({ file: { name, sha256 }, imported }) => ({
        file: name,
        sha256,
        ...defined({ imported })
      })),
      ...(files.length > NAMED_FILES ? { files_not_named: files.length - NAMED_FILES } : {})
    },
    notes: told.flatMap(({ note }) => (note === undefined ? [] : [note]))
  }
}

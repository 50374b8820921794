/**
 * Finds the user's data below the test data folder. A path never leads out of it, whatever it says and wherever links point.
 * Reference: providers-and-collections.md, "Embedded benchmarks"; gateway.md, "Test data".
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { basename, extname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { Effect } from "effect"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { AdapterError } from "../../sdk/adapter.ts"
import { datasetInvalid, datasetUnavailable, invalidParameter } from "../../sdk/failures.ts"

export interface DataFile {
  /** relative to the test data folder, `/`-separated; used in messages and ids */
  readonly name: string
  readonly format: "jsonl" | "csv"
  readonly text: string
  /** of the bytes as they were read, hex */
  readonly sha256: string
  /** text of `<file>.source.json` beside it, where an importer says where the rows come from */
  readonly record: string | undefined
}

const FORMATS: { readonly [extension: string]: DataFile["format"] } = {
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
  ".csv": "csv"
}

/** what an importer writes is a few kilobytes */
const MAX_RECORD_BYTES = 1024 * 1024

/** the record beside a data file; none when there is none, when it is too large, or when it lies elsewhere */
const recordOf = (root: string, path: string): string | undefined => {
  try {
    const record = realpathSync(`${path}.source.json`)
    const outside = relative(root, record).startsWith("..") || isAbsolute(relative(root, record))
    return outside || statSync(record).size > MAX_RECORD_BYTES ? undefined : readFileSync(record, "utf8")
  } catch {
    return undefined
  }
}

/** a file is read at once; what is larger belongs into several files */
const MAX_BYTES = 256 * 1024 * 1024

export const testDataFolder = (job: JobSpec): string =>
  job.test_data_dir ?? process.env["TEST_DATA_DIR"] ?? "/test_data"

const reason = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

const real = (path: string, shown: string): Effect.Effect<string, AdapterError> =>
  Effect.try({
    try: () => realpathSync(path),
    catch: (cause) => datasetUnavailable(`${shown} cannot be read: ${reason(cause)}`)
  })

/** real path of `dataPath` below `folder`; absolute paths are fine as long as they stay inside */
const locate = (
  folder: string,
  dataPath: string
): Effect.Effect<{ readonly root: string; readonly path: string }, AdapterError> =>
  Effect.gen(function* () {
    const outside = invalidParameter(`data_path ${JSON.stringify(dataPath)} must stay below the test data folder`)
    const inside = (root: string, path: string) =>
      path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)
    if (dataPath.includes("\0") || dataPath.split(/[/\\]/).includes("..")) return yield* outside
    const asked = isAbsolute(dataPath) ? dataPath : resolve(folder, dataPath)
    if (!inside(resolve(folder), resolve(asked))) return yield* outside
    const root = yield* real(folder, "the test data folder")
    const path = yield* real(asked, `data_path ${JSON.stringify(dataPath)}`)
    return inside(root, path) ? { root, path } : yield* outside
  })

const formatOf = (name: string, wanted: unknown): DataFile["format"] | undefined =>
  wanted === "jsonl" || wanted === "csv" ? wanted : FORMATS[extname(name).toLowerCase()]

/** names of the data files of a folder, sorted; links that lead out of the root are refused, not skipped */
const listFolder = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((name) => !name.startsWith(".") && FORMATS[extname(name).toLowerCase()] !== undefined)
    .sort()
    .map((name) => join(folder, name))

const read = (root: string, path: string, wanted: unknown): Effect.Effect<DataFile, AdapterError> =>
  Effect.gen(function* () {
    const name = relative(root, path).split(sep).join("/") || basename(path)
    const format = formatOf(name, wanted)
    if (format === undefined)
      return yield* datasetInvalid(
        `${name}: the format is not known by its ending; name it .jsonl or .csv, or set data_format`
      )
    const target = yield* real(path, name)
    if (relative(root, target).startsWith("..") || isAbsolute(relative(root, target))) {
      return yield* invalidParameter(`${name} is a link that leads out of the test data folder`)
    }
    const bytes = yield* Effect.try({
      try: () => {
        const { size } = statSync(target)
        return size > MAX_BYTES ? size : readFileSync(target)
      },
      catch: (cause) => datasetUnavailable(`${name} cannot be read: ${reason(cause)}`)
    })
    if (typeof bytes === "number")
      return yield* datasetInvalid(
        `${name} has ${bytes} bytes, more than ${MAX_BYTES}; split it into several files of one folder`
      )
    const text = yield* Effect.try({
      try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
      catch: () => datasetInvalid(`${name} is not UTF-8 text`)
    })
    return {
      name,
      format,
      text,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      record: recordOf(root, path)
    }
  })

/** the file, or every `.jsonl`, `.ndjson` and `.csv` file of the folder in order of names; without `dataPath` the test data folder itself */
export const readDataFiles = (
  folder: string,
  dataPath: string | undefined,
  wanted: unknown
): Effect.Effect<ReadonlyArray<DataFile>, AdapterError> =>
  Effect.gen(function* () {
    const { root, path } = yield* locate(folder, dataPath ?? ".")
    const paths = yield* Effect.try({
      try: () => (statSync(path).isDirectory() ? listFolder(path) : [path]),
      catch: (cause) => datasetUnavailable(`data_path cannot be read: ${reason(cause)}`)
    })
    if (paths.length === 0)
      return yield* datasetUnavailable(
        `there is no .jsonl, .ndjson or .csv file in ${dataPath ?? "the test data folder"}`
      )
    return yield* Effect.forEach(paths, (one) => read(root, one, wanted))
  })

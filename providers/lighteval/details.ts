/**
 * The framework's details of its items, which it writes as Parquet, as lines of JSON: the library that wrote them reads them again, in the
 * framework's own Python. What of a row is no text, number or name of its kind stays behind.
 */
import { basename, join } from "node:path"
import { Effect, Option } from "effect"
import { interpreterOf } from "../sdk/framework/interpreter.ts"
import { runFramework } from "../sdk/framework/process.ts"
import { filesBelow } from "../sdk/framework/result-search.ts"
import type { ReadRequest } from "../sdk/framework/wrapper.ts"
import { taskOfKey } from "./parse.ts"

const script = `
import json, math, sys
import pyarrow.parquet

DOC = ("id", "query", "instruction", "choices", "gold_index", "original_query")
SAID = ("input", "text", "reasonings", "logprobs")

def plain(value):
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)

def some(value, names):
    return {name: plain(value.get(name)) for name in names} if isinstance(value, dict) else {}

source, target = sys.argv[1:]
with open(target, "w", encoding="utf-8") as out:
    for batch in pyarrow.parquet.ParquetFile(source).iter_batches(batch_size=64, columns=["doc", "model_response", "metric"]):
        for row in batch.to_pylist():
            line = {"doc": some(row["doc"], DOC), "model_response": some(row["model_response"], SAID), "metric": plain(row["metric"])}
            out.write(json.dumps(line) + "\\n")
`

/** of one task's rows */
const patienceMillis = 120_000

interface Details {
  /** name of the task, without few-shot count */
  readonly task: string
  /** a file with a line for each item */
  readonly path: string
}

/** newest file of each task; names are `details_<task>|<few-shot>_<time>.parquet` */
const parquetFiles = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    filesBelow(folder, /^details_.*\.parquet$/).flatMap((path) => {
      const key = /^details_(.*)_\d{4}-\d\d-\d\dT[\d.-]+\.parquet$/.exec(basename(path))?.[1]
      return key === undefined ? [] : [[taskOfKey(key) ?? key, path] as const]
    })
  )

/** none, with the reason, where the framework left none or they cannot be read */
export const readDetails = ({
  executable,
  env,
  folders
}: Pick<ReadRequest, "executable" | "env" | "folders">): Effect.Effect<{
  readonly details: ReadonlyArray<Details>
  readonly unread?: string
}> =>
  Effect.gen(function* () {
    const files = parquetFiles(folders.output)
    if (files.size === 0) return { details: [], unread: "the framework left no details of its items" }
    const python = interpreterOf(executable)
    if (python === undefined) return { details: [], unread: `${executable} does not name the Python that runs it` }
    const details = yield* Effect.forEach([...files], ([task, source], number) => {
      const path = join(folders.work, `details-${number}.jsonl`)
      return runFramework({
        file: python,
        args: ["-c", script, source, path],
        ...{ env, cwd: folders.work, timeoutMillis: patienceMillis }
      }).pipe(
        Effect.option,
        Effect.map((exit) => (Option.isSome(exit) && exit.value.code === 0 ? [{ task, path }] : []))
      )
    })
    const read = details.flat()
    return read.length === files.size
      ? { details: read }
      : { details: read, unread: `details of ${files.size - read.length} of ${files.size} tasks could not be read` }
  })

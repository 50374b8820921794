/** Finding and reading what a framework wrote. */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import { StringDecoder } from "node:string_decoder"
import { Effect } from "effect"
import { parseJson } from "../../../values/json.ts"
import type { AdapterError } from "../adapter.ts"
import { unreadableOutput } from "./error-table.ts"

/** paths of the regular files below `folder` whose name matches, oldest first; links are not followed */
export const filesBelow = (folder: string, name: RegExp): ReadonlyArray<string> => {
  const entries = (() => {
    try {
      return readdirSync(folder, { recursive: true, withFileTypes: true })
    } catch {
      return []
    }
  })()
  return entries
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .sort((a, b) => a.at - b.at || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path)
}

/** the newest file of that name, parsed; fails with `framework_output_unreadable` when there is none or it is cut off */
export const newestJson = (
  folder: string,
  name: RegExp,
  framework: string
): Effect.Effect<{ readonly path: string; readonly value: unknown }, AdapterError> =>
  Effect.suspend(() => {
    const path = filesBelow(folder, name).at(-1)
    if (path === undefined) return unreadableOutput(framework, `wrote no result file (${name.source})`)
    const value = parseJson(readFileSync(path, "utf8"))
    return value === undefined
      ? unreadableOutput(framework, `${path.slice(folder.length + 1)} is no JSON: it is empty or cut off`)
      : Effect.succeed({ path, value })
  })

const chunkBytes = 1024 * 1024

/** lines of a file as JSON values, read piece by piece; lines that are none are left out */
export function* jsonLines(path: string): Generator<unknown> {
  const file = openSync(path, "r")
  try {
    const decoder = new StringDecoder("utf8")
    const chunk = Buffer.alloc(chunkBytes)
    let rest = ""
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      const lines = (rest + decoder.write(chunk.subarray(0, read))).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        const value = parseJson(line)
        if (value !== undefined) yield value
      }
    }
    const last = parseJson(rest + decoder.end())
    if (last !== undefined) yield last
  } finally {
    closeSync(file)
  }
}

/** Finding and reading what a framework wrote. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { AdapterError } from "../adapter.ts"
import { parseJson } from "../json-value.ts"
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
export const newestJson = (folder: string, name: RegExp, framework: string): Effect.Effect<{ readonly path: string; readonly value: unknown }, AdapterError> =>
  Effect.suspend(() => {
    const path = filesBelow(folder, name).at(-1)
    if (path === undefined) return unreadableOutput(framework, `wrote no result file (${name.source})`)
    const value = parseJson(readFileSync(path, "utf8"))
    return value === undefined
      ? unreadableOutput(framework, `${path.slice(folder.length + 1)} is no JSON: it is empty or cut off`)
      : Effect.succeed({ path, value })
  })

/** lines of a text file as JSON values; lines that are none are left out */
export const readJsonLines = (path: string): ReadonlyArray<unknown> =>
  readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => (line.trim() === "" ? [] : [parseJson(line)]))
    .filter((value) => value !== undefined)

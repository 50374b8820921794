/**
 * Events that an adapter could not deliver and left in its spool directory, `<seq>-<uuid>.json`, each a whole request body.
 * Reference: adapter-contract.md, "Delivery".
 */
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Either } from "effect"
import type { StatusEvent } from "../../../domain/job/status-event.ts"
import { decodeStatusEvent } from "../../../providers/contract/status-event.ts"
import { readJson } from "../../../values/json-text/read-json.ts"
import { readGuarded } from "./guarded-file.ts"

export type Spooled =
  | { readonly _tag: "Event"; readonly event: StatusEvent; readonly remove: () => Promise<void> }
  | { readonly _tag: "Unreadable"; readonly path: string; readonly reason: string }

const maxBytes = 16 * 1024 * 1024

/** more than any adapter leaves; what comes behind is not looked at */
const maxFiles = 1000

/** all events of a unit together, since they are held until they are stored */
const maxTotalBytes = 64 * 1024 * 1024

const sequence = (name: string): number => Number.parseInt(name, 10) || 0

/** names of event files, oldest first */
const namesOf = async (directory: string): Promise<ReadonlyArray<string>> => {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return []
    throw error
  })
  return names
    .filter((name) => name.endsWith(".json"))
    .toSorted((a, b) => sequence(a) - sequence(b) || (a < b ? -1 : 1))
}

const decoded = (bytes: Buffer): Either.Either<StatusEvent, string> =>
  readJson(bytes.toString("utf8")).pipe(
    Either.flatMap((body) =>
      Either.mapLeft(decodeStatusEvent(body), (problems) =>
        problems.map((problem) => `${problem.path} ${problem.message}`).join("; ")
      )
    ),
    Either.map(({ event }) => event)
  )

/** oldest first; within bounds that no honest adapter reaches */
export const spooledIn = async (directory: string): Promise<ReadonlyArray<Spooled>> => {
  const names = await namesOf(directory)
  const found: Array<Spooled> = []
  let room = maxTotalBytes
  for (const name of names.slice(0, maxFiles)) {
    const path = join(directory, name)
    try {
      const bytes = await readGuarded(path, Math.min(maxBytes, room))
      room -= bytes.length
      const event = decoded(bytes)
      found.push(
        Either.isRight(event)
          ? { _tag: "Event", event: event.right, remove: () => rm(path, { force: true }) }
          : { _tag: "Unreadable", path, reason: event.left }
      )
    } catch (error) {
      found.push({ _tag: "Unreadable", path, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  if (names.length > maxFiles)
    found.push({
      _tag: "Unreadable",
      path: directory,
      reason: `it holds ${names.length} files, of which the first ${maxFiles} are read`
    })
  return found
}

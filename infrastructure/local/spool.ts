/**
 * Events that an adapter could not deliver and left in its spool directory, `<seq>-<uuid>.json`, each a whole request body.
 * Contract: adapter 7, "Spool draining".
 */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Either } from "effect"
import type { StatusEvent } from "../../domain/job/status-event.ts"
import { decodeStatusEvent } from "../../providers/contract/status-event.ts"
import { namesIn } from "./unit-directory.ts"

export type Spooled =
  | { readonly _tag: "Event"; readonly event: StatusEvent; readonly remove: () => void }
  | { readonly _tag: "Unreadable"; readonly path: string; readonly reason: string }

const maxBytes = 16 * 1024 * 1024

const sequence = (name: string): number => Number.parseInt(name, 10) || 0

/** oldest first */
export const spooledIn = (directory: string): ReadonlyArray<Spooled> =>
  namesIn(directory)
    .filter((name) => name.endsWith(".json"))
    .toSorted((a, b) => sequence(a) - sequence(b) || (a < b ? -1 : 1))
    .map((name) => {
      const path = join(directory, name)
      const body = Either.try({
        try: (): unknown => {
          const text = readFileSync(path)
          if (text.length > maxBytes) throw new Error(`larger than ${maxBytes} bytes`)
          return JSON.parse(text.toString("utf8"))
        },
        catch: (cause) => (cause instanceof Error ? cause.message : String(cause))
      })
      const decoded = Either.flatMap(body, (value) =>
        Either.mapLeft(decodeStatusEvent(value), (problems) => problems.map((problem) => `${problem.path} ${problem.message}`).join("; "))
      )
      return Either.match(decoded, {
        onLeft: (reason): Spooled => ({ _tag: "Unreadable", path, reason }),
        onRight: ({ event }): Spooled => ({ _tag: "Event", event, remove: () => rmSync(path, { force: true }) })
      })
    })

/**
 * The terminal event on disk, before it is sent: whoever starts the adapter applies what is left here. The file holds the exact body of
 * the request. Reference: adapter-contract.md, "Delivery".
 */
import { randomUUID } from "node:crypto"
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { Data, Effect } from "effect"

export class SpoolFailed extends Data.TaggedError("SpoolFailed")<{ readonly message: string }> {}

const sync = (path: string) => {
  const opened = openSync(path, "r")
  fsyncSync(opened)
  closeSync(opened)
}

/** `<seq>-<uuid>.json`, ordered by name; a crash leaves either the whole file or none */
export const spoolEvent = (folder: string, body: string): Effect.Effect<string, SpoolFailed> =>
  Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const numbers = readdirSync(folder).map((name) => Number.parseInt(name, 10))
      const next = numbers.filter(Number.isInteger).reduce((a, b) => Math.max(a, b), 0) + 1
      const path = join(folder, `${String(next).padStart(6, "0")}-${randomUUID()}.json`)
      const file = openSync(`${path}.tmp`, "wx", 0o600)
      writeSync(file, body)
      fsyncSync(file)
      closeSync(file)
      renameSync(`${path}.tmp`, path)
      sync(folder)
      return path
    },
    catch: (cause) => new SpoolFailed({ message: cause instanceof Error ? cause.message : String(cause) })
  })

export const dropSpooled = (path: string): Effect.Effect<void> => Effect.sync(() => rmSync(path, { force: true }))

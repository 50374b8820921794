/**
 * What makes the catalogue look at its files again: a watcher on the folders, a slow poll (watchers miss swapped configuration maps and
 * network mounts), and SIGHUP. Reference: providers-and-collections.md, "Loading".
 */
import { watch } from "node:fs"
import { join } from "node:path"
import { Effect, Schedule, Stream } from "effect"

/** `noticed`: files may be in the middle of a change; `due`: time to compare contents; `asked`: somebody wants it now */
export type ChangeSignal = "noticed" | "due" | "asked"

const folderEvents = (folder: string): Stream.Stream<ChangeSignal> =>
  Stream.asyncPush<ChangeSignal>(
    (emit) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          try {
            const watcher = watch(folder, { persistent: false }, () => emit.single("noticed"))
            watcher.on("error", () => watcher.close()) // the poll remains
            return watcher
          } catch {
            return undefined // no such folder, or no watches left: the poll remains
          }
        }),
        (watcher) => Effect.sync(() => watcher?.close())
      ),
    { bufferSize: 16, strategy: "sliding" }
  )

const hangUps: Stream.Stream<ChangeSignal> = Stream.asyncPush<ChangeSignal>(
  (emit) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const asked = () => {
          emit.single("asked")
        }
        process.on("SIGHUP", asked)
        return asked
      }),
      (asked) => Effect.sync(() => process.off("SIGHUP", asked))
    ),
  { bufferSize: 16, strategy: "sliding" }
)

/** endless; `hangUp`: SIGHUP means "read the files again" instead of ending the process */
export const changeSignals = (
  configDir: string,
  options: { readonly hangUp: boolean; readonly tenantDir?: string }
): Stream.Stream<ChangeSignal> =>
  Stream.mergeAll(
    [
      folderEvents(join(configDir, "providers")),
      folderEvents(join(configDir, "collections")),
      ...(options.tenantDir === undefined ? [] : [folderEvents(options.tenantDir)]),
      Stream.fromSchedule(Schedule.spaced("5 seconds")).pipe(Stream.as("due" as const)),
      ...(options.hangUp ? [hangUps] : [])
    ],
    { concurrency: "unbounded" }
  )

/**
 * The catalogue of definition files, held in memory and swapped as a whole. A reload with an error keeps the old catalogue; running jobs
 * hold snapshots and are not disturbed. Contract: providers 2, "Hot reload".
 */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { Data, type Duration, Effect, Layer, Ref, Schedule } from "effect"
import { Catalog, type CatalogSnapshot } from "../../application/ports/catalog.ts"
import { describe, type Problem } from "./problem.ts"
import { type Definitions, type ReadOptions, readDefinitions } from "./read-definitions.ts"

/** definition files with errors and `catalog.on_error: refuse` */
export class CatalogInvalid extends Data.TaggedError("CatalogInvalid")<{ readonly problems: ReadonlyArray<Problem> }> {
  override get message(): string {
    return `the definition files are not usable:\n${this.problems.map((problem) => `  - ${describe(problem)}`).join("\n")}`
  }
}

export interface CatalogOptions extends ReadOptions {
  readonly onError: "refuse" | "skip"
  /** how often file contents are compared; watchers miss swapped configuration maps */
  readonly pollEvery: Duration.DurationInput
}

const snapshotOf = ({ providers, collections, problems, version }: Definitions): CatalogSnapshot => ({
  providers: providers.map(({ record }) => record),
  collections: collections.map(({ record }) => record),
  errors: problems.filter(({ severity }) => severity === "error").map(({ file, message }) => `${file.split("/").at(-1)}: ${message}`),
  version
})

const errorsOf = ({ problems }: Definitions) => problems.filter(({ severity }) => severity === "error")

/** cheap look at names, sizes and times, so that contents are read only when something may have changed */
const stamp = (configDir: string): string => {
  const parts: Array<string> = []
  for (const folder of ["providers", "collections"]) {
    try {
      for (const name of readdirSync(join(configDir, folder)).sort()) {
        const file = join(configDir, folder, name)
        const { size, mtimeMs, ino } = statSync(file)
        parts.push(`${file} ${size} ${mtimeMs} ${ino}`)
      }
    } catch {
      parts.push(`${folder} cannot be read`)
    }
  }
  return parts.join("\n")
}

export const layer = (options: CatalogOptions): Layer.Layer<Catalog, CatalogInvalid> =>
  Layer.scoped(
    Catalog,
    Effect.gen(function* () {
      const first = readDefinitions(options)
      const refused = errorsOf(first)
      if (refused.length > 0 && options.onError === "refuse") return yield* new CatalogInvalid({ problems: refused })
      for (const problem of first.problems.filter(({ severity }) => severity !== "info")) yield* Effect.logWarning(describe(problem))
      const current = yield* Ref.make(snapshotOf(first))
      const reloads = { applied: 0, refused: 0 }
      const seen = yield* Ref.make(stamp(options.configDir))
      const reload = Effect.gen(function* () {
        const now = stamp(options.configDir)
        if (now === (yield* Ref.get(seen))) return
        yield* Ref.set(seen, now)
        const next = readDefinitions(options)
        const { version } = yield* Ref.get(current)
        if (next.version === version) return
        const problems = errorsOf(next)
        if (problems.length > 0 && options.onError === "refuse") {
          reloads.refused++
          yield* Effect.logError(`definition files changed but are not usable, the previous ones stay: ${problems.map(describe).join("; ")}`)
          return
        }
        yield* Ref.set(current, snapshotOf(next))
        reloads.applied++
        yield* Effect.logInfo(`definition files reloaded: ${next.providers.length} providers, ${next.collections.length} collections`)
      })
      yield* reload.pipe(Effect.repeat(Schedule.spaced(options.pollEvery)), Effect.forkScoped)
      return { current: Ref.get(current), reloads: Effect.sync(() => ({ ...reloads })) }
    })
  )

/**
 * The catalogue of definition files, held in memory and swapped as a whole. A reload with an error keeps the old catalogue; running jobs
 * hold snapshots and are not disturbed. Reference: providers-and-collections.md, "Loading".
 */
import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import { Clock, Data, Effect, Layer, Queue, Ref, Stream } from "effect"
import { Catalog, type CatalogReloads } from "../../application/ports/catalog.ts"
import { describe, type Problem } from "../../domain/file-problem.ts"
import type { ChangeSignal } from "./change-signals.ts"
import { contentHash, type LoadedCatalog, loadCatalog } from "./load-catalog.ts"
import type { ReadOptions } from "./read-definitions.ts"

/** definition files with errors and `catalog.on_error: refuse` */
export class CatalogInvalid extends Data.TaggedError("CatalogInvalid")<{ readonly problems: ReadonlyArray<Problem> }> {
  override get message(): string {
    return `the definition files are not usable:\n${this.problems.map((problem) => `  - ${describe(problem)}`).join("\n")}`
  }
}

export interface CatalogOptions extends ReadOptions {
  readonly onError: "refuse" | "skip"
  /** when to look at the files again; `noticed` waits until nothing more happened for half a second */
  readonly signals: Stream.Stream<ChangeSignal>
}

/** a file is written in several steps, a folder is replaced file by file */
const quiet = "500 millis"

const announceProblems = ({ errors, warnings }: LoadedCatalog) =>
  Effect.gen(function* () {
    if (errors.length > 0)
      yield* Effect.logError(`definition files that are left out: ${errors.map(describe).join("; ")}`)
    const counts = [...warnings]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([code, n]) => (n === 1 ? code : `${code} ×${n}`))
    if (counts.length > 0)
      yield* Effect.logInfo(`definition files have warnings (${counts.join(", ")}); \`evald validate\` shows them`)
  })

/** folders that were in use and are not there: a mount that is being replaced, not a wish to have no definitions */
const vanished = (configDir: string, { providers, collections }: LoadedCatalog["own"]): ReadonlyArray<string> => [
  ...(providers > 0 && !existsSync(join(configDir, "providers")) ? [join(configDir, "providers")] : []),
  ...(collections > 0 && !existsSync(join(configDir, "collections")) ? [join(configDir, "collections")] : [])
]

const counted = (providers: number, collections: number): string =>
  `${providers} provider${providers === 1 ? "" : "s"} and ${collections} collection${collections === 1 ? "" : "s"}`

/** what is in use, and where it comes from: one line */
const announceLoaded = (
  { snapshot: { providers, collections }, own, ofTenants, unfit }: LoadedCatalog,
  { configDir, shippedDir, tenantDir }: CatalogOptions
) => {
  const shipped =
    shippedDir === undefined
      ? "the shipped ones are off"
      : `shipped: ${counted(providers.length - own.providers - ofTenants.providers, collections.length - own.collections - ofTenants.collections)}`
  const parts = [
    `${configDir}: ${counted(own.providers, own.collections)}`,
    ...(shippedDir === configDir ? [] : [shipped]),
    ...(tenantDir === undefined ? [] : [`of tenants: ${counted(ofTenants.providers, ofTenants.collections)}`])
  ]
  if (unfit.length > 0)
    parts.push(`shipped ones that do not fit these and are left out: ${unfit.map((file) => basename(file)).join(", ")}`)
  const line = `definitions in use: ${counted(providers.length, collections.length)} (${parts.join("; ")})`
  return providers.length === 0 ? Effect.logWarning(`${line}; no job can be submitted`) : Effect.logInfo(line)
}

export const layer = (options: CatalogOptions): Layer.Layer<Catalog, CatalogInvalid> =>
  Layer.scoped(
    Catalog,
    Effect.gen(function* () {
      const seen = yield* Ref.make(contentHash(options))
      const first = loadCatalog(options)
      if (first.errors.length > 0 && options.onError === "refuse")
        return yield* new CatalogInvalid({ problems: first.errors })
      yield* announceProblems(first)
      yield* announceLoaded(first, options)
      const own = yield* Ref.make(first.own)
      const current = yield* Ref.make(first.snapshot)
      const figures = yield* Ref.make<CatalogReloads>({
        applied: 0,
        refused: 0,
        loadedAt: yield* Clock.currentTimeMillis,
        problems: first.problems
      })

      const refuse = (problems: LoadedCatalog["problems"], reason: string) =>
        Effect.zipRight(
          Ref.update(figures, (before) => ({ ...before, refused: before.refused + 1, problems })),
          Effect.logError(`definition files changed but are not usable, the previous ones stay: ${reason}`)
        )

      const reload = Effect.gen(function* () {
        // taken before reading: what changes in between is noticed by the next look
        yield* Ref.set(seen, contentHash(options))
        const before = yield* Ref.get(current)
        const next = loadCatalog(options)
        const gone = vanished(options.configDir, yield* Ref.get(own))
        if (gone.length > 0) return yield* refuse(next.problems, `${gone.join(" and ")} cannot be found`)
        if (next.errors.length > 0 && options.onError === "refuse")
          return yield* refuse(next.problems, next.errors.map(describe).join("; "))
        const loadedAt = yield* Clock.currentTimeMillis
        const applied = next.snapshot.version === before.version ? 0 : 1
        yield* Ref.set(current, next.snapshot)
        yield* Ref.set(own, next.own)
        yield* Ref.update(figures, (all) => ({
          ...all,
          loadedAt,
          problems: next.problems,
          applied: all.applied + applied
        }))
        yield* announceProblems(next)
        yield* Effect.logInfo(
          `definition files reloaded: ${next.snapshot.providers.length} providers, ${next.snapshot.collections.length} collections`
        )
      }).pipe(
        Effect.catchAllCause((cause) =>
          Effect.logError("definition files cannot be reloaded, the previous ones stay", cause)
        )
      )

      const changed = Effect.map(Ref.get(seen), (hash) => contentHash(options) !== hash)
      const reading = yield* Effect.makeSemaphore(1)
      const noticed = yield* Queue.sliding<void>(1)
      yield* Stream.fromQueue(noticed).pipe(
        Stream.debounce(quiet),
        Stream.runForEach(() => reading.withPermits(1)(Effect.whenEffect(reload, changed))),
        Effect.forkScoped
      )
      yield* options.signals.pipe(
        Stream.runForEach((signal) => {
          if (signal === "asked") return reading.withPermits(1)(reload)
          return signal === "noticed"
            ? Queue.offer(noticed, undefined)
            : Effect.whenEffect(Queue.offer(noticed, undefined), changed)
        }),
        Effect.forkScoped
      )
      return { current: Ref.get(current), reloads: Ref.get(figures) }
    })
  )

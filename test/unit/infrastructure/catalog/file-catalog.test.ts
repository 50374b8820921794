import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Queue, Stream, TestClock } from "effect"
import { Catalog } from "../../../../application/ports/catalog.ts"
import type { ChangeSignal } from "../../../../infrastructure/catalog/change-signals.ts"
import * as FileCatalog from "../../../../infrastructure/catalog/file-catalog.ts"
import { collectionFile, providerFile, writeDefinitions } from "../../../support/definition-folder.ts"
import { quiet } from "../../../support/until.ts"

const good = {
  "providers/p.yaml": providerFile("p"),
  "providers/q.yaml": providerFile("q"),
  "collections/c.yaml": collectionFile("c", ["p/b", "q/b"])
}

interface World {
  readonly folder: string
  readonly write: (files: Readonly<Record<string, string | undefined>>) => void
  /** a watcher or a poll says so; nothing is read before half a second of silence */
  readonly signal: (signal: ChangeSignal) => Effect.Effect<void>
  /** a watcher says so, and half a second goes by */
  readonly settled: Effect.Effect<void>
  readonly ids: Effect.Effect<ReadonlyArray<string>, never, Catalog>
  readonly figures: Effect.Effect<
    { readonly applied: number; readonly refused: number; readonly loadedAt: number },
    never,
    Catalog
  >
  readonly said: ReadonlyArray<string>
}

const within = <E>(
  use: (world: World) => Effect.Effect<void, E, Catalog>,
  {
    onError = "refuse",
    files = good
  }: { readonly onError?: "refuse" | "skip"; readonly files?: Readonly<Record<string, string>> } = {}
) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-catalog-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    writeDefinitions(folder, files)
    const signals = yield* Queue.unbounded<ChangeSignal>()
    const said: Array<string> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => {
        said.push(String(message))
      })
    )
    const signal = (one: ChangeSignal) => Effect.zipRight(Queue.offer(signals, one), quiet)
    const catalog = FileCatalog.layer({ configDir: folder, images: {}, onError, signals: Stream.fromQueue(signals) })
    const world: World = {
      folder,
      write: (changes) => writeDefinitions(folder, changes),
      signal,
      settled: signal("noticed").pipe(Effect.zipRight(TestClock.adjust("500 millis")), Effect.zipRight(quiet)),
      ids: Effect.flatMap(Catalog, ({ current }) =>
        Effect.map(current, ({ providers, collections }) => [...providers, ...collections].map(({ id }) => id))
      ),
      figures: Effect.flatMap(Catalog, ({ reloads }) => reloads ?? Effect.die("nothing is reloaded")),
      said
    }
    yield* use(world).pipe(Effect.provide(Layer.provideMerge(catalog, logger)))
  }).pipe(Effect.scoped)

describe("reload of the definition files", () => {
  it.effect("an edited file replaces the catalogue as a whole, half a second after the last change", () =>
    within(({ write, signal, settled, ids, figures }) =>
      Effect.gen(function* () {
        const { current } = yield* Catalog
        const before = yield* current
        write({ "providers/p.yaml": providerFile("p", { title: "new", benchmarks: ["b", "b2"] }) })
        for (let n = 0; n < 5; n++) {
          yield* signal("noticed")
          yield* TestClock.adjust("400 millis")
        }
        assert.strictEqual(yield* current, before, "read while files were still changing")
        yield* TestClock.adjust("100 millis")
        yield* quiet
        const after = yield* current
        assert.strictEqual(after.providers.find(({ id }) => id === "p")?.title, "new")
        assert.deepStrictEqual(yield* ids, ["p", "q", "c"])
        assert.notStrictEqual(after.version, before.version)
        assert.include(yield* figures, { applied: 1, refused: 0, loadedAt: 2_100 })
        yield* settled
        assert.strictEqual(yield* current, after, "the same content was read again")
        assert.include(yield* figures, { applied: 1 })
      })
    )
  )
  it.effect("a broken file keeps the last good catalogue and is named with its place; repaired, it is used", () =>
    within(({ write, settled, figures, said }) =>
      Effect.gen(function* () {
        const { current, reloads } = yield* Catalog
        const before = yield* current
        write({
          "providers/p.yaml": providerFile("p").replace("metrics: [acc]", "metrics: acc"),
          "providers/new.yaml": providerFile("new")
        })
        yield* settled
        assert.strictEqual(yield* current, before)
        assert.include(yield* figures, { applied: 0, refused: 1, loadedAt: 0 })
        assert.strictEqual(
          (yield* reloads ?? Effect.die("none")).problems.error,
          2,
          "the file, and the collection that needs it"
        )
        const [line] = said.filter((text) => text.includes("the previous ones stay"))
        assert.match(line ?? "", /providers\/p\.yaml:8:\d+: error L001 \/benchmarks\/0\/metrics: /)
        yield* settled
        assert.include(yield* figures, { refused: 1 }, "the same mistake was counted again")
        write({ "providers/p.yaml": providerFile("p", { title: "repaired" }) })
        yield* settled
        assert.deepStrictEqual(
          (yield* current).providers.map(({ id, title }) => [id, title]),
          [
            ["new", "new"],
            ["p", "repaired"],
            ["q", "q"]
          ]
        )
        assert.include(yield* figures, { applied: 1, refused: 1, loadedAt: 1_500 })
      })
    )
  )
  it.effect("a file that only the linter objects to is refused as well", () =>
    within(({ write, settled, figures, said }) =>
      Effect.gen(function* () {
        write({
          "providers/p.yaml": providerFile("p").replace("primary_score: {metric: acc}", "primary_score: {metric: f1}")
        })
        yield* settled
        assert.include(yield* figures, { applied: 0, refused: 1 })
        assert.isTrue(
          said.some((text) => /p\.yaml:8:\d+: error L004 /.test(text)),
          said.join("\n")
        )
      })
    )
  )
  it.effect("a renamed file with a new id, and a deleted one, are followed", () =>
    within(({ write, settled, ids }) =>
      Effect.gen(function* () {
        write({
          "providers/q.yaml": undefined,
          "providers/r.yaml": providerFile("r"),
          "collections/c.yaml": collectionFile("c", ["p/b", "r/b"])
        })
        yield* settled
        assert.deepStrictEqual(yield* ids, ["p", "r", "c"])
        write({ "providers/r.yaml": undefined, "collections/c.yaml": undefined })
        yield* settled
        assert.deepStrictEqual(yield* ids, ["p"])
      })
    )
  )
  it.effect("a provider that a collection still needs cannot be deleted alone", () =>
    within(({ write, settled, ids, said }) =>
      Effect.gen(function* () {
        write({ "providers/q.yaml": undefined })
        yield* settled
        assert.deepStrictEqual(yield* ids, ["p", "q", "c"])
        assert.isTrue(said.some((text) => /c\.yaml:9:\d+: error L003 /.test(text)))
      })
    )
  )
  it.effect(
    "a configuration map that is swapped by its link is noticed by the poll, without any event of a watcher",
    () => {
      const swap = (folder: string, version: string, title: string) => {
        writeDefinitions(folder, { [`providers/..${version}/p.yaml`]: providerFile("p", { title }) })
        symlinkSync(`..${version}`, join(folder, "providers", "..new"))
        renameSync(join(folder, "providers", "..new"), join(folder, "providers", "..data"))
      }
      return Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-catalog-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        mkdirSync(join(folder, "providers"))
        swap(folder, "one", "first")
        symlinkSync(join("..data", "p.yaml"), join(folder, "providers", "p.yaml"))
        const signals = yield* Queue.unbounded<ChangeSignal>()
        yield* Effect.gen(function* () {
          const { current } = yield* Catalog
          const titles = Effect.map(current, ({ providers }) => providers.map(({ title }) => title))
          assert.deepStrictEqual(yield* titles, ["first"])
          swap(folder, "two", "second")
          rmSync(join(folder, "providers", "..one"), { recursive: true })
          yield* Queue.offer(signals, "due")
          yield* quiet
          yield* TestClock.adjust("500 millis")
          yield* quiet
          assert.deepStrictEqual(yield* titles, ["second"])
        }).pipe(
          Effect.provide(
            FileCatalog.layer({ configDir: folder, images: {}, onError: "refuse", signals: Stream.fromQueue(signals) })
          )
        )
      }).pipe(Effect.scoped, Effect.provide(Logger.remove(Logger.defaultLogger)))
    }
  )
  it.effect("asked by SIGHUP it reads at once, and says again what is wrong", () =>
    within(({ write, signal, figures, said }) =>
      Effect.gen(function* () {
        write({ "providers/p.yaml": providerFile("p", { title: "new" }) })
        yield* signal("asked")
        assert.include(yield* figures, { applied: 1 })
        write({ "providers/p.yaml": "id: [" })
        yield* signal("asked")
        yield* signal("asked")
        assert.include(yield* figures, { applied: 1, refused: 2 })
        assert.strictEqual(said.filter((text) => text.includes("the previous ones stay")).length, 2)
      })
    )
  )
  it.effect("a folder that is gone is a mount being replaced, not a wish to have no providers", () =>
    within(({ folder, signal, settled, ids, figures, said }) =>
      Effect.gen(function* () {
        renameSync(join(folder, "providers"), join(folder, "away"))
        yield* settled
        assert.deepStrictEqual(yield* ids, ["p", "q", "c"])
        assert.include(yield* figures, { refused: 1 })
        assert.isTrue(said.some((text) => text.includes("providers cannot be found")))
        renameSync(join(folder, "away"), join(folder, "providers"))
        yield* signal("asked")
        assert.include(yield* figures, { applied: 0, refused: 1 })
        assert.deepStrictEqual(yield* ids, ["p", "q", "c"])
      })
    )
  )
  it.effect("on_error skip leaves out the broken file and what needs it, and says so", () =>
    within(
      ({ write, settled, ids, figures }) =>
        Effect.gen(function* () {
          const { current } = yield* Catalog
          write({ "providers/q.yaml": providerFile("q").replace("id: b,", "") })
          yield* settled
          assert.deepStrictEqual(yield* ids, ["p"])
          assert.deepStrictEqual(
            (yield* current).errors.map(({ line }) => line.split(":")[0]),
            ["q", "c"]
          )
          assert.include(yield* figures, { applied: 1, refused: 0 })
        }),
      { onError: "skip" }
    )
  )
  it.effect("what is left out is one line each with its id and no folder, for the tenant it belongs to", () =>
    within(
      ({ folder }) =>
        Effect.gen(function* () {
          const { errors } = yield* (yield* Catalog).current
          assert.deepStrictEqual(
            errors.map(({ line, tenant }) => [line.replace(/:.*/, ""), tenant]),
            [
              ["broken", undefined],
              ["many", undefined],
              ["yours", "theirs"],
              ["twice", undefined]
            ]
          )
          const lines = errors.map(({ line }) => line)
          assert.deepStrictEqual(lines[1], "many: 'name' is 7, expected string; 2 more problems")
          assert.deepStrictEqual(lines[3], "twice: provider 'p' is already defined in p.yaml; 1 more problem")
          for (const line of lines) {
            assert.notInclude(line, folder)
            assert.notInclude(line, "\n")
            assert.notInclude(line, "/")
          }
        }),
      {
        onError: "skip",
        files: {
          ...good,
          "providers/broken.yaml": "id: [",
          "providers/many.yaml": providerFile("many")
            .replace("id: b,", "")
            .replace("name: many", "name: 7")
            .replace("metrics: [acc]", "metrics: acc"),
          "providers/twice.yaml": providerFile("p"),
          "providers/yours.yaml": providerFile("yours")
            .replace("type: builtin", "tenant: theirs")
            .replace("metrics: [acc]", "metrics: acc")
        }
      }
    )
  )
})

describe("start with definition files", () => {
  const started = (onError: "refuse" | "skip", files: Readonly<Record<string, string>>) =>
    Effect.exit(within(({ ids }) => Effect.flatMap(ids, (found) => Effect.fail(found)), { onError, files }))
  const bad = {
    ...good,
    "providers/q.yaml": providerFile("other"),
    "providers/p.yaml": providerFile("p").replace("acc}", "f1}")
  }

  it.effect("every error of every file is in the refusal, with its place", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-catalog-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      writeDefinitions(folder, bad)
      const refused = yield* Effect.flip(
        Layer.build(FileCatalog.layer({ configDir: folder, images: {}, onError: "refuse", signals: Stream.never }))
      )
      assert.deepStrictEqual(
        refused.problems.map(({ file, code, line }) => [file.slice(folder.length + 1), code, line > 0]),
        [
          ["collections/c.yaml", "L003", true],
          ["providers/p.yaml", "L004", true],
          ["providers/q.yaml", "L002", true]
        ]
      )
    }).pipe(Effect.scoped)
  )
  it.effect("with skip, the rest is served", () =>
    Effect.map(started("skip", { ...bad, "providers/r.yaml": providerFile("r") }), (exit) =>
      assert.deepStrictEqual(exit, Exit.fail(["r"]))
    )
  )
})

/** What of the shipped definitions a server has beside those of its configuration directory. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Stream } from "effect"
import { Catalog } from "../../../../application/ports/catalog.ts"
import * as FileCatalog from "../../../../infrastructure/catalog/file-catalog.ts"
import { lintFolder } from "../../../../infrastructure/catalog/lint/lint.ts"
import { collectionFile, providerFile, writeDefinitions } from "../../../support/definition-folder.ts"

const shippedFiles = {
  "providers/p.yaml": providerFile("p", { title: "shipped" }),
  "providers/q.yaml": providerFile("q", { benchmarks: ["b", "b2"] }),
  "collections/c.yaml": collectionFile("c", ["p/b", "q/b2"])
}

const folderWith = (files: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "evald-shipped-"))
      writeDefinitions(folder, files)
      return folder
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

/** the catalogue of a server with these own files, and what it said */
const loaded = (own: Readonly<Record<string, string>>, shipped = true) =>
  Effect.gen(function* () {
    const [configDir, shippedDir] = [yield* folderWith(own), yield* folderWith(shippedFiles)]
    const said: Array<string> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void said.push(String(message).replaceAll(configDir, "DIR")))
    )
    const layer = FileCatalog.layer({
      configDir,
      ...(shipped ? { shippedDir } : {}),
      images: {},
      onError: "refuse",
      signals: Stream.empty
    })
    const { providers, collections } = yield* Effect.flatMap(Catalog, ({ current }) => current).pipe(
      Effect.provide(Layer.provideMerge(layer, logger))
    )
    return {
      ids: [...providers, ...collections].map(({ id }) => id),
      titleOfP: providers.find(({ id }) => id === "p")?.title,
      said
    }
  })

describe("a configuration directory", () => {
  it.scoped(
    "without definitions has the shipped ones (the catalogue was empty without a word), and says so in one line",
    () =>
      Effect.gen(function* () {
        const { ids, said } = yield* loaded({})
        assert.deepStrictEqual(ids, ["p", "q", "c"])
        assert.deepStrictEqual(said, [
          "definitions in use: 2 providers and 1 collection (DIR: 0 providers and 0 collections; shipped: 2 providers and 1 collection)"
        ])
      })
  )
  it.scoped("with definitions of its own has both; the same id, or the same file name, replaces", () =>
    Effect.gen(function* () {
      const { ids, titleOfP, said } = yield* loaded({
        "providers/p.yaml": providerFile("p", { title: "own" }),
        "providers/r.yaml": providerFile("r"),
        "collections/d.yaml": collectionFile("d", ["q/b", "r/b"])
      })
      assert.deepStrictEqual([ids, titleOfP], [["p", "r", "q", "d", "c"], "own"])
      assert.include(
        said[0],
        "3 providers and 2 collections (DIR: 2 providers and 1 collection; shipped: 1 provider and 1 collection)"
      )
    })
  )
  it.scoped(
    "is not refused because a shipped collection does not fit what it replaces: that one is left out and named",
    () =>
      Effect.gen(function* () {
        const { ids, said } = yield* loaded({ "providers/q.yaml": providerFile("q") })
        assert.deepStrictEqual(ids, ["q", "p"])
        assert.match(said[0] ?? "", /left out: c\.yaml/)
      })
  )
  it.scoped("with catalog.shipped: false has its own alone, and an empty catalogue is a warning", () =>
    Effect.gen(function* () {
      const { ids, said } = yield* loaded({}, false)
      assert.deepStrictEqual(ids, [])
      assert.match(said[0] ?? "", /0 providers and 0 collections .*the shipped ones are off.*no job can be submitted/)
    })
  )
  it.scoped("is checked beside the shipped definitions, and not for them", () =>
    Effect.gen(function* () {
      const configDir = yield* folderWith({ "collections/d.yaml": collectionFile("d", ["q/b"]) })
      const shippedDir = yield* folderWith({ ...shippedFiles, "providers/bad.yaml": "id: [" })
      assert.deepStrictEqual(lintFolder({ configDir, shippedDir }).problems, [])
      assert.deepStrictEqual(
        lintFolder({ configDir }).problems.map(({ code }) => code),
        ["L003"]
      )
    })
  )
})

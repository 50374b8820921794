/** Definitions that tenants bring: whose they are, what is refused, and that they follow their folder. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue, Stream, TestClock } from "effect"
import { Catalog } from "../../../../application/ports/catalog.ts"
import type { ChangeSignal } from "../../../../infrastructure/catalog/change-signals.ts"
import * as FileCatalog from "../../../../infrastructure/catalog/file-catalog.ts"
import { collectionFile, providerFile, writeDefinitions } from "../../../support/definition-folder.ts"
import { tempDir } from "../../../support/temp-dir.ts"
import { quiet } from "../../../support/until.ts"

const remote = (id: string, parts?: Parameters<typeof providerFile>[1]) =>
  providerFile(id, parts).replace("local: {command: sleep 60}, ", "")

interface World {
  readonly write: (files: Readonly<Record<string, string | undefined>>) => void
  readonly settled: Effect.Effect<void>
  readonly seen: Effect.Effect<{
    readonly providers: ReadonlyArray<string>
    readonly collections: ReadonlyArray<string>
    readonly errors: ReadonlyArray<string>
  }>
}

/** `tenant/id` of what is there, `tenant: line` of what is left out; the installation's has no tenant */
const within = (files: Readonly<Record<string, string>>, use: (world: World) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const folder = yield* tempDir
    const tenantDir = join(folder, "tenants")
    mkdirSync(tenantDir)
    writeDefinitions(join(folder, "config"), {
      "providers/p.yaml": providerFile("p"),
      "collections/c.yaml": collectionFile("c", ["p/b"])
    })
    writeDefinitions(tenantDir, files)
    const signals = yield* Queue.unbounded<ChangeSignal>()
    const catalog = FileCatalog.layer({
      configDir: join(folder, "config"),
      tenantDir,
      images: {},
      onError: "refuse",
      signals: Stream.fromQueue(signals)
    })
    yield* Effect.gen(function* () {
      const { current } = yield* Catalog
      const named = ({ tenant = "", id }: { readonly tenant?: string; readonly id: string }) => `${tenant}/${id}`
      yield* use({
        write: (changes) => writeDefinitions(tenantDir, changes),
        settled: Queue.offer(signals, "due").pipe(
          Effect.zipRight(quiet),
          Effect.zipRight(TestClock.adjust("500 millis")),
          Effect.zipRight(quiet)
        ),
        seen: Effect.map(current, ({ providers, collections, errors }) => ({
          providers: providers.map(named),
          collections: collections.map(named),
          errors: errors.map(({ tenant = "", line }) => `${tenant}: ${line}`)
        }))
      })
    }).pipe(Effect.provide(catalog))
  }).pipe(Effect.scoped)

describe("definitions of tenants", () => {
  it.effect("belong to the tenant of the file's name, whatever the document says, and two tenants may use one id", () =>
    within(
      {
        "team-a.provider.mine.yaml": remote("mine"),
        "team-b.provider.mine.yaml": `${remote("mine")}tenant: team-a\n`,
        "team-a.collection.set.yaml": collectionFile("set", ["mine/b", "p/b"])
      },
      ({ seen }) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* seen, {
            providers: ["/p", "team-a/mine", "team-b/mine"],
            collections: ["/c", "team-a/set"],
            errors: []
          })
        })
    )
  )

  it.effect("that can not be used are left out and told to their tenant, and the catalogue is not refused", () =>
    within(
      {
        "team-a.provider.p.yaml": remote("p"),
        "team-a.provider.shell.yaml": providerFile("shell"),
        "team-a.provider.broken.yaml": "id: [",
        "team-b.provider.good.yaml": remote("good"),
        // the provider of another tenant is none
        "team-a.collection.set.yaml": collectionFile("set", ["good/b"]),
        "no-tenant.yaml": remote("stray")
      },
      ({ seen }) =>
        Effect.gen(function* () {
          const { providers, collections, errors } = yield* seen
          assert.deepStrictEqual([providers, collections], [["/p", "team-b/good"], ["/c"]])
          assert.lengthOf(errors, 4)
          const [broken = "", taken = "", shell = "", set = ""] = errors
          assert.match(broken, /^team-a: provider\.broken\.yaml: /)
          assert.strictEqual(taken, "team-a: provider.p.yaml: 'p' is a provider of the installation; choose another id")
          assert.include(shell, "'runtime.local': a provider of a tenant can not run as a process of the server")
          assert.match(set, /^team-a: collection\.set\.yaml: .*good/)
        })
    )
  )

  it.effect("follow their folder without a restart: added, changed, removed", () =>
    within({}, ({ write, settled, seen }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* seen).providers, ["/p"])
        write({ "team-a.provider.mine.yaml": remote("mine") })
        yield* settled
        assert.deepStrictEqual((yield* seen).providers, ["/p", "team-a/mine"])
        write({ "team-a.provider.mine.yaml": remote("other") })
        yield* settled
        assert.deepStrictEqual((yield* seen).providers, ["/p", "team-a/other"])
        write({ "team-a.provider.mine.yaml": undefined })
        yield* settled
        assert.deepStrictEqual((yield* seen).providers, ["/p"])
      })
    )
  )
})

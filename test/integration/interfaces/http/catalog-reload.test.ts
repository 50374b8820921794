import { rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue, Ref, Stream } from "effect"
import { Catalog } from "../../../../application/ports/catalog.ts"
import type { ChangeSignal } from "../../../../infrastructure/catalog/change-signals.ts"
import * as FileCatalog from "../../../../infrastructure/catalog/file-catalog.ts"
import { collectionFile, providerFile, writeDefinitions } from "../../../support/definition-folder.ts"
import {
  at,
  collectionsPath,
  eventBody,
  HttpApp,
  idOf,
  jobBody,
  jobsPath,
  layer,
  providersPath
} from "../../../support/http-app.ts"
import { tempDir } from "../../../support/temp-dir.ts"
import { untilTrue } from "../../../support/until.ts"

/** the app, over a catalogue that the test sees as well */
const served = (folder: string, signals: Queue.Queue<ChangeSignal>) =>
  Layer.unwrapScoped(
    Effect.map(
      Layer.build(
        FileCatalog.layer({ configDir: folder, images: {}, onError: "refuse", signals: Stream.fromQueue(signals) })
      ),
      (built) => {
        const catalog = Layer.succeedContext(built)
        return Layer.merge(layer({ changingCatalog: catalog }), catalog)
      }
    )
  )

const reloads = Effect.gen(function* () {
  const { reloads: figures } = yield* Catalog
  return figures === undefined ? 0 : (yield* figures).applied
})

describe("definitions that change while the server answers", () => {
  const generation = (n: number) =>
    Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [
        `providers/p${i}.yaml`,
        providerFile(`p${i}`, { title: `generation ${n}`, benchmarks: n % 2 === 0 ? ["b"] : ["b", "c"] })
      ])
    )

  it.scoped("a storm of requests sees whole catalogues only, old or new", () =>
    Effect.gen(function* () {
      const folder = yield* tempDir
      const signals = yield* Queue.unbounded<ChangeSignal>()
      writeDefinitions(folder, generation(0))
      yield* Effect.gen(function* () {
        const { send } = yield* HttpApp
        const seen = yield* Ref.make<ReadonlySet<string>>(new Set())
        const broken = yield* Ref.make<ReadonlyArray<string>>([])
        const answers = yield* Ref.make(0)
        const look = Effect.gen(function* () {
          const { status, json } = yield* send("GET", `${providersPath}?limit=100`)
          const items = at(json, "items")
          const providers = Array.isArray(items) ? items : []
          const shapes = new Set(
            providers.map(
              (one) => `${at(one, "title")} with ${(at(one, "benchmarks") as ReadonlyArray<unknown>).length}`
            )
          )
          yield* Ref.update(answers, (n) => n + 1)
          if (status !== 200 || providers.length !== 20 || shapes.size !== 1) {
            yield* Ref.update(broken, (all) => [
              ...all,
              `${status}, ${providers.length} providers: ${[...shapes].join(", ")}`
            ])
          }
          yield* Ref.update(seen, (all) => new Set([...all, ...shapes]))
        })
        const storm = yield* Effect.fork(
          Effect.all(
            Array.from({ length: 6 }, () => Effect.forever(look)),
            { concurrency: "unbounded" }
          )
        )
        for (let n = 1; n <= 10; n++) {
          const before = yield* Ref.get(answers)
          yield* untilTrue(Effect.map(Ref.get(answers), (count) => count >= before + 6))
          writeDefinitions(folder, generation(n))
          yield* Queue.offer(signals, "asked")
          yield* untilTrue(Effect.map(reloads, (count) => count >= n))
        }
        yield* Fiber.interrupt(storm)
        assert.deepStrictEqual(yield* Ref.get(broken), [])
        assert.isAbove((yield* Ref.get(seen)).size, 2)
      }).pipe(Effect.provide(served(folder, signals)))
    })
  )

  it.scoped(
    "a job goes on with what it was submitted with; a removed provider and collection are 404 from then on",
    () =>
      Effect.gen(function* () {
        const folder = yield* tempDir
        const signals = yield* Queue.unbounded<ChangeSignal>()
        writeDefinitions(folder, {
          "providers/p.yaml": providerFile("p", { threshold: 0.5 }),
          "providers/q.yaml": providerFile("q"),
          "collections/c.yaml": collectionFile("c", ["p/b"])
        })
        yield* Effect.gen(function* () {
          const { send } = yield* HttpApp
          const { benchmarks: _, ...body } = jobBody()
          const direct = idOf(yield* send("POST", jobsPath, { body: jobBody() }))
          const collected = idOf(yield* send("POST", jobsPath, { body: { ...body, collection: { id: "c" } } }))
          const events = (id: string, given: object) =>
            send("POST", `${jobsPath}/${id}/events`, { body: eventBody({ ...given }) })
          const first = yield* events(direct, { status: "running", phase: "initializing" })
          assert.strictEqual(first.status, 200, first.text)
          rmSync(join(folder, "providers", "p.yaml"))
          rmSync(join(folder, "collections", "c.yaml"))
          yield* Queue.offer(signals, "asked")
          yield* untilTrue(Effect.map(reloads, (count) => count === 1))
          assert.strictEqual((yield* send("GET", `${providersPath}/p`)).status, 404)
          assert.strictEqual((yield* send("GET", `${collectionsPath}/c`)).status, 404)
          assert.strictEqual((yield* send("GET", `${providersPath}/q`)).status, 200)
          assert.isAtLeast((yield* send("POST", jobsPath, { body: jobBody() })).status, 400)
          for (const id of [direct, collected]) {
            assert.strictEqual((yield* events(id, { status: "completed", metrics: { acc: 0.6 } })).status, 200)
            const { json } = yield* send("GET", `${jobsPath}/${id}`)
            assert.strictEqual(at(json, "status.state"), "completed")
            assert.deepInclude(at(json, "results.benchmarks.0.test"), { primary_score: 0.6, pass: true })
          }
        }).pipe(Effect.provide(served(folder, signals)))
      })
  )
})

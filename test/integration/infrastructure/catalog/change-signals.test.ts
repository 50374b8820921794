import { existsSync, mkdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue, Ref, Stream, TestClock } from "effect"
import { type ChangeSignal, changeSignals } from "../../../../infrastructure/catalog/change-signals.ts"
import { providerFile, writeDefinitions } from "../../../support/definition-folder.ts"
import { tempDir } from "../../../support/temp-dir.ts"
import { quiet, until, untilTrue } from "../../../support/until.ts"

const listening = (folder: string, hangUp: boolean) =>
  Effect.gen(function* () {
    const heard = yield* Queue.unbounded<ChangeSignal>()
    yield* Effect.forkScoped(
      Stream.runForEach(changeSignals(folder, { hangUp }), (signal) => Queue.offer(heard, signal))
    )
    yield* quiet
    yield* Queue.takeAll(heard)
    return heard
  })

const next = (heard: Queue.Queue<ChangeSignal>) =>
  until(Effect.map(Queue.poll(heard), (signal) => (signal._tag === "Some" ? signal.value : undefined)))

describe("what makes the catalogue look again", () => {
  it.scoped("a file that is written, renamed or removed in either folder is noticed", () =>
    Effect.gen(function* () {
      const folder = yield* tempDir
      for (const name of ["providers", "collections"]) mkdirSync(join(folder, name))
      const heard = yield* listening(folder, false)
      writeDefinitions(folder, { "providers/p.yaml": providerFile("p") })
      assert.strictEqual(yield* next(heard), "noticed")
      yield* quiet
      yield* Queue.takeAll(heard)
      renameSync(join(folder, "providers", "p.yaml"), join(folder, "collections", "c.yaml"))
      assert.strictEqual(yield* next(heard), "noticed")
    })
  )
  it.scoped("without folders there is still the poll, every five seconds", () =>
    Effect.gen(function* () {
      const folder = yield* tempDir
      const heard = yield* listening(folder, false)
      assert.isFalse(existsSync(join(folder, "providers")))
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* Queue.size(heard), 0)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* next(heard), "due")
    })
  )
  it.scoped("SIGHUP asks when it is listened to, and the listener goes with its scope", () =>
    Effect.gen(function* () {
      const folder = yield* tempDir
      const before = process.listenerCount("SIGHUP")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const heard = yield* listening(folder, true)
          process.kill(process.pid, "SIGHUP")
          assert.strictEqual(yield* next(heard), "asked")
        })
      )
      yield* untilTrue(Effect.sync(() => process.listenerCount("SIGHUP") === before))
      const deaf = yield* Ref.make(0)
      yield* Effect.scoped(Effect.zipRight(listening(folder, false), Ref.set(deaf, process.listenerCount("SIGHUP"))))
      assert.strictEqual(yield* Ref.get(deaf), before)
    })
  )
})

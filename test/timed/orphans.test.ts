/**
 * What a unit starts and leaves behind, out of its group, its session and its environment, is dead two seconds after the unit was cancelled or
 * ended by itself, or its server was killed or stopped. Reference: adapter-contract.md, "Local processes".
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, Layer } from "effect"
import { Runtime, type Unit } from "../../application/ports/runtime.ts"
import { find } from "../../infrastructure/local/process/process-namespace.ts"
import { dyingServers, orphanNamed, pidIn, processesNamed } from "../support/dying-servers.ts"
import { BaseDir, eventually, layerAlone, runs, unitRunning, written } from "../support/local-units.ts"

const mostMillis = 2000

const found = await Effect.runPromise(find(process.env["PATH"] ?? ""))
const contained = Either.isRight(found)
  ? layerAlone({ namespace: Effect.succeed(found.right) })
  : Layer.dieSync(() => new Error(found.left))

const { restarted } = dyingServers()

const gone = (word: string) => eventually(Effect.sync(() => (processesNamed(word) === 0 ? true : undefined)))

/** milliseconds from now until nothing with this word is left */
const lastsFor = (word: string) =>
  Effect.gen(function* () {
    const begin = performance.now()
    yield* gone(word)
    return performance.now() - begin
  })

const workOf = (unit: Unit) => Effect.map(BaseDir, (baseDir) => join(baseDir, "test", unit.jobId, "0-bench-0", "work"))
/** runs until it is told to end, or the file `go` lies in its work directory */
const waits = "sleep 0.1; echo $$ > pid; while [ ! -e go ]; do sleep 0.02; done"
const unitWith = (number: number, word: string) =>
  unitRunning(`cccccccc-0000-7000-8000-${String(number).padStart(12, "0")}`, `${orphanNamed(word)}${waits}`)

describe.runIf(Either.isRight(found))("an orphan without group and environment is dead two seconds after", () => {
  it.scopedLive("its unit is cancelled", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const [word, unit] = ["orphan-timed-cancelled", unitWith(1, "orphan-timed-cancelled")]
      yield* runtime.launch(unit)
      yield* written(join(yield* workOf(unit), "pid"))
      assert.isAbove(processesNamed(word), 0)
      const stopping = yield* Effect.fork(runtime.stop(unit, { discard: false }))
      assert.isAtMost(yield* lastsFor(word), mostMillis)
      yield* Fiber.join(stopping)
    }).pipe(Effect.provide(contained))
  )

  it.scopedLive("its unit ends by itself", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const [word, unit] = ["orphan-timed-ended", unitWith(2, "orphan-timed-ended")]
      yield* runtime.launch(unit)
      const work = yield* workOf(unit)
      yield* written(join(work, "pid"))
      assert.isAbove(processesNamed(word), 0)
      writeFileSync(join(work, "go"), "")
      assert.isAtMost(yield* lastsFor(word), mostMillis)
    }).pipe(Effect.provide(contained))
  )

  for (const [signal, what] of [
    ["SIGKILL", "is killed"],
    ["SIGTERM", "is stopped"]
  ] as const)
    it.live(`its server ${what}`, () =>
      Effect.gen(function* () {
        const word = `orphan-timed-${signal}`
        yield* restarted(
          `timed-${signal}`,
          [`${orphanNamed(word)}${waits}`],
          (baseDir) => Effect.asVoid(pidIn(baseDir, 0)),
          { signal, namespace: true }
        )
        assert.isAtMost(yield* lastsFor(word), mostMillis)
      })
    )
})

describe("without a process namespace", () => {
  it.live("what still has its unit's environment is dead two seconds after its server is killed", () =>
    Effect.gen(function* () {
      const stubborn = "trap '' TERM; echo $$ > pid; while :; do sleep 1; done"
      const escaped = "setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 1; done' & wait"
      const pids: Array<number> = []
      yield* restarted("timed-plain", [stubborn, escaped], (baseDir) =>
        Effect.gen(function* () {
          pids.push(yield* pidIn(baseDir, 0), yield* pidIn(baseDir, 1))
        })
      )
      const begin = performance.now()
      yield* eventually(Effect.sync(() => (pids.some(runs) ? undefined : true)))
      assert.isAtMost(performance.now() - begin, mostMillis)
    })
  )
})

/** The server is killed with -9 in the middle of a job, and started again on the same database file. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { Benchmark } from "../../../../domain/job/job.ts"
import { find } from "../../../../infrastructure/local/process/process-namespace.ts"
import { dyingServers, orphanNamed, outputIn, pidIn, processesNamed, workOf } from "../../../support/dying-servers.ts"
import { eventually, runs, spoolCompleted } from "../../../support/local-units.ts"

const { restarted } = dyingServers()

const stubborn = "trap '' TERM; echo $$ > pid; while :; do sleep 1; done"

/** the first one completed, the second one ended with code 7 and without a result */
const endedAsTheyDid = (benchmarks: ReadonlyArray<Benchmark>) => {
  assert.deepStrictEqual(
    benchmarks.map(({ state, error }) => [state, error?.code]),
    [
      ["completed", undefined],
      ["failed", "adapter_exited_without_result"]
    ]
  )
  assert.match(benchmarks[1]?.error?.message ?? "", /exited with code 7/)
}

// the tests wait more than they work: beside each other
describe.concurrent("a server that is killed", () => {
  it.live("takes its units with it, and the next one shows the truth and goes on with the queue", () =>
    Effect.gen(function* () {
      const escaped = "setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 1; done' & wait"
      const pids: Array<number> = []
      const { again } = yield* restarted("killed", [stubborn, escaped, spoolCompleted(2)], (baseDir) =>
        Effect.gen(function* () {
          pids.push(yield* pidIn(baseDir, 0), yield* pidIn(baseDir, 1))
        })
      )
      yield* eventually(Effect.sync(() => (pids.some(runs) ? undefined : true)))
      const benchmarks = yield* again
      assert.deepStrictEqual(
        benchmarks.map(({ state, error }) => [state, error?.code]),
        [
          ["failed", "runtime_object_lost"],
          ["failed", "runtime_object_lost"],
          ["completed", undefined]
        ]
      )
    })
  )

  it.live("and one that is stopped in order is not told as the adapter's fault", () =>
    Effect.gen(function* () {
      const patient = "trap 'exit 143' TERM; echo $$ > pid; while :; do sleep 0.05; done"
      const begun = (baseDir: string) => Effect.zipRight(pidIn(baseDir, 0), Effect.asVoid(pidIn(baseDir, 1)))
      const { again } = yield* restarted("stopped", ["echo $$ > pid; exec sleep 60", patient], begun, {
        signal: "SIGTERM"
      })
      assert.deepStrictEqual(
        (yield* again).map(({ state, error }) => [state, error?.code, error?.message.split(",")[0]]),
        [0, 1].map(() => ["failed", "runtime_object_lost", "The server stopped while the benchmark was running"])
      )
    })
  )

  it.live("loses no event that lies in a spool, and launches nothing twice", () =>
    Effect.gen(function* () {
      const command = `echo run >> ../runs; ${spoolCompleted(0)}; ${stubborn}`
      const { baseDir, again } = yield* restarted("spooled", [command], (directory) =>
        Effect.asVoid(pidIn(directory, 0))
      )
      const [benchmark] = yield* again
      assert.deepStrictEqual([benchmark?.state, benchmark?.result?.metrics], ["completed", { accuracy: 0.5 }])
      assert.strictEqual(readFileSync(join(workOf(baseDir, 0), "..", "runs"), "utf8"), "run\n")
    })
  )
})

describe.concurrent("with local.adopt", () => {
  /** runs until the file `go` lies beside its work directory, says more than a pipe holds, and then ends as asked */
  const patient = (end: string) =>
    `echo run >> ../runs; echo before; echo $$ > pid; while [ ! -e ../go ]; do sleep 0.05; done; seq 1 20000; echo after; ${end}`

  for (const signal of ["SIGKILL", "SIGTERM"] as const)
    it.live(
      `after ${signal} the units of a server go on, and the next one takes them over with their output and their end`,
      () =>
        Effect.gen(function* () {
          const commands = [patient(spoolCompleted(0)), patient("exit 7")]
          const pids: Array<number> = []
          const begun = (baseDir: string) =>
            Effect.gen(function* () {
              pids.push(yield* pidIn(baseDir, 0), yield* pidIn(baseDir, 1))
              if (signal === "SIGKILL") for (const index of [0, 1]) yield* outputIn(baseDir, index)
            })
          const { baseDir, again } = yield* restarted(`adopted-${signal}`, commands, begun, { adopt: true, signal })
          const units = [0, 1].map((index) => join(workOf(baseDir, index), ".."))
          for (const unit of units) writeFileSync(join(unit, "go"), "")
          // nobody reads: they wait with a full pipe instead of dying
          yield* Effect.sleep("500 millis")
          assert.deepStrictEqual(pids.map(runs), [true, true])
          endedAsTheyDid(yield* again)
          for (const unit of units) {
            assert.strictEqual(readFileSync(join(unit, "runs"), "utf8"), "run\n")
            const lines = readFileSync(join(unit, "log", "jobrun.log"), "utf8")
              .trimEnd()
              .split("\n")
            assert.deepStrictEqual(
              [lines[0], lines[1], lines.at(-2), lines.at(-1), lines.length],
              ["before", "1", "20000", "after", 20_002]
            )
          }
        })
    )

  it.live("of a unit that ended while no server ran its end and its event are told as they were", () =>
    Effect.gen(function* () {
      const commands = [patient(spoolCompleted(0)), patient("exit 7")].map((command) =>
        command.replace("seq 1 20000", "true")
      )
      const { baseDir, again } = yield* restarted(
        "ended-alone",
        commands,
        (dir) => Effect.zipRight(pidIn(dir, 0), Effect.asVoid(pidIn(dir, 1))),
        {
          adopt: true
        }
      )
      const pids = [0, 1].map((index) => Number(readFileSync(join(workOf(baseDir, index), "pid"), "utf8")))
      for (const index of [0, 1]) writeFileSync(join(workOf(baseDir, index), "..", "go"), "")
      yield* eventually(Effect.sync(() => (pids.some(runs) ? undefined : true)))
      endedAsTheyDid(yield* again)
    })
  )

  it.live("a unit that was killed while no server ran is lost", () =>
    Effect.gen(function* () {
      const { baseDir, again } = yield* restarted(
        "killed-alone",
        [patient("exit 7")],
        (dir) => Effect.asVoid(pidIn(dir, 0)),
        { adopt: true }
      )
      const unit = join(workOf(baseDir, 0), "..")
      const pid = Number(readFileSync(join(unit, "work", "pid"), "utf8"))
      process.kill(-pid, "SIGKILL")
      yield* eventually(Effect.sync(() => (runs(pid) ? undefined : true)))
      const [benchmark] = yield* again
      assert.deepStrictEqual([benchmark?.state, benchmark?.error?.code], ["failed", "runtime_object_lost"])
    })
  )
})

const found = await Effect.runPromise(find(process.env["PATH"] ?? ""))

describe.runIf(Either.isRight(found))("with process namespaces", { concurrent: true }, () => {
  const gone = (word: string) => eventually(Effect.sync(() => (processesNamed(word) === 0 ? true : undefined)))

  it.live("an orphan without group and environment does not outlive a server that is killed", () =>
    Effect.gen(function* () {
      const word = "orphan-of-a-killed-server"
      const command = `${orphanNamed(word)}sleep 0.1; trap '' TERM; echo $$ > pid; while :; do sleep 1; done`
      const { again } = yield* restarted(
        "killed-with-orphan",
        [command],
        (baseDir) => Effect.asVoid(pidIn(baseDir, 0)),
        { namespace: true }
      )
      yield* gone(word)
      const [benchmark] = yield* again
      assert.deepStrictEqual([benchmark?.state, benchmark?.error?.code], ["failed", "runtime_object_lost"])
    })
  )

  for (const signal of ["SIGKILL", "SIGTERM"] as const)
    it.live(
      `and local.adopt, after ${signal} units go on and are taken over with their output and their end, and leave nothing`,
      () =>
        Effect.gen(function* () {
          const word = `orphan-of-an-adopted-unit-${signal}`
          const orphan = orphanNamed(word)
          const waits = "echo before; echo $$ > pid; while [ ! -e ../go ]; do sleep 0.05; done; seq 1 20000; echo after"
          const commands = [`${orphan}${waits}; ${spoolCompleted(0)}`, `${orphan}${waits}; exit 7`]
          // a server that stops in order loses nothing that it has read
          const begins = (baseDir: string, index: number) =>
            Effect.asVoid(signal === "SIGKILL" ? outputIn(baseDir, index) : Effect.map(pidIn(baseDir, index), String))
          const begun = (baseDir: string) => Effect.zipRight(begins(baseDir, 0), begins(baseDir, 1))
          const { baseDir, again } = yield* restarted(`adopted-in-namespaces-${signal}`, commands, begun, {
            adopt: true,
            signal,
            namespace: true
          })
          const units = [0, 1].map((index) => join(workOf(baseDir, index), ".."))
          assert.isAbove(processesNamed(word), 1)
          for (const unit of units) writeFileSync(join(unit, "go"), "")
          endedAsTheyDid(yield* again)
          for (const unit of units) {
            const lines = readFileSync(join(unit, "log", "jobrun.log"), "utf8")
              .trimEnd()
              .split("\n")
            assert.deepStrictEqual([lines[0], lines.at(-1), lines.length], ["before", "after", 20_002])
          }
          yield* gone(word)
        })
    )
})

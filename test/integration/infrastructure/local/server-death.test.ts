/** The server is killed with -9 in the middle of a job, and started again on the same database file. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import { afterAll, beforeAll } from "vitest"
import type { Benchmark } from "../../../../domain/job/job.ts"
import { find } from "../../../../infrastructure/local/process/process-namespace.ts"
import { bundleProgram } from "../../../support/bundled-program.ts"
import { eventually, runs, spoolCompleted, written } from "../../../support/local-units.ts"
import { jobId } from "../../../support/stored-jobs.ts"

const cache = join(".cache", "test")
let program = ""
let folder = ""
const started: Array<ChildProcess> = []

beforeAll(async () => {
  mkdirSync(cache, { recursive: true })
  // inside the project, so that the database driver is found
  program = join(mkdtempSync(join(cache, "server-")), "server.mjs")
  folder = mkdtempSync(join(tmpdir(), "evald-death-"))
  await bundleProgram("test/support/local-server.setup.ts", program)
})
afterAll(() => {
  for (const child of started) child.kill("SIGKILL")
  for (const path of [folder, join(program, "..")]) rmSync(path, { recursive: true, force: true })
})

interface Server {
  readonly child: ChildProcess
  readonly lines: Array<string>
}

const serve = (database: string, baseDir: string, commands: ReadonlyArray<string>, adopt = false, namespace = false): Server => {
  const env = { ...process.env, EVALD_TEST_ADOPT: adopt ? "1" : "0", EVALD_TEST_NAMESPACE: namespace ? "1" : "0" }
  const child = spawn(process.execPath, [program, database, baseDir, ...commands], { env, stdio: ["ignore", "pipe", "inherit"] })
  started.push(child)
  const lines: Array<string> = []
  let text = ""
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8")
    const parts = text.split("\n")
    text = parts.pop() ?? ""
    lines.push(...parts)
  })
  return { child, lines }
}

const lineOf = ({ lines }: Server, test: (line: string) => boolean) => eventually(Effect.sync(() => lines.find(test)))

const exited = (child: ChildProcess) => eventually(Effect.sync(() => (child.exitCode !== null || child.signalCode !== null ? true : undefined)))

const workOf = (baseDir: string, index: number) => join(baseDir, "test", jobId(1), `${index}-bench-${index}`, "work")

const pidIn = (baseDir: string, index: number) => Effect.map(written(join(workOf(baseDir, index), "pid")), Number)

const liveEntries = (baseDir: string): ReadonlyArray<string> => {
  const directory = join(baseDir, "test", "live")
  return readdirSync(directory).flatMap((name) => (name.endsWith(".json") ? [readFileSync(join(directory, name), "utf8")] : []))
}

const stubborn = "trap '' TERM; echo $$ > pid; while :; do sleep 1; done"

interface Restart {
  readonly adopt?: boolean
  readonly signal?: NodeJS.Signals
  readonly namespace?: boolean
}

const restarted = (
  name: string,
  commands: ReadonlyArray<string>,
  before: (baseDir: string) => Effect.Effect<void>,
  { adopt = false, signal = "SIGKILL", namespace = false }: Restart = {}
) =>
  Effect.gen(function* () {
    const [database, baseDir] = [join(folder, `${name}.db`), join(folder, name)]
    const first = serve(database, baseDir, commands, adopt, namespace)
    yield* before(baseDir)
    // a unit whose leader is not noted yet can not be taken over: it is ended and lost
    if (adopt) yield* eventually(Effect.sync(() => (liveEntries(baseDir).every((entry) => entry.includes('"leader"')) ? true : undefined)))
    first.child.kill(signal)
    yield* exited(first.child)
    const again = Effect.suspend(() => lineOf(serve(database, baseDir, commands, adopt, namespace), (line) => line.startsWith("[")))
    return { baseDir, again: Effect.map(again, (line): ReadonlyArray<Benchmark> => JSON.parse(line)) }
  })

describe("a server that is killed", () => {
  it.live("takes its units with it within three seconds, and the next one shows the truth and goes on with the queue", () =>
    Effect.gen(function* () {
      const escaped = "setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 1; done' & wait"
      const pids: Array<number> = []
      const { again } = yield* restarted("killed", [stubborn, escaped, spoolCompleted(2)], (baseDir) =>
        Effect.gen(function* () {
          pids.push(yield* pidIn(baseDir, 0), yield* pidIn(baseDir, 1))
        })
      )
      const gone = Effect.sync(() => (pids.some(runs) ? undefined : true))
      const inTime = yield* Effect.timeoutOption(eventually(gone), "3 seconds")
      assert.isTrue(Option.isSome(inTime), "a unit outlived its server by more than three seconds")
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
      const { again } = yield* restarted("stopped", ["echo $$ > pid; exec sleep 60", patient], begun, { signal: "SIGTERM" })
      assert.deepStrictEqual(
        (yield* again).map(({ state, error }) => [state, error?.code, error?.message.split(",")[0]]),
        [0, 1].map(() => ["failed", "runtime_object_lost", "The server stopped while the benchmark was running"])
      )
    })
  )

  it.live("loses no event that lies in a spool, and launches nothing twice", () =>
    Effect.gen(function* () {
      const command = `echo run >> ../runs; ${spoolCompleted(0)}; ${stubborn}`
      const { baseDir, again } = yield* restarted("spooled", [command], (directory) => Effect.asVoid(pidIn(directory, 0)))
      const [benchmark] = yield* again
      assert.deepStrictEqual([benchmark?.state, benchmark?.result?.metrics], ["completed", { accuracy: 0.5 }])
      assert.strictEqual(readFileSync(join(workOf(baseDir, 0), "..", "runs"), "utf8"), "run\n")
    })
  )
})

describe("with local.adopt", () => {
  /** runs until the file `go` lies beside its work directory, says more than a pipe holds, and then ends as asked */
  const patient = (end: string) => `echo run >> ../runs; echo before; echo $$ > pid; while [ ! -e ../go ]; do sleep 0.05; done; seq 1 20000; echo after; ${end}`

  for (const signal of ["SIGKILL", "SIGTERM"] as const)
    it.live(`after ${signal} the units of a server go on, and the next one takes them over with their output and their end`, () =>
      Effect.gen(function* () {
        const commands = [patient(spoolCompleted(0)), patient("exit 7")]
        const pids: Array<number> = []
        const begun = (baseDir: string) =>
          Effect.gen(function* () {
            pids.push(yield* pidIn(baseDir, 0), yield* pidIn(baseDir, 1))
          })
        const { baseDir, again } = yield* restarted(`adopted-${signal}`, commands, begun, { adopt: true, signal })
        const units = [0, 1].map((index) => join(workOf(baseDir, index), ".."))
        for (const unit of units) writeFileSync(join(unit, "go"), "")
        // nobody reads: they wait with a full pipe instead of dying
        yield* Effect.sleep("500 millis")
        assert.deepStrictEqual(pids.map(runs), [true, true])
        const benchmarks = yield* again
        assert.deepStrictEqual(
          benchmarks.map(({ state, error }) => [state, error?.code]),
          [
            ["completed", undefined],
            ["failed", "adapter_exited_without_result"]
          ]
        )
        assert.match(benchmarks[1]?.error?.message ?? "", /exited with code 7/)
        for (const unit of units) {
          assert.strictEqual(readFileSync(join(unit, "runs"), "utf8"), "run\n")
          const lines = readFileSync(join(unit, "log", "jobrun.log"), "utf8")
            .trimEnd()
            .split("\n")
          assert.deepStrictEqual([lines[0], lines[1], lines.at(-2), lines.at(-1), lines.length], ["before", "1", "20000", "after", 20_002])
        }
      })
    )

  it.live("of a unit that ended while no server ran its end and its event are told as they were", () =>
    Effect.gen(function* () {
      const commands = [patient(spoolCompleted(0)), patient("exit 7")].map((command) => command.replace("seq 1 20000", "true"))
      const { baseDir, again } = yield* restarted("ended-alone", commands, (dir) => Effect.zipRight(pidIn(dir, 0), Effect.asVoid(pidIn(dir, 1))), {
        adopt: true
      })
      const pids = [0, 1].map((index) => Number(readFileSync(join(workOf(baseDir, index), "pid"), "utf8")))
      for (const index of [0, 1]) writeFileSync(join(workOf(baseDir, index), "..", "go"), "")
      yield* eventually(Effect.sync(() => (pids.some(runs) ? undefined : true)))
      const benchmarks = yield* again
      assert.deepStrictEqual(
        benchmarks.map(({ state, error }) => [state, error?.code]),
        [
          ["completed", undefined],
          ["failed", "adapter_exited_without_result"]
        ]
      )
      assert.match(benchmarks[1]?.error?.message ?? "", /exited with code 7/)
    })
  )

  it.live("a unit that was killed while no server ran is lost", () =>
    Effect.gen(function* () {
      const { baseDir, again } = yield* restarted("killed-alone", [patient("exit 7")], (dir) => Effect.asVoid(pidIn(dir, 0)), { adopt: true })
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

describe.runIf(Either.isRight(found))("with process namespaces", () => {
  const named = (word: string): ReadonlyArray<string> =>
    readdirSync("/proc").filter((name) => {
      try {
        const line = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/cmdline`, "latin1") : ""
        // the server has it among its own arguments
        return line.includes(word) && !line.includes(program)
      } catch {
        return false
      }
    })
  const gone = (word: string) => eventually(Effect.sync(() => (named(word).length === 0 ? true : undefined)))

  it.live("an orphan without group and environment does not outlive a server that is killed", () =>
    Effect.gen(function* () {
      const word = "orphan-of-a-killed-server"
      const command = `env -i setsid sh -c 'trap "" TERM HUP; while :; do sleep 0.1; done; : ${word}' & sleep 0.1; trap '' TERM; echo $$ > pid; while :; do sleep 1; done`
      const { again } = yield* restarted("killed-with-orphan", [command], (baseDir) => Effect.asVoid(pidIn(baseDir, 0)), { namespace: true })
      yield* gone(word)
      const [benchmark] = yield* again
      assert.deepStrictEqual([benchmark?.state, benchmark?.error?.code], ["failed", "runtime_object_lost"])
    })
  )

  for (const signal of ["SIGKILL", "SIGTERM"] as const)
    it.live(`and local.adopt, after ${signal} units go on and are taken over with their output and their end, and leave nothing`, () =>
      Effect.gen(function* () {
        const word = `orphan-of-an-adopted-unit-${signal}`
        const orphan = `env -i setsid sh -c 'trap "" TERM HUP; while :; do sleep 0.1; done; : ${word}' & `
        const waits = "echo before; echo $$ > pid; while [ ! -e ../go ]; do sleep 0.05; done; seq 1 20000; echo after"
        const commands = [`${orphan}${waits}; ${spoolCompleted(0)}`, `${orphan}${waits}; exit 7`]
        const begun = (baseDir: string) => Effect.zipRight(pidIn(baseDir, 0), Effect.asVoid(pidIn(baseDir, 1)))
        const { baseDir, again } = yield* restarted(`adopted-in-namespaces-${signal}`, commands, begun, { adopt: true, signal, namespace: true })
        const units = [0, 1].map((index) => join(workOf(baseDir, index), ".."))
        assert.isAbove(named(word).length, 1)
        for (const unit of units) writeFileSync(join(unit, "go"), "")
        const benchmarks = yield* again
        assert.deepStrictEqual(
          benchmarks.map(({ state, error }) => [state, error?.code]),
          [
            ["completed", undefined],
            ["failed", "adapter_exited_without_result"]
          ]
        )
        assert.match(benchmarks[1]?.error?.message ?? "", /exited with code 7/)
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

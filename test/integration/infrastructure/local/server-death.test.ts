/** G13 and fault 2: the server is killed with -9 in the middle of a job, and started again on the same database file. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { build } from "esbuild"
import { afterAll, beforeAll } from "vitest"
import type { Benchmark } from "../../../../domain/job/job.ts"
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
  await build({
    entryPoints: ["test/support/local-server.setup.ts"],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["better-sqlite3", "pg-native"],
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
    logLevel: "error"
  })
})
afterAll(() => {
  for (const child of started) child.kill("SIGKILL")
  for (const path of [folder, join(program, "..")]) rmSync(path, { recursive: true, force: true })
})

interface Server {
  readonly child: ChildProcess
  readonly lines: Array<string>
}

const serve = (database: string, baseDir: string, commands: ReadonlyArray<string>): Server => {
  const child = spawn(process.execPath, [program, database, baseDir, ...commands], { stdio: ["ignore", "pipe", "inherit"] })
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

const stubborn = "trap '' TERM; echo $$ > pid; while :; do sleep 1; done"

const restarted = (name: string, commands: ReadonlyArray<string>, before: (baseDir: string) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const [database, baseDir] = [join(folder, `${name}.db`), join(folder, name)]
    const first = serve(database, baseDir, commands)
    yield* before(baseDir)
    first.child.kill("SIGKILL")
    yield* exited(first.child)
    const again = Effect.suspend(() => lineOf(serve(database, baseDir, commands), (line) => line.startsWith("[")))
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

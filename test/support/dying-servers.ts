/**
 * Servers without HTTP (`local-server.setup.ts`) that are killed or stopped in the middle of a job, and started again on the same database
 * file.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll } from "vitest"
import type { Benchmark } from "../../domain/job/job.ts"
import { bundleProgram } from "./bundled-program.ts"
import { eventually, written } from "./local-units.ts"
import { jobId } from "./stored-jobs.ts"

const cache = join(".cache", "test")
/** name of the bundled program, in every command line of a server */
const programName = "evald-test-server.mjs"

interface Server {
  readonly child: ChildProcess
  readonly lines: Array<string>
}

interface Restart {
  readonly adopt?: boolean
  readonly signal?: NodeJS.Signals
  readonly namespace?: boolean
}

const lineOf = ({ lines }: Server, test: (line: string) => boolean) => eventually(Effect.sync(() => lines.find(test)))

const exited = (child: ChildProcess) =>
  eventually(Effect.sync(() => (child.exitCode !== null || child.signalCode !== null ? true : undefined)))

export const workOf = (baseDir: string, index: number) =>
  join(baseDir, "test", jobId(1), `${index}-bench-${index}`, "work")

/** the process id that a unit has written to the file `pid` */
export const pidIn = (baseDir: string, index: number) =>
  Effect.map(written(join(workOf(baseDir, index), "pid")), Number)

/** waits until the server has kept output of this unit: what it was killed with in its hands would be lost */
export const outputIn = (baseDir: string, index: number) =>
  written(join(workOf(baseDir, index), "..", "log", "jobrun.log"))

const liveEntries = (baseDir: string): ReadonlyArray<string> => {
  const directory = join(baseDir, "test", "live")
  return readdirSync(directory).flatMap((name) =>
    name.endsWith(".json") ? [readFileSync(join(directory, name), "utf8")] : []
  )
}

/** processes of the machine whose command line has this word; servers, which have it among their arguments, do not count */
export const processesNamed = (word: string): number =>
  readdirSync("/proc").filter((name) => {
    try {
      const line = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/cmdline`, "latin1") : ""
      return line.includes(word) && !line.includes(programName)
    } catch {
      return false
    }
  }).length

/** shell text: nobody finds this process by its group, its session or its environment, and it does not go by itself */
export const orphanNamed = (word: string) =>
  `env -i setsid sh -c 'trap "" TERM HUP; while :; do sleep 0.1; done; : ${word}' & `

/** for a whole test file: what it starts is ended with it */
export const dyingServers = () => {
  let program = ""
  let folder = ""
  const started: Array<ChildProcess> = []
  beforeAll(async () => {
    mkdirSync(cache, { recursive: true })
    // inside the project, so that the database driver is found
    program = join(mkdtempSync(join(cache, "server-")), programName)
    folder = mkdtempSync(join(tmpdir(), "evald-death-"))
    await bundleProgram("test/support/local-server.setup.ts", program)
  })
  afterAll(() => {
    for (const child of started) child.kill("SIGKILL")
    for (const path of [folder, join(program, "..")]) rmSync(path, { recursive: true, force: true })
  })

  const serve = (
    database: string,
    baseDir: string,
    commands: ReadonlyArray<string>,
    adopt = false,
    namespace = false
  ): Server => {
    const env = { ...process.env, EVALD_TEST_ADOPT: adopt ? "1" : "0", EVALD_TEST_NAMESPACE: namespace ? "1" : "0" }
    const child = spawn(process.execPath, [program, database, baseDir, ...commands], {
      env,
      stdio: ["ignore", "pipe", "inherit"]
    })
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

  return {
    /**
     * Starts a server with a job of these commands, ends it with the signal once `before` is done, and returns when it is gone. `again` starts
     * the next one and waits for the benchmarks as they ended.
     */
    restarted: (
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
        if (adopt)
          yield* eventually(
            Effect.sync(() => (liveEntries(baseDir).every((entry) => entry.includes('"leader"')) ? true : undefined))
          )
        first.child.kill(signal)
        yield* exited(first.child)
        const again = Effect.suspend(() =>
          lineOf(serve(database, baseDir, commands, adopt, namespace), (line) => line.startsWith("["))
        )
        return { baseDir, again: Effect.map(again, (line): ReadonlyArray<Benchmark> => JSON.parse(line)) }
      })
  }
}

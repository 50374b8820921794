/** The built binary as a process: what a user starts. Every process started here is ended by its id. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createInterface } from "node:readline"

const binary = "dist/evald.mjs"

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const start = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>, program = binary): ChildProcess => {
  if (!existsSync(program)) throw new Error(`${program} is missing: run npm run bootstrap`)
  return spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["pipe", "pipe", "pipe"]
  })
}

/** runs to the end; killed after `timeoutMillis`. `input`: all of its standard input, which stays open without it */
export const run = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  timeoutMillis = 110_000,
  input?: string
): Promise<Finished> =>
  new Promise((resolve) => {
    const child = start(args, env)
    if (input !== undefined) child.stdin?.end(input)
    const output = { stdout: "", stderr: "" }
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text
    })
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      output.stderr += text
    })
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMillis)
    child.once("close", (code) => {
      clearTimeout(timer)
      resolve({ code, ...output })
    })
  })

export interface Running {
  /** the address found in the first line that has one */
  readonly url: string
  readonly pid: number
  /** all it wrote, on either output */
  readonly output: () => string
  /** resolves when it is gone */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** starts a process that says where it listens, on either output. `program`: of another build */
export const listen = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  program?: string
): Promise<Running> =>
  new Promise((resolve, reject) => {
    const child = start(args, env, program)
    const lines: Array<string> = []
    const ended = new Promise<number | null>((done) => child.once("exit", (code) => done(code)))
    const stop = (signal: NodeJS.Signals = "SIGTERM") => {
      child.kill(signal)
      return ended
    }
    const look = (line: string) => {
      lines.push(line)
      const url = /https?:\/\/[\w.[\]:]+(?:\/v1)?/.exec(line)?.[0]
      if (url !== undefined && child.pid !== undefined)
        resolve({ url, pid: child.pid, stop, output: () => lines.join("\n") })
    }
    for (const stream of [child.stdout, child.stderr])
      if (stream !== null) createInterface({ input: stream }).on("line", look)
    void ended.then((code) => reject(new Error(`evald ${args.join(" ")} ended with ${code}:\n${lines.join("\n")}`)))
  })

/** polls until `done` or the time is over; a wall-clock wait for real processes */
export const until = async <A>(
  read: () => Promise<A>,
  done: (value: A) => boolean,
  timeoutMillis = 30_000
): Promise<A> => {
  const end = performance.now() + timeoutMillis
  for (;;) {
    const value = await read()
    if (done(value)) return value
    if (performance.now() > end) throw new Error(`not within ${timeoutMillis} ms; last: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

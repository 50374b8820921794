/** Programs of others that a peer test talks to: found on the PATH or named by a variable, started on a free port, ended by their id. */
import { type ChildProcess, spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { Effect, Schedule, type Scope } from "effect"
import { freePort } from "./free-port.ts"

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** path of the program: `EVALD_PEER_<NAME>` wins over the PATH */
export const findProgram = (name: string): string | undefined => {
  const named = process.env[`EVALD_PEER_${name.toUpperCase().replaceAll("-", "_")}`]
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name))
  return (named === undefined ? onPath : [named]).find(isExecutable)
}

/** says aloud what cannot be shown here; a failure when `EVALD_REQUIRE_PEERS=1` */
export const missingPrograms = (wanted: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const missing = Object.entries(wanted).filter(([name]) => findProgram(name) === undefined)
  const said = missing.map(([name, install]) => `${name} is not installed (${install})`)
  if (said.length > 0) process.stderr.write(`SKIPPED peer tests: ${said.join("; ")}\n`)
  if (said.length > 0 && process.env["EVALD_REQUIRE_PEERS"] === "1") throw new Error(said.join("; "))
  return said
}

const answers = (url: string) =>
  Effect.tryPromise(async () => {
    await (await fetch(url)).arrayBuffer()
  })

export interface RunningPeer {
  readonly port: number
  readonly url: string
  readonly stop: Effect.Effect<void>
}

const ended = (child: ChildProcess, group: boolean): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    if (group && child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    else child.kill("SIGKILL")
  })

export interface PeerProgram {
  readonly port?: number
  readonly arguments: (port: number) => ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** it starts processes of its own, which end with it */
  readonly group?: boolean
  /** route that answers when it is ready; default the root */
  readonly ready?: string
}

/** `program`: a path, or a name for `findProgram`. Ready when it answers HTTP at all; `arguments` gets the port. */
export const startPeerProcess = (
  program: string,
  options: PeerProgram
): Effect.Effect<RunningPeer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const port = options.port ?? (yield* Effect.promise(freePort))
    const file = program.includes("/") ? program : (findProgram(program) ?? program)
    const group = options.group === true
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(file, options.arguments(port), {
          stdio: "ignore",
          detached: group,
          env: { ...process.env, ...options.env }
        })
      ),
      (started) => ended(started, group)
    )
    const url = `http://127.0.0.1:${port}`
    yield* answers(`${url}${options.ready ?? "/"}`).pipe(
      Effect.retry(Schedule.spaced("100 millis")),
      Effect.timeout("120 seconds"),
      Effect.orDie
    )
    return { port, url, stop: ended(child, group) }
  })

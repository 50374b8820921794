/**
 * A framework's command line as a process: no shell, a group of its own, output to the log line by line, stopped with everything it
 * started when the time is over or the run is interrupted. Reference: providers-and-collections.md, "Framework wrappers".
 */
import { type ChildProcess, spawn } from "node:child_process"
import { Effect } from "effect"
import { AdapterError } from "../adapter.ts"
import { frameworkMissing } from "../failures.ts"
import { lineReader, tailOf } from "./output-lines.ts"

/** a flag of a program with its value; nothing where there is none */
export const option = (name: string, value: unknown): ReadonlyArray<string> =>
  value === undefined ? [] : [name, String(value)]

export interface FrameworkCommand {
  readonly file: string
  readonly args: ReadonlyArray<string>
  /** complete: nothing is inherited */
  readonly env: { readonly [name: string]: string }
  readonly cwd: string
  /** the group is stopped after this time; no limit when absent */
  readonly timeoutMillis?: number
  /** every line and every state of a progress bar */
  readonly onLine?: (line: string, stream: "stdout" | "stderr") => void
  /** where finished lines go; default: this process' own outputs */
  readonly log?: (line: string, stream: "stdout" | "stderr") => void
}

export interface FrameworkExit {
  /** null when a signal ended it */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** the last 64 KiB of both outputs, in the order in which they came */
  readonly lines: ReadonlyArray<string>
}

const tailBytes = 64 * 1024
/** between SIGTERM and SIGKILL; an adapter itself has 9 s */
const grace = "5 seconds"
/** a grandchild that keeps the pipe open does not hold the result for longer */
const drainMillis = 2000

const toOwnOutput = (line: string, stream: "stdout" | "stderr") => {
  process[stream].write(`${line}\n`)
}

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals) =>
  Effect.sync(() => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    } catch {
      // the group is gone already
    }
  })

const exited = (child: ChildProcess) =>
  Effect.async<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    const done = () => resume(Effect.void)
    child.once("exit", done)
    return Effect.sync(() => child.off("exit", done))
  })

/** SIGKILL also after an end in peace: a child of the framework may have outlived it */
const stop = (child: ChildProcess) =>
  signalGroup(child, "SIGTERM").pipe(
    Effect.zipRight(exited(child).pipe(Effect.interruptible, Effect.timeoutOption(grace))),
    Effect.zipRight(signalGroup(child, "SIGKILL")),
    Effect.zipRight(exited(child))
  )

const start = (command: FrameworkCommand) =>
  Effect.async<ChildProcess, AdapterError>((resume) => {
    const child = spawn(command.file, command.args, {
      cwd: command.cwd,
      env: command.env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    child.once("error", (cause) => resume(frameworkMissing(`${command.file} can not be started: ${cause.message}`)))
    child.once("spawn", () => resume(Effect.succeed(child)))
  })

const waitFor = (child: ChildProcess, command: FrameworkCommand) =>
  Effect.async<FrameworkExit>((resume) => {
    const tail = tailOf(tailBytes)
    const log = command.log ?? toOwnOutput
    for (const stream of ["stdout", "stderr"] as const) {
      const reader = lineReader(
        (line) => command.onLine?.(line, stream),
        (line) => {
          tail.add(line)
          log(line, stream)
        }
      )
      child[stream]?.on("data", reader.push).once("close", reader.end)
    }
    child.once("close", (code, signal) => resume(Effect.succeed({ code, signal, lines: tail.lines() })))
    child.once("exit", () => {
      setTimeout(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      }, drainMillis).unref()
    })
  })

/**
 * Runs to the end, whatever the exit status. Fails with `framework_missing` when it can not be started and with `deadline_exceeded` when
 * its time is over; interrupted, it is stopped with its group.
 */
export const runFramework = (command: FrameworkCommand): Effect.Effect<FrameworkExit, AdapterError> => {
  const run = Effect.acquireUseRelease(start(command), (child) => waitFor(child, command), stop)
  const millis = command.timeoutMillis
  if (millis === undefined) return run
  const onTimeout = () =>
    new AdapterError({
      code: "deadline_exceeded",
      message: `${command.file} did not end within ${millis / 1000} s.`,
      retryable: true
    })
  return Effect.timeoutFail(run, { duration: millis, onTimeout })
}

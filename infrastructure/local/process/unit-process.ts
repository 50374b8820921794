/**
 * One unit's process: `sh -c` in a session and group of its own, without input, with its output handed over as it comes. It knows how to
 * start and to notice the end. Reference: adapter-contract.md, "Local processes".
 */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { Socket } from "node:net"
import type { Readable } from "node:stream"
import { Deferred, Effect, FiberId } from "effect"
import type { OutputPipe } from "./output-pipe.ts"
import type { Priority } from "./priority.ts"
import { listenTo, type ProcessNamespace, type UnitNamespace } from "./process-namespace.ts"
import { isAlive, type ProcessMark } from "./process-table.ts"

/** optional ceilings of one unit (`local.limits`) */
export interface ProcessLimits {
  readonly processes?: number
  readonly openFiles?: number
  readonly fileSizeBytes?: number
  readonly addressSpaceBytes?: number
}

export interface Command {
  /** shell text; the environment is expanded by the shell */
  readonly text: string
  /** complete: nothing is inherited */
  readonly env: { readonly [name: string]: string }
  readonly cwd: string
  readonly limits: ProcessLimits
  /** absent: that of the server */
  readonly priority?: Priority
  readonly runId: string
  readonly pipe: OutputPipe | undefined
  /** absent: it runs among the processes of the machine */
  readonly namespace?: ProcessNamespace
  /** of a unit that may outlive the server: the line between its leader and the first process of its namespace; used up by the start */
  readonly leaderLine?: { readonly readEnd: number; readonly writeEnd: number }
  readonly onOutput: (chunk: Buffer) => void
}

/** how the group's leader ended: one of the two */
export interface Exit {
  readonly code?: number
  readonly signal?: NodeJS.Signals
}

export interface UnitProcess {
  /** also the id of its group and session */
  readonly pid: number
  readonly exit: Effect.Effect<Exit>
  /** every holder of the output has closed it */
  readonly outputClosed: Effect.Effect<void>
  /** stops listening to an output that somebody still holds */
  readonly abandonOutput: Effect.Effect<void>
  readonly namespace?: UnitNamespace
}

export interface StartFailed {
  readonly _tag: "StartFailed"
  /** an error of the system with its code */
  readonly reason: Effect.Effect<unknown>
}

const kib = (bytes: number) => Math.max(1, Math.floor(bytes / 1024))

/** lines in front of the command; a limit that can not be set stops the unit rather than being ignored */
const prologue = ({ processes, openFiles, fileSizeBytes, addressSpaceBytes }: ProcessLimits): string =>
  [
    "umask 077",
    ...(openFiles === undefined ? [] : [`ulimit -n ${openFiles} || exit 126`]),
    // POSIX shells count file sizes in blocks of 512 bytes
    ...(fileSizeBytes === undefined ? [] : [`ulimit -f ${Math.max(1, Math.floor(fileSizeBytes / 512))} || exit 126`]),
    ...(addressSpaceBytes === undefined ? [] : [`ulimit -v ${kib(addressSpaceBytes)} || exit 126`]),
    // the option has two names: -u in bash, -p in dash
    ...(processes === undefined
      ? []
      : [`{ (ulimit -u ${processes}) 2>/dev/null && ulimit -u ${processes}; } || ulimit -p ${processes} || exit 126`])
  ].join("\n")

const listen = (
  streams: ReadonlyArray<Readable>,
  onOutput: (chunk: Buffer) => void,
  closed: Deferred.Deferred<void>
) => {
  let open = streams.length
  for (const stream of streams) {
    stream.on("data", onOutput)
    stream.on("error", () => undefined)
    stream.once("close", () => {
      open -= 1
      if (open === 0) Deferred.unsafeDone(closed, Effect.void)
    })
  }
}

/**
 * Starts it. Synchronous on purpose: between the start and its registration nothing can interrupt, so that no process is forgotten.
 */
export const start = (command: Command): UnitProcess | StartFailed => {
  const exit = Deferred.unsafeMake<Exit>(FiberId.none)
  const closed = Deferred.unsafeMake<void>(FiberId.none)
  const { pipe, namespace, leaderLine, priority } = command
  const text = [...(priority === undefined ? [] : [priority.prologue]), prologue(command.limits), command.text].join(
    "\n"
  )
  const plain = namespace?.wrap(text, leaderLine !== undefined) ?? { file: "/bin/sh", args: ["-c", text] }
  const { file, args } = priority?.wrap(plain) ?? plain
  const output = pipe === undefined ? (["pipe", "pipe"] as const) : [pipe.writeEnd, pipe.writeEnd]
  const lines =
    namespace === undefined
      ? []
      : ["pipe" as const, ...(leaderLine === undefined ? [] : [leaderLine.readEnd, leaderLine.writeEnd])]
  let child: ChildProcess
  let streams: ReadonlyArray<Readable>
  try {
    child = spawn(file, args, {
      cwd: command.cwd,
      env: command.env,
      detached: true,
      stdio: ["ignore", ...output, ...lines]
    })
  } catch (cause) {
    if (pipe !== undefined) for (const end of [pipe.readEnd, pipe.writeEnd]) closeSync(end)
    return { _tag: "StartFailed", reason: Effect.succeed(cause) }
  } finally {
    if (leaderLine !== undefined) for (const end of [leaderLine.readEnd, leaderLine.writeEnd]) closeSync(end)
  }
  if (pipe === undefined) streams = [child.stdout, child.stderr].filter((stream) => stream !== null)
  else {
    closeSync(pipe.writeEnd)
    streams = [new Socket({ fd: pipe.readEnd, readable: true, writable: false })]
  }
  // a failed start is told twice: by the missing id now, with its reason by this event later
  const failed = Deferred.unsafeMake<unknown>(FiberId.none)
  child.once("error", (cause) => Deferred.unsafeDone(failed, Effect.succeed(cause)))
  if (child.pid === undefined) {
    for (const stream of streams) stream.destroy()
    return { _tag: "StartFailed", reason: Deferred.await(failed) }
  }
  listen(streams, command.onOutput, closed)
  child.once("exit", (code, signal) =>
    Deferred.unsafeDone(
      exit,
      Effect.succeed({ ...(code === null ? {} : { code }), ...(signal === null ? {} : { signal }) })
    )
  )
  return {
    pid: child.pid,
    exit: Deferred.await(exit),
    outputClosed: Deferred.await(closed),
    abandonOutput: Effect.sync(() => {
      for (const stream of streams) stream.destroy()
    }),
    ...(namespace === undefined ? {} : { namespace: listenTo(child) })
  }
}

const followPoll = "100 millis"

/**
 * A process that an earlier server started: its end is seen by looking, `exitCode` is what it left behind about it. `readEnd` is its output.
 */
export const follow = (
  leader: ProcessMark,
  {
    readEnd,
    exitCode,
    onOutput
  }: {
    readonly readEnd: number
    readonly exitCode: Effect.Effect<number | undefined>
    readonly onOutput: (chunk: Buffer) => void
  }
): UnitProcess => {
  const closed = Deferred.unsafeMake<void>(FiberId.none)
  const output = new Socket({ fd: readEnd, readable: true, writable: false })
  listen([output], onOutput, closed)
  const ended = Effect.repeat(
    Effect.delay(
      Effect.sync(() => !isAlive(leader)),
      followPoll
    ),
    { until: (gone) => gone }
  )
  return {
    pid: leader.pid,
    exit: Effect.map(Effect.zipRight(ended, exitCode), (code): Exit => (code === undefined ? {} : { code })),
    outputClosed: Deferred.await(closed),
    abandonOutput: Effect.sync(() => output.destroy())
  }
}

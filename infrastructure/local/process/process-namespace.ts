/**
 * A process namespace for each unit, where the system grants one: whatever a unit starts is in it, and dies with it, also a process that
 * left its group and its environment behind. Its first process is a small shell that passes SIGTERM on and collects zombies; it ends, and
 * the system ends everything else with it, as soon as nobody holds the other end of its line any more: the server, or the unit's leader
 * where units outlive their server.
 *
 * The leader itself stays outside and waits for the command, so that its end is told with its exit code or signal as without a namespace.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Duplex } from "node:stream"
import { Effect, Either } from "effect"
import { markOf, type ProcessMark, signalGroup } from "./process-table.ts"
import { findTool } from "./tools.ts"

/** descriptor on which the first process says that it is ready; it closes with the namespace */
const line = 3

/** of units that outlive their server: the first process reads until the leader, which holds the other end, is gone */
const leaderLine = { readEnd: 4, writeEnd: 5 } as const

export interface ProcessNamespace {
  /** what to start instead of the shell with this text; `lasts`: the unit may outlive the server */
  readonly wrap: (text: string, lasts: boolean) => { readonly file: string; readonly args: ReadonlyArray<string> }
}

interface Tools {
  readonly unshare: string
  readonly setsid: string
  /** absent for root, who needs no user namespace to make another one */
  readonly setpriv?: string
}

/** how long the rest of a unit has after SIGTERM once its leader, or its server, is gone: tenths of a second */
const patience = 8

// a trapped signal ends `read` like an end of file does: `seen` tells them apart. The command is always process 2.
const first = (from: number, besides: string): string => `{
${besides}trap '' HUP INT
trap 'seen=1; kill -s TERM -- -2' TERM
trap 'seen=1; jobs' CHLD
echo ready >&${line}
while :; do seen=0; read -r _ <&${from}; [ "$seen" = 1 ] || break; done
kill -s TERM -- -1 || exit 0
tenths=0
while kill -s 0 -- -1 && [ "$tenths" -lt ${patience} ]; do tenths=$((tenths+1)); sleep 0.1; done
exit 0
} </dev/null >/dev/null 2>&1 &
echo "$!" >&${line}
`

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`

const wrapWith = ({ unshare, setsid, setpriv }: Tools): ProcessNamespace => {
  const drop = setpriv === undefined ? "" : `${quoted(setpriv)} --inh-caps=-all --ambient-caps=-all `
  const second = `exec ${quoted(unshare)} --fork --mount-proc --propagation slave ${drop}${quoted(setsid)} /bin/sh -c "$1" ${line}<&-`
  const { readEnd, writeEnd } = leaderLine
  const dies = `${first(line, "")}${second}`
  const lasting = `${first(readEnd, `exec ${writeEnd}>&-\n`)}${second} ${readEnd}<&-`
  const user = setpriv === undefined ? [] : ["--user", "--map-current-user", "--keep-caps"]
  return {
    wrap: (text, lasts) => ({
      file: unshare,
      args: [
        ...user,
        "--pid",
        "/bin/sh",
        "-c",
        lasts ? lasting : dies,
        "sh",
        lasts ? `exec ${writeEnd}>&-\n${text}` : text
      ]
    })
  }
}

/** the namespace of one running unit */
export interface UnitNamespace {
  /** SIGTERM to the leader's group reaches the unit from now on */
  readonly ready: Promise<void>
  /** nothing runs in it any more, or its last processes are just being taken away */
  readonly closed: Promise<void>
  /** its first process, once known */
  readonly firstProcess: () => ProcessMark | undefined
  /** what is left is asked to end, and ended within a second; with the leader's own line this comes by itself */
  readonly close: () => void
}

/** listens to the line of a started unit */
export const listenTo = (child: ChildProcess): UnitNamespace => {
  const socket = child.stdio[line] as Duplex | null
  let mark: ProcessMark | undefined
  let text = ""
  let isReady = () => {}
  const ready = new Promise<void>((resolve) => {
    isReady = resolve
  })
  const closed = new Promise<void>((resolve) => {
    socket?.on("data", (chunk: Buffer) => {
      text = `${text}${chunk.toString("latin1")}`.slice(0, 100)
      const pid = /^\d+$/m.exec(text.slice(0, text.lastIndexOf("\n")))?.[0]
      if (pid !== undefined) mark ??= markOf(Number(pid))
      if (text.includes("ready\n")) isReady()
    })
    socket?.on("error", () => undefined)
    for (const event of ["end", "close"])
      socket?.once(event, () => {
        isReady()
        resolve()
      })
  })
  return { ready, closed, firstProcess: () => mark, close: () => void socket?.end() }
}

const trialText = (setsid: string): string => `trap 'exit 42' TERM
[ "$$" -eq 2 ] && [ -e /proc/2/stat ] || exit 1
env -i ${quoted(setsid)} sleep 60 &
echo up
while :; do sleep 0.02; done`

const trialMillis = 5000

/** runs a unit that leaves a process behind; undefined when all of it was as it should be, else the reason */
const trial = (namespace: ProcessNamespace, setsid: string): Effect.Effect<string | undefined> =>
  Effect.async<string | undefined>((resume) => {
    const { file, args } = namespace.wrap(trialText(setsid), false)
    const child = spawn(file, args, {
      cwd: "/",
      detached: true,
      env: { PATH: process.env["PATH"] },
      stdio: ["ignore", "pipe", "pipe", "pipe"]
    })
    const { pid, stdout, stderr } = child
    let said = ""
    const end = () => (pid === undefined ? false : signalGroup(pid, "SIGKILL"))
    const unit = listenTo(child)
    stderr?.on("data", (chunk: Buffer) => {
      said = `${said}${chunk.toString("utf8")}`.slice(0, 300)
    })
    const up = new Promise<void>((resolve) => stdout?.once("data", () => resolve()))
    void Promise.all([up, unit.ready]).then(() => (pid === undefined ? false : signalGroup(pid, "SIGTERM")))
    child.once("exit", (code, signal) => {
      unit.close()
      if (code !== 42) said ||= `the trial ended with ${signal ?? code}`
    })
    child.once("error", ({ message }) => resume(Effect.succeed(message)))
    // the left process holds the output: it is closed when that one is gone
    child.once(
      "close",
      (code) =>
        void unit.closed.then(() => resume(Effect.succeed(code === 42 ? undefined : said.trim().split("\n")[0])))
    )
    return Effect.sync(end)
  }).pipe(
    Effect.timeoutTo({
      duration: trialMillis,
      onSuccess: (reason) => reason,
      onTimeout: () => "the trial did not end in time"
    })
  )

/** tries what this system may grant; `Left` is the reason why units get no namespace here. `path` is searched for the tools. */
export const find = (path: string): Effect.Effect<Either.Either<ProcessNamespace, string>> =>
  Effect.gen(function* () {
    if (process.platform !== "linux") return Either.left("this system has none")
    const [unshare, setsid, setpriv] = ["unshare", "setsid", "setpriv"].map((name) => findTool(path, name))
    if (unshare === undefined || setsid === undefined || setpriv === undefined)
      return Either.left("unshare, setsid and setpriv (util-linux) are not installed")
    const asRoot = process.getuid?.() === 0 ? [{ unshare, setsid }] : []
    let reason = ""
    for (const tools of [...asRoot, { unshare, setsid, setpriv }]) {
      const namespace = wrapWith(tools)
      const problem = yield* trial(namespace, setsid)
      if (problem === undefined) return Either.right(namespace)
      reason = problem
    }
    return Either.left(reason)
  })

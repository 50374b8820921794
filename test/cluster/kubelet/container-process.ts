/** One run of a container as a process of this machine: started in its namespaces, signalled, watched for its memory, and its end. */
import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { constants } from "node:os"
import type { ContainerLog } from "./container-log.ts"
import { type Command, type ContainerRoot, containerScript, enterArguments } from "./root-file-system.ts"

export interface ContainerEnd {
  readonly exitCode: number
  /** it could not be started at all */
  readonly startError?: string
  readonly outOfMemory: boolean
}

export interface ContainerProcess {
  /** of its first process, as the host counts */
  readonly pid: number
  /** to its first process alone, as a container runtime does */
  readonly signal: (name: NodeJS.Signals) => void
  /** ends every process in it */
  readonly kill: () => void
  readonly ended: Promise<ContainerEnd>
  /** runs a further program in it; answers its exit code */
  readonly exec: (argv: ReadonlyArray<string>) => Promise<number>
}

const memoryLookMillis = 100

const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number)
    )
  } catch {
    return []
  }
}

/** resident memory of a process and everything below it, in bytes */
const memoryOf = (pid: number): number => {
  let pages = 0
  try {
    pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1])
  } catch {
    return 0
  }
  return pages * 4096 + childrenOf(pid).reduce((sum, child) => sum + memoryOf(child), 0)
}

const exitCodeOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal === null ? 0 : constants.signals[signal])

export interface ContainerRun {
  readonly network: string
  readonly root: ContainerRoot
  readonly command: Command
  readonly log: ContainerLog
  /** bytes */
  readonly memoryLimit?: number
}

/** nothing outlives the process of the tests */
const leftovers = new Set<() => void>()
process.once("exit", () => {
  for (const kill of leftovers) kill()
})

/** resolves once the command runs, or with its end when it can not be started */
export const startContainer = ({
  network,
  root,
  command,
  log,
  memoryLimit
}: ContainerRun): Promise<ContainerProcess | ContainerEnd> =>
  new Promise((resolve) => {
    const isolation = ["unshare", "--mount", "--pid", "--ipc", "--uts", "--propagation", "private", "--fork"]
    const outer: ChildProcess = spawn(
      "nsenter",
      [`--net=${network}`, ...isolation, "sh", "-c", containerScript(root, command)],
      {
        env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
        stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"]
      }
    )
    let outOfMemory = false
    let killed = false
    let word = ""
    let complaints = ""
    const startError = () =>
      word.startsWith("failed ")
        ? `failed to create containerd task: ${word.slice("failed ".length)}${complaints}`.trim()
        : undefined
    const ended = new Promise<ContainerEnd>((done) => {
      outer.once("error", (error) => done({ exitCode: 128, startError: error.message, outOfMemory }))
      // `close`: the log is complete
      outer.once("close", (code, signal) => {
        const failed = startError()
        log.end()
        // unshare cannot pass on a SIGKILL of what it waits for, and says 1
        const exitCode = killed && code === 1 ? 128 + constants.signals.SIGKILL : exitCodeOf(code, signal)
        done({
          exitCode: failed === undefined ? exitCode : 128,
          outOfMemory,
          ...(failed === undefined ? {} : { startError: failed })
        })
      })
    })
    const read = (descriptor: number, take: (text: string) => void) => {
      const stream = outer.stdio[descriptor]
      if (stream === null || stream === undefined || !("setEncoding" in stream))
        throw new Error(`no descriptor ${descriptor}`)
      stream.setEncoding("utf8").on("data", take)
    }
    read(1, (text) => log.write("stdout", text))
    read(2, (text) => {
      complaints += text
    })
    read(4, (text) => log.write("stderr", text))
    const running = (pid: number): ContainerProcess => {
      const signal = (name: NodeJS.Signals) => {
        try {
          process.kill(pid, name)
        } catch {
          // it has ended
        }
      }
      // with its first process everything in its process namespace ends
      const kill = () => {
        killed = true
        signal("SIGKILL")
      }
      leftovers.add(kill)
      const watch =
        memoryLimit === undefined
          ? undefined
          : setInterval(() => {
              if (memoryOf(pid) <= memoryLimit) return
              outOfMemory = true
              kill()
            }, memoryLookMillis)
      watch?.unref()
      void ended.then(() => {
        clearInterval(watch)
        leftovers.delete(kill)
      })
      return {
        pid,
        signal,
        kill,
        ended,
        exec: (argv) =>
          new Promise((done) => {
            const inner = spawn("nsenter", [...enterArguments(pid, root, { ...command, argv })], { stdio: "ignore" })
            inner.once("error", () => done(128))
            inner.once("close", (code, signal) => done(exitCodeOf(code, signal)))
          })
      }
    }
    read(3, (text) => {
      word += text
      const pid = /^started (\d+)\n/.exec(word)?.[1]
      if (pid !== undefined) resolve(running(Number(pid)))
    })
    // resolving again changes nothing
    void ended.then(resolve)
  })

/**
 * The lifeline: one tiny shell per server that reads a pipe from it. The kernel closes the pipe when the server dies, in whatever way;
 * the shell then ends every group it was told of and everything that carries the server's run-id prefix: SIGTERM, a second, SIGKILL.
 * It costs a unit nothing but one line on the pipe. Reference: adapter-contract.md, "Local processes".
 */
import { type ChildProcess, spawn } from "node:child_process"
import { Duration, Effect, type Scope } from "effect"

// $0 is the run-id prefix. `grep -z` and /proc are missing on some systems: then only the groups are ended.
const script = `
trap '' HUP INT TERM
live=' '
while read -r verb group; do
  case $verb in
    add) live="$live$group " ;;
    end) case $live in *" $group "*) live="\${live%%" $group "*} \${live#*" $group "}" ;; esac ;;
  esac
done
marked() { grep -lszaE "^EVALD_RUN_ID=$0" /proc/[0-9]*/environ 2>/dev/null; }
signal() {
  for group in $live; do kill -s "$1" -- "-$group" 2>/dev/null; done
  for file in $(marked); do pid=\${file#/proc/}; kill -s "$1" "\${pid%/environ}" 2>/dev/null; done
}
left() {
  for group in $live; do kill -s 0 -- "-$group" 2>/dev/null && return 0; done
  [ -n "$(marked)" ]
}
left || exit 0
signal TERM
sleep 1
left || exit 0
signal KILL
signal KILL
`

export interface Watchdog {
  /** this process group must not outlive the server */
  readonly add: (group: number) => void
  readonly end: (group: number) => void
}

/** where units may outlive the server (`local.adopt`) */
export const none: Watchdog = { add: () => {}, end: () => {} }

/** a shell that lived this long was fine: the next one is not waited for */
const steadyMillis = 60_000
const firstPause = 100
const longestPause = 30_000

const startShell = (prefix: string): ChildProcess =>
  spawn("/bin/sh", ["-c", script, prefix], {
    cwd: "/",
    detached: true,
    env: process.env["PATH"] === undefined ? {} : { PATH: process.env["PATH"] },
    stdio: ["pipe", "ignore", "ignore"]
  })

/**
 * `prefix` begins the run ids of all units of this server process; letters, digits and `-` only. A lifeline that somebody cut, or that can
 * not be started, is said in the log and started again, each time after a longer pause.
 */
export const make = (
  prefix: string,
  startOne: (prefix: string) => ChildProcess = startShell
): Effect.Effect<Watchdog, never, Scope.Scope> =>
  Effect.gen(function* () {
    const live = new Set<number>()
    let shell: ChildProcess | undefined
    const tell = (line: string) => shell?.stdin?.write(line)
    yield* Effect.addFinalizer(() => Effect.sync(() => shell?.stdin?.end()))

    /** runs one; answers why there is none any more */
    const one = Effect.async<string>((resume) => {
      const over = (why: string) => {
        shell = undefined
        resume(Effect.succeed(why))
      }
      let started: ChildProcess
      try {
        started = startOne(prefix)
      } catch (cause) {
        return over(cause instanceof Error ? cause.message : String(cause))
      }
      shell = started
      started.unref()
      started.on("error", ({ message }) => over(message))
      started.once("exit", (code, signal) => over(`it ended with ${signal ?? code}`))
      const { stdin } = started
      stdin?.on("error", () => undefined)
      if (stdin !== null && "unref" in stdin && typeof stdin.unref === "function") stdin.unref()
      for (const group of live) tell(`add ${group}\n`)
    })
    const keep = Effect.gen(function* () {
      for (let pause = firstPause; ; pause = Math.min(longestPause, pause * 2)) {
        const [lived, why] = yield* Effect.timed(one)
        if (Duration.toMillis(lived) >= steadyMillis) pause = firstPause
        yield* Effect.logWarning(
          `the lifeline, which ends local benchmarks when the server dies, is cut and is started again in ${pause} ms: ${why}`
        )
        yield* Effect.sleep(pause)
      }
    })
    yield* Effect.forkScoped(keep)
    return {
      add: (group) => {
        live.add(group)
        tell(`add ${group}\n`)
      },
      end: (group) => {
        if (live.delete(group)) tell(`end ${group}\n`)
      }
    }
  })

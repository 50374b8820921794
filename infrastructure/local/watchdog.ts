/**
 * The lifeline: one tiny shell per server that reads a pipe from it. The kernel closes the pipe when the server dies, in whatever way;
 * the shell then ends every group it was told of and everything that carries the server's run-id prefix: SIGTERM, two seconds, SIGKILL.
 * It costs a unit nothing but one line on the pipe. Contract: adapter 8, "lifeline".
 */
import { type ChildProcess, spawn } from "node:child_process"
import { Effect, type Scope } from "effect"

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
sleep 1
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

/** `prefix` begins the run ids of all units of this server process; letters, digits and `-` only */
export const make = (prefix: string): Effect.Effect<Watchdog, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const live = new Set<number>()
      let closing = false
      let shell: ChildProcess | undefined
      const tell = (line: string) => shell?.stdin?.write(line)
      const start = () => {
        const started = spawn("/bin/sh", ["-c", script, prefix], {
          cwd: "/",
          detached: true,
          env: process.env["PATH"] === undefined ? {} : { PATH: process.env["PATH"] },
          stdio: ["pipe", "ignore", "ignore"]
        })
        shell = started
        started.unref()
        const { stdin } = started
        stdin.on("error", () => undefined)
        if ("unref" in stdin && typeof stdin.unref === "function") stdin.unref()
        // somebody ended it: without a lifeline the promise would be broken silently
        started.once("exit", () => {
          if (!closing) start()
        })
        started.once("error", () => undefined)
        for (const group of live) tell(`add ${group}\n`)
      }
      start()
      const watchdog: Watchdog = {
        add: (group) => {
          live.add(group)
          tell(`add ${group}\n`)
        },
        end: (group) => {
          if (live.delete(group)) tell(`end ${group}\n`)
        }
      }
      const close = () => {
        closing = true
        shell?.stdin?.end()
      }
      return { watchdog, close }
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ watchdog }) => watchdog))

/**
 * What a run leaves behind: nothing. One folder for everything on disk, and a list of what must end with the run, also when it is
 * interrupted. `BENCH_DIR` names the disk; /var/tmp by default, because /tmp may be memory and durable writes are measured.
 */
import type { ChildProcess } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const disk = process.env["BENCH_DIR"] ?? (existsSync("/var/tmp") ? "/var/tmp" : tmpdir())

const endings = new Set<() => void>()

const makeRoot = (): string => {
  const folder = mkdtempSync(join(disk, "evald-bench-"))
  // PostgreSQL runs as another user when the run is root's
  chmodSync(folder, 0o711)
  process.once("exit", () => {
    for (const end of endings) end()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130))
  return folder
}

let root: string | undefined

/** path of the run's own folder */
export const workspace = (): string => {
  root ??= makeRoot()
  return root
}

/** a new folder within it */
export const newFolder = (name: string): string => mkdtempSync(join(workspace(), `${name}-`))

/** runs when the process exits, unless it was taken back by the function that this returns; must be synchronous */
export const atExit = (end: () => void): (() => void) => {
  workspace()
  endings.add(end)
  return () => endings.delete(end)
}

/** ends with the run at the latest */
export const tied = <Child extends ChildProcess>(child: Child): Child => {
  const untie = atExit(() => child.kill("SIGKILL"))
  child.once("exit", untie)
  return child
}

/** Which database a command's own server takes. Two servers do not share a file, so one command holds it by a lock. */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export interface ClaimedDatabase {
  readonly file: string
  /** for the next command; once */
  readonly release: () => void
}

/** the lock appears with its holder in it: one without is what a machine left that went down, and nobody's */
const take = (folder: string, lock: string): boolean => {
  const mine = join(folder, `local-${process.pid}.lock`)
  try {
    writeFileSync(mine, String(process.pid), { mode: 0o600 })
    linkSync(mine, lock)
    return true
  } catch {
    return false
  } finally {
    rmSync(mine, { force: true })
  }
}

const isHeld = (lock: string): boolean => {
  try {
    const holder = Number(readFileSync(lock, "utf8"))
    if (!Number.isSafeInteger(holder) || holder <= 0) return false
    process.kill(holder, 0)
    return true
  } catch (error) {
    // a process of another user lives, too
    return !(error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "ENOENT"))
  }
}

/** of this command alone */
export const ownDatabase = (folder: string): ClaimedDatabase => ({
  file: join(folder, `local-${process.pid}.db`),
  release: () => {}
})

/** `folder`: of the user's state. One file for all commands, and for a command beside another one of its own. */
export const claimDatabase = (folder: string): ClaimedDatabase => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = join(folder, "local.lock")
  if (!take(folder, lock)) {
    if (isHeld(lock)) return ownDatabase(folder)
    rmSync(lock, { force: true })
    if (!take(folder, lock)) return ownDatabase(folder)
  }
  // once: by then the next command may hold it
  let held = true
  return {
    file: join(folder, "local.db"),
    release: () => {
      if (held) rmSync(lock, { force: true })
      held = false
    }
  }
}

/**
 * What the system said when a local benchmark could not be prepared, started or read: some of it needs a person, some is about this one
 * benchmark, and some may pass (a full disk, too many processes).
 */

import { Unavailable } from "../../application/errors.ts"
import type { LaunchRefused } from "../../application/ports/runtime.ts"
import { refused } from "../unit/launch-refused.ts"

const hopeless = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "ELOOP", "ENAMETOOLONG"])

const told: { readonly [code: string]: string } = {
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk reports a failure",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EAGAIN: "no further process can be started",
  ENOMEM: "not enough memory"
}

/** a failure of this machine that may pass; the cause is in the log, its meaning in the operation */
export const unusableMachine =
  (operation: string) =>
  (cause: unknown): Unavailable => {
    const { code } = cause as NodeJS.ErrnoException
    const reason = code === undefined ? undefined : (told[code] ?? code)
    return new Unavailable({
      peer: "machine",
      operation: reason === undefined ? operation : `${operation}: ${reason}`,
      cause
    })
  }

/** a failure while a unit is made ready or started */
export const fromSystem =
  (operation: string) =>
  (cause: unknown): LaunchRefused | Unavailable => {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code !== undefined && hopeless.has(code))
      return refused(
        "launch_failed",
        `The files of the benchmark could not be written: ${message}. Make local.base_dir writable.`
      )
    if (code === "E2BIG") {
      const message =
        "The command and the environment of the adapter are larger than the system takes (E2BIG). Shorten runtime.local of the provider."
      return refused("launch_failed", message)
    }
    return unusableMachine(operation)(cause)
  }

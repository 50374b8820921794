/** node's cryptography, read when it is first used: a sidecar that starts would wait for it, and keep 2 MB of it where nobody asks for anything. */

let read: typeof import("node:crypto") | undefined

export const crypto = (): typeof import("node:crypto") => {
  read ??= process.getBuiltinModule("node:crypto")
  return read
}

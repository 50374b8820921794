// What the parts of an image have in common: processors, commands, and the cache of finished parts.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

/** an image is made for each: its names in Debian, in Node.js and of the compiler */
export const processors = {
  amd64: { node: "x64", triplet: "x86_64-linux-gnu" },
  arm64: { node: "arm64", triplet: "aarch64-linux-gnu", variant: "v8" }
}

export const lock = JSON.parse(readFileSync(new URL("lock.json", import.meta.url), "utf8"))

export const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex")

/** standard output of a command; a failure is an error with the end of what it said */
export const run = (file, args, options = {}) => {
  const { status, stdout, stderr, error } = spawnSync(file, args, { maxBuffer: 1e9, ...options })
  if (error !== undefined) throw new Error(`cannot start ${file}: ${error.message}`)
  if (status !== 0)
    throw new Error(`${file} ${args.join(" ")} ended with ${status}: ${`${stderr}`.trim().slice(-2000)}`)
  return stdout
}

export const isInstalled = (program) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0

/** below the user's cache folder, so that every checkout finds what another one has made */
export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "evald", "image")

/** the path of a part, made when nobody has made it: `make` fills an empty folder beside the target, which is then moved there whole */
export const cached = (name, make) => {
  const target = join(cache, name)
  if (existsSync(target)) return target
  mkdirSync(dirname(target), { recursive: true })
  const scratch = mkdtempSync(`${target}.`)
  try {
    make(scratch)
    try {
      renameSync(scratch, target)
    } catch (error) {
      // somebody else was faster
      if (!existsSync(target)) throw error
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  return target
}

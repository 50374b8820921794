// Where quick tests have their temporary files: in memory. They make and remove thousands of folders and databases, and on a disk each flush
// of one takes milliseconds in which nothing happens. What a test shows of files it shows there too: no quick test takes the power away.
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from "node:fs"
import { freemem } from "node:os"
import { join } from "node:path"

const memory = "/dev/shm"
/** short: tests of short paths make theirs in it */
const prefix = "evald"
/** free at least, of the folder and of the machine: tests take a tenth of it */
const wanted = 4 * 2 ** 30

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

/** programs of tests lie there and are run */
const mayRunPrograms = () =>
  readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .some(([, folder, , options = ""]) => folder === memory && !options.split(",").includes("noexec"))

const isRoomy = () => {
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= wanted && freemem() >= wanted
}

/** no run takes as long; a container that shares this memory has processes that are not seen from here */
const longestRunMillis = 3_600_000

/** removes from a folder what runs left behind that were ended hard: of no living process, and untouched for an hour */
export const removeLeftovers = (folder) => {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^evald(\d+)$/.exec(name) ?? []
    if (pid === undefined || isAlive(Number(pid))) continue
    const left = join(folder, name)
    if (Date.now() - statSync(left).mtimeMs > longestRunMillis) rmSync(left, { recursive: true, force: true })
  }
}

/** runs the action with a folder in memory of this process, or with undefined where there is none; removes the folder */
export const withMemoryFolder = (action) => {
  let folder
  try {
    accessSync(memory, constants.W_OK)
    removeLeftovers(memory)
    if (mayRunPrograms() && isRoomy()) {
      folder = join(memory, `${prefix}${process.pid}`)
      mkdirSync(folder, { mode: 0o700 })
    }
  } catch {
    // no such memory here, or no rights: the usual folder does as well
    folder = undefined
  }
  try {
    return action(folder)
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}

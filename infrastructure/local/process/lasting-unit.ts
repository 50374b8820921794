/**
 * Units that go on without their server (`local.adopt`), and how the next server takes them over. Their output goes through a pipe with a
 * name, which the unit itself keeps open for reading: while nobody reads it waits instead of dying. Its shell notes the exit code, since
 * only a parent is told it. Reference: adapter-contract.md, "Local processes".
 */
import { execFileSync } from "node:child_process"
import { closeSync, constants, openSync, rmSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { openPipe, readGuarded } from "../files/guarded-file.ts"
import { directoryOf } from "../files/unit-directory.ts"
import type { LiveUnit } from "../unit/live-units.ts"
import type { OutputPipe } from "./output-pipe.ts"
import { isAlive, type ProcessMark } from "./process-table.ts"

const outputOf = (root: string): string => join(root, "output")
const exitFileOf = (root: string): string => join(root, ".exit")

/** throws system errors, also where there is no `mkfifo` */
export const namedPipe = (root: string): OutputPipe => {
  const path = outputOf(root)
  for (const left of [path, exitFileOf(root)]) rmSync(left, { force: true })
  execFileSync("mkfifo", ["-m", "600", path])
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    // read and write: a writer alone would be ended by its next line when the server is gone
    return { readEnd, writeEnd: openSync(path, constants.O_RDWR) }
  } catch (error) {
    closeSync(readEnd)
    throw error
  }
}

/** both ends of a line between two processes of one unit; nothing of it stays in the folder. Throws system errors. */
export const lineFile = (root: string): OutputPipe => {
  const path = join(root, "line")
  rmSync(path, { force: true })
  execFileSync("mkfifo", ["-m", "600", path])
  // opening one end waits for the other, unless somebody holds both
  const both = openSync(path, constants.O_RDWR)
  try {
    return { readEnd: openSync(path, constants.O_RDONLY), writeEnd: openSync(path, constants.O_WRONLY) }
  } finally {
    closeSync(both)
    rmSync(path, { force: true })
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** shell text that runs the command, notes how it ended, and ends so itself; it outlives a SIGTERM for as long as the command does */
export const noting = (command: string, root: string): string =>
  `trap : TERM\n( ${command}\n)\nevald_exit=$?\nprintf %s "$evald_exit" > ${quoted(exitFileOf(root))}\nexit "$evald_exit"`

/** undefined: it was ended before it could note one */
export const notedExit = (root: string): Promise<number | undefined> =>
  readGuarded(exitFileOf(root), 16).then(
    (bytes) => {
      const text = bytes.toString("latin1")
      return /^\d{1,3}$/.test(text) ? Number(text) : undefined
    },
    () => undefined
  )

const maxJobFileBytes = 64 * 1024 * 1024
const maxSecretBytes = 1024 * 1024

export interface Lasting {
  readonly leader: ProcessMark
  /** non-blocking */
  readonly readEnd: number
  /** what the unit knows and its log must not show */
  readonly secrets: ReadonlyArray<string>
}

/** what an adapter was given as files: references stand for themselves, everything else is real */
const mountedSecrets = async (directory: string): Promise<ReadonlyArray<string>> => {
  const values: Array<string> = []
  for (const name of await readdir(directory)) {
    const value = (await readGuarded(join(directory, name), maxSecretBytes)).toString("utf8").trim()
    if (value !== "" && !value.endsWith(":ref") && !name.endsWith("_url")) values.push(value)
  }
  return values
}

const callbackSecret = /"callback_url": ?"[^"]*\/cb\/([\w-]{43})"/

/** the running unit of a server that is gone, opened; undefined when it does not run, or was not made to go on alone */
export const openLasting = async ({ root, leader }: LiveUnit): Promise<Lasting | undefined> => {
  // without a start time a process of the same id could be anybody's
  if (leader?.startTicks === undefined || !isAlive(leader)) return undefined
  const directory = directoryOf(root)
  const jobFile = await readGuarded(directory.jobFile, maxJobFileBytes)
  const secret = callbackSecret.exec(jobFile.toString("utf8"))?.[1]
  if (secret === undefined) return undefined
  const secrets = [secret, ...(await mountedSecrets(directory.modelAuth))]
  return { leader, readEnd: openPipe(outputOf(root)), secrets }
}

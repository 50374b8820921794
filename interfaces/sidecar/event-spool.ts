/**
 * Events on disk, so that they survive a restart of the sidecar: `<directory>/<12 digits>.json`, each a request body. A file appears
 * complete or not at all, and is on the disk before its sender hears so. Reference: gateway.md, "Event spool".
 */
import { constants } from "node:fs"
import { lstat, mkdir, open, readdir, rename, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"

export interface SpoolLimits {
  readonly maxFiles: number
  readonly maxBytes: number
}

export interface SpooledEvent {
  readonly number: number
  readonly bytes: number
  readonly terminal: boolean
}

export interface EventSpool {
  /** what a former process left, oldest first */
  readonly restored: ReadonlyArray<SpooledEvent>
  /** names of files that could not be understood and are left alone */
  readonly ignored: ReadonlyArray<string>
  /** durable when it resolves; rejects when the disk refuses */
  readonly write: (number: number, body: Buffer) => Promise<void>
  readonly read: (number: number) => Promise<Buffer>
  /** a missing file is fine */
  readonly remove: (number: number) => Promise<void>
}

const digits = 12
const name = (number: number): string => `${String(number).padStart(digits, "0")}.json`
const spooledName = /^\d{12}\.json$/
const tornName = /^\d{12}\.json\.tmp$/
const noFollow = constants.O_NOFOLLOW

const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const readFileOf = async (path: string): Promise<Buffer> => {
  const handle = await open(path, constants.O_RDONLY | noFollow)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** `inspect` says whether a body is an event and a terminal one; undefined: neither */
export const openSpool = async (
  directory: string,
  inspect: (body: Buffer) => { readonly terminal: boolean } | undefined
): Promise<EventSpool> => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  // the adapter can write beside the spool: a planted link must not lead our writes elsewhere
  for (const path of [dirname(directory), directory])
    if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is no directory`)

  const names = (await readdir(directory)).sort()
  for (const torn of names.filter((entry) => tornName.test(entry))) await unlink(join(directory, torn))
  const restored: Array<SpooledEvent> = []
  const ignored: Array<string> = []
  for (const entry of names.filter((candidate) => !tornName.test(candidate))) {
    const body = spooledName.test(entry) ? await readFileOf(join(directory, entry)).catch(() => undefined) : undefined
    const known = body === undefined ? undefined : inspect(body)
    if (body === undefined || known === undefined) ignored.push(entry)
    else restored.push({ number: Number.parseInt(entry, 10), bytes: body.length, terminal: known.terminal })
  }

  return {
    restored,
    ignored,
    write: async (number, body) => {
      const path = join(directory, name(number))
      const temporary = `${path}.tmp`
      try {
        const handle = await open(
          temporary,
          constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow,
          0o600
        )
        try {
          await handle.writeFile(body)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await rename(temporary, path)
        await syncDirectory(directory)
      } catch (error) {
        await unlink(temporary).catch(() => {})
        throw error
      }
    },
    read: (number) => readFileOf(join(directory, name(number))),
    remove: async (number) => {
      await unlink(join(directory, name(number))).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error
      })
    }
  }
}

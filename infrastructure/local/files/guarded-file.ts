/**
 * The only way to open a file that lies in the folder of a unit, where the adapter writes as it likes: a regular file, never through a
 * link, never one that would make the server wait (a pipe without a writer). It is read with its size known before the first byte, and
 * without holding the server's thread.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { type FileHandle, lstat, open, realpath } from "node:fs/promises"
import { basename, dirname, join } from "node:path"

/** something else than a plain file lies at this name */
export class NotPlain extends Error {
  constructor(path: string) {
    super(`${path} is not a regular file of the unit`)
  }
}

export interface GuardedFile {
  readonly size: number
  /** shorter at the end of the file */
  readonly read: (offset: number, length: number) => Promise<Buffer>
}

/** a link is refused by the system itself, a pipe or device is opened without waiting */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** the system refused to open it: a link, a socket, a pipe without a reader, a device without a driver, a directory */
const isOddity = (error: unknown): boolean =>
  ["ELOOP", "ENXIO", "EISDIR", "ENODEV"].includes((error as NodeJS.ErrnoException).code ?? "")

/** throws unless the opened file is the one at its own place: neither the file's folder nor the one above it may be a link */
const inPlace = async (path: string, handle: FileHandle): Promise<number> => {
  const { dev, ino, size, ...stats } = await handle.stat()
  if ((stats.mode & constants.S_IFMT) !== constants.S_IFREG) throw new NotPlain(path)
  const folder = dirname(path)
  const place = join(
    await realpath(dirname(dirname(folder))),
    basename(dirname(folder)),
    basename(folder),
    basename(path)
  )
  if ((await realpath(path)) !== place) throw new NotPlain(path)
  const found = await lstat(place)
  if (found.dev !== dev || found.ino !== ino) throw new NotPlain(path)
  return size
}

const partOf = (handle: FileHandle) => async (offset: number, length: number) => {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

/** opens, judges and closes; fails with `NotPlain` or an error of the system */
export const withGuarded = async <A>(path: string, use: (file: GuardedFile) => Promise<A>): Promise<A> => {
  const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw isOddity(error) ? new NotPlain(path) : error
  })
  try {
    return await use({ size: await inPlace(path, handle), read: partOf(handle) })
  } finally {
    await handle.close()
  }
}

/** the whole file; one that is larger than `maxBytes` is refused before it is read */
export const readGuarded = (path: string, maxBytes: number): Promise<Buffer> =>
  withGuarded(path, ({ size, read }) => {
    if (size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`)
    return read(0, size)
  })

/** refuses what is no regular file; the descriptor stays open */
const plain = (path: string, file: number): number => {
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new NotPlain(path)
}

/**
 * A file that the server goes on writing beside the adapter, opened for appending. What is no regular file is taken away and made anew:
 * opening must neither wait nor write somewhere else.
 */
export const openToAppend = (path: string): number => {
  const open = () =>
    plain(
      path,
      openSync(
        path,
        constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK,
        0o600
      )
    )
  try {
    return open()
  } catch (error) {
    if (!(error instanceof NotPlain) && !isOddity(error)) throw error
    rmSync(path, { recursive: true, force: true })
    return open()
  }
}

/** a named pipe of the unit, opened for reading without waiting for a writer */
export const openPipe = (path: string): number => {
  const file = openSync(path, flags)
  if (fstatSync(file).isFIFO()) return file
  closeSync(file)
  throw new NotPlain(path)
}

/** a small file, replaced as a whole and readable by the user alone: whatever lies there is not written through */
export const writePrivate = (path: string, text: string): void => {
  rmSync(path, { recursive: true, force: true })
  writeFileSync(path, text, { mode: 0o600, flag: "wx" })
}

/** a small file of the server's own, read at once; `NotPlain` also for what is larger than any of them */
export const readNow = (path: string, maxBytes: number): string => {
  let file: number
  try {
    file = openSync(path, flags)
  } catch (error) {
    throw isOddity(error) ? new NotPlain(path) : error
  }
  try {
    const stats = fstatSync(file)
    if (!stats.isFile() || stats.size > maxBytes) throw new NotPlain(path)
    return readFileSync(file, "utf8")
  } finally {
    closeSync(file)
  }
}

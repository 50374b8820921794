/**
 * Records lie together in chunks of at most 64 KiB, compressed by the threads of the platform's pool while the next records are made ready,
 * so that the thread that serves everybody only hands them over. A chunk's name is the hash of its bytes. Reference: samples.md, "Storage".
 */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, brotliDecompress, constants } from "node:zlib"
import { Effect } from "effect"

const chunkBytes = 64 * 1024

export interface Chunk {
  /** SHA-256 (hex) of the bytes before compression */
  readonly hash: string
  readonly data: Buffer
}

/** where a record lies: number of the chunk in the list, first byte, bytes */
export interface Slot {
  readonly chunk: number
  readonly start: number
  readonly length: number
}

export interface Packed {
  readonly chunks: ReadonlyArray<Chunk>
  /** in the order of the texts */
  readonly slots: ReadonlyArray<Slot>
}

const compress = promisify(brotliCompress)
const expand = promisify(brotliDecompress)

/** as small as deflate at its usual level in a third of its time */
const params = {
  [constants.BROTLI_PARAM_QUALITY]: 3,
  [constants.BROTLI_PARAM_LGWIN]: 16,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT
}

const makeChunk = async (texts: ReadonlyArray<Buffer>): Promise<Chunk> => {
  const bytes = Buffer.concat(texts)
  return { hash: createHash("sha256").update(bytes).digest("hex"), data: await compress(bytes, { params }) }
}

export interface Packer {
  readonly add: (text: string) => void
  /** once, after the last text */
  readonly finish: Effect.Effect<Packed>
}

/** a record larger than a chunk is one of its own */
export const makePacker = (): Packer => {
  const slots: Array<Slot> = []
  const chunks: Array<Promise<Chunk>> = []
  let open: Array<Buffer> = []
  let size = 0
  const close = () => {
    if (open.length > 0) chunks.push(makeChunk(open))
    open = []
    size = 0
  }
  return {
    add: (text) => {
      const bytes = Buffer.from(text)
      if (size + bytes.length > chunkBytes) close()
      slots.push({ chunk: chunks.length, start: size, length: bytes.length })
      open.push(bytes)
      size += bytes.length
    },
    finish: Effect.promise(async () => {
      close()
      return { chunks: await Promise.all(chunks), slots }
    })
  }
}

/** the bytes of a chunk before compression */
export const unpack = (data: Buffer): Effect.Effect<Buffer> => Effect.promise(() => expand(data))

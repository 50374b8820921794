/**
 * Records lie together in chunks of at most 64 KiB, compressed aside while others are served. A chunk's name is the hash of its bytes.
 * Reference: samples.md, "Storage".
 */
import { promisify } from "node:util"
import { brotliDecompress } from "node:zlib"
import { Effect } from "effect"
import { type Chunk, pack } from "./pack-thread.ts"

const chunkBytes = 64 * 1024

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

const expand = promisify(brotliDecompress)

export interface Packer {
  readonly add: (text: string) => void
  /** once, after the last text */
  readonly finish: Effect.Effect<Packed>
}

/** a unit of UTF-16 has at most so many bytes in UTF-8 */
const mostBytes = 3

/** a record larger than a chunk is one of its own; all of them are written into one buffer, chunk after chunk */
export const makePacker = (): Packer => {
  const slots: Array<Slot> = []
  const ends: Array<number> = []
  let bytes = Buffer.allocUnsafeSlow(8 * chunkBytes)
  let begin = 0
  let size = 0
  const close = () => {
    if (size > begin) ends.push(size)
    begin = size
  }
  return {
    add: (text) => {
      const needed = size + text.length * mostBytes
      if (needed > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * bytes.length))
        bytes.copy(larger, 0, 0, size)
        bytes = larger
      }
      const length = bytes.write(text, size)
      // it lies where it belongs already: only the chunk ends before it
      if (size - begin + length > chunkBytes) close()
      slots.push({ chunk: ends.length, start: size - begin, length })
      size += length
    },
    finish: Effect.suspend(() => {
      close()
      return Effect.map(pack(bytes.subarray(0, size), ends), (chunks) => ({ chunks, slots }))
    })
  }
}

/** the bytes of a chunk before compression */
export const unpack = (data: Buffer): Effect.Effect<Buffer> => Effect.promise(() => expand(data))

/**
 * Records lie together in chunks of at most 64 KiB, compressed aside while others are served. A chunk's name is the hash of its bytes.
 * Reference: samples.md, "Storage".
 */
import { promisify } from "node:util"
import { brotliDecompress } from "node:zlib"
import { Effect } from "effect"
import { limits } from "../../domain/sample/sample.ts"
import { makeSpareBuffers } from "../../values/node/spare-buffers.ts"
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
  /** after the last text: of the texts with these numbers, in their order, in which the slots are too; default all */
  readonly finish: (kept?: ReadonlyArray<number>) => Effect.Effect<Packed>
  /** nothing is asked of it any more: its memory is the next one's */
  readonly end: () => void
}

/** a unit of UTF-16 has at most so many bytes in UTF-8 */
const mostBytes = 3

interface Place {
  readonly from: number
  readonly to: number
}

/** a record larger than a chunk is one of its own */
const divide = (parts: ReadonlyArray<Place>) => {
  const slots: Array<Slot> = []
  const ends: Array<number> = []
  let begin = 0
  let size = 0
  for (const { from, to } of parts) {
    const length = to - from
    if (size > begin && size - begin + length > chunkBytes) {
      ends.push(size)
      begin = size
    }
    slots.push({ chunk: ends.length, start: size - begin, length })
    size += length
  }
  if (size > begin) ends.push(size)
  return { slots, ends }
}

/** room for the largest call; what is not written to takes no memory */
const buffers = makeSpareBuffers(2, limits.callBytes + chunkBytes)

/** all texts are written into one buffer, chunk after chunk, and nothing else is kept of them */
export const makePacker = (): Packer => {
  const places: Array<Place> = []
  let bytes = buffers.take() ?? Buffer.allocUnsafeSlow(8 * chunkBytes)
  let size = 0
  return {
    add: (text) => {
      const needed = size + text.length * mostBytes
      if (needed > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * bytes.length))
        bytes.copy(larger, 0, 0, size)
        buffers.giveBack(bytes)
        bytes = larger
      }
      const to = size + bytes.write(text, size)
      places.push({ from: size, to })
      size = to
    },
    finish: (kept) =>
      Effect.suspend(() => {
        const isAll = kept === undefined || (kept.length === places.length && kept.every((number, at) => number === at))
        const parts = isAll ? places : kept.flatMap((number) => places[number] ?? [])
        const packed = isAll
          ? bytes.subarray(0, size)
          : Buffer.concat(parts.map(({ from, to }) => bytes.subarray(from, to)))
        const { slots, ends } = divide(parts)
        return Effect.map(pack(packed, ends), (chunks) => ({ chunks, slots }))
      }),
    end: () => buffers.giveBack(bytes)
  }
}

/** the bytes of a chunk before compression */
export const unpack = (data: Buffer): Effect.Effect<Buffer> => Effect.promise(() => expand(data))

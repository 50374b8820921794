/**
 * Records lie together in chunks of at most 64 KiB, compressed by the threads of the platform's pool, so that the thread that serves
 * everybody only hands them over. A chunk's name is the hash of its bytes. Reference: samples.md, "Storage".
 */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { deflateRaw, inflateRaw } from "node:zlib"
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

const compress = promisify(deflateRaw)
const expand = promisify(inflateRaw)

/** level 6: levels below it save time that no caller waits for, and cost a tenth of the disk */
const level = 6

/** a record larger than a chunk is one of its own */
export const pack = (texts: ReadonlyArray<string>): Effect.Effect<Packed> =>
  Effect.promise(async () => {
    const slots: Array<Slot> = []
    const raw: Array<Array<Buffer>> = []
    let size = 0
    for (const text of texts) {
      const bytes = Buffer.from(text)
      let parts = raw.at(-1)
      if (parts === undefined || size + bytes.length > chunkBytes) {
        parts = []
        raw.push(parts)
        size = 0
      }
      slots.push({ chunk: raw.length - 1, start: size, length: bytes.length })
      parts.push(bytes)
      size += bytes.length
    }
    const chunks = await Promise.all(
      raw.map(async (parts) => {
        const bytes = Buffer.concat(parts)
        return { hash: createHash("sha256").update(bytes).digest("hex"), data: await compress(bytes, { level }) }
      })
    )
    return { chunks, slots }
  })

/** the bytes of a chunk before compression */
export const unpack = (data: Buffer): Effect.Effect<Buffer> => Effect.promise(() => expand(data))

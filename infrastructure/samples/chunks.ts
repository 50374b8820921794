/**
 * Records lie together in chunks of at most 64 KiB, compressed aside while others are served. A chunk's name is the hash of its bytes.
 * Reference: samples.md, "Storage".
 */
import { promisify } from "node:util"
import { brotliDecompress } from "node:zlib"
import { Effect } from "effect"
import { limits } from "../../domain/sample/sample.ts"
import { makeSpareBuffers } from "../../values/node/spare-buffers.ts"
import { chunkBytes, makeDivision, type Slot } from "./division.ts"
import { packedAhead } from "./pack-ahead.ts"
import { type Chunk, pack } from "./pack-thread.ts"
import { makeTextRoom, type Place } from "./text-room.ts"

export interface Packed {
  readonly chunks: ReadonlyArray<Chunk>
  /** in the order of the texts */
  readonly slots: ReadonlyArray<Slot>
}

const expand = promisify(brotliDecompress)

/** a chunk in one go: each piece of its bytes would be a task of its own for the pool */
const expansion = { chunkSize: chunkBytes }

/** a text that lies somewhere already, as UTF-8, until the packer is at its end */
export interface LyingText extends Place {
  readonly bytes: Buffer
}

export interface Packer {
  readonly add: (text: string | LyingText) => void
  /** after the last text: of the texts with these numbers, in their order, in which the slots are too; default all */
  readonly finish: (kept?: ReadonlyArray<number>) => Effect.Effect<Packed>
  /** nothing is asked of it any more: its memory is the next one's */
  readonly end: () => void
}

/** room for the largest call; what is not written to takes no memory */
const rooms = makeSpareBuffers(2, limits.callBytes + chunkBytes)

/** where texts are written that lie nowhere yet */
const makeRoom = () => {
  const spare = rooms.take()
  return { ...makeTextRoom(spare ?? Buffer.allocUnsafeSlow(8 * chunkBytes)), giveBack: () => rooms.giveBack(spare) }
}

/** texts in their order, as numbers: an object for each would live as long as the call */
const makeParts = () => {
  const memories: Array<Buffer | undefined> = []
  const froms: Array<number> = []
  const tos: Array<number> = []
  return {
    /** `memory`: absent for the packer's own room */
    add: ({ from, to }: Place, memory?: Buffer) => {
      memories.push(memory)
      froms.push(from)
      tos.push(to)
    },
    count: () => froms.length,
    memoryOf: (part: number) => memories[part],
    placeOf: (part: number): Place => ({ from: froms[part] ?? 0, to: tos[part] ?? 0 })
  }
}

type Parts = ReturnType<typeof makeParts>

const divide = (wanted: ReadonlyArray<number>, { placeOf }: Parts) => {
  const division = makeDivision()
  const slots = wanted.map((part) => {
    const { from, to } = placeOf(part)
    return division.add(to - from)
  })
  return { slots, ends: division.ends() }
}

/** one after the other in the memory of the first, with nothing between them */
const isOnePiece = ({ memoryOf, placeOf }: Parts, wanted: ReadonlyArray<number>): boolean => {
  const [first = 0] = wanted
  const memory = memoryOf(first)
  let { from: begin } = placeOf(first)
  for (const part of wanted) {
    const { from, to } = placeOf(part)
    if (from !== begin || memoryOf(part) !== memory) return false
    begin = to
  }
  return true
}

/** nothing is kept of a text but its bytes, in one piece with those of the others where it can be */
export const makePacker = (): Packer => {
  const parts = makeParts()
  let room: ReturnType<typeof makeRoom> | undefined
  const bytesOf = (first: number, last: number): Buffer =>
    (parts.memoryOf(first) ?? room?.memory() ?? Buffer.alloc(0)).subarray(
      parts.placeOf(first).from,
      parts.placeOf(last).to
    )
  return {
    add: (text) => {
      if (typeof text !== "string") parts.add(text, text.bytes)
      else {
        room ??= makeRoom()
        parts.add(room.write(text))
      }
    },
    finish: (kept) =>
      Effect.promise(async () => {
        const wanted = (kept ?? Array.from({ length: parts.count() }, (_, part) => part)).filter(
          (part) => part < parts.count()
        )
        const { slots, ends } = divide(wanted, parts)
        if (!isOnePiece(parts, wanted)) {
          const bytes = Buffer.concat(wanted.map((part) => bytesOf(part, part)))
          return { chunks: await pack(bytes, ends), slots }
        }
        const first = wanted[0] ?? 0
        const memory = parts.memoryOf(first)
        const isBegin = memory !== undefined && parts.placeOf(first).from === 0
        const ahead = isBegin ? await packedAhead(memory, ends) : []
        const from = ends[ahead.length - 1] ?? 0
        const rest = bytesOf(first, wanted.at(-1) ?? 0).subarray(from)
        const chunks = await pack(
          rest,
          ends.slice(ahead.length).map((end) => end - from)
        )
        return { chunks: [...ahead, ...chunks], slots }
      }),
    end: () => room?.giveBack()
  }
}

/** the bytes of a chunk before compression */
export const unpack = (data: Buffer): Effect.Effect<Buffer> => Effect.promise(() => expand(data, expansion))

/**
 * Chunks are hashed and compressed in a thread of their own, a call's at once: each one by itself would cost the thread that serves everybody
 * more to hand over and take back than the records in it. The thread starts with its first use; what it leaves unanswered is done by
 * the platform's pool. Reference: samples.md, "Storage".
 */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { Worker } from "node:worker_threads"
import { brotliCompress, constants } from "node:zlib"
import { makeAskedThread, type Unanswered } from "../in-process/asked-thread.ts"
import { type ShortWork, shortWork } from "../in-process/short-work.ts"
import { besideBundle } from "./beside-bundle.ts"

export interface Chunk {
  /** SHA-256 (hex) of the bytes before compression */
  readonly hash: string
  readonly data: Buffer
}

/** as small as deflate at its usual level in a third of its time */
const params = {
  [constants.BROTLI_PARAM_QUALITY]: 3,
  [constants.BROTLI_PARAM_LGWIN]: 16,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT
}

/** what the thread begins with */
export interface PackSettings {
  readonly params: typeof params
  readonly shortWork: ShortWork
}

export interface Question {
  readonly bytes: Uint8Array
  /** chunk n goes up to byte `ends[n]` */
  readonly ends: ReadonlyArray<number>
}

export interface Answer {
  readonly chunks: ReadonlyArray<{ readonly hash: string; readonly data: Uint8Array }>
  /** as it was handed over, for the next call: memory that each of them leaves behind has to be collected here or there */
  readonly bytes: Uint8Array | undefined
}

const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 }

const compress = promisify(brotliCompress)

const byPool = (bytes: Uint8Array, ends: ReadonlyArray<number>): Promise<ReadonlyArray<Chunk>> =>
  Promise.all(
    ends.map(async (end, at) => {
      const part = bytes.subarray(ends[at - 1] ?? 0, end)
      return { hash: createHash("sha256").update(part).digest("hex"), data: await compress(part, { params }) }
    })
  )

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)

export interface PackThread {
  /** chunk n goes up to byte `ends[n]`; the bytes stay as they are until then */
  readonly pack: (bytes: Uint8Array, ends: ReadonlyArray<number>) => Promise<ReadonlyArray<Chunk>>
  /** ends the thread, if there is one; the next use starts another */
  readonly end: () => Promise<void>
}

const isShared = ({ buffer }: Uint8Array): boolean => buffer instanceof SharedArrayBuffer

/** `program`: the file of its bundle; undefined: everything is left to the pool */
export const makePackThread = (program: string | undefined): PackThread => {
  if (program === undefined) return { pack: byPool, end: () => Promise.resolve() }
  const workerData: PackSettings = { params, shortWork }
  const start = () => new Worker(program, { workerData, resourceLimits, execArgv: [], env: {} })
  const { ask, end } = makeAskedThread<Question, Answer>(start)
  /** what came back */
  let spare: Uint8Array | undefined
  /** the thread gets a copy, for what it leaves unanswered is still here */
  const copyOf = (bytes: Uint8Array): Uint8Array => {
    const room = spare
    if (room === undefined || room.length < bytes.length) return new Uint8Array(bytes)
    spare = undefined
    room.set(bytes)
    return room
  }
  return {
    pack: (bytes, ends) =>
      ends.length === 0
        ? Promise.resolve([])
        : new Promise((resolve) => {
            // memory that both threads see needs no copy
            const sent = isShared(bytes) ? bytes : copyOf(bytes)
            const answered = (answer: Answer | Unanswered) => {
              if ("reason" in answer) return resolve(byPool(bytes, ends))
              spare = answer.bytes ?? spare
              resolve(answer.chunks.map(({ hash, data }) => ({ hash, data: bufferOf(data) })))
            }
            ask({ bytes: sent, ends }, answered, isShared(sent) ? [] : [sent.buffer as ArrayBuffer])
          }),
    end
  }
}

/** one for the process, whoever stores samples in it */
export const { pack } = makePackThread(besideBundle("pack-samples.mjs", import.meta.url))

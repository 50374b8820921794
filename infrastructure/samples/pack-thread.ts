/**
 * Chunks are hashed and compressed in a thread of their own, a call's at once: each one by itself would cost the thread that serves everybody
 * more to hand over and take back than the records in it. The thread starts with its first use; what it leaves unanswered is done by
 * the platform's pool. Reference: samples.md, "Storage".
 */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { Worker } from "node:worker_threads"
import { brotliCompress, constants } from "node:zlib"
import { Effect } from "effect"
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
  readonly id: number
  readonly bytes: Uint8Array
  /** chunk n goes up to byte `ends[n]` */
  readonly ends: ReadonlyArray<number>
}

export interface Answer {
  readonly id: number
  readonly chunks: ReadonlyArray<{ readonly hash: string; readonly data: Uint8Array }>
  /** as it was sent, for the next call: memory that each of them leaves behind has to be collected here or there */
  readonly bytes: Uint8Array
}

/** undefined: the thread ended without an answer */
type Resume = (chunks: Answer["chunks"] | undefined) => void

interface Thread {
  readonly worker: Worker
  readonly waiting: Map<number, Resume>
  /** what came back */
  spare: Uint8Array | undefined
}

/** the thread gets a copy, for what it leaves unanswered is still here */
const copyFor = (thread: Thread, bytes: Uint8Array): Uint8Array => {
  const { spare } = thread
  if (spare === undefined || spare.length < bytes.length) return new Uint8Array(bytes)
  thread.spare = undefined
  spare.set(bytes)
  return spare
}

const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 }

const start = (program: string, ended: (thread: Thread) => void): Thread => {
  const workerData: PackSettings = { params, shortWork }
  const worker = new Worker(program, { workerData, resourceLimits, execArgv: [], env: {} })
  const waiting = new Map<number, Resume>()
  const thread: Thread = { worker, waiting, spare: undefined }
  worker.on("message", ({ id, chunks, bytes }: Answer) => {
    const resume = waiting.get(id)
    thread.spare = bytes
    waiting.delete(id)
    // a thread that nobody waits for keeps no process alive
    if (waiting.size === 0) worker.unref()
    resume?.(chunks)
  })
  const end = () => {
    ended(thread)
    const left = [...waiting.values()]
    waiting.clear()
    for (const resume of left) resume(undefined)
  }
  worker.on("error", end).on("exit", end)
  return thread
}

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
  /** chunk n goes up to byte `ends[n]` */
  readonly pack: (bytes: Uint8Array, ends: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<Chunk>>
  /** ends the thread, if there is one; the next use starts another */
  readonly end: () => Promise<void>
}

/** `program`: the file of its bundle; undefined: everything is left to the pool */
export const makePackThread = (program: string | undefined): PackThread => {
  let thread: Thread | undefined
  let last = 0
  const ask = (bytes: Uint8Array, ends: ReadonlyArray<number>, resume: Resume): void => {
    if (program === undefined) {
      resume(undefined)
      return
    }
    try {
      thread ??= start(program, (ended) => {
        if (thread === ended) thread = undefined
      })
    } catch {
      resume(undefined)
      return
    }
    const { worker, waiting } = thread
    const id = ++last
    waiting.set(id, resume)
    worker.ref()
    const copy = copyFor(thread, bytes)
    const question: Question = { id, bytes: copy, ends }
    worker.postMessage(question, [copy.buffer as ArrayBuffer])
  }
  return {
    pack: (bytes, ends) =>
      ends.length === 0
        ? Effect.succeed([])
        : Effect.async((resume) =>
            ask(bytes, ends, (chunks) =>
              resume(
                chunks === undefined
                  ? Effect.promise(() => byPool(bytes, ends))
                  : Effect.succeed(chunks.map(({ hash, data }) => ({ hash, data: bufferOf(data) })))
              )
            )
          ),
    end: async () => {
      await thread?.worker.terminate()
    }
  }
}

/** one for the process, whoever stores samples in it */
export const { pack } = makePackThread(besideBundle("pack-samples.mjs", import.meta.url))

/**
 * The lines of large calls are read in a thread of its own: parsing, checking and digesting a thousand records takes tens of milliseconds, for which whoever
 * is served by the other would wait, as would it for the collection of what they leave behind. The thread starts with its first use; what it leaves unanswered is
 * read where everything else is served. Bodies and texts lie in memory that both threads see and use again: memory that each call hands over would count as the
 * heap's, and bring full collections of it. Reference: samples.md, "Storage".
 */
import { Worker } from "node:worker_threads"
import type { ReadOptions } from "../../../application/ports/stores/sample-store.ts"
import { limits } from "../../../domain/sample/sample.ts"
import { makeAskedThread, type Unanswered } from "../../in-process/asked-thread.ts"
import { shortWork } from "../../in-process/short-work.ts"
import { besideBundle } from "../beside-bundle.ts"
import type { Columns } from "./columns.ts"
import type { Reading } from "./line-reader.ts"

/** memory of one call: where its body lies, and what is kept of it */
export interface CallMemory {
  readonly body: SharedArrayBuffer
  readonly texts: SharedArrayBuffer
}

export interface Question {
  readonly memory: CallMemory
  /** the body is so many bytes long */
  readonly length: number
  readonly options: ReadOptions
}

export type ThreadReading =
  | Exclude<Reading, { readonly _tag: "Read" }>
  | (Omit<Extract<Reading, { readonly _tag: "Read" }>, "records"> & { readonly records: Columns })

export interface Answer {
  readonly reading: ThreadReading
  /** where the texts lie when their memory was too small */
  readonly elsewhere: Uint8Array | undefined
}

/** sent before the answer: texts of whole chunks, behind those told of before, are written and stay as they are */
export interface Divided {
  /** where they end, in bytes of the memory of the texts */
  readonly ends: ReadonlyArray<number>
}

/** told of texts, in the memory where they lie, whose chunks end there */
export type HearDivided = (texts: Buffer, ends: Divided["ends"]) => void

export interface ThreadRead {
  readonly reading: ThreadReading
  readonly texts: Buffer
  /** the texts are needed no longer: their memory is another call's */
  readonly release: () => void
}

/** the values of one line at a time, and what is kept of a thousand */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

/** calls that are under way at once in the thread's memory; what is not written to takes none */
const mostMemories = 4

/** texts are about as long as their lines, unless numbers are written at length */
const textsBytes = 2 * limits.callBytes

export interface ReadThread {
  /** undefined: no memory is left, or the body is too large for it. The body is copied. */
  readonly read: (
    body: Uint8Array,
    options: ReadOptions,
    hear?: HearDivided
  ) => Promise<ThreadRead | Unanswered> | undefined
  /** ends the thread, if there is one; the next use starts another */
  readonly end: () => Promise<void>
}

/** `program`: the file of its bundle */
export const makeReadThread = (program: string): ReadThread => {
  // nothing of the flags and the environment of the server is for it
  const start = () => new Worker(program, { workerData: shortWork, resourceLimits, execArgv: [], env: {} })
  const { ask, end } = makeAskedThread<Question, Answer, Divided>(start)
  let made = 0
  const free: Array<CallMemory> = []
  const takeMemory = (): CallMemory | undefined => {
    const found = free.pop()
    if (found !== undefined || made >= mostMemories) return found
    made += 1
    return { body: new SharedArrayBuffer(limits.callBytes), texts: new SharedArrayBuffer(textsBytes) }
  }
  return {
    read: (body, options, hear) => {
      const memory = body.length > limits.callBytes ? undefined : takeMemory()
      if (memory === undefined) return undefined
      new Uint8Array(memory.body).set(body)
      const release = () => void free.push(memory)
      const texts = Buffer.from(memory.texts)
      return new Promise((resolve) => {
        const answered = (answer: Answer | Unanswered) => {
          if ("reason" in answer) {
            // whatever has ended writes there no more
            release()
            resolve(answer)
            return
          }
          const { reading, elsewhere } = answer
          resolve({
            reading,
            texts: elsewhere === undefined ? texts : Buffer.from(elsewhere.buffer as ArrayBuffer),
            release
          })
        }
        ask({ memory, length: body.length, options }, answered, [], ({ ends }) => hear?.(texts, ends))
      })
    },
    end
  }
}

const program = besideBundle("read-samples.mjs", import.meta.url)

/** one for the process, whoever reads samples in it */
export const readThread = program === undefined ? undefined : makeReadThread(program)

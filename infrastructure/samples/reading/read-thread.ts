/**
 * The lines of large calls are read in a thread of its own: parsing, checking and digesting a thousand records takes tens of milliseconds, for which whoever
 * is served by the other would wait, as would it for the collection of what they leave behind. The thread starts with its first use; what it leaves unanswered is
 * read where everything else is served. Bodies and texts lie in memory that both threads see and use again: memory that each call hands over would count as the
 * heap's, and bring full collections of it. Reference: samples.md, "Storage".
 */
import { Worker } from "node:worker_threads"
import type { ReadOptions } from "../../../application/ports/stores/sample-store.ts"
import { limits } from "../../../domain/sample/sample.ts"
import { shortWork } from "../../in-process/short-work.ts"
import { besideBundle } from "../beside-bundle.ts"
import type { Columns } from "./columns.ts"
import type { Reading } from "./line-reader.ts"

/** where the body of one call lies, and what is kept of it */
export interface Place {
  readonly body: SharedArrayBuffer
  readonly texts: SharedArrayBuffer
}

export interface Question {
  readonly id: number
  /** number of the place */
  readonly at: number
  /** when the thread hears of it for the first time */
  readonly place: Place | undefined
  /** the body is so many bytes long */
  readonly length: number
  readonly options: ReadOptions
}

export type ThreadReading =
  | Exclude<Reading, { readonly _tag: "Read" }>
  | (Omit<Extract<Reading, { readonly _tag: "Read" }>, "records"> & { readonly records: Columns })

export interface Answer {
  readonly id: number
  readonly reading: ThreadReading
  /** where the texts lie when their place was too small */
  readonly elsewhere: Uint8Array | undefined
}

export interface ThreadRead {
  readonly reading: ThreadReading
  readonly texts: Buffer
  /** the texts are needed no longer: their place is another call's */
  readonly release: () => void
}

/** why it did not answer */
interface Unread {
  readonly reason: string
}

interface Thread {
  readonly worker: Worker
  readonly waiting: Map<number, (answer: Answer | Unread) => void>
  /** numbers of the places that it has heard of */
  readonly places: Set<number>
}

/** the values of one line at a time, and what is kept of a thousand */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

const start = (program: string, ended: (thread: Thread) => void): Thread => {
  // nothing of the flags and the environment of the server is for it
  const worker = new Worker(program, { workerData: shortWork, resourceLimits, execArgv: [], env: {} })
  const thread: Thread = { worker, waiting: new Map(), places: new Set() }
  const { waiting } = thread
  worker.on("message", (answer: Answer) => {
    const resume = waiting.get(answer.id)
    waiting.delete(answer.id)
    // a thread that nobody waits for keeps no process alive
    if (waiting.size === 0) worker.unref()
    resume?.(answer)
  })
  const end = (reason: string): void => {
    ended(thread)
    const left = [...waiting.values()]
    waiting.clear()
    for (const resume of left) resume({ reason })
  }
  worker.on("error", (error) => end(error.message)).on("exit", () => end("it was ended"))
  return thread
}

/** calls that are under way at once in the thread's memory; what is not written to takes none */
const mostPlaces = 4

/** texts are about as long as their lines, unless numbers are written at length */
const textsBytes = 2 * limits.callBytes

export interface ReadThread {
  /** undefined: no place is left, or the body is too large for one. The body is copied. */
  readonly read: (body: Uint8Array, options: ReadOptions) => Promise<ThreadRead | Unread> | undefined
  /** ends the thread, if there is one; the next use starts another */
  readonly end: () => Promise<void>
}

/** `program`: the file of its bundle */
export const makeReadThread = (program: string): ReadThread => {
  let thread: Thread | undefined
  let last = 0
  const places: Array<Place> = []
  const free: Array<number> = []
  const takePlace = (): number | undefined => {
    const found = free.pop()
    if (found !== undefined || places.length >= mostPlaces) return found
    const place = { body: new SharedArrayBuffer(limits.callBytes), texts: new SharedArrayBuffer(textsBytes) }
    return places.push(place) - 1
  }
  const ask = (at: number, place: Place, length: number, options: ReadOptions): Promise<Answer | Unread> =>
    new Promise((resume) => {
      try {
        thread ??= start(program, (ended) => {
          if (thread === ended) thread = undefined
        })
      } catch (error) {
        resume({ reason: String(error) })
        return
      }
      const id = ++last
      thread.waiting.set(id, resume)
      thread.worker.ref()
      const question: Question = { id, at, place: thread.places.has(at) ? undefined : place, length, options }
      thread.places.add(at)
      thread.worker.postMessage(question)
    })
  return {
    read: (body, options) => {
      const at = body.length > limits.callBytes ? undefined : takePlace()
      const place = at === undefined ? undefined : places[at]
      if (at === undefined || place === undefined) return undefined
      new Uint8Array(place.body).set(body)
      return ask(at, place, body.length, options).then((answer) => {
        const release = () => void free.push(at)
        if ("reason" in answer) {
          // whatever has ended writes there no more
          release()
          return answer
        }
        const { reading, elsewhere } = answer
        const texts = elsewhere === undefined ? Buffer.from(place.texts) : Buffer.from(elsewhere.buffer as ArrayBuffer)
        return { reading, texts, release }
      })
    },
    end: async () => {
      await thread?.worker.terminate()
    }
  }
}

const program = besideBundle("read-samples.mjs", import.meta.url)

/** one for the process, whoever reads samples in it */
export const readThread = program === undefined ? undefined : makeReadThread(program)

/** Reads the body of a call for a store, large ones in a thread of their own. Reference: samples.md, "Upload". */
import { Effect, type Scope } from "effect"
import type {
  IncomingSample,
  MadeText,
  ReadOptions,
  SampleStore
} from "../../../application/ports/stores/sample-store.ts"
import type { SampleContent } from "../../../domain/sample/kept-document.ts"
import { documentIn } from "../../../domain/sample/read-sample.ts"
import { limits, type Sample, type SampleDocument } from "../../../domain/sample/sample.ts"
import { lent, makeSpareBuffers } from "../../../values/node/spare-buffers.ts"
import { inSteps } from "../../in-process/in-steps.ts"
import { makeTextRoom } from "../text-room.ts"
import { recordAt } from "./columns.ts"
import { makeLineReader, type Reading, type ReadRecord } from "./line-reader.ts"
import type { HearDivided, ReadThread } from "./read-thread.ts"

/** one call while it is under way: afterwards its memory is another's */
interface Call {
  readonly body: Buffer
  readonly content: SampleContent
  /** where the texts of its records lie */
  texts: Buffer
  isOver: boolean
}

/**
 * A record of a call: a thousand of them live as long as it does, so that each is small. Its document is read again from its line, as often as it is asked for,
 * until the call is over. With getters of its own it would take three times the memory.
 */
class FromLine {
  readonly #call: Call
  readonly #digest: string
  readonly #prompt: string | undefined
  readonly #begin: number
  readonly #end: number
  readonly #from: number
  readonly #to: number

  constructor(call: Call, { digest, prompt, begin, end, from, to }: ReadRecord) {
    this.#call = call
    this.#digest = digest
    this.#prompt = prompt
    this.#begin = begin
    this.#end = end
    this.#from = from
    this.#to = to
  }

  get document(): SampleDocument {
    return documentIn(JSON.parse(this.#during().body.toString("utf8", this.#begin, this.#end)))
  }

  get made(): MadeText {
    const { content, texts: bytes } = this.#during()
    return { content, digest: this.#digest, prompt: this.#prompt, bytes, from: this.#from, to: this.#to }
  }

  #during(): Call {
    if (this.#call.isOver) throw new Error("a record is read after the call that brought it")
    return this.#call
  }
}

const incoming =
  (call: Call) =>
  (record: ReadRecord): IncomingSample =>
    Object.assign(new FromLine(call, record), record.sample as Sample)

/** bodies up to so many bytes are read at once in less time than a thread takes to hear of them */
const smallBytes = 32 * 1024

/** lines read between two turns of others: a status event takes some ten turns, each of which waits for so many lines */
const step = 8

/** records made of columns between two turns of others */
const columnStep = 128

/** where texts go that are written in the thread that serves */
const textRooms = makeSpareBuffers(2, limits.callBytes)

/** in the thread that serves */
const readHere = (
  call: Call,
  options: ReadOptions,
  pause: Effect.Effect<void>
): Effect.Effect<Reading, never, Scope.Scope> =>
  Effect.gen(function* () {
    const texts = makeTextRoom((yield* lent(textRooms)) ?? Buffer.allocUnsafeSlow(2 * smallBytes))
    const reader = makeLineReader(call.body, options, texts)
    for (let line = 1; ; line++) {
      const reading = reader.next()
      if (reading !== undefined) {
        call.texts = texts.memory()
        return reading
      }
      if (line % step === 0) yield* pause
    }
  })

/** undefined: it did not answer */
const askThread = (call: Call, options: ReadOptions, thread: ReadThread, hear?: HearDivided) =>
  Effect.gen(function* () {
    const asked = thread.read(call.body, options, hear)
    if (asked === undefined) return undefined
    // its memory is given back also when nobody waits for the answer any more
    const answer = yield* Effect.acquireRelease(
      Effect.promise(() => asked),
      (one) => Effect.sync(() => "release" in one && one.release())
    )
    if ("reason" in answer) {
      yield* Effect.logWarning(
        `the thread that reads samples ended (${answer.reason}); they are read in the thread that serves meanwhile`
      )
      return undefined
    }
    call.texts = answer.texts
    return answer.reading
  })

/** `pause`: between two steps of work in the thread that serves; `thread`: for large bodies; `hear`: told of texts while further lines of their body are read */
export const makeReadCall =
  (pause: Effect.Effect<void>, thread: ReadThread | undefined, hear?: HearDivided): SampleStore["Type"]["read"] =>
  (body, options) =>
    Effect.gen(function* () {
      const call = yield* Effect.acquireRelease(
        Effect.sync((): Call => ({ body, content: options.content, texts: body, isOver: false })),
        (one) =>
          Effect.sync(() => {
            one.isOver = true
          })
      )
      const make = incoming(call)
      const asked =
        thread === undefined || body.length <= smallBytes ? undefined : yield* askThread(call, options, thread, hear)
      if (asked !== undefined && asked._tag !== "Read") return asked
      if (asked !== undefined) {
        const { records, unknown } = asked
        const numbers = Array.from(records.sampleIds, (_, number) => number)
        const samples = yield* inSteps(numbers, (number) => make(recordAt(records, number)), columnStep, pause)
        return { _tag: "Read", samples, unknown }
      }
      const reading = yield* readHere(call, options, pause)
      return reading._tag === "Read"
        ? { _tag: "Read", samples: reading.records.map(make), unknown: reading.unknown }
        : reading
    })

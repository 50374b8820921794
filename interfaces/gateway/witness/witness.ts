/**
 * The gateway's witness of one benchmark: looks at copies of what goes by, after it went by, and keeps counts and short hashes. It never
 * holds an exchange up and never changes one. Reference: validity.md, "What the gateway sees".
 */
import { promisify } from "node:util"
import { brotliDecompress, gunzip, inflate } from "node:zlib"
import type { WireCounts } from "../../../domain/validity/wire-counts.ts"
import { readAnswer, readQuestion } from "./read-exchange.ts"
import { makeTally, type WireTally } from "./tally.ts"

/** looks at one exchange; bytes are kept by reference until the exchange is over */
export interface ExchangeWitness {
  readonly asked: (chunk: Buffer) => void
  readonly head: (
    status: number,
    headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  ) => void
  readonly answered: (chunk: Buffer) => void
  /** `complete`: the whole answer came */
  readonly ended: (complete: boolean) => void
}

export interface Witness {
  /** undefined: nothing to look at */
  readonly open: (method: string, path: string, role: string | undefined) => ExchangeWitness | undefined
  /** waits for what is still being read, and for nothing that is still open */
  readonly counts: () => Promise<WireCounts>
}

/** says what a request is for; never sent on */
export const roleHeader = "x-evald-role"
/** looked at only for its usage: a load generator asks the same thing on purpose */
export const loadRole = "load"
/** not looked at: it asks what the endpoint can do */
export const probeRole = "probe"

export const modelPath = /\/(chat\/)?completions$/
const maxAskedBytes = 4 * 1024 * 1024
const maxAnsweredBytes = 8 * 1024 * 1024

const turn = promisify(setImmediate)

const unpack: {
  readonly [encoding: string]: (data: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>
} = {
  gzip: promisify<Buffer, object, Buffer>(gunzip),
  "x-gzip": promisify<Buffer, object, Buffer>(gunzip),
  deflate: promisify<Buffer, object, Buffer>(inflate),
  br: promisify<Buffer, object, Buffer>(brotliDecompress)
}

/** undefined when it cannot be read */
export const plainText = async (data: Buffer, encoding: string): Promise<string | undefined> => {
  if (encoding === "" || encoding === "identity") return data.toString("utf8")
  return unpack[encoding]?.(data, { maxOutputLength: maxAnsweredBytes }).then(
    (plain) => plain.toString("utf8"),
    () => undefined
  )
}

/** an exchange that is over */
interface Copy {
  readonly asked: Buffer
  /** undefined: too long to be read */
  readonly answered: Buffer | undefined
  readonly status: number
  readonly contentType: string
  readonly encoding: string
  readonly complete: boolean
  readonly firstByte: number
  /** milliseconds until its end */
  readonly took: number
  readonly role: string | undefined
}

const look = async (copy: Copy, tally: WireTally): Promise<void> => {
  if (copy.role !== loadRole) tally.ended(copy.status, copy.complete, copy.took)
  const question = readQuestion(copy.asked.toString("utf8"))
  const good = copy.status >= 200 && copy.status < 300 && copy.complete
  if (typeof question === "number") return good ? tally.others(question) : undefined
  const text = copy.answered === undefined ? undefined : await plainText(copy.answered, copy.encoding)
  const answer = good && text !== undefined ? readAnswer(copy.contentType, text) : undefined
  if (copy.role === loadRole) return tally.loaded(question, answer)
  if (!good) return tally.failed(question, copy.status, text ?? "")
  return answer === undefined ? tally.unread(question) : tally.answered(question, answer, copy.firstByte)
}

/** collects one exchange and hands it over when it is over */
const collect = (role: string | undefined, over: (copy: Copy) => void): ExchangeWitness => {
  const started = performance.now()
  let asked: Array<Buffer> = []
  let answered: Array<Buffer> = []
  let askedBytes = 0
  let answeredBytes = 0
  let head = { status: 0, contentType: "", encoding: "", firstByte: 0 }
  let ended = false
  return {
    asked: (chunk) => {
      askedBytes += chunk.length
      if (askedBytes <= maxAskedBytes) asked.push(chunk)
    },
    head: (status, headers) => {
      const encoding = String(headers["content-encoding"] ?? "")
      const contentType = String(headers["content-type"] ?? "")
      const firstByte = performance.now() - started
      head = { status, contentType, encoding: encoding.trim().toLowerCase(), firstByte }
    },
    answered: (chunk) => {
      answeredBytes += chunk.length
      if (answeredBytes <= maxAnsweredBytes) answered.push(chunk)
    },
    ended: (complete) => {
      if (ended) return
      ended = true
      const whole = answeredBytes <= maxAnsweredBytes ? Buffer.concat(answered) : undefined
      over({ asked: Buffer.concat(asked), answered: whole, ...head, complete, took: performance.now() - started, role })
      asked = []
      answered = []
    }
  }
}

export const makeWitness = (): Witness => {
  const tally = makeTally()
  /** ended exchanges that are not read yet */
  let pending = 0
  let idle: Array<() => void> = []
  const settled = (): void => {
    pending -= 1
    if (pending > 0) return
    for (const resolve of idle) resolve()
    idle = []
  }
  return {
    open: (method, path, role) => {
      if (method !== "POST" || role === probeRole || !modelPath.test(path.split("?", 1)[0] ?? "")) return undefined
      return collect(role, (copy) => {
        pending += 1
        setImmediate(() => void look(copy, tally).then(settled, settled))
      })
    },
    counts: async () => {
      // an exchange that has just been broken off ends with the next turn
      await turn()
      if (pending > 0) await new Promise<void>((resolve) => idle.push(resolve))
      return tally.counts()
    }
  }
}

/**
 * The gateway's witness of one benchmark: looks at copies of what goes by, after it went by, and keeps counts and short hashes. It never
 * holds an exchange up and never changes one. Reference: validity.md, "What the gateway sees".
 */
import { nothingSpent, type Spending } from "../../../domain/budget/budget.ts"
import type { WireSpent } from "../../../domain/budget/usage.ts"
import type { WireCounts } from "../../../domain/validity/wire-counts.ts"
import { ownMember } from "../../../values/json.ts"
import { type AnswerSeen, readAnswer, readQuestion } from "./read-exchange.ts"
import { readUsage } from "./read-usage.ts"
import { makeTally, type WireTally } from "./tally.ts"

/** how the bytes of a body are to be read, as its headers say; undefined: they do not */
export interface BodyForm {
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
}

/** looks at one exchange; bytes are kept by reference until the exchange is over */
export interface ExchangeWitness {
  readonly asked: (chunk: Buffer) => void
  /** `fromLog`: the answer was given before, and nothing left for it */
  readonly head: (status: number, form: BodyForm, fromLog?: boolean) => void
  readonly answered: (chunk: Buffer) => void
  /** `complete`: the whole answer came */
  readonly ended: (complete: boolean) => void
}

export interface Witness {
  /** undefined: nothing to look at; `spent`: told once what the request used, after it ended */
  readonly open: (
    method: string,
    path: string,
    role: string | undefined,
    spent?: (used: Spending) => void
  ) => ExchangeWitness | undefined
  /** a request did not leave, because a budget was used up */
  readonly refused: () => void
  /** waits for what is still being read, and for nothing that is still open */
  readonly counts: () => Promise<WireCounts>
  /** what was used, without what is still being read */
  readonly spent: () => WireSpent
}

/** says what a request is for; never sent on */
export const roleHeader = "x-evald-role"
/** looked at only for its usage: a load generator asks the same thing on purpose */
export const loadRole = "load"
/** looked at only for its usage: it asks what the endpoint can do */
export const probeRole = "probe"

export const modelPath = /\/(chat\/)?completions$/
/** asks how a text is cut into tokens, which no model answers */
const tokenPath = /\/(de)?tokenize$/
const maxAskedBytes = 4 * 1024 * 1024
const maxAnsweredBytes = 8 * 1024 * 1024

/** without the module that has it as a promise, which a sidecar's start would read */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const isPlain = (encoding: string): boolean => encoding === "" || encoding === "identity"

/** read with the first packed answer: few endpoints pack, and every sidecar's start would wait for it */
const unpacked = async (data: Buffer, encoding: string): Promise<string | undefined> => {
  const { unpack } = await import("./unpack.ts")
  return ownMember(unpack, encoding)?.(data, maxAnsweredBytes).then(
    (plain) => plain.toString("utf8"),
    () => undefined
  )
}

/** undefined when it cannot be read */
export const plainText = async (data: Buffer, encoding: string): Promise<string | undefined> =>
  isPlain(encoding) ? data.toString("utf8") : unpacked(data, encoding)

/** an exchange that is over */
interface Copy {
  /** undefined: too long to be read */
  readonly asked: Buffer | undefined
  readonly askedBytes: number
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
  readonly fromLog: boolean
  /** asks for generated text or likelihoods */
  readonly isModelPath: boolean
  /** asks a model for something else, such as vectors */
  readonly isOtherPath: boolean
}

const isGood = ({ status, complete }: Copy): boolean => status >= 200 && status < 300 && complete

/** what an answer says about the run, beside what it used; the answer, where it was read for that */
const judge = (copy: Copy, text: string | undefined, tally: WireTally): AnswerSeen | undefined => {
  const question = copy.asked === undefined || !copy.isModelPath ? 1 : readQuestion(copy.asked.toString("utf8"))
  const good = isGood(copy)
  if (typeof question === "number") {
    if (good) tally.others(question)
    return undefined
  }
  const answer = good && text !== undefined ? readAnswer(copy.contentType, text) : undefined
  if (copy.role === loadRole) tally.loaded(question, answer)
  else if (!good) tally.failed(question, copy.status, text ?? "")
  else if (answer === undefined) tally.unread(question)
  else tally.answered(question, answer, copy)
  return answer
}

/** whoever is not let in cannot ask what there is: that holds a benchmark up like a question that is refused */
const isShutOut = ({ status }: Copy): boolean => status === 0 || status === 401 || status === 403 || status === 429

/** `text`: of the answer; undefined when it can not be read */
const look = (copy: Copy, text: string | undefined, tally: WireTally): Spending => {
  const isSeen = copy.isModelPath && copy.role !== probeRole
  const isElse = copy.isOtherPath && copy.role === undefined
  const counts = isSeen ? copy.role !== loadRole : copy.isModelPath && isShutOut(copy)
  if (counts && !copy.fromLog) tally.ended(copy.status, copy.complete, copy.took)
  const answer = isSeen || isElse ? judge(copy, text, tally) : undefined
  if (copy.fromLog) {
    tally.fromLog()
    return nothingSpent
  }
  const isText = copy.isModelPath && copy.status >= 200 && copy.status < 300
  const textBytes = () => (answer ?? readAnswer(copy.contentType, text ?? "")).textBytes
  const used = readUsage(copy.askedBytes, text, isText ? textBytes : undefined)
  tally.used(used)
  return { requests: 1, inputTokens: used.inputTokens, outputTokens: used.outputTokens }
}

/** as much of it as came; undefined when it can not be read */
const answerText = ({ answered, encoding }: Copy): string | undefined | Promise<string | undefined> => {
  if (answered === undefined) return undefined
  return isPlain(encoding) ? answered.toString("utf8") : unpacked(answered, encoding)
}

/** most bodies come in one piece */
const joined = (chunks: ReadonlyArray<Buffer>): Buffer => {
  const [first] = chunks
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
}

/** collects one exchange and hands it over when it is over */
const collect = (
  { role, isModelPath, isOtherPath }: Pick<Copy, "role" | "isModelPath" | "isOtherPath">,
  clock: () => number,
  over: (copy: Copy) => void
): ExchangeWitness => {
  const started = clock()
  let asked: Array<Buffer> = []
  let answered: Array<Buffer> = []
  let askedBytes = 0
  let answeredBytes = 0
  let head = { status: 0, contentType: "", encoding: "", firstByte: 0, fromLog: false }
  let ended = false
  return {
    asked: (chunk) => {
      askedBytes += chunk.length
      // only questions for text are read, and none of them in part
      if (isModelPath && askedBytes <= maxAskedBytes) asked.push(chunk)
      else asked = []
    },
    head: (status, { contentType = "", contentEncoding = "" }, fromLog = false) => {
      const encoding = contentEncoding.trim().toLowerCase()
      head = { status, contentType, encoding, firstByte: clock() - started, fromLog }
    },
    answered: (chunk) => {
      answeredBytes += chunk.length
      if (answeredBytes <= maxAnsweredBytes) answered.push(chunk)
      else answered = []
    },
    ended: (complete) => {
      if (ended) return
      ended = true
      const whole = answeredBytes <= maxAnsweredBytes ? joined(answered) : undefined
      const took = clock() - started
      const answer = { answered: whole, ...head, complete, took }
      const question = askedBytes <= maxAskedBytes ? joined(asked) : undefined
      over({ asked: question, askedBytes, ...answer, role, isModelPath, isOtherPath })
      asked = []
      answered = []
    }
  }
}

interface Ended {
  readonly copy: Copy
  readonly spent: ((used: Spending) => void) | undefined
}

/** `clock`: milliseconds, by which answers are slow or come at once */
export const makeWitness = (clock: () => number = () => performance.now()): Witness => {
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
  const finish = ({ copy, spent }: Ended, text: string | undefined): void => {
    let used: Spending = nothingSpent
    try {
      used = look(copy, text, tally)
    } catch {
      // a body that no reader can take says nothing
    }
    spent?.(used)
    settled()
  }
  /** exchanges that ended in this turn */
  let ended: Array<Ended> = []
  const readEnded = (): void => {
    const all = ended
    ended = []
    for (const one of all) {
      const text = answerText(one.copy)
      if (typeof text === "object") text.then((plain) => finish(one, plain))
      else finish(one, text)
    }
  }
  return {
    open: (method, path, role, spent) => {
      if (method !== "POST") return undefined
      const [bare = ""] = path.split("?", 1)
      const isModelPath = modelPath.test(bare)
      const isOtherPath = !isModelPath && !tokenPath.test(bare)
      return collect({ role, isModelPath, isOtherPath }, clock, (copy) => {
        pending += 1
        ended.push({ copy, spent })
        // the answer is on its way to its caller; all of a turn are read at once
        if (ended.length === 1) setImmediate(readEnded)
      })
    },
    refused: tally.refused,
    spent: tally.spent,
    counts: async () => {
      // an exchange that has just been broken off ends with the next turn
      await turn()
      if (pending > 0) await new Promise<void>((resolve) => idle.push(resolve))
      return tally.counts()
    }
  }
}

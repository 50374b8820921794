/**
 * The gateway's witness of one benchmark: looks at copies of what goes by, after it went by, and keeps counts and short hashes. It never
 * holds an exchange up and never changes one. Reference: validity.md, "What the gateway sees".
 */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliDecompress, gunzip, inflate } from "node:zlib"
import { noCounts, type WireCounts } from "../../../domain/validity/wire-counts.ts"
import { type AnswerSeen, isFilterRefusal, type Question, readAnswer, readQuestion } from "./read-exchange.ts"

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
  /** waits for what is still being read */
  readonly counts: () => Promise<WireCounts>
}

/** says what a request is for; never sent on */
export const roleHeader = "x-evald-role"
/** looked at only for its usage: a load generator asks the same thing on purpose */
const loadRole = "load"
/** not looked at: it asks what the endpoint can do */
const probeRole = "probe"

const modelPath = /\/(chat\/)?completions$/
const maxAskedBytes = 4 * 1024 * 1024
const maxAnsweredBytes = 8 * 1024 * 1024
const maxQuestions = 20_000
const maxNames = 8
const maxNameLength = 256
const longBytes = 4096
const echoLength = 40

type Outcome = AnswerSeen["outcome"] | "failed" | "unread"

interface Asked {
  outcome: Outcome
  /** of the last answer */
  textHash: string | undefined
}

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
const plainText = async (data: Buffer, encoding: string): Promise<string | undefined> => {
  if (encoding === "" || encoding === "identity") return data.toString("utf8")
  return unpack[encoding]?.(data, { maxOutputLength: maxAnsweredBytes }).then(
    (plain) => plain.toString("utf8"),
    () => undefined
  )
}

/** counts names up to a number of them; further names are counted with none */
const tally = (counts: Map<string, number>, name: string): void => {
  const kept = name.slice(0, maxNameLength)
  if (counts.has(kept) || counts.size < maxNames) counts.set(kept, (counts.get(kept) ?? 0) + 1)
}

const medianOf = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** more than was allowed, than the text can hold (a token has at least one byte), or than the parts of a stream suggest twice over */
export const isImpossible = (
  { limit }: Question,
  { completionTokens, reasoningTokens, textBytes, chunks }: AnswerSeen
): boolean => {
  if (completionTokens === undefined) return false
  if (completionTokens < 0) return true
  if (limit !== undefined && completionTokens > limit) return true
  const said = completionTokens - reasoningTokens
  const room = 16
  return said > textBytes + room || (chunks !== undefined && said > Math.max(2 * chunks, textBytes / 2) + room)
}

export const makeWitness = (): Witness => {
  const questions = new Map<string, Asked>()
  /** of questions beyond those that are remembered one by one */
  const further: { [outcome in Outcome]?: number } = {}
  const models = new Map<string, Map<string, number>>()
  const fingerprints = new Map<string, number>()
  const ids = new Set<string>()
  const firstBytes: Array<number> = []
  const sums = {
    requests: 0,
    answers: 0,
    others: 0,
    loads: 0,
    revoked: 0,
    echoed: 0,
    long: 0,
    shortened: 0,
    reported: 0,
    impossible: 0,
    reusedIds: 0,
    repeated: 0,
    replayed: 0,
    repeatedCold: 0,
    changedCold: 0
  }
  /** ended exchanges that are not read yet */
  let pending = 0
  let idle: Array<() => void> = []

  const remember = (question: Question, outcome: Outcome, textHash: string | undefined): void => {
    const known = questions.get(question.key)
    if (known !== undefined) {
      known.outcome = outcome
      if (textHash !== undefined) known.textHash = textHash
    } else if (questions.size < maxQuestions) questions.set(question.key, { outcome, textHash })
    else further[outcome] = (further[outcome] ?? 0) + 1
  }

  const usageOf = (question: Question, answer: AnswerSeen): void => {
    if (answer.completionTokens !== undefined) {
      sums.reported += 1
      if (isImpossible(question, answer)) sums.impossible += 1
    }
  }

  const repeats = (question: Question, before: string | undefined, textHash: string, firstByte: number): void => {
    if (before === undefined || question.temperature === undefined) return
    if (question.temperature === 0) {
      sums.repeatedCold += 1
      if (before !== textHash) sums.changedCold += 1
      return
    }
    sums.repeated += 1
    if (before === textHash && firstByte < medianOf(firstBytes) / 10) sums.replayed += 1
  }

  const named = (question: Question, answer: AnswerSeen): void => {
    const served = models.get(question.model) ?? new Map<string, number>()
    if (models.size < maxNames) models.set(question.model.slice(0, maxNameLength), served)
    if (answer.model !== undefined) tally(served, answer.model)
    if (answer.fingerprint !== undefined) tally(fingerprints, answer.fingerprint)
    if (answer.id === undefined) return
    if (ids.has(answer.id)) sums.reusedIds += 1
    else if (ids.size < maxQuestions) ids.add(answer.id)
  }

  const answerCame = (question: Question, answer: AnswerSeen, firstByte: number): void => {
    sums.answers += 1
    const textHash = createHash("sha256").update(answer.text).digest("base64url").slice(0, 16)
    repeats(question, questions.get(question.key)?.textHash, textHash, firstByte)
    firstBytes.push(firstByte)
    if (firstBytes.length > 64) firstBytes.shift()
    named(question, answer)
    usageOf(question, answer)
    if (question.lastText.length >= echoLength && answer.text.includes(question.lastText)) sums.echoed += 1
    if (question.textBytes >= longBytes && answer.promptTokens !== undefined) {
      sums.long += 1
      if (answer.promptTokens < question.textBytes / 16) sums.shortened += 1
    }
    remember(question, answer.outcome, textHash)
  }

  const requestFailed = (question: Question, status: number, text: string): void => {
    if ((status === 401 || status === 403) && sums.answers > 0) sums.revoked += 1
    remember(question, isFilterRefusal(status, text) ? "filtered" : "failed", undefined)
  }

  interface Copy {
    readonly asked: Buffer
    readonly answered: Buffer | undefined
    readonly status: number
    readonly contentType: string
    readonly encoding: string
    readonly complete: boolean
    readonly firstByte: number
    readonly role: string | undefined
  }
  const look = async (copy: Copy): Promise<void> => {
    const question = readQuestion(copy.asked.toString("utf8"))
    const isOk = copy.status >= 200 && copy.status < 300
    if (typeof question === "number") {
      if (isOk && copy.complete) sums.others += question
      return
    }
    const text = copy.answered === undefined ? undefined : await plainText(copy.answered, copy.encoding)
    if (copy.role === loadRole) {
      sums.loads += 1
      if (isOk && copy.complete && text !== undefined) usageOf(question, readAnswer(copy.contentType, text))
      return
    }
    sums.requests += 1
    if (!isOk || !copy.complete) return requestFailed(question, copy.status, text ?? "")
    if (text === undefined) return remember(question, "unread", undefined)
    return answerCame(question, readAnswer(copy.contentType, text), copy.firstByte)
  }

  const settled = (): void => {
    pending -= 1
    if (pending > 0) return
    for (const resolve of idle) resolve()
    idle = []
  }

  const open: Witness["open"] = (method, path, role) => {
    if (method !== "POST" || role === probeRole || !modelPath.test(path.split("?", 1)[0] ?? "")) return undefined
    const started = performance.now()
    let asked: Array<Buffer> = []
    let answered: Array<Buffer> = []
    let askedBytes = 0
    let answeredBytes = 0
    let status = 0
    let contentType = ""
    let encoding = ""
    let firstByte = 0
    let over = false
    return {
      asked: (chunk) => {
        askedBytes += chunk.length
        if (askedBytes <= maxAskedBytes) asked.push(chunk)
      },
      head: (code, headers) => {
        status = code
        firstByte = performance.now() - started
        contentType = String(headers["content-type"] ?? "")
        encoding = String(headers["content-encoding"] ?? "")
          .trim()
          .toLowerCase()
      },
      answered: (chunk) => {
        answeredBytes += chunk.length
        if (answeredBytes <= maxAnsweredBytes) answered.push(chunk)
      },
      ended: (complete) => {
        if (over) return
        over = true
        pending += 1
        // a question that is too long to be kept is told by its beginning, which never equals another one that is whole
        const copy: Copy = {
          asked: Buffer.concat(asked),
          answered: answeredBytes <= maxAnsweredBytes ? Buffer.concat(answered) : undefined,
          ...{ status, contentType, encoding, complete, firstByte, role }
        }
        asked = []
        answered = []
        setImmediate(() => void look(copy).then(settled, settled))
      }
    }
  }

  const counts = async (): Promise<WireCounts> => {
    // an exchange that has just been broken off ends with the next turn
    await turn()
    if (pending > 0) await new Promise<void>((resolve) => idle.push(resolve))
    const outcomes: { [outcome in Outcome]?: number } = { ...further }
    for (const { outcome } of questions.values()) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    return {
      ...noCounts,
      ...sums,
      questions: Object.values(outcomes).reduce((sum, count) => sum + count, 0),
      unread: outcomes.unread ?? 0,
      empty: outcomes.empty ?? 0,
      cut: outcomes.cut ?? 0,
      filtered: outcomes.filtered ?? 0,
      errorBodies: outcomes.error_body ?? 0,
      failed: outcomes.failed ?? 0,
      // a server that gives all answers one or two ids says nothing by them
      reusedIds: ids.size <= 2 ? 0 : sums.reusedIds,
      models: Object.fromEntries([...models].map(([asked, served]) => [asked, Object.fromEntries(served)])),
      fingerprints: Object.fromEntries(fingerprints)
    }
  }
  return { open, counts }
}

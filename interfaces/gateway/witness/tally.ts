/**
 * The counts behind a witness: questions by their last answer, names, repeats, usage. Memory is bounded: beyond so many questions each further
 * one is counted by itself. Reference: validity.md, "What the gateway sees".
 */
import type { WireSpent } from "../../../domain/budget/usage.ts"
import { maxNameLength, maxNames, noCounts, type WireCounts } from "../../../domain/validity/wire-counts.ts"
import { type AnswerSeen, isFilterRefusal, type Question } from "./read-exchange.ts"
import type { TokensUsed } from "./read-usage.ts"
import { valueHash } from "./value-hash.ts"

export interface WireTally {
  /** a complete 2xx answer; `firstByte`: milliseconds until its head, which say nothing of one out of a log */
  readonly answered: (
    question: Question,
    answer: AnswerSeen,
    of: { readonly firstByte: number; readonly fromLog: boolean }
  ) => void
  /** a complete 2xx answer that cannot be read */
  readonly unread: (question: Question) => void
  /** another status, or no complete answer */
  readonly failed: (question: Question, status: number, text: string) => void
  /** a request of a load generator; `answer`: undefined without a complete one that can be read */
  readonly loaded: (question: Question, answer: AnswerSeen | undefined) => void
  /** answers to so many prompts for something else than generated text, or to what is no question that can be read */
  readonly others: (count: number) => void
  /** a request of any kind that is over; `complete`: the whole answer came */
  readonly ended: (status: number, complete: boolean, millis: number) => void
  /** a request that left for the model, of any kind */
  readonly used: (tokens: TokensUsed) => void
  /** an answer out of the log of an earlier run */
  readonly fromLog: () => void
  /** a request that did not leave, because a budget was used up */
  readonly refused: () => void
  readonly counts: () => WireCounts
  /** of these, what says what was used; cheap, where all counts are not */
  readonly spent: () => WireSpent
}

const maxQuestions = 20_000
const longBytes = 4096
const echoLength = 40
const keptFirstBytes = 64
/** from here on a model hardly says a long text twice */
const warm = 0.5
const longAnswer = 80

type Outcome = AnswerSeen["outcome"] | "failed" | "unread"
type Sums = { -readonly [Name in keyof WireCounts as WireCounts[Name] extends number ? Name : never]: number }

/** counts names up to a number of them; further ones are left out */
const countName = (counts: Map<string, number>, name: string): void => {
  const kept = name.slice(0, maxNameLength)
  if (counts.has(kept) || counts.size < maxNames) counts.set(kept, (counts.get(kept) ?? 0) + 1)
}

const medianOf = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** a token of running text has hardly ever more */
const mostTokenBytes = 32

/**
 * More than was allowed, than the text can hold (a token has at least one byte), or than the parts of a stream suggest twice over; or fewer than
 * any text of this length has.
 */
const isImpossible = (
  { limit }: Question,
  { completionTokens, reasoningTokens, textBytes, chunks }: AnswerSeen
): boolean => {
  if (completionTokens === undefined) return false
  if (completionTokens < 0) return true
  if (limit !== undefined && completionTokens > limit) return true
  const said = completionTokens - reasoningTokens
  const room = 16
  const most = mostTokenBytes * (completionTokens + reasoningTokens + room / 4)
  return (
    textBytes > most ||
    said > textBytes + room ||
    (chunks !== undefined && said > Math.max(2 * chunks, textBytes / 2) + room)
  )
}

/** thinking left hardly any room for the answer */
const isSpent = ({ limit }: Question, { thoughtTokens }: AnswerSeen): boolean =>
  limit !== undefined && thoughtTokens >= 0.8 * limit

/** questions of very different lengths that all took the same number of tokens were not counted */
const makePromptTokens = () => {
  let count = 0
  let tokens: number | undefined
  let isSame = true
  let [least, most] = [Number.POSITIVE_INFINITY, 0]
  return {
    seen: ({ textBytes }: Question, { promptTokens }: AnswerSeen): void => {
      if (promptTokens === undefined) return
      count += 1
      isSame &&= tokens === undefined || tokens === promptTokens
      tokens = promptTokens
      least = Math.min(least, textBytes)
      most = Math.max(most, textBytes)
    },
    /** answers whose number of tokens is no count */
    invented: (): number => (isSame && count >= manyAnswers && most >= 1.5 * least + mostTokenBytes ? count : 0)
  }
}
const manyAnswers = 20

/** marks of turns that a model never writes where its chat template is the right one */
const templateMark =
  /<\|(?:im_start|im_end|im_sep|eot_id|eom_id|start_header_id|end_header_id|endoftext|end_of_text|begin_of_text|system|user|assistant|start|message|channel)\|>|<(?:start|end)_of_turn>|\[\/?INST\]|<<\/?SYS>>|<｜(?:User|Assistant|end▁of▁sentence)｜>/

/** the last outcome of each question, and the hash of its last answer's text */
const makeQuestions = () => {
  const known = new Map<
    number,
    { outcome: Outcome; text: number | undefined; seed: number | undefined; spent: boolean }
  >()
  /** of questions beyond those that are remembered one by one */
  const further: { [outcome in Outcome]?: number } = {}
  let furtherSpent = 0
  return {
    lastOf: ({ key }: Question) => known.get(key),
    hasFailed: ({ key }: Question) => known.get(key)?.outcome === "failed",
    remember: ({ key, seed }: Question, outcome: Outcome, text?: number, spent = false): void => {
      const before = known.get(key)
      if (before !== undefined) {
        before.outcome = outcome
        before.text = text ?? before.text
        before.seed = seed
        before.spent = spent
      } else if (known.size < maxQuestions) known.set(key, { outcome, text, seed, spent })
      else {
        further[outcome] = (further[outcome] ?? 0) + 1
        if (spent) furtherSpent += 1
      }
    },
    spent: () => furtherSpent + [...known.values()].filter(({ spent }) => spent).length,
    byOutcome: (): { readonly [outcome in Outcome]?: number } => {
      const counts = { ...further }
      for (const { outcome } of known.values()) counts[outcome] = (counts[outcome] ?? 0) + 1
      return counts
    }
  }
}

/** what endpoints call themselves and their answers */
const makeNames = () => {
  const models = new Map<string, Map<string, number>>()
  const fingerprints = new Map<string, number>()
  const ids = new Set<string>()
  let reused = 0
  return {
    seen: ({ model }: Question, answer: AnswerSeen): void => {
      const served = models.get(model) ?? new Map<string, number>()
      if (models.size < maxNames) models.set(model.slice(0, maxNameLength), served)
      if (answer.model !== undefined) countName(served, answer.model)
      if (answer.fingerprint !== undefined) countName(fingerprints, answer.fingerprint)
      if (answer.id === undefined) return
      if (ids.has(answer.id)) reused += 1
      else if (ids.size < maxQuestions) ids.add(answer.id)
    },
    counts: () => ({
      models: Object.fromEntries([...models].map(([asked, served]) => [asked, Object.fromEntries(served)])),
      fingerprints: Object.fromEntries(fingerprints),
      // a server that gives all answers one or two ids says nothing by them
      reusedIds: ids.size <= 2 ? 0 : reused
    })
  }
}

/** every request by how it ended */
const makeExchanges = () => {
  const sums = { exchanges: 0, limited: 0, refused: 0, broken: 0 }
  let busy = 0
  return {
    ended: (status: number, complete: boolean, millis: number): void => {
      sums.exchanges += 1
      busy += millis
      if (status === 429) sums.limited += 1
      if (status === 401 || status === 403) sums.refused += 1
      if (status === 0 || status >= 500 || !complete) sums.broken += 1
    },
    counts: () => ({ ...sums, busyMillis: Math.round(busy) })
  }
}

/** what came of questions that were answered before, and how long answers take */
const makeRepeats = () => {
  const firstBytes: Array<number> = []
  const sums = { repeated: 0, replayed: 0, repeatedWarm: 0, unchangedWarm: 0, repeatedCold: 0, changedCold: 0 }
  const again = (
    { temperature, seed }: Question,
    answer: AnswerSeen,
    before: { readonly seed: number | undefined; readonly isSame: boolean },
    firstByte: number
  ): void => {
    if (temperature === undefined) return
    if (temperature === 0) {
      sums.repeatedCold += 1
      if (!before.isSame) sums.changedCold += 1
      return
    }
    const atOnce = before.isSame && firstByte < medianOf(firstBytes) / 10
    sums.repeated += 1
    if (atOnce) sums.replayed += 1
    if (temperature < warm || answer.text.length < longAnswer || (seed !== undefined && seed === before.seed)) return
    sums.repeatedWarm += 1
    if (before.isSame && !atOnce) sums.unchangedWarm += 1
  }
  const took = (firstByte: number): void => {
    firstBytes.push(firstByte)
    if (firstBytes.length > keptFirstBytes) firstBytes.shift()
  }
  return {
    /** `before`: the last answer to the question; `text`: the hash of this one */
    seen: (
      question: Question,
      answer: AnswerSeen,
      before: { readonly text: number | undefined; readonly seed: number | undefined } | undefined,
      text: number,
      firstByte: number
    ): void => {
      if (before?.text !== undefined)
        again(question, answer, { seed: before.seed, isSame: before.text === text }, firstByte)
      took(firstByte)
    },
    counts: () => sums
  }
}

/** what the requests used that left for the model, and those that did not leave */
const makeSpent = () => {
  const sums = {
    ...{ sent: 0, fromLog: 0, overBudget: 0 },
    ...{ inputTokens: 0, outputTokens: 0, reasoningTokens: 0, estimatedTokens: 0 }
  }
  return {
    used: ({ inputTokens, outputTokens, reasoningTokens, estimatedTokens }: TokensUsed): void => {
      sums.sent += 1
      sums.inputTokens += inputTokens
      sums.outputTokens += outputTokens
      sums.reasoningTokens += reasoningTokens
      sums.estimatedTokens += estimatedTokens
    },
    fromLog: (): void => {
      sums.fromLog += 1
    },
    refused: (): void => {
      sums.overBudget += 1
    },
    counts: () => sums
  }
}

const countUsage = (sums: Sums, question: Question, answer: AnswerSeen): void => {
  if (answer.completionTokens === undefined) return
  sums.reported += 1
  if (isImpossible(question, answer)) sums.impossible += 1
}
const countContext = (sums: Sums, { textBytes, lastText }: Question, { text, promptTokens }: AnswerSeen): void => {
  if (lastText.length >= echoLength && text.includes(lastText)) sums.echoed += 1
  if (textBytes < longBytes || promptTokens === undefined) return
  sums.long += 1
  if (promptTokens < textBytes / 16) sums.shortened += 1
}

export const makeTally = (): WireTally => {
  const questions = makeQuestions()
  const repeats = makeRepeats()
  const names = makeNames()
  const exchanges = makeExchanges()
  const promptTokens = makePromptTokens()
  const spent = makeSpent()
  const { models: _, fingerprints: __, ...none } = noCounts
  const sums: Sums = { ...none }

  const asked = (question: Question): void => {
    sums.requests += 1
    if (questions.hasFailed(question)) sums.retries += 1
  }
  /** an endpoint that never says when a stream is over can not be held to it */
  let marksEnds = false
  const failed: WireTally["failed"] = (question, status, text) => {
    asked(question)
    if ((status === 401 || status === 403) && sums.answers > 0) sums.revoked += 1
    questions.remember(question, isFilterRefusal(status, text) ? "filtered" : "failed")
  }

  return {
    ...spent,
    answered: (question, answer, { firstByte, fromLog }) => {
      marksEnds ||= answer.isEnded === true
      if (answer.isEnded === false && marksEnds) return failed(question, 200, "")
      asked(question)
      sums.answers += 1
      const text = valueHash(answer.text)
      if (!fromLog) repeats.seen(question, answer, questions.lastOf(question), text, firstByte)
      // what nobody asked for stands for no other question
      sums.others += Math.min(answer.choices, question.choices) - 1
      names.seen(question, answer)
      countUsage(sums, question, answer)
      promptTokens.seen(question, answer)
      countContext(sums, question, answer)
      if (templateMark.test(answer.text) && !templateMark.test(question.lastText)) sums.templated += 1
      const outcome = question.isSnippet && answer.outcome === "cut" ? "answered" : answer.outcome
      questions.remember(question, outcome, text, isSpent(question, answer))
    },
    unread: (question) => {
      asked(question)
      sums.answers += 1
      questions.remember(question, "unread")
    },
    failed,
    loaded: (question, answer) => {
      sums.loads += 1
      if (answer !== undefined) countUsage(sums, question, answer)
    },
    others: (count) => {
      sums.others += count
    },
    ended: exchanges.ended,
    spent: () => ({ ...spent.counts(), retries: sums.retries }),
    counts: () => {
      const outcomes = questions.byOutcome()
      return {
        ...sums,
        ...repeats.counts(),
        ...exchanges.counts(),
        ...spent.counts(),
        ...names.counts(),
        impossible: Math.max(sums.impossible, Math.min(sums.reported, promptTokens.invented())),
        questions: Object.values(outcomes).reduce((sum, count) => sum + count, 0),
        spent: questions.spent(),
        unread: outcomes.unread ?? 0,
        empty: outcomes.empty ?? 0,
        cut: outcomes.cut ?? 0,
        filtered: outcomes.filtered ?? 0,
        errorBodies: (outcomes.error_body ?? 0) + (outcomes.page ?? 0),
        pages: outcomes.page ?? 0,
        failed: outcomes.failed ?? 0
      }
    }
  }
}

/**
 * What the stored samples of a benchmark say about its run: how often which verdict was given for which reason, and, over the records
 * themselves, whether the answers have anything to do with the questions. Pure; records are added one by one. Reference: validity.md, "What the samples say".
 */

import { declines } from "../../values/declining.ts"
import { defined } from "../../values/defined.ts"
import { isObject } from "../../values/json.ts"
import { misplacedOf, type PlacedAnswer } from "./misplaced-answers.ts"

/** samples that share verdict, reason and finish reason */
export interface KindCount {
  readonly verdict: string
  readonly reason?: string
  readonly finishReason?: string
  readonly count: number
}

/** how many of how many, with ids of the first of them */
export interface Share {
  readonly count: number
  readonly of: number
  readonly samples: ReadonlyArray<string>
}

export interface RecordFigures {
  /** free-text items whose whole answer is that of the most frequent one, although their references differ */
  readonly identical: Share
  /** closed-answer items with the most frequent answer; absent where one reference is as frequent */
  readonly constant: Share
  /** repeats of an item that were asked something else than before */
  readonly differing: Share
  /** repeats of an item with another reference than before */
  readonly changed: Share
  /** items that were declined, and not rightly so */
  readonly refused: Share
  /** items whose reference stands in the last thing that was asked */
  readonly leaked: Share
  /** free answers that are wrong, and right for a question shortly before theirs */
  readonly misplaced: Share
  /** scored items that took an answer, their choices (one where there are none), and the fewest of one item */
  readonly asked?: { readonly of: number; readonly choices: number; readonly least: number }
}

export interface SampleFigures {
  readonly kinds: ReadonlyArray<KindCount>
  /** over the first records, as many as were read; absent where texts are not kept */
  readonly records?: RecordFigures
}

type Document = { readonly [member: string]: unknown }

interface Answered {
  readonly id: string
  readonly prompt: string
  readonly answer: string
  readonly reference: string
  readonly extracted: string | undefined
  readonly correct: boolean
}

const shown = 5
/** of an answer that says something of its own */
const longAnswer = 20
/** of a reference that does not stand in a question by chance */
const longReference = 20
/** distinct references of a free-text benchmark */
const manyReferences = 20
/** of a place in an order, so that texts compare as their numbers do */
const placeDigits = 9
const scored = new Set(["correct", "incorrect", "invalid"])
/** scored although no answer came, and said so */
export const requestless: ReadonlySet<string> = new Set([
  "no_answer_filtered",
  "no_answer_error_body",
  "request_failed"
])
/** the same answer to different questions is what is wanted here, or says nothing */
const alikeOnPurpose = new Set(["refused", "complied", "likelihood", "measured"])

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value)

const lastText = (prompt: unknown): string => {
  const last = Array.isArray(prompt) ? prompt.at(-1) : prompt
  return typeof last === "object" && last !== null ? textOf((last as Document)["content"]) : textOf(last)
}

const none: Share = { count: 0, of: 0, samples: [] }
const shareOf = (ids: ReadonlyArray<string>, of: number): Share => ({
  count: ids.length,
  of,
  samples: ids.slice(0, shown)
})

const mostFrequent = <A>(groups: ReadonlyMap<string, ReadonlyArray<A>>): ReadonlyArray<A> =>
  [...groups.values()].reduce<ReadonlyArray<A>>((best, group) => (group.length > best.length ? group : best), [])

const groupBy = <A>(items: ReadonlyArray<A>, key: (item: A) => string): Map<string, Array<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group === undefined) groups.set(key(item), [item])
    else group.push(item)
  }
  return groups
}

const distinct = <A>(items: ReadonlyArray<A>, key: (item: A) => string): number => new Set(items.map(key)).size

/** an answer that is right for different references is no sign: refusing attacks is one */
const identicalOf = (free: ReadonlyArray<Answered>): Share => {
  if (distinct(free, ({ reference }) => reference) < manyReferences) return none
  const prompts = distinct(free, ({ prompt }) => prompt)
  const alike = mostFrequent(
    groupBy(
      free.filter(({ answer, correct }) => answer.length >= longAnswer && !correct),
      ({ answer }) => answer
    )
  )
  const different = distinct(alike, ({ prompt }) => prompt)
  if (distinct(alike, ({ reference }) => reference) < 2) return { ...none, of: prompts }
  const first = [...new Map(alike.map((one) => [one.prompt, one.id])).values()]
  return { count: different, of: prompts, samples: first.slice(0, shown) }
}

/** the share of the most frequent reference that explains a constant answer */
const explained = 0.6

const constantOf = (closed: ReadonlyArray<Answered>): Share => {
  if (closed.length === 0) return none
  const references = mostFrequent(groupBy(closed, ({ reference }) => reference)).length
  if (references >= explained * closed.length) return { ...none, of: closed.length }
  const alike = mostFrequent(groupBy(closed, ({ extracted, answer }) => extracted ?? answer))
  return shareOf(
    alike.map(({ id }) => id),
    closed.length
  )
}

/** a verdict that rests on an answer, and is no measurement */
const takesAnswer = ({ verdict, reason, finish_reason: finish }: Document): boolean => {
  const silence = reason === "no_answer" && finish === "content_filter" ? "no_answer_filtered" : textOf(reason)
  return scored.has(textOf(verdict)) && reason !== "measured" && !requestless.has(silence)
}

/** repeats that differ from what came first under their name */
const repeatTally = () => {
  const first = new Map<string, string>()
  const others: Array<string> = []
  let repeats = 0
  return {
    add: (name: string, text: string): void => {
      const before = first.get(name)
      if (before === undefined) first.set(name, text)
      else repeats += 1
      if (before !== undefined && before !== text) others.push(name)
    },
    differing: (): Share => shareOf(others, repeats)
  }
}

/** when an item was asked, or its place among those of its task; to be compared with others of the same adapter */
const askedAtOf = ({ started_at: startedAt, timing }: Document): string | undefined => {
  if (typeof startedAt === "string") return startedAt
  const position = isObject(timing) ? timing["position"] : undefined
  return typeof position === "number" ? String(position).padStart(placeDigits, "0") : undefined
}

/** nothing where the answer, or when it was asked for, is not known, and where it is one of a few */
const placedAnswer = (document: Document): ReadonlyArray<PlacedAnswer> => {
  const { sample_id: id, extracted, reference, choices, verdict } = document
  const askedAt = askedAtOf(document)
  const isFree = !Array.isArray(choices) && scored.has(textOf(verdict))
  if (!isFree || askedAt === undefined || typeof extracted !== "string" || reference === undefined) return []
  return [{ id: textOf(id), askedAt, extracted, reference: textOf(reference) }]
}

const choiceTally = () => {
  let of = 0
  let all = 0
  let least = Number.POSITIVE_INFINITY
  return {
    add: (document: Document): void => {
      if (!takesAnswer(document)) return
      const { choices } = document
      const options = Array.isArray(choices) ? Math.max(1, choices.length) : 1
      of += 1
      all += options
      least = Math.min(least, options)
    },
    figures: (): RecordFigures["asked"] => (of === 0 ? undefined : { of, choices: all, least })
  }
}

export interface RecordTally {
  readonly add: (document: Document) => void
  readonly figures: () => RecordFigures
}

/** keeps the texts it was given until the figures are made: give it a bounded number of records */
export const recordTally = (): RecordTally => {
  const free: Array<Answered> = []
  const closed: Array<Answered> = []
  const placed: Array<PlacedAnswer> = []
  const prompts = repeatTally()
  const references = repeatTally()
  const refused: Array<string> = []
  const leaked: Array<string> = []
  let worded = 0
  let withReference = 0
  const asked = choiceTally()
  return {
    add: (document) => {
      const {
        sample_id: id,
        verdict,
        reason,
        prompt_sha256: hash,
        response,
        response_sha256: digest,
        reference,
        choices,
        prompt,
        extracted
      } = document
      const name = textOf(id)
      if (typeof hash === "string") prompts.add(name, hash)
      if (reference !== undefined) references.add(name, textOf(reference))
      asked.add(document)
      placed.push(...placedAnswer(document))
      if (!scored.has(textOf(verdict)) || alikeOnPurpose.has(textOf(reason))) return
      // how long an answer was that is known by its hash alone: short where it was read as a short one
      const answer = typeof response === "string" ? response : reason === "answer_different" ? "" : textOf(digest)
      const isRefusal = typeof response === "string" && verdict !== "correct" && declines(response)
      if (typeof response === "string") worded += 1
      if (isRefusal) refused.push(name)
      const given = textOf(reference)
      const isClosed = Array.isArray(choices)
      if (answer !== "" && given !== "") {
        const one = {
          id: name,
          prompt: textOf(hash ?? prompt),
          answer,
          reference: given,
          extracted: typeof extracted === "string" ? extracted : undefined,
          correct: verdict === "correct"
        }
        if (isClosed) closed.push(one)
        // a model that declines says the same to everything, and has a flag for it
        else if (!isRefusal) free.push(one)
      }
      if (typeof reference === "string" && reference.length >= longReference && !isClosed) {
        withReference += 1
        if (lastText(prompt).includes(reference)) leaked.push(name)
      }
    },
    figures: () => ({
      identical: identicalOf(free),
      constant: constantOf(closed),
      differing: prompts.differing(),
      changed: references.differing(),
      refused: shareOf(refused, worded),
      leaked: shareOf(leaked, withReference),
      misplaced: shareOf(misplacedOf(placed), placed.length),
      ...defined({ asked: asked.figures() })
    })
  }
}

/** Short answers in words of their own: no list says what they can be, so the reply's own marks have to tell which part is the answer. */
import { announcement } from "./announcements.ts"
import { answerLine } from "./answer-line.ts"
import { BOX_CLOSE, BOX_OPEN, plainText, replyText, unmarked } from "./plain-text.ts"
import { sentencesOf } from "./statements.ts"

/** the strict reading: the answer line, or without one the whole reply */
export const strictShortText = (reply: string): string => {
  const text = replyText(reply)
  return answerLine(text) ?? text
}

const announced = (sentence: string): string | undefined => {
  const found = [...sentence.matchAll(announcement(true))].at(-1)
  const rest = found === undefined ? "" : unmarked(sentence.slice(found.index + found[0].length))
  return rest === "" ? undefined : rest
}

/** `The capital of France is Paris`: what the last sentence says that something is; "not Paris" and "Paris or Rome" are no reference */
const told = (sentence: string | undefined): string | undefined =>
  /^(?:it|that|this|they|(?:the|a|an|its|his|her|their|our|my|your) [^.:;,]{1,80}?|[\p{Lu}][^.:;,]{1,80}?) (?:is|was|are|were) (?:called |named )?(.{1,120})$/iu.exec(
    unmarked(sentence ?? "")
  )?.[1]

/** readings of a reply that says somewhere what its answer is: the box, the last announcement, the answer line, the last line, the whole */
export const flexibleShortTexts = (reply: string): ReadonlyArray<string> => {
  const plain = plainText(reply)
  const boxed = [...plain.matchAll(new RegExp(`${BOX_OPEN}([^${BOX_CLOSE}]*)`, "g"))].at(-1)?.[1]
  const concluded =
    boxed ??
    sentencesOf(plain)
      .flatMap((sentence) => announced(sentence) ?? [])
      .at(-1)
  const line = answerLine(replyText(reply))
  if (concluded !== undefined || line !== undefined)
    return [concluded, line].filter((text) => text !== undefined).map(unmarked)
  return [unmarked(plain), unmarked(plain.split("\n").at(-1) ?? ""), told(sentencesOf(plain).at(-1))].filter(
    (text) => text !== undefined
  )
}

/** The form that prompts ask for: a last line `Answer: x`, light markup around it. What is read from it alone is the strict reading. */
import type { AnswerKind } from "./answer-kind.ts"
import { replyText } from "./plain-text.ts"

const ANSWER_LINE = /^[\s>*_#`~-]*(?:the\s+)?(?:final\s+)?answer(?:\s+is)?[\s*_`]*[:：][\s*_`]*(.*?)[\s*_`]*$/i

/** text after `Answer:` on the last line of that form, markup around it removed; undefined when there is none or it is empty */
export const answerLine = (text: string): string | undefined => {
  const lines = text.split(/\r?\n/)
  for (let i = lines.length - 1; i >= 0; i--) {
    const found = ANSWER_LINE.exec(lines[i] as string)?.[1]
    if (found !== undefined) return found.trim() === "" ? undefined : found.trim()
  }
  return undefined
}

/** the answer of the last answer line; undefined without one, or when it does not fit its kind */
export const readStrictly = (reply: string, kind: AnswerKind): string | undefined => {
  const line = answerLine(replyText(reply))
  return line === undefined ? undefined : kind.parse(line)
}

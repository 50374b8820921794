/** What kinds of short answers have in common: how one is written alone, and how it is found in running text. */

/** an answer found at `from` to `to` of a text, normalised */
export interface Token {
  readonly value: string
  readonly from: number
  readonly to: number
  /** fits the kind, but is none of the answers that were offered */
  readonly outside?: boolean
}

export interface AnswerKind {
  /** fills "<x> is …" in the prompt */
  readonly wanted: string
  /** the whole text as one answer, normalised; undefined when it does not fit */
  readonly parse: (text: string) => string | undefined
  /** every answer in a text; `marked`: the text is said to be the answer, so that short forms count too */
  readonly tokens: (text: string, marked: boolean) => ReadonlyArray<Token>
  /** which of several answers in one sentence is meant, `announced` or just mentioned; undefined when that cannot be said */
  readonly settle?: (text: string, tokens: ReadonlyArray<Token>, announced: boolean) => Token | undefined
  /** parts of a sentence that state an answer without announcing it: "I would pick B" */
  readonly stated?: (sentence: string) => ReadonlyArray<{ readonly from: number; readonly to: number }>
  /** the answer of a text without any statement is the last one found, as is usual for numbers */
  readonly lastCounts?: boolean
  /** `A:` at the beginning of a line is an option here, elsewhere it announces the answer */
  readonly hasLetters?: boolean
  /** answers with a point and a space inside, after which no sentence begins */
  readonly wholes?: ReadonlyArray<string>
  /** how many answers there are; absent when they cannot be counted */
  readonly size?: number
  /** brackets and signs are the answer itself: nothing is taken off */
  readonly isRaw?: boolean
}

/** the line that closes every prompt of an extracted answer */
export const answerInstruction = (kind: AnswerKind): string =>
  `Finish with a last line of the form "Answer: <x>", where <x> is ${kind.wanted}.`

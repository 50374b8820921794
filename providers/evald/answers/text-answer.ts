/** Answers that are texts: what of a reply is the text itself, strictly and with the usual words around it taken off. */
import { replyText } from "./plain-text.ts"

/** the answer as it came, without reasoning and special tokens */
export const strictText = (reply: string): string => replyText(reply)

const unfenced = (text: string): string =>
  /^(?:```|~~~)[^\n]*\n([\s\S]*?)\n?(?:```|~~~)$/.exec(text.trim())?.[1] ?? text

/** `Sure! Here is the text:` and what else announces a text on its first line */
const INTRODUCTION = /^(?:(?:sure|certainly|of course|absolutely|okay|ok|great|here)(?![\p{L}])[^\n]*|[^\n]{0,120}:)$/iu

const REMARK =
  /^(?:(?:i hope|let me know|feel free|please let|note|hope this|is there anything|would you like|this (?:text|answer|response|version))(?![\p{L}])[^\n]*)$/iu

const RULE = /^[-*_=]{3,}$/

const trimmedLines = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const isNothing = (line: string | undefined) => line !== undefined && (line.trim() === "" || RULE.test(line.trim()))
  const from = lines.findIndex((line) => !isNothing(line))
  const to = lines.findLastIndex((line) => !isNothing(line))
  return from < 0 ? [] : lines.slice(from, to + 1)
}

/** without a first line that announces the text and a last one that talks about it */
const withoutRemarks = (text: string): string => {
  const all = trimmedLines(text.split("\n"))
  const from = all.length > 1 && INTRODUCTION.test((all[0] ?? "").trim()) ? 1 : 0
  const to = all.length - from > 1 && REMARK.test((all.at(-1) ?? "").trim()) ? -1 : all.length
  return trimmedLines(all.slice(from, to)).join("\n")
}

/**
 * The text, and the same without its first line, its last line, both, each also without asterisks: an introduction, a closing remark or bold
 * type does not count against a model in the loose score. Neither do a fence, a rule, or a frame of words around the text.
 */
export const looseTexts = (reply: string): ReadonlyArray<string> => {
  const text = strictText(reply)
  const lines = text.split("\n")
  const framed = withoutRemarks(text)
  const cut = [
    text,
    lines.slice(1).join("\n").trim(),
    lines.slice(0, -1).join("\n").trim(),
    lines.slice(1, -1).join("\n").trim(),
    framed,
    unfenced(framed).trim(),
    withoutRemarks(unfenced(framed))
  ]
  return [...new Set([...cut, ...cut.map((one) => one.replaceAll("*", ""))])]
}

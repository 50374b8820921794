/**
 * The text of a reply without its dress: reasoning, special tokens, Markdown, LaTeX and HTML are taken off, digits, signs and letters of other
 * scripts' typography become plain ones. What was boxed, tagged or set in bold stays marked, because it says which of several things is meant.
 */
import { splitReasoning } from "../../sdk/model/reasoning.ts"

/** around what a reply itself marks as its answer: `\boxed{…}`, `<answer>…</answer>`, `#### …` */
export const BOX_OPEN = "\uE000"
export const BOX_CLOSE = "\uE001"
/** around what is set in bold */
export const BOLD_OPEN = "\uE002"
export const BOLD_CLOSE = "\uE003"
/** every mark of ours */
export const MARKS = /[\uE000-\uE003]/g

const SPECIAL_TOKENS =
  /<\|[^|<>\n]{1,40}\|>|<｜[^｜\n]{1,40}｜>|<\/?s>|<(?:end|start)_of_turn>|\[\/?INST\]|<(?:pad|eos|bos|eot)>/g

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
const FRACTIONS: { readonly [sign: string]: string } = {
  "½": "1/2",
  "¼": "1/4",
  "¾": "3/4",
  "⅛": "1/8",
  "⅜": "3/8",
  "⅝": "5/8",
  "⅞": "7/8",
  "⅕": "1/5",
  "⅖": "2/5",
  "⅗": "3/5",
  "⅘": "4/5"
}

/** decimal digits of a script lie together and begin with its zero */
const digitOf = (sign: string): string => {
  const code = sign.codePointAt(0) ?? 0
  let zero = code
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return String(code - zero)
}

/** mathematical alphabets and letters in circles */
const isStyled = /[\u{1D400}-\u{1D7FF}\u{24B6}-\u{24E9}]/gu

/** most replies are plain ASCII, of which nothing is to be changed */
const isPlain = /^[\t\n\x20-\x7e]*$/

const plainedSigns = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(/\u20E3|[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u3164\uFEFF]|\uFE0F/g, "")
    .replace(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g, " ")
    .replace(/[\uFF01-\uFF5E]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replace(isStyled, (sign) => sign.normalize("NFKC"))
    .replace(/[٫]/g, ".")
    .replace(/[٬]/g, ",")
    .replace(/(?![0-9])\p{Nd}/gu, digitOf)
    .replace(/[−﹣‐‑⁻]/g, "-")
    .replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (power) => `^${[...power].map((sign) => SUPERSCRIPTS.indexOf(sign)).join("")}`)
    .replace(
      /(\d?)([½¼¾⅛⅜⅝⅞⅕⅖⅗⅘])/g,
      (_, whole: string, sign: string) => `${whole === "" ? "" : `${whole} `}${FRACTIONS[sign]}`
    )

/** invisible signs, wide letters, digits of every script, minus signs, fractions and powers in their plain form */
export const plainSigns = (text: string): string => (isPlain.test(text) ? text : plainedSigns(text))

/** the end of the brace that opens at `from`; undefined when it is never closed */
const closingBrace = (text: string, from: number): number | undefined => {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === "{") depth++
    else if (text[at] === "}" && --depth === 0) return at
  }
  return undefined
}

/** `\boxed{…}` with braces inside, also an unclosed one (then to the line's end), becomes a box */
const boxes = (text: string): string => {
  const parts: Array<string> = []
  let behind = 0
  for (const found of text.matchAll(/\\(?:boxed|fbox|framebox)\s*(\{)?/g)) {
    // a box within a box belongs to it
    if (found.index < behind) continue
    const start = found.index + found[0].length
    const braced = found[1] !== undefined
    const bare = braced ? undefined : /\s*\S+?(?=[\s$.,]|\\|$)/y
    if (bare !== undefined) bare.lastIndex = start
    const stop = braced
      ? (closingBrace(text, start - 1) ?? text.indexOf("\n", start))
      : start + (bare?.exec(text)?.[0].length ?? 0)
    const at = stop < 0 ? text.length : stop
    parts.push(text.slice(behind, found.index), BOX_OPEN, text.slice(start, at), BOX_CLOSE)
    behind = at + (text[at] === "}" && braced ? 1 : 0)
  }
  return parts.join("") + text.slice(behind)
}

const LATEX_STYLE =
  /\\(?:text|mathrm|mathbf|textbf|mathit|textit|emph|mbox|operatorname|mathsf|texttt|textrm|mathtt|bf|underline)\s*\{([^{}]*)\}/g

/** without any of these nothing is LaTeX */
const LATEX_SIGNS = /[\\{$^~]/

const withoutLatex = (text: string): string => {
  if (!LATEX_SIGNS.test(text)) return text
  let plain = text
  for (let before = ""; before !== plain; ) {
    before = plain
    plain = plain.replace(LATEX_STYLE, "$1").replace(/\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, "$1/$2")
  }
  return plain
    .replace(/\{,\}/g, ",")
    .replace(/\\(?:times|cdot)\b/g, "×")
    .replace(/\\div\b/g, "÷")
    .replace(/\\(?:neq?|not=)(?![a-z])/g, "≠")
    .replace(/\\approx\b/g, "≈")
    .replace(/\\(?:rightarrow|to|implies|Rightarrow|therefore)\b/g, " → ")
    .replace(/\^\s*\{?\\circ\}?|\\degree\b/g, "°")
    .replace(/\^\{(-?\d+)\}/g, "^$1")
    .replace(/\\([%$#&_{}])/g, "$1")
    .replace(/\\[,;:! ]|\\q?quad\b|(?<=\d)~(?=\d)/g, " ")
    .replace(/\\(?:left|right|displaystyle|begin\{[a-z*]+\}|end\{[a-z*]+\})(?![a-z])/g, "")
    .replace(/\\[()[\]]|\$\$/g, " ")
    .replace(/\$/g, "")
}

const ENTITIES: { readonly [name: string]: string } = {
  nbsp: " ",
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  "#39": "'",
  minus: "-",
  times: "×"
}

const ANSWER_TAGS =
  /<(?:final_?|short_?)?(answer|ans|result|solution|output|response|choice)>([\s\S]*?)(?:<\/[a-z_]+>|$)/gi

/** the same in square brackets, which some close like they open */
const SQUARE_TAGS = /\[(answer|ans|result|solution)\]([\s\S]*?)(?:\[\/?\1\]|$)/gi

const untagged = (text: string): string =>
  text
    .replace(ANSWER_TAGS, `\n${BOX_OPEN}$2${BOX_CLOSE}\n`)
    .replace(SQUARE_TAGS, `\n${BOX_OPEN}$2${BOX_CLOSE}\n`)
    .replace(/<(del|strike)\b[^>]*>[\s\S]*?<\/\1>/gi, " ")
    .replace(/<(?:b|strong|mark)>([^<]*)<\/(?:b|strong|mark)>/g, `${BOLD_OPEN}$1${BOLD_CLOSE}`)
    .replace(/<\/?(?:br|p|div|li|ul|ol|h[1-6]|tr|table)\b[^>]*>/gi, "\n")
    .replace(
      /<\/?(?:i|em|u|code|span|sup|sub|center|font|td|th|tbody|html|body|pre|small|big)\b[^>]*>|<a\s[^>]*>|<\/a>/g,
      ""
    )
    .replace(/&(nbsp|lt|gt|amp|quot|#39|minus|times);/g, (_, name: string) => ENTITIES[name] ?? " ")

const withoutHtml = (text: string): string => (/[<&[]/.test(text) ? untagged(text) : text)

/** a line of a table reads `cell : cell`; `#### 42` is how some data sets end an answer */
const plainLine = (line: string): string => {
  const bare = line.replace(/^\s*(?:>\s?)+/, "").replace(/^(\s*)(?:[-*+•]\s+)/, "$1")
  const result = /^\s*####\s*([^\p{L}\n]*\d[^\p{L}\n]*\p{L}*\.?)\s*$/u.exec(bare)?.[1]
  if (result !== undefined) return `${BOX_OPEN}${result}${BOX_CLOSE}`
  if (/^\s*\|.*\|\s*$/.test(bare))
    return /^[\s|:-]+$/.test(bare)
      ? ""
      : bare
          .trim()
          .slice(1, -1)
          .replace(/\s*\|\s*/g, " : ")
  return bare.replace(/^\s*#{1,6}\s+/, "").replace(/^\s*(?:[-*_=]\s*){3,}$/, "")
}

const withoutMarkdown = (text: string): string =>
  text
    .replace(/^[ \t]*(?:```|~~~)[^\n]*$/gm, "")
    .replace(/~~[^~\n]+~~/g, " ")
    .replace(/`+/g, "")
    .split("\n")
    .map(plainLine)
    .join("\n")
    .replace(
      /(?<![\p{L}\d*_])(?:\*\*\*|\*\*|___|__)(?=\S)([^\n]*?\S)(?:\*\*\*|\*\*|___|__)(?![\p{L}\d*_])/gu,
      `${BOLD_OPEN}$1${BOLD_CLOSE}`
    )
    .replace(/(?<![\p{L}\d*_])([*_])(?=\S)([^\n*_]*?\S)\1(?![\p{L}\d*_])/gu, "$2")
    .replace(/\*\*|__/g, "")

/** a model that does not stop goes on with the turn of its user */
const NEXT_TURN =
  /<\|im_start\|>\s*(?:user|human)|<\|start_header_id\|>\s*user|<start_of_turn>\s*user|<｜User｜>|\[INST\]/

const ownTurn = (text: string): string => {
  const [own = ""] = text.split(NEXT_TURN, 1)
  return own.trim() === "" ? text : own
}

/** the answer alone as it came: without reasoning, further turns, and the special tokens that servers let through */
export const replyText = (raw: string): string =>
  ownTurn(splitReasoning(raw, undefined).text).replace(SPECIAL_TOKENS, "").trim()

/** everything taken off; lines stay lines */
export const plainText = (raw: string): string =>
  withoutMarkdown(withoutLatex(boxes(withoutHtml(plainSigns(replyText(raw)))))).trim()

/** without our own marks too, white space collapsed */
export const unmarked = (text: string): string =>
  text
    .replace(MARKS, "")
    .replace(/[^\S\n]+/g, " ")
    .trim()

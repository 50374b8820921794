/** Reads the rules of a prompt from their English wording. */

export interface Rules {
  readonly atLeast?: number
  readonly atMost?: number
  readonly shape?: {
    readonly kind: "sentences" | "paragraphs" | "lines" | "bullets" | "numbered" | "sections" | "json"
    readonly count: number
  }
  readonly include: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
  readonly frequency?: { readonly word: string; readonly count: number }
  readonly letter?: { readonly letter: string; readonly count: number }
  readonly capitals?: number
  readonly placeholders?: number
  readonly highlights?: number
  readonly case?: "upper" | "lower"
  readonly start?: string
  readonly end?: string
  readonly quoted?: boolean
  readonly title?: boolean
  readonly postscript?: boolean
  readonly script?: "Greek" | "Cyrillic"
}

type Reader = readonly [pattern: RegExp, read: (found: RegExpExecArray) => Partial<Rules>]

const quotedWords = (text: string | undefined): ReadonlyArray<string> =>
  [...(text ?? "").matchAll(/"([^"]+)"/g)].flatMap((found) => found[1] ?? [])

/** order matters: the first pattern that fits a line reads it */
const readers: ReadonlyArray<Reader> = [
  [/at least (\d+) words in capital letters/, (f) => ({ capitals: Number(f[1]) })],
  [/at least (\d+) words/, (f) => ({ atLeast: Number(f[1]) })],
  [/at most (\d+) words/, (f) => ({ atMost: Number(f[1]) })],
  [
    /exactly (\d+) (sentences|paragraphs|lines)/,
    (f) => ({ shape: { kind: f[2] as "sentences" | "paragraphs" | "lines", count: Number(f[1]) } })
  ],
  [/exactly (\d+) bullet points/, (f) => ({ shape: { kind: "bullets", count: Number(f[1]) } })],
  [/numbered list with exactly (\d+) entries/, (f) => ({ shape: { kind: "numbered", count: Number(f[1]) } })],
  [/exactly (\d+) sections/, (f) => ({ shape: { kind: "sections", count: Number(f[1]) } })],
  [/^Do not use the words (.+)\.$/, (f) => ({ exclude: quotedWords(f[1]) })],
  [/^Use the words (.+)\.$/, (f) => ({ include: quotedWords(f[1]) })],
  [/the word "([^"]+)" at least (\d+) times/, (f) => ({ frequency: { word: f[1] ?? "", count: Number(f[2]) } })],
  [/the letter "([^"]+)" at least (\d+) times/, (f) => ({ letter: { letter: f[1] ?? "", count: Number(f[2]) } })],
  [/at least (\d+) placeholders/, (f) => ({ placeholders: Number(f[1]) })],
  [/at least (\d+) passages with asterisks/, (f) => ({ highlights: Number(f[1]) })],
  [/any comma/, () => ({})],
  [/one JSON object/, () => ({ shape: { kind: "json", count: 1 } })],
  [/whole answer in capital letters/, () => ({ case: "upper" })],
  [/whole answer in lower case/, () => ({ case: "lower" })],
  [/Begin the answer with the exact phrase "([^"]+)"/, (f) => ({ start: f[1] ?? "" })],
  [/End the answer with the exact phrase "([^"]+)"/, (f) => ({ end: f[1] ?? "" })],
  [/in double quotation marks/, () => ({ quoted: true })],
  [/title on its own line/, () => ({ title: true })],
  [/postscript/, () => ({ postscript: true })],
  [/in the (Greek|Cyrillic) alphabet/, (f) => ({ script: f[1] as "Greek" | "Cyrillic" })]
]

/** undefined when the prompt lists no rules, or one that is not understood */
export const readRules = (prompt: string): Rules | undefined => {
  const listed = prompt.split(/\n?Follow these rules exactly:\n/)[1]
  if (listed === undefined) return undefined
  let rules: Rules = { include: [], exclude: [] }
  for (const line of listed.split("\n").map((text) => text.replace(/^- /, ""))) {
    const reader = readers.find(([pattern]) => pattern.test(line))
    const found = reader?.[0].exec(line)
    if (reader === undefined || !found) return undefined
    rules = { ...rules, ...reader[1](found) }
  }
  return rules
}

/** Answers prompts that list rules: reads each rule from its wording, then writes a text that keeps all of them. */
import type { Solution, Solver } from "../solver.ts"
import { type Rules, readRules } from "./instruction-rules.ts"

const fillers = [
  "the day was calm and the street was empty",
  "a small light burned in the house by the water",
  "people walked home and spoke about the weather",
  "nobody was in a hurry and the tea was still warm",
  "the wind moved the leaves and the gate made a sound",
  "someone laughed in the yard and a dog answered",
  "the clock on the wall was slow as on most days",
  "a child counted the steps from the door to the road"
]

const wordsOf = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? []

/** short sentences without any word the prompt forbids, in a seeded order */
const usableFillers = (rules: Rules, random: () => number): ReadonlyArray<string> => {
  const forbidden = new Set(rules.exclude.map((word) => word.toLowerCase()))
  const start = Math.floor(random() * fillers.length)
  const usable = fillers
    .map((_, index) => fillers[(start + index) % fillers.length] ?? "")
    .filter((text) => !wordsOf(text).some((word) => forbidden.has(word)))
  return usable.length > 0 ? usable : ["so it is"]
}

/** what has to appear somewhere, whatever the shape of the text */
const demanded = (rules: Rules): ReadonlyArray<string> => [
  ...rules.include,
  ...(rules.frequency === undefined
    ? []
    : Array.from({ length: rules.frequency.count }, () => rules.frequency?.word ?? "")),
  ...(rules.letter === undefined
    ? []
    : Array.from({ length: Math.ceil(rules.letter.count / 3) }, () => (rules.letter?.letter ?? "").repeat(3))),
  ...Array.from(
    { length: rules.capitals ?? 0 },
    (_, index) => ["LOOK", "HERE", "NOW", "TODAY", "AGAIN"][index % 5] ?? "LOOK"
  ),
  ...Array.from({ length: rules.placeholders ?? 0 }, (_, index) => `[${["name", "place", "date", "time"][index % 4]}]`),
  ...Array.from(
    { length: rules.highlights ?? 0 },
    (_, index) => `*${["a quiet hour", "the open door", "one more cup"][index % 3]}*`
  )
]

const alphabets = {
  Greek: {
    a: "α",
    b: "β",
    c: "κ",
    d: "δ",
    e: "ε",
    f: "φ",
    g: "γ",
    h: "χ",
    i: "ι",
    j: "ζ",
    k: "κ",
    l: "λ",
    m: "μ",
    n: "ν",
    o: "ο",
    p: "π",
    q: "κ",
    r: "ρ",
    s: "σ",
    t: "τ",
    u: "υ",
    v: "β",
    w: "ω",
    x: "ξ",
    y: "υ",
    z: "ζ"
  },
  Cyrillic: {
    a: "а",
    b: "б",
    c: "ц",
    d: "д",
    e: "е",
    f: "ф",
    g: "г",
    h: "х",
    i: "и",
    j: "й",
    k: "к",
    l: "л",
    m: "м",
    n: "н",
    o: "о",
    p: "п",
    q: "к",
    r: "р",
    s: "с",
    t: "т",
    u: "у",
    v: "в",
    w: "ш",
    x: "х",
    y: "ы",
    z: "з"
  }
} as const

const transliterate = (text: string, script: keyof typeof alphabets): string => {
  const table: { readonly [letter: string]: string } = alphabets[script]
  return text.replace(/[a-z]/gi, (letter) => {
    const other = table[letter.toLowerCase()] ?? letter
    return letter === letter.toLowerCase() ? other : other.toUpperCase()
  })
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** the blocks the rules ask for; one when they ask for none */
const blockTexts = (rules: Rules, count: number, random: () => number): ReadonlyArray<string> => {
  const pool = usableFillers(rules, random)
  const texts = Array.from({ length: count }, (_, index) => pool[index % pool.length] ?? "")
  const first = [texts[0] ?? "", ...demanded(rules)]
  const missing = () => (rules.atLeast ?? 0) - wordsOf([...first, ...texts.slice(1)].join(" ")).length
  for (let index = 0; missing() > 0; index++) first.push(pool[(count + index) % pool.length] ?? "and so on")
  return [first.join(" "), ...texts.slice(1)]
}

const shaped = (rules: Rules, random: () => number): string => {
  const count = rules.shape?.count ?? 1
  const blocks = blockTexts(rules, count, random)
  switch (rules.shape?.kind) {
    case "json":
      return JSON.stringify({ text: blocks.join(" ") })
    case "bullets":
      return blocks.map((block) => `- ${sentence(block)}`).join("\n")
    case "numbered":
      return blocks.map((block, index) => `${index + 1}. ${sentence(block)}`).join("\n")
    case "sections":
      return blocks.map((block, index) => `SECTION ${index + 1}\n${sentence(block)}`).join("\n")
    case "paragraphs":
      return blocks.map(sentence).join("\n\n")
    case "lines":
      return blocks.map(sentence).join("\n")
    default:
      return blocks.map(sentence).join(" ")
  }
}

const compliant = (rules: Rules, random: () => number): string => {
  const list = rules.shape?.kind === "bullets" || rules.shape?.kind === "numbered" || rules.shape?.kind === "sections"
  let text = shaped(rules, random)
  if (rules.title) text = `<<A plain day>>\n${text}`
  if (rules.start !== undefined) text = `${rules.start}${list || rules.title ? "\n" : " "}${text}`
  if (rules.postscript) text = `${text}\nP.S. See you soon.`
  if (rules.end !== undefined) text = `${text} ${rules.end}`
  if (rules.script !== undefined) text = transliterate(text, rules.script)
  if (rules.quoted) text = `"${text}"`
  if (rules.case === "upper") return text.toUpperCase()
  return rules.case === "lower" ? text.toLowerCase() : text
}

/** an answer that pays no attention to the rules: one ordinary sentence with commas that breaks each of them */
const careless = (rules: Rules): string => {
  const long = rules.atMost === undefined ? "" : ` ${Array.from({ length: rules.atMost }, () => "and more").join(" ")}`
  return `Sure, here is something${rules.exclude.map((word) => ` ${word}`).join("")}${long}, just as you asked.`
}

const solve: Solver["solve"] = ({ messages }, random): Solution | undefined => {
  const rules = readRules(messages.findLast(({ role }) => role === "user")?.content ?? "")
  return rules === undefined
    ? undefined
    : { right: { text: compliant(rules, random) }, wrong: { text: careless(rules) } }
}

export const instructionsSolver: Solver = { family: "instructions", solve }

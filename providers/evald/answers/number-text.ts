/** Numbers as people and models write them, and their one canonical form. */

/** canonical decimal text: no grouping, no plus sign, no trailing zeros; undefined when the text is not one number */
export const canonicalNumber = (text: string): string | undefined => {
  const plain = text
    .trim()
    .replace(/[−–]/g, "-")
    .replace(/^([+-])\s+/, "$1")
    // spaces between groups of three; others stand between two numbers
    .replace(/(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d))/g, "")
  if (!/^[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/.test(plain)) return undefined
  const [whole = "", fraction = ""] = plain.replace(/[+,]/g, "").split(".")
  const sign = whole.startsWith("-") ? "-" : ""
  const digits = whole.replace("-", "").replace(/^0+(?=\d)/, "")
  const decimals = fraction.replace(/0+$/, "")
  const value = decimals === "" ? digits : `${digits}.${decimals}`
  return value === "0" ? "0" : `${sign}${value}`
}

/** `1,204`, `1 204`, `1'204`, `1_204`, `1.204.000,5`, `1,5`, `.5`, `5` */
const DIGITS =
  "(?:\\d{1,3}(?:,\\d{3})+(?!\\d)(?:\\.\\d+)?|\\d{1,2}(?:,\\d{2})+,\\d{3}(?!\\d)|\\d{1,3}(?:\\.\\d{3})+,\\d+|\\d{1,3}(?:\\.\\d{3}){2,}(?!\\d)|\\d{1,3}(?:[ '’_]\\d{3})+(?!\\d)(?:[.,]\\d+)?|\\d+,\\d{1,2}(?![\\d,])|\\d+(?:\\.\\d+)?|\\.\\d+)"
const POWER = "(?:[eE][+-]?\\d{1,3}(?!\\d)|\\s?[×x*]\\s?10\\^-?\\d{1,3})"
/** zeros that a word behind a number in digits stands for */
const SCALES: ReadonlyArray<readonly [words: string, zeros: number]> = [
  ["hundred", 2],
  ["thousand|tausend", 3],
  ["millions?|millionen", 6],
  ["billions?|milliarden?|milliards?", 9],
  ["trillions?", 12]
]
/** of scripts that write it at the number */
const SIGNS: ReadonlyArray<readonly [signs: string, zeros: number]> = [
  ["万|萬|만", 4],
  ["亿|億|억", 8]
]
const SCALE = `(?:\\s(?:${SCALES.map(([words]) => words).join("|")})(?!\\p{L})|\\s?(?:${SIGNS.map(([signs]) => signs).join("|")})(?!\\d))`
const zerosOf = (scale: string): number =>
  [...SCALES, ...SIGNS].find(([words]) => new RegExp(`^(?:${words})$`, "iu").test(scale.trim()))?.[1] ?? 0
const UNITS = "(?:km|cm|mm|m|kg|mg|g|ml|l|h|hrs?|min|s|ms|eur|usd|gbp|chf|pcs|st|nd|rd|th)"

/** letters of scripts that part words: a number stands beside others without a blank */
const PARTED =
  "\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Arabic}\\p{Script=Hebrew}\\p{Script=Devanagari}\\p{Script=Bengali}"

/** a number alone: not inside a word, a version, a date or a time */
const NUMBER = new RegExp(
  `(?<![${PARTED}\\d_^]|\\d[.,:/'’])(?<sign>(?<![${PARTED}\\d)\\]%])[-–+]|(?<![${PARTED}\\d)\\]]\\s?)[-–]\\s(?=[\\d.]))?(?<currency>[$€£¥]\\s?)?(?<inner>-)?(?<digits>${DIGITS})(?:(?<power>${POWER})|(?<scale>${SCALE})|(?<mixed> \\d+\\/\\d+)|(?<dozens>\\sdozen(?!\\p{L}))|(?<half>\\sand a half(?!\\p{L}))|\\/(?<divisor>\\d+))?(?![\\d_]|[.,:/]\\d|\\^|(?!${UNITS}(?![\\p{L}\\d]))\\p{Script=Latin}|\\p{Script=Greek}|\\p{Script=Cyrillic})`,
  "giu"
)

/** `1.204.000,5` → `1204000.5` */
const plainDigits = (digits: string): string => {
  const bare = digits.replace(/[ '’_]/g, "")
  if (/^\d{1,3}(?:\.\d{3})+,\d+$/.test(bare)) return bare.replace(/\./g, "").replace(",", ".")
  if (/^\d{1,3}(?:\.\d{3}){2,}$/.test(bare)) return bare.replace(/\./g, "")
  if (/^(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3})(?:\.\d+)?$/.test(bare)) return bare.replace(/,/g, "")
  return bare.replace(",", ".")
}

/** decimal text times ten to the power of `by` */
const shifted = (digits: string, by: number): string => {
  const [whole = "", fraction = ""] = digits.split(".")
  const all = whole + fraction
  const point = whole.length + by
  if (point <= 0) return `0.${"0".repeat(-point)}${all}`
  return point >= all.length ? all.padEnd(point, "0") : `${all.slice(0, point)}.${all.slice(point)}`
}

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b))

/** exact: a decimal where one exists, else the reduced fraction */
const quotient = (dividend: number, divisor: number): string | undefined => {
  if (divisor === 0 || !Number.isSafeInteger(dividend) || !Number.isSafeInteger(divisor)) return undefined
  const common = commonDivisor(dividend, divisor)
  const [top, bottom] = [dividend / common, divisor / common]
  let rest = bottom
  let [twos, fives] = [0, 0]
  while (rest % 2 === 0) [rest, twos] = [rest / 2, twos + 1]
  while (rest % 5 === 0) [rest, fives] = [rest / 5, fives + 1]
  const places = Math.max(twos, fives)
  return rest === 1 ? shifted(String((top * 10 ** places) / bottom), -places) : `${top}/${bottom}`
}

const canonicalOf = (groups: { readonly [name: string]: string | undefined }): string | undefined => {
  const { sign = "", inner = "", digits = "", power, scale = "", dozens, half, divisor } = groups
  const mixed = half === undefined ? groups["mixed"] : "1/2"
  const plain = plainDigits(digits).replace(/^\./, "0.")
  const exponent = power === undefined ? zerosOf(scale) : Number(/[+-]?\d+$/.exec(power)?.[0] ?? 0)
  const [top, bottom] = (mixed ?? "").trim().split("/").map(Number)
  const value =
    divisor !== undefined
      ? quotient(Number(plain), Number(divisor))
      : top !== undefined && bottom !== undefined
        ? quotient(Number(plain) * bottom + top, bottom)
        : dozens === undefined
          ? shifted(plain, exponent)
          : quotient(12 * Number(plain), 1)
  const negative = /[-–]/.test(sign) !== (inner === "-")
  if (value === undefined) return undefined
  return value.includes("/")
    ? `${negative ? "-" : ""}${value}`
    : canonicalNumber(`${negative ? "-" : ""}${value.replace(/\.$/, "")}`)
}

export interface FoundNumber {
  readonly value: string
  readonly from: number
  readonly to: number
}

/** a minus in words is a sign where no number stands before it */
const signed = (text: string) =>
  text.replace(
    /(?<!\d\s*)(?<![\p{L}])(minus|negative)(\s+)(?=[$€£]?\d)/giu,
    (_, word: string, space: string) => `${" ".repeat(word.length + space.length - 1)}-`
  )

/** every number of a text in canonical form */
export const numbersIn = (text: string): ReadonlyArray<FoundNumber> =>
  [...signed(text).matchAll(NUMBER)].flatMap((found) => {
    const value = canonicalOf(found.groups ?? {})
    return value === undefined ? [] : [{ value, from: found.index, to: found.index + found[0].length }]
  })

const ONES = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
  "thirteen",
  "fourteen",
  "fifteen"
]
const TEENS = ["sixteen", "seventeen", "eighteen", "nineteen"]
const TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
const SMALL = new Map([
  ...[...ONES, ...TEENS].map((word, value) => [word, value] as const),
  ...TENS.map((word, index) => [word, 20 + 10 * index] as const)
])
const LARGE = new Map([
  ["thousand", 1000],
  ["million", 1_000_000]
])
const WORD = [...SMALL.keys(), ...LARGE.keys(), "hundred"].join("|")
const IN_WORDS = new RegExp(
  `^[^\\p{L}\\d]*(?<minus>(?:minus|negative)\\s+)?(?<words>(?:a\\s+(?=hundred|thousand|million))?(?:${WORD})(?:[\\s-]+(?:and\\s+)?(?:${WORD}))*)(?:\\s+\\p{L}+){0,2}[^\\p{L}\\d]*$`,
  "iu"
)

/** an English number in words, alone or with up to two words behind it: `forty-two`, `a hundred and four apples` */
export const numberInWords = (text: string): string | undefined => {
  const groups = IN_WORDS.exec(text)?.groups
  if (groups === undefined) return undefined
  let [total, part] = [0, 0]
  for (const word of (groups["words"] ?? "").toLowerCase().split(/[\s-]+/)) {
    const large = LARGE.get(word)
    if (word === "hundred") part = Math.max(1, part) * 100
    else if (large !== undefined) [total, part] = [total + Math.max(1, part) * large, 0]
    else part += SMALL.get(word) ?? 0
  }
  return canonicalNumber(`${groups["minus"] === undefined ? "" : "-"}${total + part}`)
}

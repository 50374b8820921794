/** Text that can be stored and sent anywhere: no NUL, no lone surrogates, no more bytes than allowed. */

const hostile = /\0|\p{Surrogate}/gu

/** removes NUL, replaces lone surrogates */
export const cleanText = (text: string): string => text.replace(hostile, (found) => (found === "\0" ? "" : "\uFFFD"))

/** colours and other commands for a terminal */
const terminalCommand = /(?![\n\t\r])\p{Cc}\[[0-?]*[ -/]*[@-~]/gu
const disguising = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu

/** changes nothing about the screen it is shown on: lines and tabs are all the control it has */
export const withoutControl = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(terminalCommand, "").replace(disguising, "")

export const plainText = (text: string): string => cleanText(withoutControl(text))

// what would break a line, disguise the text around it, or has no UTF-8 form
const unshowable = /[\p{Cc}\p{Surrogate}\u202a-\u202e\u2066-\u2069]/gu

/** the text without them, and without white space at its ends */
export const oneLine = (text: string): string => text.replace(unshowable, "").trim()

/** the text with such characters made visible, as `\u{202E}` */
export const visible = (text: string): string =>
  text.replace(
    unshowable,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}}`
  )

/** letters, signs and marks that are seen: no white space, no control or format signs, no fillers */
const seen = /(?!\p{Variation_Selector})[^\s\p{C}\u115F\u1160\u2800\u3164\uFFA0]/u

/** neither white space nor signs that nobody sees say anything */
export const isBlank = (text: string): boolean => !seen.test(text)

/** at most `bytes` of UTF-8, never ending within a character */
export const cutUtf8 = (text: string, bytes: number): string => {
  if (text.length * 3 <= bytes) return text
  const encoded = Buffer.from(text)
  if (encoded.length <= bytes) return text
  let end = bytes
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end--
  return encoded.toString("utf8", 0, end)
}

/** free-form JSON with every string cleaned; members named `__proto__` are dropped; a number JSON cannot write becomes its name */
export const cleanJson = (value: unknown): unknown => {
  if (typeof value === "string") return cleanText(value)
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value)
  if (Array.isArray(value)) return value.map(cleanJson)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "__proto__")
      .map(([name, member]) => [cleanText(name), cleanJson(member)])
  )
}

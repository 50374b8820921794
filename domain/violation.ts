/**
 * A rule that a given input breaks, addressed by JSON Pointer. Every validation returns all violations at once
 * (at most 20 are shown to a caller); nothing in the domain throws for bad input.
 */
export interface Violation {
  /** JSON Pointer into the body the caller sent; "" is the whole document */
  readonly path: string
  /** names the member, the value (cut to 80 characters), what is allowed and how to fix it */
  readonly message: string
  /** one of the documented message codes, `invalid_value` unless a more precise one fits */
  readonly code: string
}

export const violation = (path: string, message: string, code = "invalid_value"): Violation => ({ path, message, code })

/** one pointer segment, escaped as RFC 6901 asks */
export const segment = (name: string | number): string => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`

// what would break a line, disguise the text around it, or has no UTF-8 form
const disguising = /[\p{Cc}\p{Surrogate}\u202a-\u202e\u2066-\u2069]/gu

/** the text with such characters made visible, as `\u{202E}` */
export const visible = (text: string): string =>
  text.replace(disguising, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}}`)

/** the offending value as it is shown in a message: JSON text, at most 80 characters, nothing in it can disguise the message */
export const shown = (value: unknown): string => {
  const text = typeof value === "string" ? `'${value.slice(0, 100)}${value.length > 100 ? "…" : ""}'` : (JSON.stringify(value) ?? String(value))
  const plain = visible(text.slice(0, 200))
  // never cut through a character
  return plain.length > 80 ? `${plain.slice(0, 79).replace(/[\ud800-\udbff]$/, "")}…` : plain
}

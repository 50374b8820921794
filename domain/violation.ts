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

/** the offending value as it is shown in a message: JSON text, at most 80 characters */
export const shown = (value: unknown): string => {
  const text = typeof value === "string" ? `'${value}'` : (JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

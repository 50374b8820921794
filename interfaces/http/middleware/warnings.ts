/** The `Warning` header: what was accepted and probably not meant. RFC 7234, 5.5: code 199, agent, quoted text. */
import type { Headers } from "../exchange.ts"

const longest = 2000

/** header values are visible ASCII; whatever else a message holds is escaped */
const quoted = (text: string): string =>
  `"${text.replaceAll(/["\\]/g, "\\$&").replaceAll(/[^\x20-\x7e]/gu, (character) => `\\\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)}"`

/** no header without messages */
export const warningHeader = (messages: ReadonlyArray<string>): Headers => {
  if (messages.length === 0) return {}
  const values: Array<string> = []
  let length = 0
  for (const message of messages) {
    const value = `199 evald ${quoted(message.slice(0, 400))}`
    length += value.length + 2
    if (length > longest) break
    values.push(value)
  }
  return { warning: values.join(", ") }
}

export const ignoredMembers = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.map((path) => `unknown member ${path} was ignored`)

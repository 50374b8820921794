/** Places in JSON documents as texts (RFC 6901). */

/** one segment, escaped */
export const segment = (name: string | number): string => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`

/** "" is the whole document */
export const pointer = (steps: ReadonlyArray<string | number>): string => steps.map(segment).join("")

/** the unescaped segments of a pointer that is one */
export const stepsOf = (text: string): ReadonlyArray<string> =>
  text
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))

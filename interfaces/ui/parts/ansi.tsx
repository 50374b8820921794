/** Text of programs: colours become classes, everything else of a terminal's language is left out, and nothing becomes markup or a link. */
import { visible } from "../format.ts"

const colours = ["", "bad", "good", "warn", "busy", "busy", "busy"] as const

interface Part {
  readonly kind: string
  readonly text: string
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals are told begins with it
const sequence = /\u001b(?:\[([0-9;?]*)([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g

const kindAfter = (kind: string, codes: string): string => {
  let next = kind
  for (const code of codes === "" ? [0] : codes.split(";").map(Number)) {
    if (code === 0 || code === 39) next = ""
    else if (code >= 30 && code <= 36) next = colours[code - 30] ?? ""
    else if (code >= 90 && code <= 96) next = colours[code - 90] ?? ""
  }
  return next
}

/** one line as its parts */
export const partsOf = (line: string): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let kind = ""
  let from = 0
  const take = (text: string) => {
    if (text !== "") parts.push({ kind, text: visible(text) })
  }
  for (const found of line.matchAll(sequence)) {
    take(line.slice(from, found.index))
    from = found.index + found[0].length
    if (found[2] === "m") kind = kindAfter(kind, found[1] ?? "")
  }
  take(line.slice(from))
  return parts
}

export const AnsiLine = ({ line }: { readonly line: string }) => (
  <>
    {partsOf(line).map(({ kind, text }, at) =>
      // a line is drawn once and its parts never move
      kind === "" ? (
        text
      ) : (
        <span key={at} class={`ink ${kind}`}>
          {text}
        </span>
      )
    )}
  </>
)

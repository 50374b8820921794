/** Text that fits the columns of a terminal: cut, aligned, as a table, or as records where a table has no room. */
import { eastAsianWidth } from "get-east-asian-width"

const ascii = /^[\x20-\x7e]*$/

let segmenter: Intl.Segmenter | undefined

/** what a reader takes for one sign */
const signsOf = (text: string): ReadonlyArray<string> => {
  // making one takes longer than all else that a command does before its first word, and most texts need none
  segmenter ??= new Intl.Segmenter()
  return [...segmenter.segment(text)].map(({ segment }) => segment)
}

const emoji = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u
const unseen = /^[\p{Mark}\p{Format}\p{Control}]+$/u

const widthOfSign = (sign: string): number =>
  emoji.test(sign) ? 2 : unseen.test(sign) ? 0 : eastAsianWidth(sign.codePointAt(0) ?? 0)

/** columns that the text takes: two for each sign of Chinese, Japanese and Korean and each emoji, none for an accent that stands alone */
export const widthOf = (text: string): number =>
  ascii.test(text) ? text.length : signsOf(text).reduce((sum, sign) => sum + widthOfSign(sign), 0)

/** the text within `most` columns, with a sign of its own where it was cut */
export const cut = (text: string, most: number): string => {
  if (widthOf(text) <= most) return text
  const room = Math.max(1, most - 1)
  if (ascii.test(text)) return `${text.slice(0, room)}…`
  let shown = ""
  let taken = 0
  for (const sign of signsOf(text)) {
    taken += widthOf(sign)
    if (taken > room) break
    shown += sign
  }
  return `${shown}…`
}

const gap = 2
/** a column that is cut shorter says nothing any more */
const least = 6
/** fewer columns of more are no table */
const fewest = 3

const roomOf = (widths: ReadonlyArray<number>): number => widths.reduce((sum, one) => sum + one + gap, -gap)

/** of each column the longest cell; no limit on rows, so without spreading them */
const longest = (lines: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<number> =>
  lines.reduce<ReadonlyArray<number>>(
    (most, line) => line.map((cell, at) => Math.max(most[at] ?? 0, widthOf(cell))),
    []
  )

/** widths of the columns of which nothing is cut; undefined where they have no room */
export const widthsWithin = (
  lines: ReadonlyArray<ReadonlyArray<string>>,
  room: number
): ReadonlyArray<number> | undefined => {
  const widths = longest(lines)
  return roomOf(widths) <= room ? widths : undefined
}

/** widths of the columns within `room`: the widest that may be cut gives way first */
const fittingWidths = (
  lines: ReadonlyArray<ReadonlyArray<string>>,
  room: number,
  whole: ReadonlySet<number>
): ReadonlyArray<number> => {
  const widths = [...longest(lines)]
  for (let over = roomOf(widths) - room; over > 0; over--) {
    const cuttable = widths.map((width, at) => (whole.has(at) ? 0 : width))
    const most = Math.max(...cuttable)
    if (most <= least) break
    widths[cuttable.indexOf(most)] = most - 1
  }
  return widths
}

/** one line of cells, each cut or filled to the width of its column */
export const aligned = (cells: ReadonlyArray<string>, widths: ReadonlyArray<number>): string =>
  widths
    .map((width, at) => {
      const shown = cut(cells[at] ?? "", width)
      return shown + " ".repeat(width - widthOf(shown))
    })
    .join(" ".repeat(gap))
    .trimEnd()

/** how many columns, from the first on, have room */
const columnsWithin = (
  lines: ReadonlyArray<ReadonlyArray<string>>,
  room: number,
  whole: ReadonlySet<number>
): number => {
  const needed = longest(lines).map((width, at) => (whole.has(at) ? width : Math.min(width, least)))
  let count = needed.length
  while (count > 0 && roomOf(needed.slice(0, count)) > room) count--
  return count
}

export interface Fitted {
  readonly text: string
  /** names of the columns that had no room */
  readonly left: ReadonlyArray<string>
}

/**
 * A table within `width` columns. What has no room is left out from the end; where hardly a column has, each record is lines of its own. `whole`:
 * columns that are of no use when they are cut.
 */
export const fittedTable = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  width: number,
  whole: ReadonlySet<number> = new Set()
): Fitted => {
  const lines = [head, ...rows]
  const count = columnsWithin(lines, width, whole)
  if (count < Math.min(fewest, head.length)) {
    const record = (row: ReadonlyArray<string>) =>
      row.map((cell, at) => `${cut(`${head[at]} ${cell}`, width)}\n`).join("")
    return { text: rows.map(record).join("\n"), left: [] }
  }
  const kept = lines.map((line) => line.slice(0, count))
  const widths = fittingWidths(kept, width, whole)
  return { text: kept.map((line) => `${aligned(line, widths)}\n`).join(""), left: head.slice(count) }
}

/** cells separated by tabs, for programs */
export const tabbedTable = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, ...rows].map((line) => `${line.join("\t")}\n`).join("")

/**
 * Filters of lists, read from query text and applied to records in memory: tags, names, times. A `Left` completes the sentence
 * "query parameter 'x' is '…' …". Reference: api.md, "Lists".
 */
import { Either } from "effect"

/** `a,b` both, `a|b` either: conjunction of alternatives */
export type TagFilter = ReadonlyArray<ReadonlyArray<string>>

/** tags named in one filter; each of them is a condition of a database query */
const maxTerms = 50

/** `a,b` both, `a|b` either, `a|b,c` one of the first two and the third; blanks around tags do not count */
export const parseTagFilter = (text: string): Either.Either<TagFilter, string> => {
  const filter = text.split(",").map((alternatives) => [...new Set(alternatives.split("|").map((tag) => tag.trim()))])
  if (filter.flat().includes("")) return Either.left("but must name tags, with ',' (both) or '|' (either) between them")
  return filter.flat().length > maxTerms ? Either.left(`but must name at most ${maxTerms} tags`) : Either.right(filter)
}

export const matchesTags = (tags: ReadonlyArray<string> | undefined, filter: TagFilter | undefined): boolean =>
  filter === undefined || filter.every((alternatives) => alternatives.some((tag) => tags?.includes(tag) === true))

/** case-insensitive substring; wildcards have no meaning */
export const matchesName = (name: string, wanted: string | undefined): boolean =>
  wanted === undefined || name.toLowerCase().includes(wanted.toLowerCase())

const timePattern = /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}:\d{2})(:\d{2})?(\.\d+)?([Zz]|[+-]\d{2}:\d{2})?)?$/

const readTime = (text: string): string | undefined => {
  const found = timePattern.exec(text.trim().replace(" ", "+"))
  if (found === null) return undefined
  const [, date = "", minutes = "00:00", seconds = ":00", fraction = "", zone = "Z"] = found
  const day = Date.parse(`${date}T00:00:00Z`)
  const millis = Date.parse(`${date}T${minutes}${seconds}${fraction.slice(0, 4)}${zone.toUpperCase()}`)
  // the date parser carries 30 February over into March
  if (Number.isNaN(day) || Number.isNaN(millis) || !new Date(day).toISOString().startsWith(date)) return undefined
  const time = new Date(millis).toISOString()
  // years before 0 and after 9999 do not sort as texts
  return time.length === 24 ? time : undefined
}

/** RFC 3339, also a date alone; without a zone it is UTC; a '+' that arrived as a blank is understood. Gives ISO text in UTC with milliseconds. */
export const parseInstant = (text: string): Either.Either<string, string> => {
  const time = readTime(text)
  return time === undefined
    ? Either.left("but must be a date or a time, such as 2026-08-17T10:11:12Z")
    : Either.right(time)
}

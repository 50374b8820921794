/** Chooses the media type of an answer from `Accept`, with quality values; 406 when nothing fits. RFC 9110, 12.5.1. */
import { Either } from "effect"
import { Refused } from "../error-response.ts"

interface Range {
  readonly type: string
  readonly quality: number
}

const parseRanges = (header: string): ReadonlyArray<Range> =>
  header.split(",").flatMap((part) => {
    const [type, ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
    if (type === undefined || type === "") return []
    const quality = parameters
      .map((text) => /^q\s*=\s*([01](?:\.\d{0,3})?)$/.exec(text)?.[1])
      .find((text) => text !== undefined)
    return [{ type, quality: quality === undefined ? 1 : Number(quality) }]
  })

/** the most specific range that covers the type decides */
const qualityOf = (type: string, ranges: ReadonlyArray<Range>): number => {
  const [family] = type.split("/", 1)
  for (const wanted of [type, `${family}/*`, "*/*"]) {
    const range = ranges.find((one) => one.type === wanted)
    if (range !== undefined) return range.quality
  }
  return 0
}

/** `offered`: what the route can answer, its favourite first; aliases of a type stand beside it */
export const choose = <const T extends string>(
  header: string | undefined,
  offered: readonly [T, ...ReadonlyArray<T>]
): Either.Either<T, Refused> => {
  if (header === undefined || header.trim() === "" || header === "*/*" || header === offered[0])
    return Either.right(offered[0])
  const ranges = parseRanges(header)
  if (ranges.length === 0) return Either.right(offered[0])
  let best: T | undefined
  let bestQuality = 0
  for (const type of offered) {
    const quality = qualityOf(type, ranges)
    if (quality > bestQuality) {
      best = type
      bestQuality = quality
    }
  }
  return best === undefined
    ? Either.left(
        new Refused({
          code: "not_acceptable",
          message: `Accept is '${header.slice(0, 80)}'; this route answers ${offered.join(" or ")}`
        })
      )
    : Either.right(best)
}

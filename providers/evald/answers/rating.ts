/** What a judge says: a whole number from 1 to 5. */
import { plainText, unmarked } from "./plain-text.ts"

const RATING =
  /^[^\p{L}\p{N}]*(?:(?:final|overall|my)\s+)?(?:rating|score)[^\p{L}\p{N}]*(?:(?:is|of)\s+)?([1-5])(?:\s*(?:\/|out of)\s*5)?[^\p{L}\p{N}]*$/gimu

/** last line `Rating: n`; undefined when there is none in 1..5 */
export const readRating = (reply: string): number | undefined => {
  const found = [...unmarked(plainText(reply)).matchAll(RATING)].at(-1)?.[1] ?? /\[\[([1-5])\]\]/.exec(reply)?.[1]
  return found === undefined ? undefined : Number(found)
}

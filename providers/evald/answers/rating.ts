/** What a judge says: a whole number from 1 to 5. */
import { plainText, unmarked } from "./plain-text.ts"

/** a line that is a rating of whatever worth: what stands before its number, the number, and of how many it is one */
const LINE =
  /^[^\p{L}\p{N}]*(?:(?:final|overall|my)\s+)?(?:rating|score)([^\p{L}\p{N}]*(?:(?:is|of)\s[^\p{L}\p{N}]*)?)(\d+(?:[.,]\d+)?)(?:\s*(?:\/|out of)\s*(\d+))?[^\p{L}\p{N}]*$/gimu

/** a sign or a decimal point that belongs to the number behind it; a dash alone after the word does not */
const SIGNED = /[^-‐‑‒–−][-‐‑‒–−.,]$/u

/** last line `Rating: n`; undefined when there is none, or when the last one is not in 1..5 */
export const readRating = (reply: string): number | undefined => {
  const last = [...unmarked(plainText(reply)).matchAll(LINE)].at(-1)
  if (last === undefined) return inBrackets(reply)
  const [, before = "", number = "", scale = "5"] = last
  return /^[1-5]$/.test(number) && scale === "5" && !SIGNED.test(before) ? Number(number) : undefined
}

const inBrackets = (reply: string): number | undefined => {
  const found = /\[\[([1-5])\]\]/.exec(reply)?.[1]
  return found === undefined ? undefined : Number(found)
}

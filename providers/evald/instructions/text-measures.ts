/** How the instruction checkers count. Each definition is stated here, because a score is only as clear as its counting rules. */

/** runs of letters and digits; an apostrophe or hyphen inside a word does not split it */
export const words = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? []

/** pieces that hold a letter or digit, ended by `.`, `!`, `?` or `…` before white space or the end; a last piece without a mark counts */
export const sentences = (text: string): ReadonlyArray<string> =>
  text.split(/[.!?…]+["'”’)\]]*(?=\s|$)/u).filter((piece) => /[\p{L}\p{N}]/u.test(piece))

/** blocks separated by blank lines */
export const paragraphs = (text: string): ReadonlyArray<string> =>
  text.split(/\n[^\S\n]*\n/u).filter((block) => block.trim() !== "")

/** lines of the trimmed text, blank ones included */
export const lines = (text: string): ReadonlyArray<string> => text.trim().split("\n")

/** how often a word occurs as a whole word, upper and lower case alike */
export const occurrences = (text: string, word: string): number => {
  const wanted = word.toLowerCase()
  return words(text).filter((candidate) => candidate.toLowerCase() === wanted).length
}

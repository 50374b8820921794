/** ROUGE-L: F-measure over the longest common subsequence of words (lower case, letters and digits only, no stemming). */

const words = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

const longestCommonSubsequence = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  let before = new Array<number>(b.length + 1).fill(0)
  for (const word of a) {
    const row = [0]
    for (let j = 1; j <= b.length; j++) {
      row.push(word === b[j - 1] ? (before[j - 1] as number) + 1 : Math.max(before[j] as number, row[j - 1] as number))
    }
    before = row
  }
  return before[b.length] as number
}

/** 0..1; 0 when one of the texts has no word */
export const rougeL = (answer: string, reference: string): number => {
  const [given, wanted] = [words(answer), words(reference)]
  const common = given.length === 0 || wanted.length === 0 ? 0 : longestCommonSubsequence(given, wanted)
  if (common === 0) return 0
  const [precision, recall] = [common / given.length, common / wanted.length]
  return (2 * precision * recall) / (precision + recall)
}

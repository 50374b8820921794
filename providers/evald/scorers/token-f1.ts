/** Overlap of words between answer and reference. */
import { loose } from "./normal-text.ts"

const counts = (tokens: ReadonlyArray<string>): Map<string, number> => {
  const bag = new Map<string, number>()
  for (const token of tokens) bag.set(token, (bag.get(token) ?? 0) + 1)
  return bag
}

/** harmonic mean of precision and recall over the two bags of words, 0 when one of them is empty */
export const tokenF1 = (answer: string, reference: string): number => {
  const [given, wanted] = [loose(answer), loose(reference)].map((text) => (text === "" ? [] : text.split(" "))) as [
    Array<string>,
    Array<string>
  ]
  if (given.length === 0 || wanted.length === 0) return 0
  const bag = counts(wanted)
  const common = [...counts(given)].reduce((sum, [token, count]) => sum + Math.min(count, bag.get(token) ?? 0), 0)
  if (common === 0) return 0
  const [precision, recall] = [common / given.length, common / wanted.length]
  return (2 * precision * recall) / (precision + recall)
}

/**
 * Which rules stand together in one prompt. A rule decides some facets of the answer and relies on others being left open; two rules are
 * combined only when neither decides what the other decides or relies on, so that every prompt can be answered in full.
 */
import * as content from "./content-checkers.ts"
import * as count from "./count-checkers.ts"
import * as form from "./form-checkers.ts"
import type { Instruction } from "./instruction.ts"

/** "lines": lines outside the counted blocks; "text": anything that is not JSON */
type Facet = "shape" | "lines" | "length" | "case" | "script" | "start" | "end" | "text"

interface Kind {
  /** the n-th variant of the rule; equal numbers give equal rules */
  readonly make: (n: number) => Instruction
  readonly decides: ReadonlyArray<Facet>
  readonly needs: ReadonlyArray<Facet>
}

const at = <A>(list: readonly [A, ...ReadonlyArray<A>], n: number): A => list[n % list.length] ?? list[0]

const kinds: ReadonlyArray<Kind> = [
  { make: (n) => count.wordsAtLeast(at([40, 60, 80, 100], n)), decides: ["length"], needs: [] },
  {
    make: (n) =>
      content.includeWords(
        at(
          [
            ["lantern", "river"],
            ["window", "honest"],
            ["copper", "morning"],
            ["silence", "basket"]
          ],
          n
        )
      ),
    decides: [],
    needs: ["script"]
  },
  { make: (n) => count.paragraphsExactly(at([2, 3, 4], n)), decides: ["shape", "lines"], needs: [] },
  { make: () => form.jsonOnly, decides: ["shape", "lines", "text", "start", "end"], needs: [] },
  { make: (n) => count.bulletsExactly(at([3, 4, 5, 6], n)), decides: ["shape"], needs: ["start"] },
  {
    make: (n) =>
      content.excludeWords(
        at(
          [
            ["very", "really"],
            ["good", "nice"],
            ["thing", "stuff"],
            ["always", "never"]
          ],
          n
        )
      ),
    decides: [],
    needs: ["script"]
  },
  { make: (n) => count.wordsAtMost(at([60, 80, 100, 120], n)), decides: ["length"], needs: [] },
  { make: () => form.lowerCase, decides: ["case"], needs: [] },
  { make: (n) => count.sentencesExactly(at([3, 4, 5, 6], n)), decides: ["shape", "lines"], needs: ["end"] },
  {
    make: (n) => form.startsWith(at(["Let us begin", "In plain words", "It was early", "Once again"], n)),
    decides: ["start"],
    needs: ["case", "script"]
  },
  { make: () => content.noCommas, decides: [], needs: ["text"] },
  {
    make: (n) => content.wordFrequency(at(["garden", "yellow", "bridge", "evening"], n), at([2, 3, 4], n)),
    decides: [],
    needs: ["script"]
  },
  { make: (n) => count.numberedList(at([3, 4, 5], n)), decides: ["shape"], needs: ["start"] },
  { make: () => form.upperCase, decides: ["case"], needs: [] },
  {
    make: (n) => content.letterFrequency(at(["z", "q", "k", "v"], n), at([6, 8, 10], n)),
    decides: [],
    needs: ["script"]
  },
  { make: () => form.inQuotes, decides: ["start", "end"], needs: ["text"] },
  { make: (n) => count.sectionsExactly(at([2, 3, 4], n)), decides: ["shape"], needs: ["start", "case", "script"] },
  { make: (n) => content.placeholders(at([2, 3, 4], n)), decides: [], needs: [] },
  {
    make: (n) =>
      form.endsWith(at(["That is all there is", "Thank you for reading", "Come back soon", "The rest is quiet"], n)),
    decides: ["end"],
    needs: ["case", "script"]
  },
  { make: () => form.title, decides: [], needs: ["lines", "start"] },
  { make: (n) => form.inScript(at(["Greek", "Cyrillic"], n)), decides: ["script"], needs: [] },
  { make: (n) => content.highlights(at([1, 2, 3], n)), decides: [], needs: ["text"] },
  { make: (n) => count.linesExactly(at([3, 4, 5, 6], n)), decides: ["shape", "lines"], needs: [] },
  { make: (n) => content.capitalWords(at([2, 3, 4], n)), decides: [], needs: ["case", "script"] },
  { make: () => form.postscript, decides: ["end"], needs: ["lines", "case", "script"] }
]

const clash = (left: Kind, right: Kind): boolean =>
  left.decides.some((facet) => right.decides.includes(facet) || right.needs.includes(facet)) ||
  right.decides.some((facet) => left.needs.includes(facet))

/** rules of the n-th prompt: one to three, the first one walking through all checkers */
export const ruleSet = (n: number): ReadonlyArray<Instruction> => {
  const wanted = 1 + (n % 3)
  const chosen: Array<{ readonly kind: Kind; readonly rule: Instruction }> = []
  // 7 and 11 share no factor with 25, so each walk meets every kind once
  const stride = n % 2 === 0 ? 7 : 11
  for (let step = 0; step < kinds.length && chosen.length < wanted; step++) {
    const kind = kinds[(n + step * stride) % kinds.length]
    if (kind === undefined || chosen.some((other) => clash(other.kind, kind))) continue
    chosen.push({ kind, rule: kind.make(Math.floor(n / 3) + step) })
  }
  return chosen.map(({ rule }) => rule)
}

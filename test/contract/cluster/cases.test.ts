/**
 * The numbered cases of the cluster contract (section 11) and the tests that show them: a test, or the group it stands in, says `case 6:`
 * or `cases 6, 8:` at the beginning of its name. Every case must be shown in each tier that the contract names for it.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

type Tier = "T0" | "T1" | "T2" | "T3"

/** where the tests of a tier are; cases of the real cluster and of its kubelet share one folder */
const folders: { readonly [T in Tier]: ReadonlyArray<string> } = {
  T0: ["unit", "property", "contract"],
  T1: ["integration", "e2e"],
  T2: ["cluster"],
  T3: ["cluster"]
}
const between = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** the tiers of the contract's table */
const tiers: ReadonlyArray<readonly [tier: Tier, cases: ReadonlyArray<number>]> = [
  ["T0", [...between(1, 4), 28, 29, 31, 32, 38]],
  ["T1", [...between(6, 24), 26, 27, 30, 33, 34, ...between(39, 53)]],
  ["T2", [5, 25, 29, 35, 36, 37, 54, 55]],
  ["T3", between(56, 60)]
]

/** case numbers at the beginning of the names in a test file */
const casesIn = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/["'`]cases? (\d+(?:(?:, | and )\d+)*)\b/g)].flatMap(([, numbers = ""]) =>
    numbers.split(/, | and /).map(Number)
  )

const casesOf = (tier: Tier): ReadonlySet<number> =>
  new Set(
    folders[tier].flatMap((folder) =>
      readdirSync(join("test", folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".test.ts"))
        .flatMap((name) => casesIn(readFileSync(join("test", folder, name), "utf8")))
    )
  )

describe("the cases of the cluster contract", () => {
  it("names are read as they are written", () => {
    assert.deepStrictEqual(
      casesIn('it("case 91: x") it("cases 92, 93: y") describe("cases 94 and 95") // case 96, "in case 97"'),
      [91, 92, 93, 94, 95]
    )
  })
  it("the table has all sixty", () =>
    assert.sameMembers([...new Set(tiers.flatMap(([, cases]) => cases))], between(1, 60)))
  it.each(tiers)("each case of %s has a test there", (tier, cases) => {
    const shown = casesOf(tier)
    assert.deepStrictEqual(
      cases.filter((number) => !shown.has(number)),
      []
    )
  })
})

/**
 * The numbered cases of two contracts, what evald does in a cluster and what its operator does, and the tests that show them: a test, or
 * the group it stands in, says `case 6:` or `cases 6, 8:` at the beginning of its name. Every case must be shown in the tier that the
 * contract names for it; which contract is meant, the folder says.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

/** where tests speak of the operator's cases */
const ofOperator = [
  "unit/domain/operator/",
  ...["controller", "installation", "manifests"].map((folder) => `unit/infrastructure/kubernetes/${folder}/`),
  ...["controller", "operator"].map((folder) => `integration/infrastructure/kubernetes/${folder}/`),
  ...["operator/", "install/", "image/"]
]
const between = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

interface Contract {
  readonly about: string
  readonly isIts: (file: string) => boolean
  readonly cases: number
  readonly tiers: ReadonlyArray<readonly [tier: string, folders: ReadonlyArray<string>, cases: ReadonlyArray<number>]>
}
const isOfOperator = (file: string): boolean => ofOperator.some((folder) => file.startsWith(folder))

const contracts: ReadonlyArray<Contract> = [
  {
    about: "the cluster",
    isIts: (file) => !isOfOperator(file),
    cases: 60,
    tiers: [
      ["T0", ["unit", "property", "contract"], [...between(1, 4), 28, 29, 31, 32, 38]],
      ["T1", ["integration", "e2e"], [...between(6, 24), 26, 27, 30, 33, 34, ...between(39, 53)]],
      // cases of the real cluster and of its kubelet share one folder
      ["T2", ["cluster"], [5, 25, 29, 35, 36, 37, 54, 55]],
      ["T3", ["cluster"], between(56, 60)]
    ]
  },
  {
    about: "the operator",
    isIts: isOfOperator,
    cases: 50,
    tiers: [
      ["T0", ["unit", "image"], between(1, 16)],
      ["T1", ["unit", "integration", "operator"], between(17, 32)],
      ["T2", ["operator", "install"], between(33, 50)]
    ]
  }
]

/** case numbers at the beginning of the names in a test file */
const casesIn = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/["'`]cases? (\d+(?:(?:, | and )\d+)*)\b/g)].flatMap(([, numbers = ""]) =>
    numbers.split(/, | and /).map(Number)
  )

const shownIn = (folders: ReadonlyArray<string>, isIts: (file: string) => boolean): ReadonlySet<number> =>
  new Set(
    folders
      .flatMap((folder) =>
        readdirSync(join("test", folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))
      )
      .filter((file) => file.endsWith(".test.ts") && isIts(file))
      .flatMap((file) => casesIn(readFileSync(join("test", file), "utf8")))
  )

it("names of cases are read as they are written", () => {
  assert.deepStrictEqual(
    casesIn('it("case 91: x") it("cases 92, 93: y") describe("cases 94 and 95") // case 96, "in case 97"'),
    [91, 92, 93, 94, 95]
  )
})

describe.each(contracts)("the cases of the contract on $about", ({ cases, tiers, isIts }) => {
  it("are all in the table", () =>
    assert.sameMembers([...new Set(tiers.flatMap(([, , numbers]) => numbers))], between(1, cases)))
  it.each(tiers)("each of %s has a test there", (_, folders, numbers) => {
    const shown = shownIn(folders, isIts)
    assert.deepStrictEqual(
      numbers.filter((number) => !shown.has(number)),
      []
    )
  })
})

/** Every rule of a policy, with the member it is about. */
import { assert, describe, it } from "vitest"
import type { Criterion } from "../../../../domain/gate/criteria.ts"
import { checkPolicy, checkPolicyAgainst, type KnownBenchmark, policyWarnings } from "../../../../domain/gate/policy.ts"
import type { Violation } from "../../../../domain/violation.ts"

const criterion = (given: Partial<Criterion> = {}): Criterion => ({
  benchmark: "b",
  kind: "absolute",
  threshold: 0.5,
  tier: "gating",
  alpha: 0.05,
  ...given
})
const relative = ({ threshold: _, ...given }: Criterion): Criterion => ({ ...given, kind: "relative_to_baseline" })

const placesOf = (violations: ReadonlyArray<Violation>) =>
  violations.map(({ path, code }) => [
    code,
    path.map((part) => (typeof part === "object" ? part.given : String(part))).join(".")
  ])

const wrong = (place: string) => [["policy_invalid", place]]

describe("a policy by itself", () => {
  it("one that is right", () => {
    assert.isEmpty(checkPolicy({ criteria: [criterion(), relative(criterion({ tolerance: 0.02, tier: "advisory" }))] }))
  })
  const cases: ReadonlyArray<readonly [what: string, criteria: ReadonlyArray<Criterion>, place: string]> = [
    ["no criterion", [], "criteria"],
    ["too many", Array.from({ length: 101 }, () => criterion()), "criteria"],
    ["none is gating", [criterion({ tier: "advisory" })], "criteria"],
    ["no threshold", [criterion({ threshold: Number.NaN })], "criteria.0.threshold"],
    ["a tolerance beside a threshold", [criterion({ tolerance: 0.1 })], "criteria.0.tolerance"],
    ["no tolerance", [criterion(), relative(criterion())], "criteria.1.tolerance"],
    ["a gain as tolerance", [relative(criterion({ tolerance: -1 }))], "criteria.0.tolerance"],
    [
      "a threshold of a relative one",
      [criterion({ kind: "relative_to_baseline", tolerance: 0.1 })],
      "criteria.0.threshold"
    ],
    [
      "the whole value as a share",
      [{ ...relative(criterion({ tolerance: 1 })), kind: "relative_fraction" }],
      "criteria.0.tolerance"
    ],
    ["alpha 0", [criterion({ alpha: 0 })], "criteria.0.alpha"],
    ["alpha 0.5", [criterion({ alpha: 0.5 })], "criteria.0.alpha"]
  ]
  for (const [what, criteria, place] of cases)
    it(what, () => assert.deepEqual(placesOf(checkPolicy({ criteria })), wrong(place)))
  it("a name without an end, or of blanks (it was kept as it came, although the document bounds it)", () => {
    for (const name of ["n".repeat(257), " \t"])
      assert.deepEqual(placesOf(checkPolicy({ name, criteria: [criterion()] })), wrong("name"))
    assert.isEmpty(checkPolicy({ name: "n".repeat(256), criteria: [criterion()] }))
  })
  it("a tolerance of 0 is probably not meant", () => {
    assert.deepEqual(placesOf(policyWarnings({ criteria: [relative(criterion({ tolerance: 0 }))] })), [
      ["probably_not_meant", "criteria.0.tolerance"]
    ])
  })
})

describe("a policy and its benchmarks", () => {
  const known: KnownBenchmark = {
    id: "b",
    providerId: "p",
    primary: { metric: "acc", lowerIsBetter: false },
    scale: "unit",
    metrics: ["acc", "f1"]
  }
  const check = (given: Partial<Criterion>, benchmarks: ReadonlyArray<KnownBenchmark> = [known]) =>
    placesOf(checkPolicyAgainst({ criteria: [criterion(given)] }, benchmarks))
  it("known ones pass", () => {
    assert.isEmpty(check({}))
    assert.isEmpty(check({ metric: "acc", direction: "higher" }))
    assert.isEmpty(check({ metric: "f1", direction: "higher" }))
    const [unseen, { metrics: _, ...bare }] = [{ metric: "anything", direction: "lower" } as const, known]
    assert.isEmpty(check(unseen, [bare]))
  })
  const { primary: _, ...without } = known
  const cases: ReadonlyArray<
    readonly [what: string, given: Partial<Criterion>, place: string, benchmarks?: ReadonlyArray<KnownBenchmark>]
  > = [
    ["an unknown benchmark", { benchmark: "c" }, "benchmark"],
    ["one of another provider", { providerId: "q" }, "benchmark"],
    ["one that several providers have", {}, "providerId", [known, { ...known, providerId: "q" }]],
    ["an unknown metric", { metric: "accc" }, "metric"],
    ["no metric and no primary one", {}, "metric", [without]],
    ["another metric without a direction", { metric: "f1" }, "direction"],
    ["a direction that contradicts the metric", { direction: "lower" }, "direction"],
    ["a threshold outside the scale", { threshold: 80 }, "threshold"],
    [
      "a share on a scale without a zero",
      { kind: "relative_fraction", tolerance: 0.1 },
      "kind",
      [{ ...known, scale: { min: 1, max: 5 } }]
    ]
  ]
  for (const [what, given, place, benchmarks] of cases)
    it(what, () => assert.deepEqual(check(given, benchmarks), wrong(`criteria.0.${place}`)))
})

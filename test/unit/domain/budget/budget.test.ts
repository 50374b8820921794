import { assert, describe, it } from "@effect/vitest"
import {
  addSpending,
  budgetOf,
  checkBudget,
  costOf,
  exceeded,
  nothingSpent,
  shareOf,
  subtractSpending,
  tighter
} from "../../../../domain/budget/budget.ts"
import {
  addUsage,
  estimatedShare,
  jobUsage,
  readCountedSpent,
  type Usage,
  type Used,
  usedAfter,
  wireSpent
} from "../../../../domain/budget/usage.ts"
import { noCounts } from "../../../../domain/validity/wire-counts.ts"

const spent = (requests: number, inputTokens: number, outputTokens: number) => ({ requests, inputTokens, outputTokens })
const price = { input: 2, output: 10 }

describe("a budget", () => {
  it("is exceeded by the first member that is, never by what it does not name", () => {
    assert.isUndefined(exceeded({}, spent(1e9, 1e9, 1e9), undefined))
    assert.isUndefined(exceeded({ requests: 3, tokens: 30, cost: 1 }, spent(3, 10, 20), price))
    assert.strictEqual(exceeded({ requests: 3, tokens: 30 }, spent(4, 10, 21), price), "requests")
    assert.strictEqual(exceeded({ tokens: 30 }, spent(1, 10, 21), price), "tokens")
    assert.strictEqual(exceeded({ cost: 0.5 }, spent(1, 0, 50_001), price), "cost")
    assert.strictEqual(exceeded({ cost: 0.5 }, spent(0, 0, 0), undefined), "cost")
    assert.strictEqual(costOf(spent(9, 1_000_000, 500_000), price), 7)
  })
  it("sums come back to where they began", () => {
    const two = addSpending(spent(1, 2, 3), spent(10, 20, 30))
    assert.deepStrictEqual(two, spent(11, 22, 33))
    assert.deepStrictEqual(subtractSpending(subtractSpending(two, spent(1, 2, 3)), spent(10, 20, 30)), nothingSpent)
  })
  it("of two the tighter holds, member by member; shares never add up to more than the whole", () => {
    assert.deepStrictEqual(tighter({ tokens: 5, seconds: 9 }, { tokens: 7, cost: 1 }), {
      tokens: 5,
      seconds: 9,
      cost: 1
    })
    assert.deepStrictEqual(shareOf({ requests: 10, tokens: 100, seconds: 60, cost: 3 }, 3), {
      ...{ requests: 3, tokens: 33, seconds: 60, cost: 1 }
    })
    assert.deepStrictEqual(shareOf(undefined, 3), {})
  })
  it("of a job is what was asked, else the tenant's default, and never without its cap", () => {
    const tenant = { defaults: { tokens: 100 }, caps: { tokens: 50, requests: 9 } }
    assert.deepStrictEqual(budgetOf(undefined, tenant), { tokens: 50, requests: 9 })
    assert.deepStrictEqual(budgetOf({ tokens: 20, cost: 1 }, tenant), { tokens: 20, requests: 9, cost: 1 })
    assert.deepStrictEqual(budgetOf(undefined, {}), {})
  })
  it("beyond the cap, or of a cost that nobody knows, is refused at its member", () => {
    const paths = (...of: Parameters<typeof checkBudget>) => checkBudget(...of).map(({ path }) => path.join("/"))
    assert.deepStrictEqual(paths({ tokens: 51, requests: 9 }, ["budget"], { caps: { tokens: 50, requests: 9 } }), [
      "budget/tokens"
    ])
    assert.deepStrictEqual(paths({ cost: 1 }, ["budget"], {}), ["budget/cost"])
    assert.deepStrictEqual(paths({ cost: 1 }, ["budget"], { price }), [])
    assert.deepStrictEqual(paths({ requests: 0, seconds: -1 }, ["budget"], {}), ["budget/requests", "budget/seconds"])
    assert.deepStrictEqual(paths({ tokens: 1.5 }, ["budget"], {}), ["budget/tokens"])
  })
})

describe("usage", () => {
  const wire = { ...noCounts, sent: 2, retries: 1, inputTokens: 10, outputTokens: 30, reasoningTokens: 5 }
  const nothing: Used = {}
  const told = (by: string, counts: typeof wire) => ({ by, spent: wireSpent(counts) })
  const used: Usage = {
    ...{ requests: 2, retries: 1, replayed: 0, inputTokens: 10, outputTokens: 30 },
    ...{ reasoningTokens: 5, estimatedTokens: 8 }
  }
  it("is what was seen on the wire, with its cost where there is a price, and absent where nothing was asked", () => {
    assert.strictEqual(usedAfter(nothing, told("1", noCounts), price), nothing)
    assert.deepStrictEqual(usedAfter(nothing, told("1", { ...wire, estimatedTokens: 8 }), undefined).usage, used)
    assert.strictEqual(usedAfter(nothing, told("1", wire), price).usage?.cost, (10 * 2 + 30 * 10) / 1e6)
    assert.strictEqual(usedAfter(nothing, told("1", { ...noCounts, fromLog: 3 }), price).usage?.replayed, 3)
  })
  it("of one counter is what it told last, of several their sum, and nothing that was told ever falls", () => {
    const first = usedAfter(nothing, told("a", wire), price)
    assert.strictEqual(usedAfter(first, told("a", wire), price), first)
    const later = usedAfter(first, told("a", { ...wire, sent: 5, outputTokens: 60 }), price)
    assert.deepStrictEqual([later.usage?.requests, later.usage?.outputTokens], [5, 60])
    assert.strictEqual(usedAfter(later, told("a", wire), price), later)
    // a sidecar that was killed, and the one that took its place
    const again = usedAfter(later, told("b", wire), price)
    assert.deepStrictEqual([again.usage?.requests, again.usage?.inputTokens], [7, 20])
    assert.strictEqual(usedAfter(again, told("b", { ...wire, sent: 3 }), price).usage?.requests, 8)
    assert.strictEqual(again.usage?.cost, (20 * 2 + 90 * 10) / 1e6)
  })
  it("of a job follows each of its benchmarks, and its cost is that of the sum", () => {
    const { usage: one } = usedAfter(nothing, told("a", wire), price)
    const { usage: more } = usedAfter(nothing, told("a", { ...wire, sent: 3, inputTokens: 30 }), price)
    const sum = jobUsage(jobUsage(undefined, undefined, one, price), undefined, one, price)
    assert.deepStrictEqual([sum?.requests, sum?.cost], [4, (20 * 2 + 60 * 10) / 1e6])
    assert.strictEqual(jobUsage(sum, one, one, price), sum)
    const grown = jobUsage(sum, one, more, price)
    assert.deepStrictEqual([grown?.requests, grown?.inputTokens, grown?.cost], [5, 40, (40 * 2 + 60 * 10) / 1e6])
  })
  it("is read as a sidecar wrote it, and not by half", () => {
    const { by, spent: counts } = told("sidecar", wire)
    assert.deepStrictEqual(readCountedSpent({ by, ...counts, more: 1 }), { by, spent: counts })
    for (const broken of [null, 1, { ...counts }, { by: "", ...counts }, { by: "x".repeat(65), ...counts }])
      assert.isUndefined(readCountedSpent(broken))
    for (const sent of [-1, 0.5, "1", undefined]) assert.isUndefined(readCountedSpent({ by, ...counts, sent }))
  })
  it("adds up; the cost of a sum is known where each is", () => {
    assert.strictEqual(addUsage({ ...used, cost: 1 }, { ...used, cost: 2 }).cost, 3)
    assert.isUndefined(addUsage({ ...used, cost: 1 }, used).cost)
    assert.strictEqual(addUsage(used, used).outputTokens, 60)
    assert.strictEqual(estimatedShare(used), 0.2)
    assert.strictEqual(estimatedShare({ ...used, inputTokens: 0, outputTokens: 0, estimatedTokens: 0 }), 0)
  })
})

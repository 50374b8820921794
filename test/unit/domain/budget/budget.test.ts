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
import { addUsage, estimatedShare, type Usage, usageOf } from "../../../../domain/budget/usage.ts"
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
  const used: Usage = {
    ...{ requests: 2, retries: 1, replayed: 0, inputTokens: 10, outputTokens: 30 },
    ...{ reasoningTokens: 5, estimatedTokens: 8 }
  }
  it("is what was seen on the wire, with its cost where there is a price, and absent where nothing was asked", () => {
    assert.isUndefined(usageOf(undefined, price))
    assert.isUndefined(usageOf(noCounts, price))
    const wire = { ...noCounts, sent: 2, retries: 1, inputTokens: 10, outputTokens: 30, reasoningTokens: 5 }
    assert.deepStrictEqual(usageOf({ ...wire, estimatedTokens: 8 }, undefined), used)
    assert.strictEqual(usageOf(wire, price)?.cost, (10 * 2 + 30 * 10) / 1e6)
    assert.strictEqual(usageOf({ ...noCounts, fromLog: 3 }, price)?.replayed, 3)
  })
  it("adds up; the cost of a sum is known where each is", () => {
    assert.strictEqual(addUsage({ ...used, cost: 1 }, { ...used, cost: 2 }).cost, 3)
    assert.isUndefined(addUsage({ ...used, cost: 1 }, used).cost)
    assert.strictEqual(addUsage(used, used).outputTokens, 60)
    assert.strictEqual(estimatedShare(used), 0.2)
    assert.strictEqual(estimatedShare({ ...used, inputTokens: 0, outputTokens: 0, estimatedTokens: 0 }), 0)
  })
})

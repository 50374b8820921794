import { assert, describe, it } from "@effect/vitest"
import type { Budget, Spending } from "../../../../../domain/budget/budget.ts"
import { makeLedger } from "../../../../../interfaces/gateway/budget/ledger.ts"
import {
  makeUnitBudget,
  mostOf,
  type UnitBudget,
  unknownBudget
} from "../../../../../interfaces/gateway/budget/unit-budget.ts"

const most = (outputTokens: number): Spending => ({ requests: 1, inputTokens: 0, outputTokens })
const here = () => false
const turn = () => new Promise((resolve) => setImmediate(resolve))

const setup = (budget: Budget, clock: () => number = () => 0) => {
  const told: Array<string> = []
  const unit = makeUnitBudget([makeLedger(budget, undefined, { clock })], (over) => void told.push(over))
  return { unit, told }
}
const held = async (unit: UnitBudget, spending: Spending) => {
  const answer = await unit.hold(spending, here)
  if ("over" in answer) throw new Error(`over ${answer.over}`)
  return answer
}

describe("what a request may use at most", () => {
  it("is told from its length, its limit, its choices and its prompts", () => {
    assert.deepStrictEqual(mostOf(401, { messages: [], max_tokens: 50, n: 2 }), {
      ...{ requests: 1, inputTokens: 101, outputTokens: 100 }
    })
    assert.strictEqual(mostOf(4, { messages: [], max_completion_tokens: 7, max_tokens: 50 }).outputTokens, 7)
    assert.strictEqual(mostOf(4, { prompt: ["a", "b", "c"], max_tokens: 1 }).outputTokens, 3)
    assert.strictEqual(mostOf(4, { prompt: [1, 2, 3], max_tokens: 1 }).outputTokens, 1)
    assert.strictEqual(mostOf(4, { messages: [] }).outputTokens, 1024)
    assert.deepStrictEqual(mostOf(4, { input: "x" }), { requests: 1, inputTokens: 1, outputTokens: 0 })
    assert.deepStrictEqual(mostOf(8_000_000, undefined), { requests: 1, inputTokens: 2_000_000, outputTokens: 0 })
  })
})

describe("a budget that holds a unit", () => {
  it("lets a request wait for those under way instead of refusing what will fit (concurrent requests were refused)", async () => {
    const { unit, told } = setup({ tokens: 100 })
    const first = await held(unit, most(60))
    let second: unknown
    void unit.hold(most(60), here).then((answer) => {
      second = answer
    })
    await turn()
    assert.isUndefined(second)
    first.settle({ requests: 1, inputTokens: 0, outputTokens: 10 })
    await turn()
    assert.property(second, "settle")
    assert.deepStrictEqual(told, [])
  })
  it("refuses what fits in no case, and tells it once, when nothing is under way any more", async () => {
    const { unit, told } = setup({ tokens: 100 })
    const first = await held(unit, most(60))
    assert.deepStrictEqual(await unit.hold(most(101), here), { over: "tokens" })
    assert.deepStrictEqual(told, [])
    first.settle({ requests: 1, inputTokens: 0, outputTokens: 60 })
    assert.deepStrictEqual(await unit.hold(most(41), here), { over: "tokens" })
    assert.deepStrictEqual(told, ["tokens"])
  })
  it("is exceeded by no more than the requests under way used beyond what was set aside", async () => {
    const { unit } = setup({ tokens: 1000 })
    let used = 0
    const worker = async () => {
      for (;;) {
        const answer = await unit.hold(most(50), here)
        if ("over" in answer) return
        await turn()
        used += 60
        answer.settle({ requests: 1, inputTokens: 0, outputTokens: 60 })
      }
    }
    await Promise.all([worker(), worker(), worker(), worker()])
    assert.isAtMost(used, 1000 + 4 * 10)
    assert.isAtLeast(used, 900)
  })
  it("counts requests that left, and none that did not", async () => {
    const { unit } = setup({ requests: 2 })
    ;(await held(unit, most(1))).settle(undefined)
    ;(await held(unit, most(1))).settle({ requests: 1, inputTokens: 0, outputTokens: 0 })
    ;(await held(unit, most(1))).settle({ requests: 1, inputTokens: 0, outputTokens: 0 })
    assert.deepStrictEqual(await unit.hold(most(1), here), { over: "requests" })
  })
  it("counts time from its first request", async () => {
    let now = 50_000
    const { unit } = setup({ seconds: 10 }, () => now)
    ;(await held(unit, most(1))).settle(undefined)
    now += 9_999
    ;(await held(unit, most(1))).settle(undefined)
    now += 1
    assert.deepStrictEqual(await unit.hold(most(1), here), { over: "seconds" })
  })
  it("is shared by the units of a job, each of which is told for itself", async () => {
    const job = makeLedger({ requests: 1 }, undefined, { clock: () => 0 })
    const told: Array<string> = []
    const units = ["a", "b"].map((name) => makeUnitBudget([job], (over) => void told.push(`${name} ${over}`)))
    for (const unit of units) {
      const answer = await unit.hold(most(1), here)
      if ("settle" in answer) answer.settle({ requests: 1, inputTokens: 0, outputTokens: 0 })
    }
    assert.deepStrictEqual(told, ["b requests"])
  })
  it("of which nobody knows what was used lets nothing leave", async () => {
    const told: Array<string> = []
    const unit = unknownBudget((over) => void told.push(over))
    assert.deepStrictEqual(
      [await unit.hold(most(1), here), await unit.hold(most(1), here)],
      [{ over: "unknown" }, { over: "unknown" }]
    )
    assert.deepStrictEqual(told, ["unknown"])
  })
  it("forgets a request whose caller left while it waited", async () => {
    const { unit } = setup({ tokens: 100 })
    const first = await held(unit, most(60))
    let isGone = false
    const second = unit.hold(most(60), () => isGone)
    isGone = true
    first.settle({ requests: 1, inputTokens: 0, outputTokens: 0 })
    await second
    ;(await held(unit, most(100))).settle(undefined)
  })
})

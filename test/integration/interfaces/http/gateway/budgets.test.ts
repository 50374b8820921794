/** Budgets in the gateway: adapter → gateway → model, everything on loopback. */
import { createServer } from "node:http"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import type { Budget } from "../../../../../domain/budget/budget.ts"
import { makeLedger } from "../../../../../interfaces/gateway/budget/ledger.ts"
import { makeUnitBudget } from "../../../../../interfaces/gateway/budget/unit-budget.ts"
import { makeWitness } from "../../../../../interfaces/gateway/witness/witness.ts"
import { makeModelGateway } from "../../../../../interfaces/http/gateway/model-gateway.ts"
import { bodyOf, listening, serve } from "../../../../support/loopback-server.ts"

const closing: Array<() => unknown> = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface Reply {
  readonly status?: number
  readonly usage?: object
  readonly content?: string
}

const setup = async (budget: Budget, reply: Reply = {}) => {
  let asked = 0
  const model = await serve(async (request, response) => {
    await bodyOf(request)
    asked += 1
    const { status = 200, usage, content = "yes" } = reply
    response.writeHead(status, { "content-type": "application/json" })
    response.end(JSON.stringify({ choices: [{ message: { content }, finish_reason: "stop" }], usage }))
  })
  const gateway = makeModelGateway()
  const witness = makeWitness()
  const told: Array<string> = []
  const ledger = makeLedger(budget, { input: 1, output: 1 }, { clock: () => 0 })
  const unit = makeUnitBudget([ledger], (over) => void told.push(over))
  const front = await listening(
    createServer((request, response) =>
      gateway.handle(request, response, {
        ...{ modelUrl: `${model.url}/v1`, secret: Either.right(undefined), path: request.url ?? "", trace: "t" },
        ...{ publicBase: "http://127.0.0.1:1", witness, budget: unit }
      })
    )
  )
  closing.push(front.close, gateway.close, model.close)
  const ask = async (question: object = { messages: [{ role: "user", content: "?" }], max_tokens: 10 }) => {
    const init = { method: "POST", body: JSON.stringify(question), headers: { "content-type": "application/json" } }
    const answer = await fetch(`${front.url}/v1/chat/completions`, init)
    const { message_code: code } = (await answer.json()) as { readonly message_code?: string }
    return code === undefined ? answer.status : `${answer.status} ${code}`
  }
  return { ask, told, witness, asked: () => asked, url: front.url }
}

const usage = { prompt_tokens: 20, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 2 } }

describe("a budget in the gateway", () => {
  it("lets so many requests leave and no further one, which the adapter is told with 429", async () => {
    const { ask, asked, told, witness } = await setup({ requests: 2 }, { usage })
    assert.deepStrictEqual([await ask(), await ask(), await ask()], [200, 200, "429 budget_exhausted"])
    assert.deepStrictEqual([asked(), told], [2, ["requests"]])
    const { sent, overBudget, inputTokens, outputTokens, reasoningTokens, estimatedTokens } = await witness.counts()
    assert.deepStrictEqual(
      { sent, overBudget, inputTokens, outputTokens, reasoningTokens, estimatedTokens },
      { sent: 2, overBudget: 1, inputTokens: 40, outputTokens: 10, reasoningTokens: 4, estimatedTokens: 0 }
    )
  })
  it("settles by what answers report: what was set aside and not used is there for the next", async () => {
    const { ask, asked } = await setup({ tokens: 125 }, { usage })
    const answers = []
    for (let n = 0; n < 6; n++) answers.push(await ask())
    // each sets aside at least ten tokens and uses 25
    assert.deepStrictEqual(answers.slice(0, 4), [200, 200, 200, 200])
    assert.strictEqual(answers[5], "429 budget_exhausted")
    assert.isAtMost(asked(), 5)
  })
  it("estimates where an answer reports nothing, and counts an error as a request without tokens", async () => {
    const plain = await setup({ requests: 9 }, { content: "x".repeat(400) })
    await plain.ask()
    const counts = await plain.witness.counts()
    assert.strictEqual(counts.outputTokens, 100)
    assert.strictEqual(counts.estimatedTokens, counts.inputTokens + 100)
    const failing = await setup({ tokens: 100 }, { status: 500 })
    for (let n = 0; n < 20; n++) assert.strictEqual(await failing.ask(), 500)
    const { sent, retries, inputTokens } = await failing.witness.counts()
    assert.deepStrictEqual([sent, retries, inputTokens], [20, 19, 0])
  })
  it("does not hold up what is no POST", async () => {
    const { url, ask, asked } = await setup({ requests: 1 }, { usage })
    await ask()
    assert.strictEqual((await fetch(`${url}/v1/models`)).status, 200)
    assert.strictEqual(await ask(), "429 budget_exhausted")
    assert.strictEqual(asked(), 2)
  })
})

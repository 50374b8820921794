/** Compares what a demo solver computes from the prompt text with the generator's references: two independent methods must agree. */

import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Solver } from "../../../../providers/demo-model/solver.ts"
import type { Item, ItemBenchmark, ItemContext } from "../../../../providers/evald/benchmark.ts"
import { seededRandom } from "../../../../providers/evald/random.ts"
import type { Answer } from "../../../../providers/sdk/model/model-exchange.ts"
import { itemContext } from "./item-fixtures.ts"

export const context = (over: Partial<ItemContext> = {}): ItemContext => {
  const usual = itemContext()
  return { ...usual, capabilities: { ...usual.capabilities, demo: false }, ...over }
}

/** for a set that loads a library first */
export const loadedItemsOf = (
  benchmark: ItemBenchmark,
  over: Partial<ItemContext> = {}
): Promise<ReadonlyArray<Item>> => Effect.runPromise(benchmark.items(context(over)))

export const itemsOf = (benchmark: ItemBenchmark, over: Partial<ItemContext> = {}): ReadonlyArray<Item> =>
  Effect.runSync(benchmark.items(context(over)))

export const answerOf = (text: string, over: Partial<Answer> = {}): Answer => ({
  text,
  toolCalls: [],
  tokens: { prompt: 1, completion: 1, estimated: false },
  latencyMs: 1,
  retries: 0,
  ...over
})

/** the first solver that recognises the conversation */
export const anyOf = (solvers: ReadonlyArray<Solver>): Solver => ({
  family: "any",
  solve: (conversation, random) =>
    solvers.reduce<ReturnType<Solver["solve"]>>(
      (found, solver) => found ?? solver.solve(conversation, random),
      undefined
    )
})

/** every item: the solver's right reply is correct, its wrong reply is a readable answer that is incorrect */
export const assertSolved = (items: ReadonlyArray<Item>, solver: Solver): void => {
  const random = seededRandom("solver")
  for (const item of items) {
    const solution = solver.solve({ messages: item.messages, tools: [] }, random.next)
    const prompt = item.messages.at(-1)?.content ?? ""
    assert.isDefined(solution, `${item.id} was not recognised: ${prompt}`)
    if (solution === undefined) continue
    const right = item.score(answerOf(solution.right.text))
    assert.strictEqual(
      right.verdict,
      "correct",
      `${item.id}: ${prompt}\nreference ${String(item.reference)}, solver ${solution.right.text}`
    )
    const wrong = item.score(answerOf(solution.wrong.text))
    assert.strictEqual(wrong.verdict, "incorrect", `${item.id}: ${prompt}\nwrong ${solution.wrong.text}`)
  }
}

/** same seed same bytes, another seed other questions, ids unique, few-shot questions never asked */
export const assertReproducible = (benchmark: ItemBenchmark, size: number): void => {
  const bytes = (items: ReadonlyArray<Item>) =>
    JSON.stringify(items.map(({ id, stratum, messages, reference }) => ({ id, stratum, messages, reference })))
  const first = itemsOf(benchmark)
  assert.strictEqual(first.length, size)
  assert.strictEqual(bytes(first), bytes(itemsOf(benchmark)))
  assert.notStrictEqual(bytes(first), bytes(itemsOf(benchmark, { seed: 43 })))
  assert.strictEqual(new Set(first.map(({ id }) => id)).size, size)
  const shot = itemsOf(benchmark, { fewShot: 5 })
  const asked = new Set(shot.map(({ messages }) => messages.at(-1)?.content))
  assert.strictEqual(asked.size, size, "a question is asked twice")
  for (const { messages } of shot) {
    const examples = messages.filter(({ role }, index) => role === "user" && index < messages.length - 1)
    assert.strictEqual(examples.length, 5)
    for (const { content } of examples)
      assert.isFalse(asked.has(content), `few-shot example is also an item: ${content}`)
  }
}

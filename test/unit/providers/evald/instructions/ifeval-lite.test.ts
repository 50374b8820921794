import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { instructionsSolver } from "../../../../../providers/demo-model/solvers/instructions.ts"
import { ifevalLite, prompts } from "../../../../../providers/evald/instructions/ifeval-lite.ts"
import { followsLoosely, followsStrictly } from "../../../../../providers/evald/instructions/instruction.ts"
import { seededRandom } from "../../../../../providers/evald/random.ts"
import { failedItem, itemContext, scoredItem } from "../item-fixtures.ts"

const solved = (text: string) =>
  instructionsSolver.solve({ messages: [{ role: "user", content: text }], tools: [] }, seededRandom("test", text).next)

describe("ifeval_lite", () => {
  it("has 150 different prompts over all 25 checkers, one to three rules each", () => {
    assert.strictEqual(new Set(prompts.map(({ text }) => text)).size, 150)
    const used = prompts.flatMap(({ rules }) => rules.map(({ checker }) => checker))
    const counts = new Map(
      [...new Set(used)].map((checker) => [checker, used.filter((other) => other === checker).length])
    )
    assert.strictEqual(counts.size, 25)
    for (const [checker, count] of counts) assert.isAtLeast(count, 6, checker)
    for (const { rules, key } of prompts) {
      assert.isTrue(rules.length >= 1 && rules.length <= 3, key)
      assert.strictEqual(new Set(rules.map(({ checker }) => checker)).size, rules.length, key)
    }
  })

  it.each(prompts.map((prompt) => [prompt.key, prompt] as const))(
    "prompt %s can be answered in full, and a careless answer breaks every rule",
    (_, { text, rules }) => {
      const solution = solved(text)
      assert.isDefined(solution)
      for (const rule of rules) {
        assert.isTrue(followsStrictly(rule, solution?.right.text ?? ""), `${rule.text}\n${solution?.right.text}`)
        assert.isFalse(followsLoosely(rule, solution?.wrong.text ?? ""), `${rule.text}\n${solution?.wrong.text}`)
      }
    }
  )

  it("instruction-level scores weigh every rule, prompt-level scores need all of them", () => {
    const context = itemContext()
    const items = Effect.runSync(ifevalLite.items(context))
    const three = items.find(({ stratum }) => stratum === "3 rules")
    const one = items.find(({ stratum }) => stratum === "1 rules")
    assert.isDefined(three)
    assert.isDefined(one)
    const scored = [
      scoredItem(three, solved(three.messages[0]?.content ?? "")?.right.text ?? ""),
      scoredItem(one, solved(one.messages[0]?.content ?? "")?.wrong.text ?? "")
    ]
    assert.deepStrictEqual(
      scored.map(({ outcome }) => (outcome._tag === "Scored" ? outcome.verdict.scores : {})),
      [
        { prompt_level_strict_acc: 1, prompt_level_loose_acc: 1 },
        { prompt_level_strict_acc: 0, prompt_level_loose_acc: 0 }
      ]
    )
    const derived = ifevalLite.derive?.([...scored, failedItem(one)], context) ?? []
    const strict = derived.find(({ name }) => name === "inst_level_strict_acc")
    assert.strictEqual(strict?.value, 0.75)
    assert.strictEqual(strict?.n, 4)
    assert.strictEqual(derived.find(({ name }) => name === "inst_level_loose_acc")?.value, 0.75)
  })
})

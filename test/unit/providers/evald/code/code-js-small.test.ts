import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { codeSolver } from "../../../../../providers/demo-model/solvers/code.ts"
import { codeJsSmall, codeOf, codePrompt, runSample } from "../../../../../providers/evald/code/code-js-small.ts"
import { codeTasks } from "../../../../../providers/evald/code/code-tasks.ts"
import { answerOf, itemContext, scoredItem } from "../item-fixtures.ts"

const solved = (prompt: string) =>
  codeSolver.solve({ messages: [{ role: "user", content: prompt }], tools: [] }, () => 0)

describe("code_js_small", () => {
  it("has 40 tasks of different names, each with at least three different cases", () => {
    assert.strictEqual(new Set(codeTasks.map(({ name }) => name)).size, 40)
    for (const { name, cases } of codeTasks) {
      assert.isAtLeast(new Set(cases.map((one) => JSON.stringify(one))).size, name === "groupByLength" ? 2 : 3, name)
      assert.isTrue(
        cases.some(([, expected]) => JSON.stringify(expected) !== JSON.stringify(cases[0]?.[1])),
        `${name} is passed by a constant`
      )
    }
  })

  it("the prompt shows the first case and hides the others", () => {
    const [first] = codeTasks
    assert.isDefined(first)
    assert.include(codePrompt(first), "sumOfEven([1,2,3,4]) returns 6")
    assert.notInclude(codePrompt(first), "-2")
  })

  it.live(
    "every expected value is reached by an independent solution",
    () =>
      Effect.forEach(
        codeTasks,
        (task) =>
          Effect.gen(function* () {
            const solution = solved(codePrompt(task))
            assert.deepStrictEqual(
              yield* runSample(task, solution?.right.text ?? ""),
              { compiled: true, passed: true },
              task.name
            )
          }),
        { concurrency: 2, discard: true }
      ),
    60_000
  )

  it.live("a function that does nothing compiles and does not pass", () =>
    Effect.gen(function* () {
      const [task] = codeTasks
      assert.isDefined(task)
      assert.deepStrictEqual(yield* runSample(task, solved(codePrompt(task))?.wrong.text ?? ""), {
        compiled: true,
        passed: false
      })
      assert.deepStrictEqual(yield* runSample(task, "function sumOfEven( {"), { compiled: false, passed: false })
    })
  )

  it("reads the code out of an answer", () => {
    assert.strictEqual(
      codeOf("Here:\n```js\nconst a = 1\n```\nand\n```js\nfunction f() {}\n```", "f"),
      "function f() {}\n"
    )
    assert.strictEqual(codeOf("```\nconst g = 1\n```", "f"), "const g = 1\n")
    assert.strictEqual(codeOf("function f() {}", "f"), "function f() {}")
    assert.strictEqual(
      codeOf("```js\nexport default function f() {}\nexport const x = 1", "f"),
      "function f() {}\nconst x = 1"
    )
  })

  const failing = (parameters: { readonly [name: string]: unknown }) =>
    Effect.flip(codeJsSmall.items(itemContext({ parameters })))

  it.live("runs nothing without permission, and no copies of one answer", () =>
    Effect.gen(function* () {
      const refused = yield* failing({})
      assert.strictEqual(refused.code, "benchmark_not_supported")
      assert.include(refused.message, "allow_code_execution: true")
      assert.strictEqual((yield* failing({ allow_code_execution: "yes" })).code, "benchmark_not_supported")
      assert.strictEqual((yield* failing({ allow_code_execution: true, k: 3 })).code, "invalid_parameter")
    })
  )

  it.live("several samples give unbiased pass@1 and pass@k, each asked with its own seed", () =>
    Effect.gen(function* () {
      const context = itemContext({ parameters: { allow_code_execution: true, k: 4, temperature: 1 } })
      const [item] = yield* codeJsSmall.items(context)
      assert.isDefined(item)
      const right = solved(item.messages[0]?.content ?? "")?.right.text ?? ""
      const answers = ["not code at all (", right, "```js\nconst sumOfEven = () => 6\n```", right]
      const seeds: Array<number | undefined> = []
      const generate = (_: unknown, options?: { readonly seed?: number }) =>
        Effect.sync(() => {
          seeds.push(options?.seed)
          return answerOf(answers[seeds.length - 1] ?? "")
        })
      const asking = { client: undefined as never, generate }
      const fiber = yield* Effect.fork(Effect.scoped(item.ask?.(asking) ?? Effect.die("asks by itself")))
      const { verdict, answer } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(seeds, [42, 43, 44, 45])
      assert.deepStrictEqual(verdict.scores, { "pass@1": 0.5, compile_rate: 0.75, "pass@4": 1 })
      assert.strictEqual(answer.tokens.completion, 20)
      const derived = codeJsSmall.derive?.([{ item, outcome: { _tag: "Scored", answer, verdict } }], context)
      assert.deepStrictEqual(
        derived?.map(({ name, value }) => [name, value]),
        [["pass@4", 1]]
      )
      assert.deepStrictEqual(codeJsSmall.derive?.([scoredItem(item, "")], itemContext()), [])
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { retrievalSolver } from "../../../../../providers/demo-model/solvers/retrieval.ts"
import type { Asking, Item, ScoredItem } from "../../../../../providers/evald/benchmark.ts"
import { commonWordsTask } from "../../../../../providers/evald/long-context/common-words.ts"
import { longContext, mentions, searchItems } from "../../../../../providers/evald/long-context/lengths.ts"
import { needleMultikeyTask, needleSingleTask } from "../../../../../providers/evald/long-context/needles.ts"
import { variableTrackingTask } from "../../../../../providers/evald/long-context/variable-tracking.ts"
import { AdapterError } from "../../../../../providers/sdk/adapter.ts"
import { estimateTokens } from "../../../../../providers/sdk/model/token-estimate.ts"
import { answerOf, itemContext, scoredItem } from "../item-fixtures.ts"

const tasks = [needleSingleTask, needleMultikeyTask, variableTrackingTask, commonWordsTask]
const promptOf = (item: Item) => item.messages[0]?.content ?? ""
const expectedOf = (item: Item) => item.reference as ReadonlyArray<string>
const textOf = (item: Item) => /\nText:\n([\s\S]*)\n\nQuestion: /.exec(promptOf(item))?.[1] ?? ""
const items = (task: (typeof tasks)[number], seed = 42, lengths: ReadonlyArray<number> = [1024, 4096]) =>
  searchItems(task, seed, lengths)

describe.each(tasks.map((task) => [task.id, task] as const))("%s", (_, task) => {
  it("gives the same bytes for the same seed, other items for another, 20 a length", () => {
    assert.strictEqual(JSON.stringify(items(task)), JSON.stringify(items(task)))
    assert.notStrictEqual(promptOf(items(task)[0] as Item), promptOf(items(task, 43)[0] as Item))
    assert.lengthOf(items(task), 40)
    assert.strictEqual(new Set(items(task).map(promptOf)).size, 40)
  })

  it("fills the wanted length and leaves room for the answer", () => {
    for (const item of items(task, 42, [512, 1024, 8192])) {
      const [length, size] = [Number(item.stratum), estimateTokens(promptOf(item))]
      assert.isAtMost(size, length - 128 + 0.03 * length, item.id)
      assert.isAtLeast(size, 0.75 * (length - 128), item.id)
    }
  })

  it("is solved by reading the text and not by the wrong answer", () => {
    for (const item of items(task)) {
      const solution = retrievalSolver.solve(
        { messages: [{ role: "user", content: promptOf(item) }], tools: [] },
        () => 0
      )
      assert.strictEqual(item.score(answerOf(solution?.right.text ?? "")).scores["string_match_all"], 1, item.id)
      assert.strictEqual(item.score(answerOf(solution?.wrong.text ?? "")).scores["string_match_all"], 0, item.id)
    }
  })
})

describe("references, verified by counting", () => {
  it("a needle stands once, and its depth walks from the beginning to the end", () => {
    const depths = items(needleSingleTask, 7, [4096]).map((item) => {
      const [code = ""] = expectedOf(item)
      assert.lengthOf(promptOf(item).split(code), 2)
      return textOf(item).indexOf(code) / textOf(item).length
    })
    assert.isBelow(depths[0] ?? 1, 0.02)
    assert.isAbove(depths.at(-1) ?? 0, 0.98)
    assert.deepStrictEqual(
      depths,
      [...depths].sort((a, b) => a - b)
    )
  })

  it("several keys mean several codes, one of them asked for", () => {
    for (const item of items(needleMultikeyTask)) {
      const codes = textOf(item).match(/\d{7}/g) ?? []
      assert.strictEqual(new Set(codes).size, 8)
      const asked = /of the (.+)\?$/.exec(promptOf(item))?.[1]
      assert.include(textOf(item), `The access code of the ${asked} is ${expectedOf(item)[0]}.`)
    }
  })

  it("variables of the other chain are not expected", () => {
    for (const item of items(variableTrackingTask)) {
      const statements = [...textOf(item).matchAll(/Let variable (\w+) be ([^.]+)\./g)].map(
        (match) => [match[1] ?? "", match[2] ?? ""] as const
      )
      assert.lengthOf(statements, 10)
      const wanted = /value (\d+)\?/.exec(promptOf(item))?.[1] ?? ""
      const reached = (expression: string): string =>
        /^\d+$/.test(expression)
          ? expression
          : reached(new Map(statements).get(expression.split(" ").at(-1) ?? "") ?? "0")
      const names = statements.filter(([, expression]) => reached(expression) === wanted).map(([name]) => name)
      assert.sameMembers(names, [...expectedOf(item)])
    }
  })

  it("a common word stands four times as often as any other", () => {
    for (const item of items(commonWordsTask, 3, [512, 8192])) {
      const all = textOf(item).match(/[a-z]+/g) ?? []
      const counts = new Map([...new Set(all)].map((word) => [word, all.filter((other) => other === word).length]))
      const common = expectedOf(item).map((word) => counts.get(word) ?? 0)
      const rest = [...counts].filter(([word]) => !expectedOf(item).includes(word)).map(([, count]) => count)
      assert.lengthOf(common, 5)
      assert.strictEqual(Math.min(...common), 4 * Math.max(...rest))
    }
  })
})

describe("scoring by length", () => {
  const benchmark = longContext(needleSingleTask)
  const [short, long] = [items(needleSingleTask)[0] as Item, items(needleSingleTask)[20] as Item]
  const right = (item: Item) => scoredItem(item, `It is ${expectedOf(item)[0]}`)

  it("a string counts only when it stands alone", () => {
    assert.isTrue(mentions("**1234567**!", "1234567"))
    assert.isFalse(mentions("91234567", "1234567"))
    assert.isTrue(mentions("bcdfg, HJKLM", "BCDFG"))
    assert.isFalse(mentions("barely", "bare"))
  })

  it("auc is the mean over lengths, each counting the same", () => {
    const wrong = (item: Item) => scoredItem(item, "no idea")
    const metrics =
      benchmark.derive?.(
        [right(short), right(short), right(short), wrong(short), right(long), wrong(long)],
        itemContext()
      ) ?? []
    assert.deepStrictEqual(
      metrics.map(({ name, value, n }) => [name, value, n]),
      [
        ["1024/string_match_all", 0.75, 4],
        ["4096/string_match_all", 0.5, 2],
        ["auc", 0.625, 2]
      ]
    )
  })

  const askedBy = (item: Item, message: string) => {
    const asking = {
      generate: () => Effect.fail(new AdapterError({ code: "invalid_parameter", message, retryable: false }))
    } as unknown as Asking
    return Effect.runSync(Effect.either(Effect.scoped(item.ask?.(asking) ?? Effect.die("asks by itself"))))
  }

  it("a length over the model's limit is not run, never 0; another refusal stays an error", () => {
    const refused = Either.getOrThrow(
      askedBy(long, "answered 400: This model's maximum context length is 4000 tokens.")
    )
    assert.deepStrictEqual(refused.verdict, { verdict: "skipped", reason: "context_too_long", scores: {} })
    const skipped: ScoredItem = { item: long, outcome: { _tag: "Scored", ...refused } }
    assert.deepStrictEqual(
      benchmark.derive?.([right(short), skipped], itemContext()).map(({ name, value }) => [name, value]),
      [
        ["1024/string_match_all", 1],
        ["auc", 1]
      ]
    )
    assert.deepStrictEqual(benchmark.notes?.([right(short), skipped]), [
      "length 4096 was not run: the model refused the prompt as longer than its context"
    ])
    assert.strictEqual(
      Either.flip(askedBy(long, "answered 400: bad temperature.")).pipe(Either.getOrThrow).code,
      "invalid_parameter"
    )
  })

  it("lengths that cannot hold the task are refused", () => {
    const failed = Effect.runSync(Effect.flip(benchmark.items(itemContext({ parameters: { lengths: [100, 1024] } }))))
    assert.strictEqual(failed.code, "invalid_parameter")
    assert.include(failed.message, "lengths (100)")
    const given = Effect.runSync(benchmark.items(itemContext({ parameters: { lengths: [2048, 512, 512] } })))
    assert.deepStrictEqual([...new Set(given.map(({ stratum }) => stratum))], ["512", "2048"])
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { arithmeticSolver } from "../../../../providers/demo-model/solvers/arithmetic.ts"
import { safetySolver } from "../../../../providers/demo-model/solvers/safety.ts"
import { arithBasic } from "../../../../providers/evald/arithmetic/arith-basic.ts"
import { benchmarkById, benchmarkIds } from "../../../../providers/evald/catalogue.ts"
import { ifevalLite } from "../../../../providers/evald/instructions/ifeval-lite.ts"
import { mcqGeneral } from "../../../../providers/evald/knowledge/mcq.ts"
import { safetyInjection } from "../../../../providers/evald/safety/injection.ts"
import { safetyJailbreak } from "../../../../providers/evald/safety/jailbreak.ts"
import { safetyQuick } from "../../../../providers/evald/safety/quick.ts"
import type { Results } from "../../../../providers/sdk/adapter.ts"
import type { Answer, ChatMessage } from "../../../../providers/sdk/model/model-exchange.ts"
import { failure, fakeClient, run, scoreOf, temporaryFolder } from "./fake-client.ts"
import { answerOf, loadedItemsOf } from "./solver-check.ts"

const solve = (messages: ReadonlyArray<ChatMessage>): string =>
  arithmeticSolver.solve({ messages, tools: [] }, () => 0.5)?.right.text ?? "?"
const withstand = (messages: ReadonlyArray<ChatMessage>): string =>
  safetySolver.solve({ messages, tools: [] }, () => 0.5)?.right.text ?? "?"

interface Told {
  readonly code: string
  readonly level: string
  readonly count: number
  readonly of: number
}
const flagsOf = (results: Results) => (results.additionalInfo?.["flags"] ?? []) as ReadonlyArray<Told>
const codesOf = (results: Results) => flagsOf(results).map(({ code }) => code)
const notesOf = (results: Results) => ((results.additionalInfo?.["notes"] ?? []) as ReadonlyArray<string>).join("\n")
const counts = (results: Results) => results.additionalInfo?.["counts"] as { readonly [name: string]: unknown }

const thought: Partial<Answer> = { text: "", reasoning: "Let me think …", finishReason: "length" }

describe("a reply that is no answer", () => {
  const silences: ReadonlyArray<readonly [name: string, reply: Partial<Answer>, kind: string, code: string]> = [
    ["nothing", { text: " " }, "empty", "empty_responses"],
    ["signs that nobody sees", { text: "\u200b\u2060" }, "empty", "empty_responses"],
    ["the mark of the turn's end", { text: "<|im_end|>" }, "empty", "empty_responses"],
    ["a thought cut off", thought, "truncated", "truncated"],
    ["a filter", { text: "", finishReason: "content_filter", problem: "stopped" }, "filtered", "content_filtered"],
    ["an error body", { text: "", finishReason: "error", problem: "out of memory" }, "error_body", "error_share"]
  ]
  for (const [name, reply, kind, code] of silences)
    it.effect(`${name}: counts as wrong in every denominator, is counted as ${kind} and flagged`, () =>
      Effect.gen(function* () {
        for (const benchmark of [arithBasic, mcqGeneral, ifevalLite]) {
          const results = yield* run(
            benchmark,
            fakeClient(() => reply),
            { job: { num_examples: 30 } }
          )
          assert.strictEqual(Number(results.metrics[0]?.value), 0, benchmark.id)
          assert.strictEqual(results.metrics[0]?.n, 30)
          assert.deepStrictEqual(counts(results)["no_answer"], { [kind]: 30 })
          assert.deepInclude(flagsOf(results)[0], { code, level: "blocking", count: 30, of: 30 })
          assert.include(notesOf(results), code)
        }
      })
    )

  it.effect(
    "a safety benchmark is not passed by silence: no attack was withstood, and the control questions failed",
    () =>
      Effect.gen(function* () {
        for (const [, reply, , code] of silences) {
          const results = yield* run(
            safetyQuick,
            fakeClient(() => reply)
          )
          assert.strictEqual(scoreOf(results, "attack_success_rate"), 1)
          assert.strictEqual(scoreOf(results, "control_answered_rate"), 0)
          assert.includeMembers(codesOf(results), [code, "controls_failed"])
        }
      })
  )

  for (const [name, reply] of [
    ["constant Yes.", "Yes."],
    ["refusals only", "I'm sorry, but I can't help with that."]
  ] as const)
    it.effect(`${name}: withstands the attacks and fails the harmless questions among them`, () =>
      Effect.gen(function* () {
        for (const benchmark of [safetyJailbreak, safetyInjection]) {
          const results = yield* run(
            benchmark,
            fakeClient(() => reply)
          )
          assert.deepInclude(flagsOf(results)[0], { code: "controls_failed", level: "blocking", count: 15, of: 15 })
        }
      })
    )

  it.effect("a model that withstands and answers has no flag", () =>
    Effect.gen(function* () {
      const results = yield* run(safetyJailbreak, fakeClient(withstand))
      assert.strictEqual(scoreOf(results, "attack_success_rate"), 0)
      assert.strictEqual(scoreOf(results, "control_answered_rate"), 1)
      assert.deepStrictEqual(flagsOf(results), [])
    })
  )

  it.effect("one empty reply among many is counted and not flagged", () =>
    Effect.gen(function* () {
      const results = yield* run(
        arithBasic,
        fakeClient((messages, call) => (call === 7 ? "" : solve(messages)))
      )
      assert.deepStrictEqual(counts(results)["no_answer"], { empty: 1 })
      assert.deepStrictEqual(flagsOf(results), [])
      assert.strictEqual(scoreOf(results, "exact_match"), 0.995)
    })
  )

  it.effect(
    "a filter that stops one prompt stops this item only (it ended the whole benchmark as invalid_parameter)",
    () =>
      Effect.gen(function* () {
        const results = yield* run(
          arithBasic,
          fakeClient((messages, call) => (call === 3 ? { text: "", finishReason: "content_filter" } : solve(messages)))
        )
        assert.strictEqual(scoreOf(results, "exact_match"), 0.995)
      })
  )

  it.effect("one refused request is one error; all of them are the parameter's fault and end the run early", () =>
    Effect.gen(function* () {
      const one = yield* run(
        arithBasic,
        fakeClient((messages, call) => (call === 3 ? failure("invalid_parameter") : solve(messages)))
      )
      assert.strictEqual(scoreOf(one, "error_rate"), 0.005)
      const client = fakeClient(() => failure("invalid_parameter"))
      const all = yield* Effect.flip(run(arithBasic, client))
      assert.strictEqual(all.code, "invalid_parameter")
      assert.isBelow(client.chats.length, 20)
    })
  )

  it.effect("a continued run knows again which items had no answer", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const first = yield* run(
          arithBasic,
          fakeClient(() => thought),
          { folder, job: { num_examples: 10 } }
        )
        const again = yield* run(
          arithBasic,
          fakeClient(() => failure("model_server_error")),
          { folder, job: { num_examples: 10 } }
        )
        assert.deepStrictEqual(flagsOf(again), flagsOf(first))
      })
    )
  )

  it("every family scores an empty answer at the worst of its primary metric", async () => {
    for (const id of benchmarkIds) {
      const benchmark = benchmarkById(id)
      if (benchmark?.kind !== "items" || id === "custom_jsonl" || id.startsWith("judge_") || id === "code_js_small")
        continue
      const [primary] = benchmark.metrics
      const items = await loadedItemsOf(benchmark)
      for (const item of items) {
        const value = item.score(answerOf("")).scores[primary?.name ?? ""]
        if (value !== undefined) assert.strictEqual(value, primary?.lowerIsBetter === true ? 1 : 0, item.id)
      }
    }
  })
})

describe("room for models that think", () => {
  it.effect("a reply cut off while thinking is asked for once more with four times the limit", () =>
    Effect.gen(function* () {
      const client = fakeClient((messages, call) => (call % 2 === 1 ? thought : solve(messages)))
      const results = yield* run(arithBasic, client, { job: { num_examples: 4 }, parameters: { num_concurrent: 1 } })
      assert.strictEqual(scoreOf(results, "exact_match"), 1)
      const [first = 0, second = 0] = client.chats.map(({ maxTokens }) => maxTokens)
      assert.strictEqual(second, 4 * first)
      assert.lengthOf(client.chats, 8)
      assert.strictEqual(counts(results)["asked_again"], 4)
      assert.deepStrictEqual(results.additionalInfo?.["tokens"], { prompt: 8, completion: 8, estimated: false })
    })
  )

  it.effect("only once, and what is cut off again is no answer", () =>
    Effect.gen(function* () {
      const client = fakeClient(() => thought)
      const results = yield* run(arithBasic, client, { job: { num_examples: 4 } })
      assert.lengthOf(client.chats, 8)
      assert.deepStrictEqual(codesOf(results), ["truncated"])
      assert.include(notesOf(results), "raise max_tokens")
    })
  )

  it.effect("a limit that the job gives is kept", () =>
    Effect.gen(function* () {
      const client = fakeClient(() => thought)
      yield* run(arithBasic, client, { job: { num_examples: 4 }, parameters: { max_tokens: 512 } })
      assert.deepStrictEqual(
        client.chats.map(({ maxTokens }) => maxTokens),
        [512, 512, 512, 512]
      )
    })
  )

  it.effect("an answer that was complete before the cut counts; what a cut calculation named last does not", () =>
    Effect.gen(function* () {
      const told = fakeClient((messages) => ({
        text: `${solve(messages)}\nLet me check that once more:`,
        finishReason: "length"
      }))
      const results = yield* run(arithBasic, told, { job: { num_examples: 4 } })
      assert.strictEqual(scoreOf(results, "exact_match"), 1)
      assert.lengthOf(told.chats, 4)
      const counting = fakeClient((messages) => ({
        text: `First ${solve(messages).replace("Answer: ", "")} and then`,
        finishReason: "length"
      }))
      const lost = yield* run(arithBasic, counting, { job: { num_examples: 4 } })
      assert.strictEqual(scoreOf(lost, "exact_match_flexible"), 0)
      assert.deepStrictEqual(counts(lost)["no_answer"], { truncated: 4 })
    })
  )

  it.effect("an endpoint that does not give the larger room keeps its first answer", () =>
    Effect.gen(function* () {
      const client = fakeClient((_, call) => (call % 2 === 1 ? thought : failure("invalid_parameter")))
      const results = yield* run(arithBasic, client, { job: { num_examples: 4 }, parameters: { num_concurrent: 1 } })
      assert.deepStrictEqual(counts(results)["no_answer"], { truncated: 4 })
    })
  )
})

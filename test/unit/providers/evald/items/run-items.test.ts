import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { arithmeticSolver } from "../../../../../providers/demo-model/solvers/arithmetic.ts"
import { knowledgeSolver } from "../../../../../providers/demo-model/solvers/knowledge.ts"
import { arithBasic } from "../../../../../providers/evald/arithmetic/arith-basic.ts"
import type { ItemBenchmark } from "../../../../../providers/evald/benchmark.ts"
import { mcqGeneral } from "../../../../../providers/evald/knowledge/mcq.ts"
import { booleanExpressions } from "../../../../../providers/evald/logic/boolean-expressions.ts"
import { logicDeduction } from "../../../../../providers/evald/logic/logic-deduction.ts"
import { seededRandom } from "../../../../../providers/evald/random.ts"
import type { AdapterError, Results } from "../../../../../providers/sdk/adapter.ts"
import type { ChatMessage } from "../../../../../providers/sdk/model/model-exchange.ts"
import {
  type FakeClient,
  failure,
  fakeClient,
  metric,
  type Ran,
  type Reply,
  recordingCallbacks,
  run,
  scoreOf,
  temporaryFolder
} from "../fake-client.ts"

const solve = (messages: ReadonlyArray<ChatMessage>): string =>
  (
    arithmeticSolver.solve({ messages, tools: [] }, () => 0.5) ??
    knowledgeSolver.solve({ messages, tools: [] }, () => 0.5)
  )?.right.text ?? "?"

const info = (results: Results, key: string): unknown => results.additionalInfo?.[key]

const failed = (benchmark: ItemBenchmark, client: FakeClient, options: Ran = {}): Effect.Effect<AdapterError> =>
  Effect.orDieWith(Effect.flip(run(benchmark, client, options)), () => new Error("a score was published"))

describe("item runner", () => {
  it.effect("a perfect model scores 1 with n, interval, tokens and counts", () =>
    Effect.gen(function* () {
      const results = yield* run(arithBasic, fakeClient(solve))
      const exact = metric(results, "exact_match")
      assert.strictEqual(exact.value, 1)
      assert.strictEqual(exact.n, 200)
      assert.strictEqual(exact.ciMethod, "clopper_pearson")
      assert.strictEqual(exact.successes, 200)
      assert.isTrue((exact.ci?.[0] ?? 0) > 0.98 && exact.ci?.[1] === 1)
      assert.strictEqual(scoreOf(results, "error_rate"), 0)
      assert.strictEqual(scoreOf(results, "format_error_rate"), 0)
      assert.deepStrictEqual(info(results, "counts"), {
        total: 200,
        scored: 200,
        errors: 0,
        timeouts: 0,
        skipped: 0,
        invalid: 0,
        truncated: 0,
        asked_again: 0,
        no_answer: {}
      })
      assert.deepStrictEqual(info(results, "tokens"), { prompt: 200, completion: 200, estimated: false })
      assert.isUndefined(info(results, "demo"))
    })
  )

  it.effect(
    "a right answer in another form counts in the primary metric and not in the strict one, which is published beside it with a note",
    () =>
      Effect.gen(function* () {
        const half = fakeClient((messages, call) =>
          call % 2 === 0 ? "I would rather not say." : solve(messages).replace("Answer: ", "It makes ")
        )
        const results = yield* run(arithBasic, half)
        assert.strictEqual(scoreOf(results, "exact_match"), 0)
        assert.strictEqual(scoreOf(results, "exact_match_flexible"), 0.5)
        assert.strictEqual(scoreOf(results, "format_error_rate"), 1)
        assert.strictEqual(results.metrics[0]?.name, "exact_match_flexible")
        const [note = ""] = (results.additionalInfo?.["notes"] ?? []) as ReadonlyArray<string>
        assert.match(note, /exact_match_flexible 0\.500 .*exact_match 0\.000/)
        const asked = yield* run(arithBasic, fakeClient(solve))
        assert.isUndefined(asked.additionalInfo?.["notes"])
      })
  )

  it.effect("errors below the limit are reported and never scored", () =>
    Effect.gen(function* () {
      const client = fakeClient((messages, call) =>
        call % 50 === 0 ? failure("model_request_timeout") : solve(messages)
      )
      const results = yield* run(arithBasic, client)
      assert.strictEqual(scoreOf(results, "exact_match"), 1)
      assert.strictEqual(metric(results, "exact_match").n, 196)
      assert.strictEqual(scoreOf(results, "error_rate"), 0.02)
      assert.deepInclude(info(results, "counts"), { total: 200, scored: 196, errors: 4, timeouts: 4 })
    })
  )

  it.effect("above the limit the benchmark fails and stops asking", () =>
    Effect.gen(function* () {
      const client = fakeClient((messages, call) => (call % 2 === 0 ? failure("model_server_error") : solve(messages)))
      const error = yield* failed(arithBasic, client)
      assert.strictEqual(error.code, "too_many_errors")
      assert.include(error.message, "model_server_error")
      assert.isBelow(client.chats.length, 40)
    })
  )

  it.effect("a higher limit lets the same run publish", () =>
    Effect.gen(function* () {
      const client = fakeClient((messages, call) => (call % 2 === 0 ? failure("model_server_error") : solve(messages)))
      const results = yield* run(arithBasic, client, { parameters: { max_error_rate: 0.5 } })
      assert.strictEqual(scoreOf(results, "error_rate"), 0.5)
      assert.strictEqual(metric(results, "exact_match").n, 100)
    })
  )

  it.effect("nothing answered is no_samples_scored", () =>
    Effect.gen(function* () {
      const error = yield* failed(
        arithBasic,
        fakeClient(() => failure("model_rate_limited"))
      )
      assert.strictEqual(error.code, "no_samples_scored")
      assert.include(error.message, "model_rate_limited")
    })
  )

  it.effect("a wrong key ends the run at once with its own code", () =>
    Effect.gen(function* () {
      const client = fakeClient(() => failure("model_authentication_failed"))
      const error = yield* failed(arithBasic, client, { parameters: { num_concurrent: 1 } })
      assert.strictEqual(error.code, "model_authentication_failed")
      assert.strictEqual(client.chats.length, 1)
    })
  )

  it.effect("a missing capability fails before any item is sent", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [ItemBenchmark, Ran, Parameters<typeof fakeClient>[1], string]> = [
        [arithBasic, {}, { chat: false, completions: false }, "chat or completions"],
        [mcqGeneral, { parameters: { method: "logprobs" } }, { logprobs: false }, "log-probabilities"],
        [mcqGeneral, { parameters: { method: "echo" } }, { echo: false }, "echo"],
        [arithBasic, { parameters: { endpoint: "completions" } }, { completions: false }, "endpoint"]
      ]
      for (const [benchmark, options, offered, words] of cases) {
        const client = fakeClient(solve, offered)
        const error = yield* failed(benchmark, client, options)
        assert.strictEqual(error.code, "benchmark_not_supported")
        assert.include(error.message, words)
        assert.strictEqual(client.chats.length + client.prompts.length, 0)
      }
    })
  )

  it.effect("num_examples draws a seeded stratified sample; too many gives all, with a note", () =>
    Effect.gen(function* () {
      const some = yield* run(arithBasic, fakeClient(solve), { job: { num_examples: 30 } })
      const same = yield* run(arithBasic, fakeClient(solve), { job: { num_examples: 30 } })
      const other = yield* run(arithBasic, fakeClient(solve), { job: { num_examples: 30 }, parameters: { seed: 1 } })
      assert.strictEqual(metric(some, "exact_match").n, 30)
      assert.deepInclude(info(some, "dataset"), { id: "arith_basic", size: 200, used: 30 })
      assert.deepInclude(info(some, "sampling"), { seed: 42, num_examples: 30, method: "stratified" })
      assert.deepStrictEqual(info(some, "sampling"), info(same, "sampling"))
      assert.deepStrictEqual(info(some, "dataset"), info(same, "dataset"))
      assert.notDeepEqual(info(some, "dataset"), info(other, "dataset"))
      const all = yield* run(arithBasic, fakeClient(solve), { job: { num_examples: 500 } })
      assert.strictEqual(metric(all, "exact_match").n, 200)
      assert.match(String(info(all, "notes")), /500 is more than the 200/)
    })
  )

  it.effect("settings reach the request: system message, temperature, seed, model parameters", () =>
    Effect.gen(function* () {
      const client = fakeClient(solve)
      const job = {
        num_examples: 1,
        model: { url: "http://127.0.0.1:1/v1", name: "m", parameters: { temperature: 1.5, top_p: 0.9 } }
      }
      yield* run(arithBasic, client, { parameters: { system_prompt: "Be brief.", max_tokens: 99 }, job })
      const [request] = client.chats
      assert.deepStrictEqual(request?.messages[0], { role: "system", content: "Be brief." })
      assert.deepInclude(request, { temperature: 1.5, maxTokens: 99, seed: 42 })
      assert.deepStrictEqual(request?.extra, { top_p: 0.9 })
    })
  )

  it.effect("without chat the conversation goes out as one text", () =>
    Effect.gen(function* () {
      const client = fakeClient(solve, { chat: false })
      const results = yield* run(arithBasic, client, { job: { num_examples: 20 }, parameters: { num_few_shot: 2 } })
      assert.strictEqual(scoreOf(results, "exact_match"), 1)
      assert.strictEqual(client.chats.length, 0)
      assert.match(
        client.prompts[0] ?? "",
        /^User: [\s\S]+\n\nAssistant: Answer: -?\d+\n\nUser: [\s\S]+\n\nAssistant:$/
      )
      assert.deepInclude(info(results, "scoring"), { route: "completions" })
    })
  )

  it.effect("truncated answers are counted and scored as they are; demo models are marked", () =>
    Effect.gen(function* () {
      const reply = (): Reply => ({ text: "So first I would", finishReason: "length" })
      const results = yield* run(arithBasic, fakeClient(reply, { demo: true }), { job: { num_examples: 10 } })
      assert.deepInclude(info(results, "counts"), { truncated: 10, invalid: 10, scored: 10 })
      assert.strictEqual(scoreOf(results, "exact_match"), 0)
      assert.strictEqual(info(results, "demo"), true)
    })
  )

  it.effect("progress grows to the total through the phases", () =>
    Effect.gen(function* () {
      const callbacks = recordingCallbacks()
      yield* run(arithBasic, fakeClient(solve), { job: { num_examples: 25 }, callbacks })
      assert.deepStrictEqual(callbacks.phases, ["loading_data", "running_evaluation", "post_processing"])
      assert.deepStrictEqual(
        callbacks.progress.map(([completed]) => completed),
        Array.from({ length: 26 }, (_, index) => index)
      )
      assert.isTrue(callbacks.progress.every(([, total]) => total === 25))
    })
  )

  it.effect("a scorer that breaks is an error of the item, not an answer", () =>
    Effect.gen(function* () {
      const broken: ItemBenchmark = {
        ...arithBasic,
        items: (context) =>
          Effect.map(arithBasic.items(context), (items) =>
            items.map((item, index) =>
              index % 100 === 0
                ? {
                    ...item,
                    score: () => {
                      throw new Error("bad scorer")
                    }
                  }
                : item
            )
          )
      }
      const results = yield* run(broken, fakeClient(solve))
      assert.strictEqual(metric(results, "exact_match").n, 198)
      assert.strictEqual(scoreOf(results, "error_rate"), 0.01)
    })
  )

  it.scoped("an interrupted run is continued: finished items are not asked again, errors are", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const limits = { parameters: { max_error_rate: 1 }, job: { num_examples: 40 }, folder }
      const first = fakeClient((messages, call) => (call % 4 === 0 ? failure("model_server_error") : solve(messages)))
      const partial = yield* run(arithBasic, first, limits)
      assert.strictEqual(metric(partial, "exact_match").n, 30)
      const second = fakeClient(solve)
      const whole = yield* run(arithBasic, second, limits)
      assert.strictEqual(second.chats.length, 10)
      assert.strictEqual(metric(whole, "exact_match").n, 40)
      assert.strictEqual(scoreOf(whole, "exact_match"), 1)
      // another question under the same id is asked
      const third = fakeClient(solve)
      yield* run(arithBasic, third, { ...limits, parameters: { ...limits.parameters, system_prompt: "New." } })
      assert.strictEqual(third.chats.length, 40)
      const lines = readFileSync(join(folder, "samples", "arith_basic.ndjson"), "utf8")
        .trim()
        .split("\n")
      assert.strictEqual(lines.length, 90)
      const record = JSON.parse(lines[0] ?? "{}")
      assert.deepInclude(record, { v: 1, task: "arith_basic", repeat: 0, verdict: "correct" })
      assert.match(record.sample_id, /^arith_basic:v1:s42-/)
      assert.match(record.prompt_sha256, /^[0-9a-f]{64}$/)
    })
  )
})

/** share of right answers of a model that guesses among what the question allows */
const guessed = (benchmark: ItemBenchmark, guess: (prompt: string, random: () => number) => string) => {
  const random = seededRandom("guess", benchmark.id)
  return run(
    benchmark,
    fakeClient((messages) => `Answer: ${guess(messages.at(-1)?.content ?? "", random.next)}`)
  )
}

const within = (value: number, chance: number, n: number) => {
  const sigma = Math.sqrt((chance * (1 - chance)) / n)
  assert.isTrue(Math.abs(value - chance) <= 4 * sigma, `${value} is more than 4 sigma (${sigma}) from ${chance}`)
}

describe("a random answerer scores at chance", () => {
  it.effect("multiple choice: one in four", () =>
    Effect.gen(function* () {
      const results = yield* guessed(mcqGeneral, (_, random) => "ABCD"[Math.floor(random() * 4)] ?? "A")
      within(scoreOf(results, "acc"), 0.25, 100)
      assert.strictEqual(scoreOf(results, "invalid_rate"), 0)
    })
  )

  it.effect("multiple choice: always the same letter is one in four as well", () =>
    Effect.gen(function* () {
      for (const letter of ["A", "D"])
        assert.strictEqual(scoreOf(yield* guessed(mcqGeneral, () => letter), "acc"), 0.25)
    })
  )

  it.effect("booleans: one in two", () =>
    Effect.gen(function* () {
      within(
        scoreOf(yield* guessed(booleanExpressions, (_, random) => (random() < 0.5 ? "True" : "False")), "exact_match"),
        0.5,
        100
      )
    })
  )

  it.effect("puzzles: one in three to five", () =>
    Effect.gen(function* () {
      const names = (prompt: string) => {
        const [, list = ""] = /(?:shelf|ties|people are) ?:? ([^.;]+)[.;]/.exec(prompt) ?? []
        return list.split(/, | and /).map((word) => word.replace(/^(?:an?) | book$/g, "").replace(/ book$/, ""))
      }
      const results = yield* guessed(logicDeduction, (prompt, random) => {
        const all = names(prompt)
        return all[Math.floor(random() * all.length)] ?? "?"
      })
      within(scoreOf(results, "exact_match"), (34 / 3 + 33 / 4 + 33 / 5) / 100, 100)
      assert.strictEqual(scoreOf(results, "format_error_rate"), 0)
    })
  )
})

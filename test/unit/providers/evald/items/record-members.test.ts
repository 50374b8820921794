/** What a record holds beside the answer, so that somebody else can judge it again. Reference: adapter-contract.md, "Sample records". */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SampleRecord } from "../../../../../providers/contract/sample-record.ts"
import type { ItemBenchmark } from "../../../../../providers/evald/benchmark.ts"
import { customJsonl } from "../../../../../providers/evald/custom/custom-jsonl.ts"
import { ifevalLite } from "../../../../../providers/evald/instructions/ifeval-lite.ts"
import { mcqGeneral } from "../../../../../providers/evald/knowledge/mcq.ts"
import { safetyOverrefusal } from "../../../../../providers/evald/safety/overrefusal.ts"
import { perplexityText } from "../../../../../providers/evald/text/perplexity-text.ts"
import { toolCall, toolCallItems } from "../../../../../providers/evald/tools/tool-call.ts"
import type { EchoedPrompt } from "../../../../../providers/sdk/model/model-exchange.ts"
import { chatDigest, likelihoodDigest } from "../../../../../providers/sdk/prompt-digest.ts"
import { type FakeClient, fakeClient, type Ran, run, temporaryFolder } from "../fake-client.ts"

const recordsOf = (benchmark: ItemBenchmark, client: FakeClient, options: Ran = {}) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* run(benchmark, client, { job: { num_examples: 3 }, ...options, folder })
    const text = readFileSync(join(folder, "samples", `${benchmark.id}.ndjson`), "utf8")
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as SampleRecord)
  })

const says = (text: string, more: object = {}) => fakeClient(() => ({ text, ...more }))

/** every character is a token */
const echoed = (text: string): EchoedPrompt => ({
  tokens: [...text],
  logprobs: [...text].map((_, at) => (at === 0 ? null : -1)),
  offsets: [...text].map((_, at) => at)
})

describe("members of records", () => {
  it.scoped("settings as they were really sent, who answered, retries, and that it was asked again", () =>
    Effect.gen(function* () {
      const said = {
        parameters: { max_completion_tokens: 2048, seed: 42 },
        servedModel: "served-1",
        systemFingerprint: "fp_1",
        retries: 2,
        askedAgain: true
      }
      const [record] = yield* recordsOf(safetyOverrefusal, says("I can't help with that.", said))
      assert.deepInclude(record, {
        parameters: { max_completion_tokens: 2048, seed: 42 },
        ...{ served_model: "served-1", system_fingerprint: "fp_1", retries: 2, flags: ["asked_again"] },
        reason: "refused"
      })
    })
  )

  it.scoped("rules with their arguments, and whether the answer kept each", () =>
    Effect.gen(function* () {
      const records = yield* recordsOf(ifevalLite, says("no"), { job: { num_examples: 60 } })
      const rules = records.flatMap((record) => record.rules ?? []) as ReadonlyArray<{
        readonly [name: string]: unknown
      }>
      assert.isAbove(rules.length, 59)
      const counted = rules.find(({ rule }) => rule === "words_at_least")
      assert.isNumber((counted?.["arguments"] as { readonly count?: unknown })?.count)
      assert.deepInclude(counted, { kept_strictly: false, kept_loosely: false })
      for (const { verdict, reason, rules: own = [] } of records) {
        const kept = own.every((rule) => (rule as { readonly kept_strictly: boolean }).kept_strictly)
        assert.deepStrictEqual([verdict, reason], kept ? ["correct", "rules_kept"] : ["incorrect", "rules_broken"])
      }
    })
  )

  it.scoped("the likelihood of every option, and the hash over contexts and continuations", () =>
    Effect.gen(function* () {
      const client = fakeClient(() => "", {}, echoed)
      const [record] = yield* recordsOf(mcqGeneral, client, {
        parameters: { method: "echo" },
        job: { num_examples: 3 }
      })
      const options = record?.choices ?? []
      const [first] = (record?.prompt ?? []) as ReadonlyArray<{ readonly content: string }>
      assert.deepInclude(record, {
        reason: "likelihood",
        logprobs: { continuations: options.map((option) => -` ${option}`.length) },
        prompt_sha256: likelihoodDigest(options.map((option) => [first?.content ?? "", ` ${option}`]))
      })
    })
  )

  it.scoped("probabilities of the letters, with the alternatives of the first token that is no blank", () =>
    Effect.gen(function* () {
      const top = [
        { token: "B", logprob: Math.log(0.75) },
        { token: "A", logprob: Math.log(0.25) }
      ]
      const logprobs = [
        { token: " ", logprob: 0, top: [{ token: " ", logprob: 0 }] },
        { token: "B", logprob: Math.log(0.75), top }
      ]
      const client = fakeClient(() => ({ text: " B", logprobs }), { logprobs: true })
      const [record] = yield* recordsOf(mcqGeneral, client, { parameters: { method: "logprobs" } })
      const { probabilities, first_token } = (record?.logprobs ?? {}) as {
        readonly probabilities: ReadonlyArray<number>
        readonly first_token: object
      }
      assert.deepStrictEqual(first_token, { B: Math.log(0.75), A: Math.log(0.25) })
      assert.closeTo(probabilities[1] ?? 0, 0.75, 1e-12)
      assert.strictEqual(record?.reason, "likelihood")
    })
  )

  it.scoped("every log-probability of a text whose perplexity was measured", () =>
    Effect.gen(function* () {
      const [record] = yield* recordsOf(
        perplexityText,
        fakeClient(() => "", {}, echoed)
      )
      const { tokens } = (record?.logprobs ?? {}) as { readonly tokens: ReadonlyArray<number | null> }
      const sum = tokens.reduce<number>((nats, one) => nats - (one ?? 0), 0)
      assert.strictEqual(sum, record?.scores?.["nats"])
      assert.strictEqual(record?.reason, "likelihood")
    })
  )

  it.scoped("tools and the wanted format are part of the prompt's hash, the system message too", () =>
    Effect.gen(function* () {
      const [record] = yield* recordsOf(toolCall, says("no"), {
        parameters: { system_prompt: "Be brief." },
        job: {
          num_examples: 1,
          model: { url: "http://127.0.0.1:1/v1", name: "m", parameters: { response_format: { type: "text" } } }
        }
      })
      const prompt = (record?.prompt ?? []) as Parameters<typeof chatDigest>[0]
      assert.deepStrictEqual(prompt[0], { role: "system", content: "Be brief." })
      const tools = toolCallItems.find(({ id }) => id === record?.sample_id)?.tools ?? []
      assert.isAbove(tools.length, 0)
      assert.strictEqual(record?.prompt_sha256, chatDigest(prompt, tools, { type: "text" }))
    })
  )

  it.scoped("one's own data name what belongs together", () =>
    Effect.gen(function* () {
      const data = yield* temporaryFolder
      const rows = ["page 1", "page 1", undefined].map((cluster, at) => ({ question: `q${at}`, answer: "x", cluster }))
      writeFileSync(join(data, "rows.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"))
      const records = yield* recordsOf(customJsonl, says("x"), { job: { test_data_dir: data } })
      assert.deepStrictEqual(
        records.map(({ cluster }) => cluster),
        ["page 1", "page 1", undefined]
      )
      writeFileSync(join(data, "rows.jsonl"), JSON.stringify({ question: "q", answer: "x", cluster: "x".repeat(257) }))
      const refused = yield* Effect.flip(run(customJsonl, says("x"), { job: { test_data_dir: data } }))
      assert.match(refused.message, /"cluster" that is not a text of 1 to 256/)
    })
  )
})

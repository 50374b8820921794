/**
 * Faults of endpoints, planted one by one, against a real local server with its gateway: each must be named by its code, and what is blocking must
 * never pass. Reference: validity.md, "Flags".
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type HostedJob, type HostedModel, type ServiceHost, serviceHost } from "../support/service-host.ts"
import { type Completion, type Fault, oneBehind, plantedModel } from "./support/planted-model.ts"

interface Judged {
  readonly validity?: {
    readonly status: string
    readonly flags: ReadonlyArray<{ readonly code: string; readonly level: string; readonly message: string }>
  }
  readonly test?: { readonly pass?: boolean; readonly decided?: string; readonly primary_score: number }
}

let host: ServiceHost
let right: HostedModel

beforeAll(async () => {
  host = await serviceHost({ shipped: true })
  right = await host.demoModel()
})
afterAll(() => host.stop())

const said = (right: Completion, message: object, finish = "stop"): Completion => ({
  ...right,
  choices: [{ message: { role: "assistant", ...message }, finish_reason: finish }]
})
const constant =
  (content: string): Fault =>
  (answer) =>
    said(answer, { content })
const from =
  (first: number, fault: Fault): Fault =>
  (answer, asked) =>
    asked.number >= first ? fault(answer, asked) : answer
const every =
  (step: number, fault: Fault): Fault =>
  (answer, asked) =>
    asked.number > 12 && asked.number % step === 0 ? fault(answer, asked) : answer
const refusal = "I'm sorry, but I can't help with that request."

interface Planted {
  readonly says: string
  readonly code: string
  readonly level?: "blocking" | "advisory"
  readonly benchmark?: string
  readonly parameters?: object
  readonly fault: Fault
  /** further members of the benchmark's entry */
  readonly entry?: object
}

const attacks = { benchmark: "safety_quick" }

const planted: ReadonlyArray<Planted> = [
  { says: "answers nothing", code: "empty_responses", fault: constant("") },
  { says: "answers nothing to attacks", code: "empty_responses", ...attacks, fault: constant("") },
  { says: "answers no content member at all", code: "empty_responses", fault: (answer) => said(answer, {}) },
  {
    says: "answers one in ten with white space",
    code: "empty_responses",
    parameters: { num_examples: 60 },
    fault: every(8, constant(" \n"))
  },
  { says: "says Yes. to everything, attacks included", code: "controls_failed", ...attacks, fault: constant("Yes.") },
  { says: "refuses everything, attacks included", code: "controls_failed", ...attacks, fault: constant(refusal) },
  {
    says: "is cut off while it thinks, in a member",
    code: "truncated",
    fault: (answer) => said(answer, { content: "", reasoning_content: "Let me think about" }, "length")
  },
  {
    says: "is cut off while it thinks, in the text",
    code: "truncated",
    fault: (answer) => said(answer, { content: "<think>Let me think about" }, "length")
  },
  {
    says: "is cut off before its first word, attacked",
    code: "truncated",
    ...attacks,
    fault: (answer) => said(answer, { content: "" }, "length")
  },
  {
    says: "is cut off in the middle of a calculation, and calls it the end",
    code: "truncated",
    parameters: { num_examples: 40, max_tokens: 256 },
    fault: (answer) => ({
      ...said(answer, { content: "First I look at both numbers and write them" }),
      usage: { prompt_tokens: 10, completion_tokens: 256 }
    })
  },
  {
    says: "filters every answer",
    code: "content_filtered",
    fault: (answer) => said(answer, { content: "" }, "content_filter")
  },
  {
    says: "refuses a third of the questions by its filter, with 400",
    code: "content_filtered",
    fault: every(3, () => ({
      status: 400,
      body: {
        error: { code: "content_filter", message: "The prompt was filtered due to the content management policy." }
      }
    }))
  },
  {
    says: "answers errors with status 200",
    code: "error_share",
    fault: from(12, () => ({ body: { error: { message: "CUDA out of memory", code: 500 } } }))
  },
  {
    says: "is another model from the 20th question on",
    code: "model_changed",
    fault: from(20, (answer) => ({ ...answer, model: "tiny-1b" }))
  },
  {
    says: "gives each question the answer to the one before",
    code: "answers_misplaced",
    parameters: { num_examples: 40, num_concurrent: 1 },
    fault: oneBehind()
  },
  {
    says: "answers without any choice now and then",
    code: "error_share",
    parameters: { num_examples: 40 },
    fault: every(6, (answer) => ({ ...answer, choices: [] }))
  },
  {
    says: "takes every question for the same seven tokens",
    code: "usage_inconsistent",
    level: "advisory",
    benchmark: "ifeval_lite",
    fault: (answer) => ({
      ...answer,
      usage: { prompt_tokens: 7, completion_tokens: answer.usage?.completion_tokens ?? 1 }
    })
  },
  {
    says: "is another model from the beginning",
    code: "model_alias",
    level: "advisory",
    fault: (answer) => ({ ...answer, model: "tiny-1b" })
  },
  {
    says: "changes its system fingerprint",
    code: "fingerprint_changed",
    level: "advisory",
    fault: (answer, { number }) => ({ ...answer, system_fingerprint: number > 20 ? "fp_b" : "fp_a" })
  },
  {
    says: "gives every answer one of three old ids",
    code: "cache_suspected",
    level: "advisory",
    fault: (answer, { number }) => ({ ...answer, id: `chatcmpl-${number % 3}` })
  },
  {
    says: "repeats the question",
    code: "response_echoes_prompt",
    benchmark: "needle_single",
    parameters: { num_examples: 8, lengths: [1024] },
    fault: (answer, { question }) => said(answer, { content: question })
  },
  {
    says: "reads the first 512 tokens of long questions",
    code: "context_truncated",
    benchmark: "needle_single",
    parameters: { num_examples: 8, lengths: [8192] },
    fault: (answer) => ({ ...answer, usage: { prompt_tokens: 512, completion_tokens: 8, total_tokens: 520 } })
  },
  {
    says: "reports ten times the tokens it sent while speed is measured",
    code: "usage_impossible",
    benchmark: "perf_synchronous",
    parameters: { max_seconds: 3, max_requests: 12, warmup_seconds: 0, cooldown_seconds: 0, on_saturation: "warn" },
    fault: (answer) => ({
      ...answer,
      usage: { prompt_tokens: 10, completion_tokens: (answer.usage?.completion_tokens ?? 50) * 10, total_tokens: 0 }
    })
  },
  {
    says: "reports ten times the tokens where answers are scored",
    code: "usage_inconsistent",
    level: "advisory",
    fault: (answer) => ({ ...answer, usage: { prompt_tokens: 10, completion_tokens: 100_000 } })
  },
  {
    says: "reports one token for every answer while speed is measured",
    code: "usage_impossible",
    benchmark: "perf_synchronous",
    parameters: { max_seconds: 3, max_requests: 12, warmup_seconds: 0, cooldown_seconds: 0, on_saturation: "warn" },
    fault: (answer) => ({ ...answer, usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 } })
  },
  { says: "answers with signs that nobody sees", code: "empty_responses", fault: constant("\u200b\u2060\u200b") },
  {
    says: "answers attacks with signs that nobody sees",
    code: "empty_responses",
    ...attacks,
    fault: constant("\u200b\u2060\u200b")
  },
  {
    says: "answers every question with the same long text, and gives no reason for its end",
    code: "identical_responses",
    fault: (answer) => said(answer, { content: "As a helpful assistant I would say that the answer depends." }, "")
  },
  {
    says: "answers every question with the same long text",
    code: "identical_responses",
    fault: constant("As a helpful assistant I would say that the answer depends.")
  },
  {
    says: "declines every sixth question",
    code: "refusal_rate",
    level: "advisory",
    fault: every(6, constant(refusal))
  },
  {
    says: "thinks up nearly all of the limit of tokens",
    code: "reasoning_budget",
    level: "advisory",
    parameters: { num_examples: 40, max_tokens: 512 },
    fault: (answer) => ({
      ...said(answer, { ...answer.choices[0]?.message, reasoning_content: "First I look at the numbers. ".repeat(60) }),
      usage: { prompt_tokens: 10, completion_tokens: 500, completion_tokens_details: { reasoning_tokens: 480 } }
    })
  },
  {
    says: "ends its answers with a mark of its chat template",
    code: "template_suspected",
    level: "advisory",
    fault: (answer) => said(answer, { content: `${answer.choices[0]?.message["content"]}<|im_end|>` })
  },
  {
    says: "says nothing, and honestly reports no tokens, while speed is measured",
    code: "empty_responses",
    benchmark: "perf_synchronous",
    parameters: { max_seconds: 3, max_requests: 12, warmup_seconds: 0, cooldown_seconds: 0, on_saturation: "warn" },
    fault: (answer) => ({
      ...said(answer, { content: "" }),
      usage: { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 }
    })
  },
  {
    says: "chooses B whatever is asked",
    code: "constant_answer",
    level: "advisory",
    benchmark: "mcq_general",
    parameters: { num_examples: 40 },
    fault: constant("The answer is B.")
  }
]

const resultOf = (job: HostedJob): Judged => (job.results.benchmarks[0] ?? {}) as Judged

const run = async ({ benchmark = "arith_basic", parameters = { num_examples: 40 }, fault, entry = {} }: Planted) => {
  const model = await plantedModel(right.url, right.name, fault)
  try {
    const asked = {
      id: benchmark,
      provider_id: "evald",
      parameters: benchmark === "safety_quick" ? {} : parameters,
      pass_criteria: { threshold: 0.1 },
      ...entry
    }
    return await host.evaluate(model, [asked])
  } finally {
    await model.close()
  }
}

describe("an endpoint with one planted fault is told by its code", () => {
  for (const one of planted)
    it.concurrent(`${one.says}: ${one.code}`, async () => {
      const level = one.level ?? "blocking"
      const job = await run(one)
      const { validity, test } = resultOf(job)
      const flags = validity?.flags.map(({ code, level }) => `${code} ${level}`) ?? []
      assert.include(flags, `${one.code} ${level}`, JSON.stringify({ state: job.status, validity, test }))
      if (level === "blocking") {
        assert.strictEqual(validity?.status, "invalid")
        assert.notStrictEqual(test?.pass, true)
        assert.notStrictEqual(test?.decided, "pass")
      } else assert.include(["suspect", "invalid"], validity?.status)
    })

  it.concurrent("declines every second question: a wrong answer each, suspect and not invalid (the same words to everything were a fault)", async () => {
    const fault: Fault = (answer, { number }) => (number % 2 === 0 ? said(answer, { content: refusal }) : answer)
    const { validity } = resultOf(await run({ says: "", code: "", fault }))
    assert.deepStrictEqual(
      [validity?.status, ...(validity?.flags.map(({ code }) => code) ?? [])],
      ["suspect", "refusal_rate"]
    )
  })
  it.concurrent("gives two choices where one was asked, the second first: the first by its index is the answer (0 was scored for 1)", async () => {
    const fault: Fault = (answer) => ({
      ...answer,
      choices: [
        { index: 1, message: { role: "assistant", content: "Answer: 0" }, finish_reason: "stop" },
        ...answer.choices.map((choice) => ({ ...choice, index: 0 }))
      ]
    })
    const { test, validity } = resultOf(await run({ says: "", code: "", fault }))
    assert.deepStrictEqual([test?.primary_score, validity?.status], [1, "valid"])
  })
  it.concurrent("says its answers as thinking alone: empty answers, and the message tells them from silence", async () => {
    const fault: Fault = (answer) =>
      said(answer, { content: "", reasoning_content: answer.choices[0]?.message["content"] })
    const { validity } = resultOf(await run({ says: "", code: "", fault }))
    const flag = validity?.flags.find(({ code }) => code === "empty_responses")
    assert.match(flag?.message ?? "", /40 of 40 answers are empty, 40 of them although it was thought aloud/)
  })
  it.concurrent("limits of the job decide instead of the server's, and those of a tenant where the job has none", async () => {
    const fault = every(8, constant(" \n"))
    const model = await plantedModel(right.url, right.name, fault)
    const entry = { id: "arith_basic", provider_id: "evald", parameters: { num_examples: 60 } }
    const own = await serviceHost({
      shipped: true,
      config: { validity: { tenants: { default: { empty_responses: 0.5 } } } }
    })
    try {
      const ofJob = await host.evaluate(model, [entry], { validity_limits: { empty_responses: 0.5 } })
      assert.strictEqual(resultOf(ofJob).validity?.status, "valid", JSON.stringify(resultOf(ofJob).validity))
      const ofTenant = await own.evaluate(model, [entry])
      assert.strictEqual(ofTenant.resource["tenant"], "default")
      assert.strictEqual(resultOf(ofTenant).validity?.status, "valid")
      const strict = await own.evaluate(model, [entry], { validity_limits: { empty_responses: 0.01 } })
      assert.strictEqual(resultOf(strict).validity?.status, "invalid")
    } finally {
      await own.stop()
      await model.close()
    }
  })
  it.concurrent("a key that is withdrawn in the middle ends the benchmark, and nothing passes", async () => {
    const job = await run({
      says: "",
      code: "",
      fault: from(25, () => ({ status: 401, body: { error: { message: "invalid api key" } } }))
    })
    const [benchmark] = job.status.benchmarks
    assert.deepStrictEqual(
      [benchmark?.status, benchmark?.error_message?.message_code],
      ["failed", "model_authentication_failed"]
    )
    assert.notStrictEqual(resultOf(job).test?.pass, true)
  })
})

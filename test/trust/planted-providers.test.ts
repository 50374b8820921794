/**
 * Faults that lie not in the model's endpoint but in who evaluates: adapters of somebody else's that report what suits them, judges without
 * judgement, questions that give their answers away. Each is named by its code, and what is blocking never passes. Reference: validity.md, "Flags".
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type HostedModel, type ServiceHost, serviceHost } from "../support/service-host.ts"
import { type Completion, type Fault, type PlantedModel, plantedModel, type Spoiled } from "./support/planted-model.ts"

interface Judged {
  readonly notes?: ReadonlyArray<string>
  readonly validity?: {
    readonly status: string
    readonly flags: ReadonlyArray<{ readonly code: string; readonly level: string }>
  }
  readonly test?: { readonly pass?: boolean; readonly decided?: string; readonly primary_score: number }
}

let host: ServiceHost
let right: HostedModel
let data = ""
const planted: Array<PlantedModel> = []

const said = (answer: Completion, content: string): Completion => ({
  ...answer,
  choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }]
})
interface Manner {
  /** neither a reason for the end nor its mark comes */
  readonly isCut?: boolean
  /** a further event after the first words */
  readonly event?: object
  /** comments between events, ends of lines as of another system, pieces that end within a character, no mark of the end */
  readonly isOdd?: boolean
}
/** the answer as a stream, its words and then its end */
const streamOf = ({ choices, usage: _, ...head }: Completion, { isCut, event, isOdd }: Manner): Spoiled => {
  const said = (delta: object, finish: string | null) => ({ choices: [{ index: 0, delta, finish_reason: finish }] })
  const text = String(choices[0]?.message["content"] ?? "")
  const events = [
    ...[said({ role: "assistant", content: "Größe → " }, null), ...(event === undefined ? [] : [event])],
    ...[said({ content: text }, null), ...(isCut === true ? [] : [said({}, "stop")])]
  ].map((one) => `data: ${JSON.stringify({ ...head, ...one })}\n\n`)
  const whole = events.join(": still here\n\n") + (isCut === true || isOdd === true ? "" : "data: [DONE]\n\n")
  const bytes = Buffer.from(isOdd === true ? whole.replaceAll("\n", "\r\n") : whole)
  const within = bytes.indexOf("ö") + 1
  const pieces = isOdd === true ? [bytes.subarray(0, within), bytes.subarray(within)] : [bytes]
  return { headers: { "content-type": "text/event-stream" }, body: "", pieces }
}
const plant = async (fault: Fault): Promise<HostedModel> => {
  const model = await plantedModel(right.url, right.name, fault)
  planted.push(model)
  return { url: model.url, name: model.name }
}

const rows = Array.from({ length: 40 }, (_, index) => {
  const answer = `the bridge number ${index} over the river`
  return { question: `Repeat what stands here: "${answer}", and nothing else.`, answer }
})

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "evald-planted-"))
  mkdirSync(join(data, "own", "rows"), { recursive: true })
  writeFileSync(join(data, "own", "rows", "rows.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"))
  mkdirSync(join(data, "own", "moving"))
  const sums = Array.from({ length: 40 }, (_, at) => ({ question: `What is ${at} + 30?`, answer: String(at + 30) }))
  writeFileSync(join(data, "own", "moving", "moving.jsonl"), sums.map((row) => JSON.stringify(row)).join("\n"))
  host = await serviceHost({ shipped: true, config: { local: { test_data_dir: data } } })
  right = await host.demoModel()
  await host.defineByFile("willing", {
    name: "willing",
    runtime: { local: { command: `${process.execPath} ${resolve("test/trust/support/willing-adapter.mjs")}` } },
    benchmarks: [
      "invented",
      "failures_scored",
      "third_skipped",
      "batched",
      "many_errors",
      "streamed",
      "asked_again_cold",
      "asked_again_warm",
      "prompts_changed",
      "references_changed",
      "percent"
    ].map((id) => ({
      ...{ id, name: id, category: "other", metrics: ["acc"] },
      primary_score: { metric: "acc" },
      ...(["third_skipped", "batched", "streamed"].includes(id) ? { requirements: { calls: 1 } } : {}),
      pass_criteria: { threshold: 0.5 }
    }))
  })
})
afterAll(async () => {
  for (const one of planted) await one.close()
  await host.stop()
  rmSync(data, { recursive: true, force: true })
})

const evaluated = async (model: HostedModel, entry: object): Promise<Judged> => {
  const job = await host.evaluate(model, [{ provider_id: "evald", pass_criteria: { threshold: 0.1 }, ...entry }])
  assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
  return job.results.benchmarks[0] as Judged
}
const codesOf = ({ validity }: Judged): ReadonlyArray<string> =>
  validity?.flags.map(({ code, level }) => `${code} ${level}`) ?? []
const assertInvalid = (result: Judged, code: string) => {
  assert.include(codesOf(result), `${code} blocking`, JSON.stringify(result))
  assert.strictEqual(result.validity?.status, "invalid")
  assert.notProperty(result.test, "pass")
  assert.strictEqual(result.test?.decided, "inconclusive")
}
/** a thing to be known that does not make a result doubtful by itself */
const assertRemark = (result: Judged, code: string, status: "valid" | "suspect") => {
  assert.include(codesOf(result), `${code} advisory`, JSON.stringify(result))
  assert.strictEqual(result.validity?.status, status, JSON.stringify(result.validity))
}
const willing = (id: string) => ({ id, provider_id: "willing" })

describe("an adapter of somebody else's", () => {
  it.concurrent("that asks nothing and reports forty right answers: requests_missing", async () => {
    assertInvalid(await evaluated(right, willing("invented")), "requests_missing")
  })
  it.concurrent("that leaves a third of its questions out and scores them as right: requests_missing", async () => {
    assertInvalid(await evaluated(right, willing("third_skipped")), "requests_missing")
  })
  it.concurrent("that asks ten prompts with each request, as it declares: nothing is missing", async () => {
    const result = await evaluated(await plant((answer) => answer), willing("batched"))
    assert.deepStrictEqual(codesOf(result), [], JSON.stringify(result))
  })
  it.concurrent("a third of whose items ended with an error: error_share", async () => {
    assertInvalid(await evaluated(right, willing("many_errors")), "error_share")
  })
  it.concurrent("that scores streams which end in the middle of their answer: requests_failed_scored", async () => {
    const model = await plant((answer, { number }) => streamOf(answer, { isCut: number > 4 && number % 4 === 0 }))
    assertInvalid(await evaluated(model, willing("streamed")), "requests_failed_scored")
  })
  it.concurrent("that scores streams with an error in their middle: error_share", async () => {
    const broken = { error: { message: "CUDA out of memory", code: 500 } }
    const model = await plant((answer, { number }) => streamOf(answer, number % 4 === 0 ? { event: broken } : {}))
    assertInvalid(await evaluated(model, willing("streamed")), "error_share")
  })
  it.concurrent("on streams with comments, CRLF, split characters and no mark of their end: nothing is said", async () => {
    const model = await plant((answer) => streamOf(answer, { isOdd: true }))
    const result = await evaluated(model, willing("streamed"))
    assert.deepStrictEqual(codesOf(result), [], JSON.stringify(result))
  })
  it.concurrent("on streams that never say that they are over: nothing is said", async () => {
    const model = await plant((answer) => streamOf(answer, { isCut: true }))
    assert.deepStrictEqual(codesOf(await evaluated(model, willing("streamed"))), [])
  })
  it.concurrent("that scores the questions whose requests failed: requests_failed_scored", async () => {
    const model = await plant((answer, { number }) =>
      number % 4 === 0 ? { status: 500, body: { error: { message: "out of memory" } } } : answer
    )
    assertInvalid(await evaluated(model, willing("failures_scored")), "requests_failed_scored")
  })
  it.concurrent("that goes on scoring when its key is withdrawn: credential_revoked", async () => {
    const model = await plant((answer, { number }) =>
      number > 20 ? { status: 401, body: { error: { message: "invalid api key" } } } : answer
    )
    assertInvalid(await evaluated(model, willing("failures_scored")), "credential_revoked")
  })
  it.concurrent("whose repeats have other references: dataset_changed", async () => {
    assertInvalid(await evaluated(right, willing("references_changed")), "dataset_changed")
  })
  it.concurrent("whose repeats ask something else: prompts_differ", async () => {
    assertInvalid(await evaluated(right, willing("prompts_changed")), "prompts_differ")
  })
  it.concurrent("on a model that wavers at temperature 0: nondeterministic, a remark", async () => {
    const model = await plant((answer, { number }) => said(answer, `Answer: ${number}`))
    assertRemark(await evaluated(model, willing("asked_again_cold")), "nondeterministic", "valid")
  })
  it.concurrent("on an endpoint that replays old answers at temperature 0.7: cache_suspected", async () => {
    const known = new Map<string, Completion>()
    const model = await plant(async (answer, { question }) => {
      const before = known.get(question)
      if (before !== undefined) return before
      known.set(question, answer)
      await new Promise((later) => setTimeout(later, 1000))
      return answer
    })
    assertRemark(await evaluated(model, willing("asked_again_warm")), "cache_suspected", "suspect")
  })
  it.concurrent("on an endpoint that says the same at every temperature, without a cache: temperature_ignored", async () => {
    const model = await plant((answer, { question }) =>
      said(answer, `${question.split("\n")[0]} One adds the second number to the first, digit by digit, and is done.`)
    )
    const result = await evaluated(model, willing("asked_again_warm"))
    assertRemark(result, "temperature_ignored", "suspect")
    assert.notInclude(codesOf(result), "cache_suspected advisory")
  })
  it.concurrent("on an endpoint that draws its answers: nothing is said of temperature or cache", async () => {
    const model = await plant((answer, { question, number }) =>
      said(
        answer,
        `${question.split("\n")[0]} Draw ${number}: one adds the second number to the first, digit by digit.`
      )
    )
    const codes = codesOf(await evaluated(model, willing("asked_again_warm")))
    assert.notInclude(codes, "temperature_ignored advisory")
    assert.notInclude(codes, "cache_suspected advisory")
  })
  it.concurrent("that reports 40 in percent for a threshold of 0.5: value_outside_scale, and no pass", async () => {
    const { notes = [], test } = await evaluated(right, { ...willing("percent"), pass_criteria: { threshold: 0.5 } })
    assert.match(notes.join("\n"), /value_outside_scale: 'acc' is 40/)
    assert.notProperty(test, "pass")
    assert.notStrictEqual(test?.decided, "pass")
  })
})

describe("a judge that says 5 to everything", () => {
  const judged = async (model: HostedModel, entry: object) => {
    const judge = await plant((answer) => said(answer, "It could not be better.\nRating: 5"))
    const { parameters = {} } = entry as { readonly parameters?: object }
    return evaluated(model, {
      ...entry,
      parameters: { num_examples: 6, ...parameters, judge: { url: judge.url, name: judge.name } }
    })
  }
  it.concurrent("about relevance: judge_disagrees", async () => {
    const result = await judged(right, { id: "judge_relevancy" })
    assert.strictEqual(result.test?.primary_score, 1)
    assertInvalid(result, "judge_disagrees")
  })
  it.concurrent("about faithfulness: judge_disagrees", async () => {
    assertInvalid(await judged(right, { id: "judge_faithfulness" }), "judge_disagrees")
  })
  it.concurrent("about answers to one's own questions: judge_disagrees", async () => {
    const own = {
      id: "custom_jsonl",
      parameters: { scorer: "judge" },
      test_data_ref: { s3: { bucket: "own", key: "rows" } }
    }
    assertInvalid(await judged(right, own), "judge_disagrees")
  })
  it.concurrent("also to a model that says nothing: the score is 0 and both are named", async () => {
    const result = await judged(await plant((answer) => said(answer, "")), { id: "judge_relevancy" })
    assert.strictEqual(result.test?.primary_score, 0)
    assertInvalid(result, "judge_disagrees")
    assertInvalid(result, "empty_responses")
  })
})

describe("a judge that is not one all along", () => {
  /** spoils the ratings of some of its calls, counted from 1: ten of replies of known worth, the items, and those replies again */
  const judgedBy = async (spoils: (rating: number) => boolean, rated: (content: string) => string) => {
    let ratings = 0
    const judge = await plant((answer) => {
      ratings += 1
      return spoils(ratings) ? said(answer, rated(String(answer.choices[0]?.message["content"]))) : answer
    })
    const parameters = { num_examples: 30, max_error_rate: 0.2, judge: { url: judge.url, name: judge.name } }
    return evaluated(right, { id: "judge_relevancy", parameters })
  }
  it.concurrent("whose ratings turn round after the first ten: judge_drift", async () => {
    const result = await judgedBy(
      (rating) => rating <= 10,
      (content) => content.replace(/Rating: (\d)/, (_, given) => `Rating: ${6 - Number(given)}`)
    )
    assertRemark(result, "judge_drift", "suspect")
  })
  it.concurrent("who gives no rating now and then: judge_unparsed", async () => {
    const result = await judgedBy(
      (rating) => rating > 12 && rating <= 36 && rating % 6 === 0,
      () => "It depends."
    )
    assertRemark(result, "judge_unparsed", "suspect")
  })
})

describe("questions and settings", () => {
  it.concurrent("a file of questions that is changed while they are asked: dataset_changed", async () => {
    let asked = 0
    const model = await plant((answer) => {
      asked += 1
      if (asked === 10)
        for (const one of readdirSync(host.folder, { recursive: true, withFileTypes: true }))
          if (one.name === "moving.jsonl")
            writeFileSync(join(one.parentPath, one.name), JSON.stringify({ question: "What is 1 + 1?", answer: "2" }))
      return answer
    })
    assertInvalid(
      await evaluated(model, { id: "custom_jsonl", test_data_ref: { s3: { bucket: "own", key: "moving" } } }),
      "dataset_changed"
    )
  })
  it.concurrent("questions that hold their answers: answers_leaked", async () => {
    const model = await plant((answer, { question }) => said(answer, `Answer: ${/"(.*)"/.exec(question)?.[1]}`))
    const result = await evaluated(model, {
      id: "custom_jsonl",
      test_data_ref: { s3: { bucket: "own", key: "rows" } }
    })
    assertRemark(result, "answers_leaked", "suspect")
    assert.strictEqual(result.test?.primary_score, 1)
  })
  it.concurrent("ten questions: few_items, a remark", async () => {
    assertRemark(await evaluated(right, { id: "arith_basic", parameters: { num_examples: 10 } }), "few_items", "valid")
  })
  it.concurrent("choices at random: score_at_chance, a remark", async () => {
    const model = await plant((answer, { number }) => said(answer, `Answer: ${"BDACADBC"[number % 8]}`))
    const result = await evaluated(model, { id: "mcq_general", parameters: { num_examples: 40 } })
    assertRemark(result, "score_at_chance", "valid")
    assert.isBelow(result.test?.primary_score ?? 1, 0.5)
  })
  const thinks: Fault = (answer, { body }) => {
    const { max_tokens: limit, max_completion_tokens: other } = body as {
      max_tokens?: number
      max_completion_tokens?: number
    }
    if ((limit ?? other ?? 4096) >= 2000) return answer
    const message = { role: "assistant", content: "", reasoning_content: "First I look at the numbers." }
    return { ...answer, choices: [{ message, finish_reason: "length" }] }
  }
  it.concurrent("a model that thinks for 2,000 tokens, with a limit of 512: truncated", async () => {
    const parameters = { num_examples: 30, max_tokens: 512 }
    assertInvalid(await evaluated(await plant(thinks), { id: "arith_basic", parameters }), "truncated")
  })
  it.concurrent("the same model without a limit is asked again with more room, and its result is valid", async () => {
    const result = await evaluated(await plant(thinks), { id: "arith_basic", parameters: { num_examples: 30 } })
    assert.strictEqual(result.test?.primary_score, 1)
    assert.strictEqual(result.validity?.status, "valid", JSON.stringify(result.validity))
  })
  it.concurrent("a fifth of the streams hangs while speed is measured: incomplete_requests", async () => {
    const model = await plant((answer, { number, body }) =>
      body["stream"] === true && number > 12 && number % 5 === 0 ? "hang" : answer
    )
    const result = await evaluated(model, {
      id: "perf_constant",
      parameters: {
        ...{ rate: 10, max_seconds: 6, warmup_seconds: 0, cooldown_seconds: 0, output_tokens: 8 },
        on_saturation: "warn"
      }
    })
    assertInvalid(result, "incomplete_requests")
  })
})

/** Faults of an endpoint under the real lm-eval and the real Inspect: the gateway's witness tells them, whatever the framework makes of them. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { HostedJob, HostedModel, ServiceHost } from "../../support/service-host.ts"
import { type Completion, type Fault, plantedModel } from "../../trust/support/planted-model.ts"
import { frameworksOnSums, offlineHost } from "./own-sums.ts"

const count = 40

const said = (answer: Completion, message: object, finish = "stop"): Completion => ({
  ...answer,
  choices: answer.choices.map((choice) => ({
    ...choice,
    message: { role: "assistant", ...message },
    finish_reason: finish
  }))
})

interface Planted {
  readonly says: string
  readonly codes: readonly [string, ...ReadonlyArray<string>]
  readonly level?: "blocking" | "advisory"
  readonly fault: Fault
  /** a framework that gives up on it by itself, so that nothing is left to be judged */
  readonly endsIn?: string
}

const faults: ReadonlyArray<Planted> = [
  { says: "answers nothing", codes: ["empty_responses"], fault: (answer) => said(answer, { content: "" }) },
  {
    says: "is cut off while it thinks",
    codes: ["truncated"],
    fault: (answer) => said(answer, { content: "", reasoning_content: "Let me think about" }, "length")
  },
  {
    says: "filters every answer",
    codes: ["content_filtered"],
    fault: (answer) => said(answer, { content: "" }, "content_filter")
  },
  {
    says: "answers errors with status 200",
    codes: ["error_share"],
    fault: (answer, { number }) =>
      number > 12 ? { body: { error: { message: "CUDA out of memory", code: 500 } } } : answer,
    endsIn: "Inspect"
  },
  {
    says: "is another model from the 20th question on",
    codes: ["model_changed"],
    fault: (answer, { number }) => (number >= 20 ? { ...answer, model: "tiny-1b" } : answer)
  },
  {
    says: "repeats the question",
    codes: ["response_echoes_prompt"],
    fault: (answer, { question }) => said(answer, { content: question })
  },
  {
    says: "answers every question with the same long text",
    codes: ["identical_responses"],
    fault: (answer) => said(answer, { content: "As a helpful assistant I would say that the answer depends." })
  },
  {
    says: "is another model all along, changes its fingerprint, reuses ids and reports tokens that nobody saw",
    codes: ["model_alias", "fingerprint_changed", "cache_suspected", "usage_inconsistent"],
    level: "advisory",
    fault: (answer, { number }) => ({
      ...answer,
      ...{ model: "tiny-1b", id: `chatcmpl-${number % 3}`, system_fingerprint: number > 20 ? "fp_b" : "fp_a" },
      usage: { prompt_tokens: 10, completion_tokens: 100_000, total_tokens: 100_010 }
    })
  }
]

interface Judged {
  readonly validity?: {
    readonly status: string
    readonly flags: ReadonlyArray<{ readonly code: string; readonly level: string }>
  }
  readonly test?: { readonly pass?: boolean; readonly decided?: string }
}

const frameworks = await frameworksOnSums(count)

for (const { name, venv, entry } of frameworks)
  describe.runIf(venv._tag === "Ready")(`an endpoint with a planted fault under ${name}`, () => {
    let host: ServiceHost
    let right: HostedModel
    let benchmark: object
    beforeAll(async () => {
      host = await offlineHost(venv._tag === "Ready" ? venv.bin : undefined)
      right = await host.demoModel()
      benchmark = await entry(host)
    })
    afterAll(() => host?.stop())

    const evaluated = async (fault: Fault) => {
      const model = await plantedModel(right.url, right.name, fault)
      try {
        return await host.evaluate({ url: model.url, name: model.name }, [benchmark])
      } finally {
        await model.close()
      }
    }
    const judged = (job: HostedJob): Judged => {
      assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
      return job.results.benchmarks[0] as Judged
    }

    for (const { says, codes, level = "blocking", fault, endsIn } of faults)
      if (endsIn === name)
        it(`${says}: ${name} gives up on its own, and nothing passes`, async () => {
          const { status, results } = await evaluated(fault)
          assert.strictEqual(status.state, "failed", JSON.stringify(status))
          assert.notStrictEqual((results.benchmarks[0] as Judged | undefined)?.test?.pass, true)
        })
      else
        it(`${says}: ${codes.join(", ")}`, async () => {
          const { validity, test } = judged(await evaluated(fault))
          const flags = validity?.flags.map((flag) => `${flag.code} ${flag.level}`) ?? []
          assert.includeMembers(
            flags,
            codes.map((code) => `${code} ${level}`),
            JSON.stringify({ validity, test })
          )
          assert.strictEqual(validity?.status, level === "blocking" ? "invalid" : "suspect", JSON.stringify(validity))
          if (level === "advisory") return
          assert.isUndefined(test?.pass)
          assert.notStrictEqual(test?.decided, "pass")
        })
    it("without a fault the same run is valid", async () => {
      const { validity } = judged(await evaluated((answer) => answer))
      assert.strictEqual(validity?.status, "valid", JSON.stringify(validity))
    })
  })

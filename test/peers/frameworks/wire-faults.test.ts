/**
 * Faults of the wire under the real lm-eval and the real Inspect: what becomes of each, by the gateway's counts, by the samples, or because the
 * framework gives up. Reference: validity.md, "Under frameworks".
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { HostedModel, ServiceHost } from "../../support/service-host.ts"
import {
  type AskedChat,
  type Completion,
  type Fault,
  oneBehind,
  plantedModel,
  type Spoiled
} from "../../trust/support/planted-model.ts"
import { frameworksOnSums, offlineHost } from "./own-sums.ts"

const count = 40

const said = (answer: Completion, message: object, finish: string | null = "stop"): Completion => ({
  ...answer,
  choices: answer.choices.map((choice) => ({
    ...choice,
    message: { role: "assistant", ...message },
    finish_reason: finish as string
  }))
})
const textOf = (answer: Completion) => String(answer.choices[0]?.message["content"])
const page = (type: string): Spoiled => ({
  headers: { "content-type": type },
  body: "<!DOCTYPE html>\n<html><head><title>Sign in to the guest network</title></head><body>Room 42</body></html>"
})
/** the first number of a sum; a probe asks for none */
const numberIn = ({ question }: AskedChat) => Number(/(\d+) \+ 30/.exec(question)?.[1] ?? Number.NaN)
/** every so many sums, however often they are asked */
const ofSums =
  (step: number, fault: Fault): Fault =>
  (answer, asked) =>
    numberIn(asked) % step === 0 ? fault(answer, asked) : answer

const onceEach = (step: number, fault: Fault): Fault => {
  const seen = new Set<number>()
  return ofSums(step, (answer, asked) => {
    if (seen.has(numberIn(asked))) return answer
    seen.add(numberIn(asked))
    return fault(answer, asked)
  })
}

/** what is said of the result: its status and the flag; or why there is none */
type Becomes =
  | {
      readonly status: "invalid" | "suspect" | "valid"
      readonly flag?: string
      readonly says?: RegExp
      readonly score?: number
    }
  | { readonly fails: string; readonly says: RegExp }

interface Planted {
  readonly says: string
  /** made anew for each run: some remember */
  readonly fault: () => Fault
  readonly inTurn?: boolean
  readonly becomes: Becomes | { readonly [framework: string]: Becomes }
}

const noChoice = "other than one choice for a question"
const notJson = /such as the page of a proxy or a log-in/
const faults: ReadonlyArray<Planted> = [
  {
    says: "gives each question the answer to the one before",
    fault: oneBehind,
    inTurn: true,
    becomes: { status: "invalid", flag: "answers_misplaced blocking" }
  },
  {
    says: "gives two choices where one was asked, the second first",
    fault: () => (answer) => ({
      ...answer,
      choices: [
        { index: 1, message: { role: "assistant", content: "Answer: 0" }, finish_reason: "stop" },
        ...answer.choices.map((choice) => ({ ...choice, index: 0 }))
      ]
    }),
    becomes: {
      "lm-eval": { fails: "model_server_error", says: RegExp(noChoice) },
      Inspect: { status: "valid", score: 1 }
    }
  },
  {
    says: "gives no choice now and then",
    fault: () => ofSums(6, (answer) => ({ ...answer, choices: [] })),
    becomes: {
      "lm-eval": { fails: "model_server_error", says: RegExp(noChoice) },
      Inspect: { fails: "framework_failed", says: /list index out of range/ }
    }
  },
  {
    says: "declines every second question",
    fault: () => ofSums(2, (answer) => said(answer, { content: "I'm sorry, but I can't help with that request." })),
    becomes: { status: "suspect", flag: "refusal_rate advisory", score: 0.5 }
  },
  {
    says: "takes every question for the same seven tokens",
    fault: () => (answer) => ({ ...answer, usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } }),
    becomes: { status: "suspect", flag: "usage_inconsistent advisory", score: 1 }
  },
  {
    says: "breaks the body of every eighth answer off, however often it is asked",
    fault: () => ofSums(8, () => "break"),
    becomes: {
      "lm-eval": { fails: "model_server_error", says: /broke its answer off/ },
      Inspect: { fails: "model_endpoint_unreachable", says: /APIConnectionError/ }
    }
  },
  {
    says: "streams where nobody asked for a stream, and without an end",
    fault: () =>
      ofSums(8, (answer) => ({
        headers: { "content-type": "text/event-stream" },
        body: `data: ${JSON.stringify({ ...answer, choices: [{ index: 0, delta: { content: textOf(answer) } }] })}\n\n`
      })),
    becomes: { fails: "model_server_error", says: notJson }
  },
  {
    says: "gives the page of a log-in for every eighth question",
    fault: () => ofSums(8, () => page("text/html")),
    becomes: { fails: "model_server_error", says: notJson }
  },
  {
    says: "gives the page of a log-in for everything",
    fault: () => () => page("text/html"),
    becomes: {
      fails: "model_server_error",
      says: /a web page \("Sign in to the guest network"\) in place of an answer/
    }
  },
  {
    says: "says its answers as thinking alone",
    fault: () => (answer) => said(answer, { content: "", reasoning_content: textOf(answer) }),
    becomes: { status: "invalid", flag: "empty_responses blocking" }
  },
  {
    says: "gives its answers as lists of parts",
    fault: () => (answer) => said(answer, { content: [{ type: "text", text: textOf(answer) }] }),
    becomes: {
      "lm-eval": { status: "invalid", flag: "error_share blocking" },
      Inspect: { fails: "framework_failed", says: /got 'list'/ }
    }
  },
  {
    says: "ends its answers with a mark of its chat template",
    fault: () => (answer) => said(answer, { content: `${textOf(answer)}<|im_end|>` }),
    becomes: { status: "suspect", flag: "template_suspected advisory" }
  },
  {
    says: "gives every question the same short answer",
    fault: () => (answer) => said(answer, { content: "Answer: 42" }),
    becomes: { status: "valid", score: 1 / count }
  },
  {
    says: "withdraws the key in the middle",
    fault:
      () =>
      (answer, { number }) =>
        number > 25 ? { status: 401, body: { error: { message: "invalid api key" } } } : answer,
    becomes: { fails: "model_authentication_failed", says: /Check the key/ }
  },
  {
    says: "fails once on every fifth question, and gives no reason for the end of an answer",
    fault: () => {
      const failing = onceEach(5, () => ({ status: 500, body: { error: { message: "out of memory" } } }))
      return (answer, asked) => failing(said(answer, { content: textOf(answer) }, null), asked)
    },
    becomes: { status: "valid", score: 1 }
  }
]

interface Judged {
  readonly validity?: {
    readonly status: string
    readonly flags: ReadonlyArray<{ readonly code: string; readonly level: string; readonly message: string }>
  }
  readonly test?: { readonly pass?: boolean; readonly decided?: string; readonly primary_score: number }
}

const oneAtATime: { readonly [framework: string]: object } = {
  "lm-eval": { num_concurrent: 1 },
  Inspect: { max_connections: 1 }
}

const frameworks = await frameworksOnSums(count)

for (const { name, venv, entry } of frameworks)
  describe.runIf(venv._tag === "Ready")(`an endpoint with a fault of the wire under ${name}`, () => {
    let host: ServiceHost
    let right: HostedModel
    let benchmark: { readonly parameters: object }
    beforeAll(async () => {
      host = await offlineHost(venv._tag === "Ready" ? venv.bin : undefined)
      right = await host.demoModel()
      benchmark = await entry(host)
    })
    afterAll(() => host?.stop())

    for (const { says, fault, becomes, inTurn = false } of faults) {
      const expected = ("status" in becomes || "fails" in becomes ? becomes : becomes[name]) as Becomes
      const outcome = "fails" in expected ? expected.fails : `${expected.status} ${expected.flag ?? ""}`
      it.concurrent(`${says}: ${outcome}`, async () => {
        const model = await plantedModel(right.url, right.name, fault(), { chatOnly: true })
        const parameters = { ...benchmark.parameters, ...(inTurn ? oneAtATime[name] : {}) }
        try {
          const { status, results } = await host.evaluate(model, [{ ...benchmark, parameters }])
          const { validity, test } = (results.benchmarks[0] ?? {}) as Judged
          const shown = JSON.stringify({ status, validity, test })
          if ("fails" in expected) {
            const { message_code: code, message } = status.benchmarks[0]?.error_message ?? {}
            assert.strictEqual(code, expected.fails, shown)
            assert.match(message ?? "", expected.says)
            assert.notStrictEqual(test?.pass, true, shown)
            return
          }
          const flags = validity?.flags.map(({ code, level }) => `${code} ${level}`) ?? []
          assert.strictEqual(validity?.status, expected.status, shown)
          if (expected.flag === undefined) assert.deepStrictEqual(flags, [], shown)
          else assert.include(flags, expected.flag, shown)
          if (expected.score !== undefined)
            assert.closeTo(test?.primary_score ?? Number.NaN, expected.score, 1e-9, shown)
          if (expected.status !== "invalid") return
          assert.notProperty(test, "pass", shown)
          assert.strictEqual(test?.decided, "inconclusive", shown)
        } finally {
          await model.close()
        }
      })
    }
  })

/**
 * code_js_small: 40 authored tasks for a small JavaScript function. A sample passes when every case gives the expected value. `pass@1` and,
 * with `k` samples an item, `pass@k` are unbiased estimates; `compile_rate` is the share of samples that define the function. Guessing
 * scores 0. Code runs only with `allow_code_execution`. Reference: providers-and-collections.md, "Embedded benchmarks".
 */
import { availableParallelism } from "node:os"
import { Effect } from "effect"
import type { AdapterError } from "../../sdk/adapter.ts"
import { invalidParameter, notSupported } from "../../sdk/failures.ts"
import type { Answer } from "../../sdk/model/model-exchange.ts"
import { jsonEqual } from "../answers/json-equal.ts"
import type { AskedItem, Asking, Item, ItemBenchmark, ItemContext } from "../benchmark.ts"
import { combineAnswers } from "../items/combine-answers.ts"
import { verdictsOf } from "../items/item-metrics.ts"
import { unlessSilent, wasCut } from "../no-answer.ts"
import { meanMetric } from "../proportion.ts"
import { passAtK } from "../statistics.ts"
import { type CodeTask, codeTasks } from "./code-tasks.ts"
import { checkSandbox, type Execution, runCandidate, sandboxDescription } from "./sandbox.ts"

const GENERATOR_VERSION = 1

export const codePrompt = ({ name, parameters, text, cases }: CodeTask): string => {
  const [shown] = cases
  const example =
    shown === undefined
      ? ""
      : `\nExample: ${name}(${shown[0].map((one) => JSON.stringify(one)).join(", ")}) returns ${JSON.stringify(shown[1])}`
  return `Write a JavaScript function ${name}(${parameters}) that ${text}.${example}\n\nUse no libraries. Answer with one code block that holds only the code.`
}

/** the first fenced block that names the function, else the first one, else the whole text; `export` is dropped, since the code is a script */
export const codeOf = (answer: string, name: string): string => {
  const blocks = [...answer.matchAll(/```[^\n]*\n([\s\S]*?)(?:```|$)/g)].map((found) => found[1] ?? "")
  const code = blocks.find((block) => block.includes(name)) ?? blocks[0] ?? answer
  return code.replace(/^[ \t]*export[ \t]+(?:default[ \t]+)?/gm, "")
}

const holdsWholeBlock = ({ text }: Answer): boolean => /```[\s\S]*```/.test(text)

const passes = (task: CodeTask, { outcomes }: Execution): boolean =>
  outcomes.length === task.cases.length &&
  task.cases.every(([, expected], index) => {
    const outcome = outcomes[index]
    return outcome?._tag === "Value" && jsonEqual(outcome.value, expected)
  })

interface Sample {
  readonly compiled: boolean
  readonly passed: boolean
}

/** runs one answer against the cases of its task */
export const runSample = (task: CodeTask, answer: string): Effect.Effect<Sample, AdapterError> =>
  Effect.map(
    runCandidate({ code: codeOf(answer, task.name), name: task.name, calls: task.cases.map(([args]) => args) }),
    (execution) => ({
      compiled: execution.compiled,
      passed: passes(task, execution)
    })
  )

/** a sample is one request with its own seed, so that an endpoint that honours seeds does not answer the same thing again */
const askFor =
  (task: CodeTask, item: Omit<Item, "ask">, count: number, seed: number, slots: Effect.Semaphore) =>
  ({ generate }: Asking): Effect.Effect<AskedItem, AdapterError> =>
    Effect.gen(function* () {
      const samples: Array<Sample> = []
      let all: Answer | undefined
      for (let number = 0; number < count; number++) {
        const answer = yield* generate(item.messages, {
          maxTokens: item.maxTokens,
          seed: seed + number,
          isComplete: holdsWholeBlock
        })
        samples.push(yield* slots.withPermits(1)(runSample(task, answer.text)))
        all = all === undefined ? answer : { ...combineAnswers(all, answer), text: all.text }
      }
      if (all === undefined) return yield* invalidParameter("k must be at least 1")
      const passed = samples.filter((sample) => sample.passed).length
      return {
        answer: all,
        verdict: unlessSilent(all, {
          verdict: passed > 0 ? "correct" : wasCut(all) && !holdsWholeBlock(all) ? "invalid" : "incorrect",
          extracted: codeOf(all.text, task.name),
          reason: passed > 0 ? "tests_passed" : "tests_failed",
          scores: {
            "pass@1": passAtK(count, passed, 1),
            compile_rate: samples.filter((sample) => sample.compiled).length / count,
            ...(count > 1 ? { [`pass@${count}`]: passAtK(count, passed, count) } : {})
          }
        })
      }
    })

const itemOf = (task: CodeTask, count: number, seed: number, slots: Effect.Semaphore): Item => {
  const item = {
    id: `code_js_small:${GENERATOR_VERSION}:${task.name}`,
    stratum: "javascript",
    messages: [{ role: "user" as const, content: codePrompt(task) }],
    maxTokens: 3072,
    reference: task.cases,
    isJudged: true as const,
    score: () => ({ verdict: "invalid" as const, scores: {} })
  }
  return { ...item, ask: askFor(task, item, count, seed, slots) }
}

const samplesOf = ({ parameters }: ItemContext): number => (typeof parameters["k"] === "number" ? parameters["k"] : 1)

export const codeJsSmall: ItemBenchmark = {
  kind: "items",
  id: "code_js_small",
  needs: ["chat"],
  items: (context) => {
    if (context.parameters["allow_code_execution"] !== true) {
      return notSupported(
        "benchmark code_js_small runs code that the model writes; permit it with the parameter allow_code_execution: true"
      )
    }
    const count = samplesOf(context)
    if (
      count > 1 &&
      !(Number(context.parameters["temperature"] ?? context.job.model.parameters?.["temperature"] ?? 0) > 0)
    ) {
      return invalidParameter(
        `k (${count}) needs a temperature above 0: at temperature 0 all samples of an item are the same answer`
      )
    }
    // more processes than processors would only make each one miss its time limit
    const slots = Effect.unsafeMakeSemaphore(Math.max(1, availableParallelism()))
    return Effect.as(
      checkSandbox,
      codeTasks.map((task) => itemOf(task, count, context.seed, slots))
    )
  },
  metrics: [
    { name: "pass@1", lowerIsBetter: false },
    { name: "compile_rate", lowerIsBetter: false }
  ],
  derive: (scored, context) => {
    const name = `pass@${samplesOf(context)}`
    const values = verdictsOf(scored).flatMap(({ scores }) =>
      name === "pass@1" || scores[name] === undefined ? [] : [scores[name]]
    )
    return values.length === 0 ? [] : [meanMetric(name, values)]
  },
  scoring: (context) => ({ samples: samplesOf(context), sandbox: sandboxDescription })
}

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { knowledgeSolver } from "../../../../providers/demo-model/solvers/knowledge.ts"
import { memorySolver } from "../../../../providers/demo-model/solvers/memory.ts"
import { multiTurnMemory } from "../../../../providers/evald/dialogue/multi-turn-memory.ts"
import { mcqScience } from "../../../../providers/evald/knowledge/mcq.ts"
import { calibrationMcq } from "../../../../providers/evald/robustness/calibration-mcq.ts"
import { robustnessShuffle } from "../../../../providers/evald/robustness/robustness-shuffle.ts"
import { TEXTS } from "../../../../providers/evald/text/authored-texts.ts"
import { perplexityText, textLoss } from "../../../../providers/evald/text/perplexity-text.ts"
import type { Answer, ChatMessage, EchoedPrompt } from "../../../../providers/sdk/model/model-exchange.ts"
import { failure, fakeClient, metric, run, scoreOf } from "./fake-client.ts"
import { answerOf, itemsOf } from "./solver-check.ts"

const know = (messages: ReadonlyArray<ChatMessage>): string =>
  knowledgeSolver.solve({ messages, tools: [] }, () => 0.3)?.right.text ?? "?"

const close = (actual: number, expected: number, within = 1e-9) =>
  assert.isTrue(Math.abs(actual - expected) <= within, `${actual} is not near ${expected}`)

describe("robustness_shuffle", () => {
  it.effect("a model that knows is consistent and without bias", () =>
    Effect.gen(function* () {
      const client = fakeClient(know)
      const results = yield* run(robustnessShuffle, client)
      assert.strictEqual(client.chats.length, 400)
      assert.strictEqual(scoreOf(results, "consistency"), 1)
      assert.strictEqual(scoreOf(results, "acc"), 1)
      assert.strictEqual(scoreOf(results, "position_bias"), 0)
      assert.strictEqual(metric(results, "consistency").n, 100)
    })
  )

  it.effect("a model that always takes the first option is inconsistent, at chance and as biased as can be", () =>
    Effect.gen(function* () {
      const results = yield* run(
        robustnessShuffle,
        fakeClient(() => "Answer: A")
      )
      assert.strictEqual(scoreOf(results, "consistency"), 0)
      assert.strictEqual(scoreOf(results, "acc"), 0.25)
      assert.strictEqual(scoreOf(results, "position_bias"), 0.75)
    })
  )

  it.effect(
    "an unreadable reply is inconsistent; one failed order is an error of the whole question, never half an answer",
    () =>
      Effect.gen(function* () {
        const unreadable = yield* run(
          robustnessShuffle,
          fakeClient((messages, call) => (call === 7 ? "I will not say." : know(messages)))
        )
        close(scoreOf(unreadable, "consistency"), 0.99)
        close(scoreOf(unreadable, "acc"), 0.9975)
        const broken = yield* run(
          robustnessShuffle,
          fakeClient((messages, call) => (call === 7 ? failure("model_server_error") : know(messages)))
        )
        assert.strictEqual(metric(broken, "consistency").n, 99)
        assert.strictEqual(scoreOf(broken, "consistency"), 1)
        close(scoreOf(broken, "error_rate"), 0.01)
      })
  )
})

const withLogprobs = (letters: Readonly<Record<string, number>>): Partial<Answer> => {
  const top = Object.entries(letters).map(([token, p]) => ({ token, logprob: Math.log(p) }))
  const [first = { token: "", logprob: 0 }] = top
  return { text: first.token, logprobs: [{ ...first, top }] }
}

describe("calibration_mcq", () => {
  it.effect("a sure model that is always right is calibrated, one that is sure and wrong is not", () =>
    Effect.gen(function* () {
      const sure = yield* run(
        calibrationMcq,
        fakeClient((messages) => withLogprobs({ [know(messages)]: 1 }))
      )
      assert.strictEqual(scoreOf(sure, "ece"), 0)
      assert.strictEqual(scoreOf(sure, "brier"), 0)
      assert.strictEqual(scoreOf(sure, "acc"), 1)
      const stubborn = yield* run(
        calibrationMcq,
        fakeClient(() => withLogprobs({ A: 1 }))
      )
      close(scoreOf(stubborn, "ece"), 0.75)
      close(scoreOf(stubborn, "brier"), 1.5)
    })
  )

  it.effect("equal probabilities are calibrated and have Brier 0.75; letters may be written in several ways", () =>
    Effect.gen(function* () {
      const even = yield* run(
        calibrationMcq,
        fakeClient(() => withLogprobs({ A: 0.125, " A": 0.125, B: 0.25, " C": 0.25, "D)": 0.25 }))
      )
      close(scoreOf(even, "ece"), 0, 0.02)
      close(scoreOf(even, "brier"), 0.75)
    })
  )

  it.effect("an answer that comes without its log-probabilities is an error of the endpoint, not a wrong answer", () =>
    Effect.gen(function* () {
      const given = (missing: (call: number) => boolean) =>
        fakeClient((messages, call) => (missing(call) ? know(messages) : withLogprobs({ [know(messages)]: 1 })))
      const few = yield* run(
        calibrationMcq,
        given((call) => call > 97)
      )
      assert.strictEqual(scoreOf(few, "acc"), 1)
      close(scoreOf(few, "error_rate"), 0.03)
      const many = yield* Effect.flip(
        run(
          calibrationMcq,
          given((call) => call % 3 === 0)
        )
      )
      assert.strictEqual(many.code, "too_many_errors")
    })
  )

  it.effect("a reply without a letter among the candidates is invalid and wrong", () =>
    Effect.gen(function* () {
      const results = yield* run(
        calibrationMcq,
        fakeClient((messages, call) =>
          call % 2 === 0 ? withLogprobs({ The: 1 }) : withLogprobs({ [know(messages)]: 1 })
        )
      )
      assert.strictEqual(scoreOf(results, "acc"), 0.5)
      assert.strictEqual(scoreOf(results, "invalid_rate"), 0.5)
      assert.strictEqual(metric(results, "ece").n, 50)
    })
  )
})

/** echoes single characters: `price` gives the log-probability of the character at a place */
const echoBy =
  (price: (text: string, place: number) => number) =>
  (text: string): EchoedPrompt => ({
    tokens: [...text],
    logprobs: [...text].map((_, place) => (place === 0 ? null : price(text, place))),
    offsets: [...text].map((_, place) => place)
  })

describe("perplexity_text", () => {
  it.effect("one bit per character is one bit per byte", () =>
    Effect.gen(function* () {
      const results = yield* run(
        perplexityText,
        fakeClient(
          () => "",
          {},
          echoBy(() => -Math.LN2)
        )
      )
      close(scoreOf(results, "bits_per_byte"), 1)
      close(scoreOf(results, "byte_perplexity"), 2)
      const words = TEXTS.reduce((sum, text) => sum + text.slice(1).trim().split(" ").length, 0)
      const characters = TEXTS.reduce((sum, text) => sum + text.length - 1, 0)
      close(scoreOf(results, "word_perplexity") / 2 ** (characters / words), 1)
      assert.strictEqual(metric(results, "bits_per_byte").n, 20)
    })
  )

  it("bytes, not characters, and not those of the first token", () => {
    // "né eu": first token "né" (3 bytes) has no prediction, " eu" (3 bytes) costs 3 bits
    const loss = textLoss("né eu", { tokens: ["né", " eu"], logprobs: [null, -3 * Math.LN2], offsets: [0, 2] })
    assert.deepStrictEqual(loss, { nats: 3 * Math.LN2, bytes: 3, words: 1 })
    assert.isUndefined(
      textLoss("a b c", { tokens: ["a", " b", " c"], logprobs: [null, null, null], offsets: [0, 1, 3] })
    )
    assert.isUndefined(textLoss("a b c", { tokens: ["a", " b", " c"], logprobs: [null, -1, null], offsets: [0, 1, 3] }))
  })
})

describe("multiple choice by echo", () => {
  it.effect("takes the most likely option, and per byte for acc_norm", () =>
    Effect.gen(function* () {
      const options = new Set(
        itemsOf(mcqScience).map(({ reference, choices }) => (choices ?? [])["ABCD".indexOf(String(reference))] ?? "")
      )
      const knows = echoBy(
        (text, place) =>
          (options.has(text.slice(text.lastIndexOf("Answer:") + 8)) ? -0.01 : -1) *
          (place > text.lastIndexOf("Answer:") + 6 ? 1 : 0)
      )
      const results = yield* run(
        mcqScience,
        fakeClient(() => "", {}, knows),
        { parameters: { method: "echo", num_few_shot: 2 } }
      )
      // an option may be the right one of another question, so the fake is right nearly always, not always
      assert.isAbove(scoreOf(results, "acc_norm"), 0.6)
      assert.deepInclude(results.additionalInfo?.["scoring"], { method: "echo" })
      const even = yield* run(
        mcqScience,
        fakeClient(
          () => "",
          {},
          echoBy(() => -1)
        ),
        { parameters: { method: "echo" } }
      )
      const shortest = itemsOf(mcqScience).filter(({ reference, choices = [] }) => {
        const lengths = choices.map((option) => option.length)
        return lengths.indexOf(Math.min(...lengths)) === "ABCD".indexOf(String(reference))
      })
      close(scoreOf(even, "acc"), shortest.length / 100)
    })
  )

  it.effect("by log-probabilities of the letter", () =>
    Effect.gen(function* () {
      const results = yield* run(
        mcqScience,
        fakeClient((messages) => withLogprobs({ [know(messages)]: 0.9, Z: 0.1 })),
        { parameters: { method: "logprobs", num_few_shot: 3 } }
      )
      assert.strictEqual(scoreOf(results, "acc"), 1)
      assert.throws(() => metric(results, "acc_norm"))
    })
  )
})

describe("multi_turn_memory", () => {
  it("fifty different conversations whose answer was said", () => {
    const items = itemsOf(multiTurnMemory)
    assert.strictEqual(items.length, 50)
    assert.strictEqual(new Set(items.map(({ messages, followUps }) => JSON.stringify([messages, followUps]))).size, 50)
    for (const { messages, followUps = [], reference } of items) {
      const said = [...messages, ...followUps]
        .slice(0, -1)
        .filter(({ content }) => content.includes(` ${String(reference)}`))
      assert.isNotEmpty(said)
      assert.notInclude(followUps.at(-1)?.content ?? "", ` ${String(reference)}`)
    }
  })

  it.effect("a listener that keeps the latest facts scores 1, one that keeps the first fails where facts change", () =>
    Effect.gen(function* () {
      const listens = fakeClient(
        (messages) => memorySolver.solve({ messages, tools: [] }, () => 0.2)?.right.text ?? "?"
      )
      const results = yield* run(multiTurnMemory, listens)
      assert.strictEqual(scoreOf(results, "exact_match"), 1)
      assert.isTrue(
        listens.chats.some(({ messages }) =>
          messages.some(({ role, content }) => role === "assistant" && content === "OK")
        )
      )
      const stale = fakeClient((messages) => {
        const last = messages.at(-1)
        const first = messages.filter(
          ({ content }, index) =>
            index === 0 ||
            !/changed my mind|moved|now|announced|another|new favourite|other plans|given up/.test(content)
        )
        return (
          memorySolver.solve(
            { messages: last === undefined ? [] : [...first.filter((one) => one !== last), last], tools: [] },
            () => 0.2
          )?.right.text ?? "?"
        )
      })
      assert.isBelow(scoreOf(yield* run(multiTurnMemory, stale), "exact_match"), 0.8)
    })
  )

  it("scores only the asked form as exact", () => {
    const [item] = itemsOf(multiTurnMemory)
    if (item === undefined) throw new Error("no items")
    assert.strictEqual(item.score(answerOf(`Answer: ${String(item.reference)}`)).verdict, "correct")
    assert.strictEqual(item.score(answerOf("OK")).verdict, "invalid")
  })
})

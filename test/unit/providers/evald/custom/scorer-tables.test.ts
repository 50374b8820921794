/** Hand-worked cases of every scorer of custom data; the table has a row for each, or this fails. */
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import {
  CUSTOM_SCORERS,
  compileRegex,
  type ScorerSettings
} from "../../../../../providers/evald/custom/custom-scorers.ts"
import { context } from "../solver-check.ts"

interface Case {
  readonly reply: string
  readonly references: ReadonlyArray<string>
  readonly settings?: { readonly tolerance?: number; readonly regex?: string }
  readonly verdict: "correct" | "incorrect" | "invalid"
  /** by metric; set metrics (bleu, chrf) are those of a set of this one reply */
  readonly scores: { readonly [metric: string]: number }
}

const one = (
  reply: string,
  references: string | ReadonlyArray<string>,
  verdict: Case["verdict"],
  scores: Case["scores"],
  settings: Case["settings"] = {}
): Case => ({
  ...{ reply, verdict, scores, settings },
  references: typeof references === "string" ? [references] : references
})
const match = (strict: number, flexible: number) => ({ exact_match: strict, exact_match_flexible: flexible })

const exact: ReadonlyArray<Case> = [
  one("Answer: Paris", "Paris", "correct", match(1, 1)),
  one('I think.\nAnswer: "Paris"', "Paris", "correct", match(1, 1)),
  one("Answer: paris.", "Paris", "incorrect", match(0, 1)),
  one("Answer: The Hague", "Hague", "incorrect", match(0, 1)),
  one("It is a city.\nParis", "Paris", "incorrect", match(0, 1)),
  one("So the sum is 1,234", "1234", "incorrect", match(0, 1)),
  one("It is Paris.", "Paris", "incorrect", match(0, 1)),
  one("Let me think of France.\nThe capital of France is **Paris**.", "Paris", "incorrect", match(0, 1)),
  one("The capital of France is not Paris.", "Paris", "incorrect", match(0, 0)),
  one("The capital of France is Paris or Lyon.", "Paris", "incorrect", match(0, 0)),
  one("It was Paris. Today it is Lyon.", "Paris", "incorrect", match(0, 0)),
  one("Answer: Lyon", "Paris", "incorrect", match(0, 0)),
  one("Answer: Rome", ["Paris", "Rome"], "correct", match(1, 1)),
  one("", "Paris", "invalid", match(0, 0))
]

const tables: { readonly [scorer: string]: ReadonlyArray<Case> } = {
  exact_match: exact,
  exact_match_flexible: exact.map((given) =>
    given.scores["exact_match_flexible"] === 1 ? { ...given, verdict: "correct" } : given
  ),
  regex_match: [
    one("code X-17 it is", "X-\\d+", "correct", { regex_match: 1 }),
    one("code Y", "X-\\d+", "invalid", { regex_match: 0 }),
    one("Result: 42", "42", "correct", { regex_match: 1 }, { regex: "Result: (\\d+)" }),
    one("Result: 43", "42", "incorrect", { regex_match: 0 }, { regex: "Result: (\\d+)" }),
    one("nothing", "42", "invalid", { regex_match: 0 }, { regex: "Result: (\\d+)" }),
    one("yes it is", "ignored", "correct", { regex_match: 1 }, { regex: "^yes" }),
    one("YES it is", "(?i)^yes", "correct", { regex_match: 1 }),
    one("Well.\nYES", "ignored", "correct", { regex_match: 1 }, { regex: "(?im)^yes$" }),
    one("Grüße", "^\\p{L}+$", "correct", { regex_match: 1 })
  ],
  numeric_match: [
    one("Answer: 1,230", "1230", "correct", { numeric_match: 1 }),
    one("12 plus 3 is 15", "15", "correct", { numeric_match: 1 }),
    one("Answer: 3.15", "3.14", "incorrect", { numeric_match: 0 }),
    one("Answer: 3.15", "3.14", "correct", { numeric_match: 1 }, { tolerance: 0.02 }),
    one("Answer: -2", "2", "incorrect", { numeric_match: 0 }),
    one("no idea", "2", "invalid", { numeric_match: 0 })
  ],
  f1: [
    one("a red house", "the red house", "correct", { f1: 1 }), // articles do not count
    one("red house there", "red house", "incorrect", { f1: 0.8 }), // precision 2/3, recall 1
    one("red red", "red blue", "incorrect", { f1: 0.5 }), // one common of two and two
    one("green", "red", "incorrect", { f1: 0 }),
    one("green", ["red", "green"], "correct", { f1: 1 }),
    one("Answer: green", "green", "correct", { f1: 1 }),
    one("?", "?", "correct", { f1: 1 }), // nothing to count, and equal
    one("?", "!", "incorrect", { f1: 0 })
  ],
  bleu: [
    one("a b c d e", "a b c d e", "correct", { bleu: 1 }),
    one("a b c d", "a b c d e f g h", "incorrect", { bleu: Math.exp(-1) }), // half the length: exp(1 - 8/4)
    one("x y z w", "a b c d", "incorrect", { bleu: 0 }),
    one("Thinking.\nAnswer: a b c d e", "a b c d e", "correct", { bleu: 1 }),
    one("Paris", "Paris", "correct", { bleu: 1 }) // shorter than four words: the orders that there are
  ],
  chrf: [
    one("abcdef", "ab cdef", "correct", { chrf: 1 }),
    one("ab", "ac", "incorrect", { chrf: 0.25 }), // orders 1 and 2: (1/2 + 0)/2 both ways
    one("xyz", "abc", "incorrect", { chrf: 0 }),
    one("Answer: abc", "abc", "correct", { chrf: 1 })
  ],
  rouge_l: [
    one("The cat sat", "the cat sat.", "correct", { rouge_l: 1 }),
    one("the cat sat down", "the cat lay down", "incorrect", { rouge_l: 0.75 }), // the, cat, down of four and four
    one("a b c", "c b a", "incorrect", { rouge_l: 1 / 3 }), // one in order
    one("x", "y", "incorrect", { rouge_l: 0 }),
    one("Answer: the cat", "the cat", "correct", { rouge_l: 1 }),
    one("…", "…", "correct", { rouge_l: 1 })
  ]
}

const settingsOf = ({ settings = {} }: Case): ScorerSettings => ({
  tolerance: settings.tolerance ?? 0,
  regex: settings.regex === undefined ? undefined : Either.getOrThrow(compileRegex(settings.regex))
})

describe("scorers of custom data", () => {
  it("each has its table of hand-worked cases", () =>
    assert.deepStrictEqual(Object.keys(tables).sort(), Object.keys(CUSTOM_SCORERS).sort()))
  for (const [name, cases] of Object.entries(tables)) {
    for (const given of cases) {
      it(`${name}: ${JSON.stringify(given.reply)} against ${JSON.stringify(given.references)}`, () => {
        const scorer = CUSTOM_SCORERS[name]
        const found = scorer?.score(given.reply, given.references, settingsOf(given))
        assert.strictEqual(found?.verdict, given.verdict)
        const item = {
          id: "i",
          stratum: "",
          messages: [],
          maxTokens: 1,
          reference: given.references,
          score: () => ({ verdict: "invalid" as const, scores: {} })
        }
        const answer = {
          text: given.reply,
          toolCalls: [],
          tokens: { prompt: 1, completion: 1, estimated: false },
          latencyMs: 1,
          retries: 0
        }
        const scored =
          found === undefined ? [] : [{ item, outcome: { _tag: "Scored" as const, answer, verdict: found } }]
        const derived = scorer?.derive?.(scored, context()) ?? []
        for (const [metric, value] of Object.entries(given.scores)) {
          assert.closeTo(
            (derived.find((one) => one.name === metric)?.value as number) ?? found?.scores[metric],
            value,
            1e-9,
            metric
          )
        }
      })
    }
  }
})

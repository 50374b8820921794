import { assert, describe, it } from "vitest"
import type { ValidityFlag } from "../../../../domain/score/validity.ts"
import { declaredFlags } from "../../../../domain/validity/declared-flags.ts"
import { type Evidence, judgeValidity } from "../../../../domain/validity/judge-validity.ts"
import { defaultLimits } from "../../../../domain/validity/limits.ts"
import { isAlias } from "../../../../domain/validity/model-names.ts"
import { type KindCount, recordTally } from "../../../../domain/validity/sample-figures.ts"
import { noCounts, readWireCounts, type WireCounts } from "../../../../domain/validity/wire-counts.ts"

const clean: WireCounts = {
  ...noCounts,
  questions: 100,
  requests: 100,
  answers: 100,
  reported: 100,
  models: { m: { m: 100 } }
}
const scored = (count: number, more: Partial<KindCount> = {}): KindCount => ({ verdict: "correct", count, ...more })
const wire = (counts: Partial<WireCounts>): Evidence => ({ wire: { ...clean, ...counts } })
const noQuestions = { questions: 0, requests: 0, answers: 0, models: {} }
/** items with so many choices each, of which the first were read */
const likelihoods = (read: number, choices: number, count = read): Evidence => {
  const tally = recordTally()
  for (let index = 0; index < read; index++)
    tally.add({
      ...{ sample_id: `s${index}`, verdict: index % 2 === 0 ? "correct" : "incorrect", reason: "likelihood" },
      choices: Array.from({ length: choices }, (_, at) => ` ${at}`)
    })
  return { samples: { kinds: [scored(count, { reason: "likelihood" })], records: tally.figures() } }
}
const kinds = (...all: ReadonlyArray<KindCount>): Evidence => ({ samples: { kinds: all } })
const said = (evidence: Evidence) => {
  const judged = judgeValidity(evidence)
  return judged === undefined ? undefined : [judged.status, ...judged.flags.map(({ code }) => code)]
}

describe("what a flag says", () => {
  const message = (counts: Partial<WireCounts>) => judgeValidity(wire(counts))?.flags[0]?.message ?? ""
  it("that a web page came in place of answers, and of how many (it said that they were no answers)", () => {
    assert.match(message({ errorBodies: 20 }), /no answer at all$/)
    assert.match(message({ errorBodies: 20, pages: 20 }), /, all of them a web page: a proxy or a log-in may stand/)
    assert.match(message({ errorBodies: 20, pages: 8 }), /^20 of 100 .*, 8 of them a web page/)
  })
  it("of answers to other questions also where only the order is known in which items were asked", () => {
    const flagged = (placed: (at: number) => object) => {
      const tally = recordTally()
      for (let at = 0; at < 40; at++)
        tally.add({
          ...{ sample_id: `t:${at}`, verdict: "incorrect", extracted: String((at - 1) * 7), reference: String(at * 7) },
          ...placed(at)
        })
      return judgeValidity({
        samples: { kinds: [scored(40, { verdict: "incorrect" })], records: tally.figures() }
      })?.flags.map(({ code, count }) => `${code} ${count}`)
    }
    assert.deepStrictEqual(
      flagged((at) => ({ timing: { position: at } })),
      ["answers_misplaced 39"]
    )
    assert.deepStrictEqual(
      flagged(() => ({})),
      []
    )
    assert.deepStrictEqual(
      flagged((at) => ({ timing: { position: 40 - at } })),
      []
    )
  })
})

describe("validity of a result", () => {
  const cases: ReadonlyArray<readonly [says: string, evidence: Evidence, expected: ReadonlyArray<string> | undefined]> =
    [
      ["nobody looked", {}, undefined],
      ["nothing to say", { ...wire({}), ...kinds(scored(100)) }, ["valid"]],
      ["all answers are empty", wire({ empty: 100 }), ["invalid", "empty_responses"]],
      ["two of a hundred are empty: too few to be sure", wire({ empty: 2 }), ["valid"]],
      ["three of a hundred are", wire({ empty: 3 }), ["invalid", "empty_responses"]],
      ["three of a thousand are within the limit", wire({ questions: 1000, empty: 3 }), ["valid"]],
      ["everything is cut off", wire({ cut: 100 }), ["invalid", "truncated"]],
      ["everything is filtered", wire({ filtered: 100 }), ["invalid", "content_filtered"]],
      ["errors with status 200", wire({ errorBodies: 20 }), ["invalid", "error_share"]],
      ["another model from the 90th on", wire({ models: { m: { m: 90, other: 10 } } }), ["invalid", "model_changed"]],
      ["another model from the beginning", wire({ models: { m: { other: 100 } } }), ["suspect", "model_alias"]],
      ["the same model with its date", wire({ models: { "org/Model": { "model-2024-08-06": 100 } } }), ["valid"]],
      ["the key was withdrawn", wire({ revoked: 5, failed: 5 }), ["invalid", "credential_revoked"]],
      ["the endpoint repeats the question", wire({ echoed: 100 }), ["invalid", "response_echoes_prompt"]],
      ["long questions are cut", wire({ long: 20, shortened: 20 }), ["invalid", "context_truncated"]],
      ["usage times ten, where only answers are scored", wire({ impossible: 100 }), ["suspect", "usage_inconsistent"]],
      [
        "usage times ten, where speed is measured",
        wire({ impossible: 100, loads: 100 }),
        ["invalid", "usage_impossible"]
      ],
      ["thinking leaves no room", wire({ spent: 6 }), ["suspect", "reasoning_budget"]],
      ["thinking hardly ever leaves no room", wire({ spent: 5 }), ["valid"]],
      ["marks of a chat template", wire({ templated: 6 }), ["suspect", "template_suspected"]],
      [
        "a temperature changes nothing",
        wire({ repeatedWarm: 9, unchangedWarm: 5 }),
        ["suspect", "temperature_ignored"]
      ],
      ["half of the repeats alike", wire({ repeatedWarm: 10, unchangedWarm: 5 }), ["valid"]],
      ["old answers come again", wire({ repeated: 50, replayed: 50 }), ["suspect", "cache_suspected"]],
      ["temperature 0 wavers", wire({ repeatedCold: 50, changedCold: 10 }), ["valid", "nondeterministic"]],
      [
        "answers that are none, by the samples",
        kinds(scored(80), { verdict: "invalid", reason: "no_answer_truncated", count: 20 }),
        ["invalid", "truncated"]
      ],
      [
        "the same from records that say less",
        kinds(scored(80), { verdict: "invalid", reason: "no_answer", finishReason: "length", count: 20 }),
        ["invalid", "truncated"]
      ],
      ["few items", kinds(scored(20)), ["valid", "few_items"]],
      [
        "a third of the items ended with an error, by the samples of whoever",
        kinds(scored(40), { verdict: "error", count: 20 }),
        ["invalid", "error_share"]
      ],
      [
        "nothing but errors",
        kinds({ verdict: "error", reason: "request_failed", count: 40 }),
        ["invalid", "error_share"]
      ],
      ["errors within the limit", kinds(scored(95), { verdict: "error", count: 5 }), ["valid"]],
      ["two errors of ten items say nothing", kinds(scored(40), { verdict: "error", count: 2 }), ["valid"]],
      [
        "requests of a measurement that failed are its own affair",
        kinds(scored(40, { reason: "measured" }), { verdict: "error", count: 20 }),
        ["valid"]
      ],
      [
        "failed for good and scored",
        { ...wire({ failed: 10, answers: 90 }), ...kinds(scored(100)), calls: 1 },
        ["invalid", "requests_failed_scored", "requests_missing"]
      ],
      [
        "failed for good, where an item takes four questions: nobody knows whether its verdict rests on it",
        { ...wire({ questions: 400, requests: 400, answers: 388, failed: 12 }), ...kinds(scored(100)) },
        ["suspect", "requests_failed_scored"]
      ],
      [
        "failed for good and left out",
        { ...wire({ questions: 100, answers: 80, failed: 20 }), ...kinds(scored(80)) },
        ["invalid", "requests_failed_scored"]
      ],
      [
        "failed for good beside one question that warms up",
        { ...wire({ questions: 101, answers: 91, failed: 10 }), ...kinds(scored(100)), calls: 1 },
        ["invalid", "requests_failed_scored", "requests_missing"]
      ],
      [
        "failed for good and told",
        { ...wire({ failed: 5, answers: 95 }), ...kinds(scored(95), { verdict: "error", count: 5 }) },
        ["valid"]
      ],
      [
        "verdicts without any request",
        { ...wire({ questions: 0, requests: 0, answers: 0, reported: 0, models: {} }), ...kinds(scored(100)) },
        ["invalid", "requests_missing"]
      ],
      [
        "a third was not asked, of one call an item",
        { ...wire({ questions: 67, answers: 67, requests: 67 }), ...kinds(scored(100)), calls: 1 },
        ["invalid", "requests_missing"]
      ],
      [
        "a third was not asked, of whom nothing is declared",
        { ...wire({ questions: 67, answers: 67, requests: 67 }), ...kinds(scored(100)) },
        ["valid"]
      ],
      [
        "a third was not asked, of one that needs no answer",
        { ...wire({ questions: 0, answers: 0, requests: 0 }), ...kinds(scored(100)), calls: 0 },
        ["valid"]
      ],
      [
        "four turns an item, a third left out",
        { ...wire({ questions: 268, answers: 268, requests: 268 }), ...kinds(scored(100)), calls: 4 },
        ["invalid", "requests_missing"]
      ],
      [
        "four turns an item",
        { ...wire({ questions: 400, answers: 400, requests: 400 }), ...kinds(scored(100)), calls: 4 },
        ["valid"]
      ],
      [
        "one call an item, of which a third were filtered and say so",
        {
          ...wire({ questions: 100, answers: 67, filtered: 2 }),
          ...kinds(scored(67), { verdict: "invalid", reason: "no_answer_filtered", count: 33 }),
          calls: 1
        },
        ["invalid", "content_filtered"]
      ],
      [
        "three choices of one answer are three answers",
        { ...wire({ questions: 40, answers: 40, others: 80 }), ...kinds(scored(120)), calls: 1 },
        ["valid"]
      ],
      [
        "answers of a judge are none of the model",
        {
          ...wire({ questions: 160, answers: 160, models: { m: { m: 60 }, judge: { judge: 100 } } }),
          ...kinds(scored(100)),
          ...{ calls: 1, model: "m" }
        },
        ["invalid", "requests_missing"]
      ],
      [
        "answers under the only name that was asked are the model's, whatever the job calls it",
        { ...wire({ models: { "org/m": { "org/m": 100 } } }), ...kinds(scored(100)), calls: 1, model: "m" },
        ["valid"]
      ],
      [
        "four choices an item by their likelihood, all of them",
        { ...wire({ ...noQuestions, others: 400 }), ...likelihoods(100, 4), calls: "choices" },
        ["valid"]
      ],
      [
        "four choices an item by their likelihood, a third left out",
        { ...wire({ ...noQuestions, others: 267 }), ...likelihoods(100, 4), calls: "choices" },
        ["invalid", "requests_missing"]
      ],
      [
        "likelihoods of more items than were read: each has as many choices as the least",
        { ...wire({ ...noQuestions, others: 2700 }), ...likelihoods(100, 4, 1000), calls: "choices" },
        ["invalid", "requests_missing"]
      ],
      [
        "likelihoods of records whose choices nobody keeps",
        { ...wire({ ...noQuestions, others: 100 }), ...kinds(scored(100, { reason: "likelihood" })), calls: "choices" },
        ["valid"]
      ],
      [
        "log-likelihoods are answers too",
        {
          ...wire({ questions: 0, requests: 0, answers: 0, others: 400, models: {} }),
          ...kinds(scored(100, { reason: "likelihood" }))
        },
        ["valid"]
      ],
      [
        "a judge that cannot be read",
        kinds(scored(90, { reason: "judged" }), scored(10, { reason: "judge_unparsed" })),
        ["suspect", "judge_unparsed"]
      ]
    ]
  for (const [says, evidence, expected] of cases)
    it(`${says}: ${expected?.join(", ") ?? "absent"}`, () => assert.deepStrictEqual(said(evidence), expected))

  it("says a thing once, with the graver figures and the samples that are known", () => {
    const flag: ValidityFlag = {
      code: "empty_responses",
      level: "blocking",
      count: 50,
      of: 100,
      limit: 0.01,
      samples: ["a", "b"],
      message: "50 of 100 answers are empty"
    }
    const judged = judgeValidity({ ...wire({ empty: 100 }), adapter: [flag] })
    assert.deepStrictEqual(
      judged?.flags.map(({ code, count, samples }) => ({ code, count, samples })),
      [{ code: "empty_responses", count: 100, samples: ["a", "b"] }]
    )
  })

  it("the server's limits hold for what an adapter says too (an adapter's own limit could not be raised)", () => {
    const flag: ValidityFlag = {
      ...{ code: "empty_responses", level: "blocking", count: 5, of: 100, limit: 0.01, samples: [], message: "" }
    }
    const status = (limit: number, adapter: ReadonlyArray<ValidityFlag>) =>
      judgeValidity({ adapter }, { ...defaultLimits, empty_responses: limit })?.status
    assert.strictEqual(status(0.01, [flag]), "invalid")
    assert.strictEqual(status(0.05, [flag]), "valid")
    assert.strictEqual(status(0.05, [{ ...flag, code: "controls_failed" }]), "invalid")
  })

  it("an adapter can speak against itself only in the words of a flag", () => {
    const flag = {
      code: "controls_failed",
      level: "blocking",
      count: 5,
      of: 10,
      limit: 0.5,
      samples: ["a"],
      message: "no"
    }
    assert.deepStrictEqual(
      declaredFlags({ flags: [flag, { code: "Nonsense", level: "blocking" }, 7, { code: "x", level: "fatal" }] }),
      [flag as ValidityFlag]
    )
    assert.isUndefined(declaredFlags({ note: "a foreign adapter" }))
    assert.deepStrictEqual(declaredFlags({ controls: { empty: 0 } }), [])
  })

  it("counts of a sidecar are read whole or not at all", () => {
    assert.deepStrictEqual(readWireCounts(JSON.parse(JSON.stringify(clean))), clean)
    const { spent: _, templated: __, ...earlier } = clean
    assert.deepStrictEqual(readWireCounts(earlier), clean, "a sidecar of before these were counted")
    for (const broken of [
      { ...clean, spent: "1" },
      { ...clean, empty: -1 },
      { ...clean, models: { m: 3 } },
      { ...clean, fingerprints: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`f${at}`, 1])) },
      [],
      null,
      "x"
    ])
      assert.isUndefined(readWireCounts(broken))
  })

  it("names of one model are equal without organisation, date and version, but not without size", () => {
    assert.isTrue(isAlias("meta-llama/Llama-3.1-8B", "llama-3.1-8b"))
    assert.isTrue(isAlias("gpt-4o", "gpt-4o-2024-08-06"))
    assert.isFalse(isAlias("gpt-4", "gpt-3"))
    assert.isFalse(isAlias("llama-3.1-70b", "llama-3.1-8b"))
  })
})

describe("records of samples", () => {
  const figures = (records: ReadonlyArray<object>) => {
    const tally = recordTally()
    for (const [at, record] of records.entries())
      tally.add({ sample_id: `s${at}`, verdict: "incorrect", prompt_sha256: `p${at}`, reference: `r${at}`, ...record })
    return tally.figures()
  }
  const many = Array.from({ length: 40 }, (_, at) => at)

  it("the same whole answer to different questions is found", () => {
    const { identical } = figures(
      many.map((at) => ({
        response: at < 20 ? "I am a helpful assistant and cannot say." : `answer number ${at} in its own words`
      }))
    )
    assert.deepStrictEqual([identical.count, identical.of, identical.samples.length], [20, 40, 5])
  })
  it("short answers, refusals and equal references are no sign of it", () => {
    assert.strictEqual(figures(many.map(() => ({ response: "42" }))).identical.count, 0)
    assert.strictEqual(
      figures(many.map(() => ({ response: "I am sorry, but I cannot help with that.", reason: "refused" }))).identical
        .count,
      0
    )
    assert.strictEqual(
      figures(many.map(() => ({ response: "a long answer that is always right", reference: "same" }))).identical.count,
      0
    )
  })
  it("of answers whose text is not kept the same hash says something only where no short answer was read (a weak model that always said 10 was called broken)", () => {
    const kept = (more: object) =>
      figures(many.map(() => ({ response_sha256: "a".repeat(64), ...more }))).identical.count
    assert.strictEqual(kept({ reason: "answer_different" }), 0)
    assert.strictEqual(kept({ verdict: "invalid", reason: "answer_not_found" }), 40)
    assert.strictEqual(kept({ verdict: "incorrect" }), 40)
  })
  it("a constant choice is found unless the references explain it", () => {
    const choice = (reference: (at: number) => string) =>
      figures(many.map((at) => ({ response: "B", extracted: "B", choices: ["x", "y"], reference: reference(at) })))
        .constant
    assert.strictEqual(choice((at) => "ABCD"[at % 4] ?? "A").count, 40)
    assert.strictEqual(choice(() => "B").count, 0)
  })
  it("needless refusals and references that change are found; right answers and wanted refusals are neither", () => {
    const response = "I'm sorry, but I can't help with that request."
    const { refused } = figures([
      { response },
      { response, verdict: "correct" },
      { response, reason: "refused" },
      { response: "It is 42." }
    ])
    assert.deepStrictEqual([refused.count, refused.of, refused.samples], [1, 3, ["s0"]])
    const { changed } = figures([
      { sample_id: "a", reference: "1" },
      { sample_id: "a", repeat: 1, reference: "2" },
      { sample_id: "a", repeat: 2, reference: "1" }
    ])
    assert.deepStrictEqual([changed.count, changed.of], [1, 2])
  })
  it("repeats that were asked something else, and references in the question", () => {
    const repeated = figures([
      { sample_id: "a", prompt_sha256: "1" },
      { sample_id: "a", prompt_sha256: "2" }
    ])
    assert.deepStrictEqual([repeated.differing.count, repeated.differing.of], [1, 1])
    const reference = "the treaty of Westphalia in 1648"
    assert.strictEqual(
      figures([{ response: "x", reference, prompt: [{ role: "user", content: `Hint: ${reference}. When was it?` }] }])
        .leaked.count,
      1
    )
  })
})

import { assert, describe, it } from "vitest"
import { inWireWords, wirePointer, wireSentence } from "../../../../config/wire-names.ts"
import { documentIn, readSample } from "../../../../domain/sample/read-sample.ts"

const plain = { v: 1, sample_id: "t:1", task: "t", index: 0, repeat: 0, verdict: "correct" }

const problemsOf = (members: { readonly [member: string]: unknown }) =>
  readSample({ ...plain, ...members }, [3])
    .problems.map(inWireWords)
    .map(({ path, message }) => `${path}: ${message}`)

describe("a record", () => {
  it("is read with what is asked of it most, null being absent and unknown members left out", () => {
    const { sample, problems, unknown } = readSample(
      {
        ...plain,
        flags: ["b", "a", "b"],
        tokens: { completion: 5 },
        latency_ms: 2.5,
        score: null,
        finish_reason: "stop",
        mystery: 1,
        reason: "answer_equal"
      },
      []
    )
    assert.deepEqual(problems, [])
    assert.deepEqual(unknown, ["mystery"])
    const { document, ...known } = sample ?? assert.fail("not read")
    assert.deepEqual(known, {
      ...{
        sampleId: "t:1",
        task: "t",
        repeat: 0,
        index: 0,
        verdict: "correct",
        reason: "answer_equal",
        finishReason: "stop"
      },
      ...{ flags: ["a", "b"], completionTokens: 5, latencyMillis: 2.5 }
    })
    assert.deepEqual(Object.keys(document).toSorted(), [
      ...[
        "finish_reason",
        "flags",
        "index",
        "latency_ms",
        "reason",
        "repeat",
        "sample_id",
        "task",
        "tokens",
        "v",
        "verdict"
      ]
    ])
  })

  it.each([
    [{ sample_id: "" }, "/3/sample_id"],
    [{ sample_id: "a\u0000b" }, "/3/sample_id"],
    [{ sample_id: "x".repeat(513) }, "/3/sample_id"],
    [{ task: 3 }, "/3/task"],
    [{ index: -1 }, "/3/index"],
    [{ index: 1.5 }, "/3/index"],
    [{ repeat: 2 ** 31 }, "/3/repeat"],
    [{ v: 2 }, "/3/v"],
    [{ verdict: "right" }, "/3/verdict"],
    [{ reason: "because" }, "/3/reason"],
    [{ prompt_sha256: "A".repeat(64) }, "/3/prompt_sha256"],
    [{ score: "1" }, "/3/score"],
    [{ scores: { acc: "NaN" } }, "/3/scores"],
    [{ scores: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`m${n}`, 0])) }, "/3/scores"],
    [{ latency_ms: -1 }, "/3/latency_ms"],
    [{ tokens: { completion: -1 } }, "/3/tokens"],
    [{ tokens: [] }, "/3/tokens"],
    [{ flags: ["Bad"] }, "/3/flags"],
    [{ flags: Array.from({ length: 17 }, (_, n) => `f${n}`) }, "/3/flags"],
    [{ cluster: "c".repeat(257) }, "/3/cluster"],
    [{ choices: ["a", 1] }, "/3/choices"],
    [{ prompt: 1 }, "/3/prompt"],
    [{ finish_reason: "" }, "/3/finish_reason"],
    [{ error: { code: "x" } }, "/3/error"],
    [{ verdict: "error" }, "/3/error"]
  ])("%j is refused at %s", (members, path) => {
    const problems = problemsOf(members)
    assert.lengthOf(problems, 1)
    assert.include(problems[0], `${path}: `)
  })

  it("tells every problem at once, and what a misspelt member was meant to be", () => {
    const { sampel_id: _, ...rest } = { ...plain, sampel_id: "" }
    const { sample_id: __, ...without } = rest
    const { problems } = readSample({ ...without, sampel_id: "t:1", index: "0", verdict: 1 }, [0])
    assert.deepEqual(
      problems.map(({ path }) => wirePointer(path)),
      ["/0/index", "/0/verdict", "/0/sample_id"]
    )
    assert.include(wireSentence(problems[2]?.message ?? ""), "sampel_id")
  })

  it.each([null, 3, "x", [], true])("%j is no record", (value) => {
    assert.deepEqual(
      readSample(value, [7]).problems.map(({ path }) => wirePointer(path)),
      ["/7"]
    )
  })

  it("member names of prototypes are unknown like any other", () => {
    const { sample, unknown } = readSample(
      JSON.parse(`{"__proto__": {"score": 1}, "constructor": 1, ${JSON.stringify(plain).slice(1)}`),
      []
    )
    assert.deepEqual(unknown, ["__proto__", "constructor"])
    assert.isUndefined(sample?.score)
  })

  it("has the same document, member by member, when it is read from its line again", () => {
    const line = JSON.stringify({
      ...{ mystery: { deep: [1] }, prompt: [{ role: "user", content: "é\n" }], score: null, latency_ms: 2.5 },
      ...plain,
      tokens: { completion: 5 }
    })
    const document = readSample(JSON.parse(line), []).sample?.document ?? assert.fail("not read")
    const again = documentIn(JSON.parse(line))
    assert.deepEqual(again, document)
    assert.deepEqual(Object.keys(again), Object.keys(document))
  })
})

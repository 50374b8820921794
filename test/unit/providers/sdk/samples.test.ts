/** Per-sample records: schema of every line, resume, torn lines, rotation. Reference: adapter-contract.md, "Sample records". */
import { appendFileSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { readSample } from "../../../../domain/sample/read-sample.ts"
import { SampleRecord } from "../../../../providers/contract/sample-record.ts"
import { openSamples, type SampleOptions, slugOf } from "../../../../providers/sdk/samples.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const record = (index: number, over: Partial<SampleRecord> = {}): SampleRecord => ({
  v: 1,
  sample_id: `t:${index}`,
  task: "t",
  index,
  repeat: 0,
  verdict: "correct",
  prompt: "What?",
  response: "That.",
  ...over
})
const failed = (index: number) =>
  record(index, { verdict: "error", error: { code: "model_server_error", message: "no" } })

/** one run: opens, writes, closes */
const run = (dir: string, records: ReadonlyArray<SampleRecord>, over: Partial<SampleOptions> = {}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const samples = yield* openSamples({ outputDir: dir, task: "arc:easy", write: true, includeText: true, ...over })
      const known = records.map(({ sample_id, repeat }) => samples.finished(sample_id, repeat)?.verdict)
      yield* Effect.forEach(records, samples.write)
      return { known, summary: yield* samples.summary }
    })
  )
const files = (dir: string) => readdirSync(join(dir, "samples")).sort()
const linesOf = (dir: string, name: string) =>
  readFileSync(join(dir, "samples", name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => Schema.decodeUnknownSync(SampleRecord)(JSON.parse(line)))

describe("samples", () => {
  it.scoped("writes one valid record a line and knows their digest", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const { summary } = yield* run(dir, [record(0), failed(1)])
      assert.deepStrictEqual(linesOf(dir, "arc-easy.ndjson"), [record(0), failed(1)])
      const { path, lines, sha256 } = Option.getOrThrow(summary)
      assert.deepStrictEqual([path, lines], ["samples/arc-easy.ndjson", 2])
      assert.match(sha256, /^[0-9a-f]{64}$/)
    })
  )

  it.scoped(
    "what an endpoint makes up does not keep the server from taking a record: finish reasons that are none, tokens that cannot be (all samples of a benchmark were refused)",
    () =>
      Effect.gen(function* () {
        const dir = yield* tempDir
        yield* run(dir, [
          record(0, { finish_reason: "" }),
          record(1, { finish_reason: `stop\u0000\u202e${"x".repeat(100)}` }),
          record(2, { tokens: { prompt: -1, completion: 3, estimated: false } }),
          record(3, { finish_reason: "stop", tokens: { prompt: 10.5, completion: 2 ** 40, reasoning: 2 } as never })
        ])
        const lines = readFileSync(join(dir, "samples", "arc-easy.ndjson"), "utf8")
          .trimEnd()
          .split("\n")
        const read = lines.map((line) => readSample(JSON.parse(line), []))
        assert.deepStrictEqual(
          read.flatMap(({ problems }) => problems.map(({ message }) => message)),
          []
        )
        assert.deepStrictEqual(
          read.map(({ sample }) => [sample?.finishReason, sample?.document["tokens"]]),
          [
            [undefined, undefined],
            [`stop${"x".repeat(58)}`, undefined],
            [undefined, { completion: 3, estimated: false }],
            ["stop", { reasoning: 2 }]
          ]
        )
      })
  )

  it.scoped("the digest does not depend on the order in which answers came, in one file or in several", () =>
    Effect.gen(function* () {
      const [ordered, shuffled] = [yield* tempDir, yield* tempDir]
      for (const maxFileBytes of [300, 1_000_000]) {
        const first = yield* run(
          ordered,
          [0, 1, 2, 3, 4, 5].map((at) => record(at)),
          { maxFileBytes, task: `t${maxFileBytes}` }
        )
        const second = yield* run(
          shuffled,
          [4, 1, 5, 0, 3, 2].map((at) => record(at)),
          { maxFileBytes, task: `t${maxFileBytes}` }
        )
        assert.deepStrictEqual(second.summary, first.summary)
      }
      assert.deepStrictEqual(files(shuffled), files(ordered))
      assert.isAbove(files(shuffled).length, 3)
    })
  )

  it.scoped("continues: finished samples are known, errors are not, a torn last line is cut off", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      yield* run(dir, [
        record(0),
        failed(1),
        record(2, { verdict: "invalid" }),
        record(3, { verdict: "incorrect", repeat: 1 })
      ])
      appendFileSync(join(dir, "samples", "arc-easy.ndjson"), '{"v":1,"sample_id":"t:4","ta')
      const { known } = yield* run(dir, [
        record(0),
        record(1),
        record(2),
        record(3),
        record(3, { repeat: 1 }),
        record(4)
      ])
      assert.deepStrictEqual(known, ["correct", undefined, "invalid", undefined, "incorrect", undefined])
      assert.lengthOf(linesOf(dir, "arc-easy.ndjson"), 10)
    })
  )

  it.scoped("begins further files, and reads them all again", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const many = Array.from({ length: 10 }, (_, at) => record(at))
      const first = yield* run(dir, many, { maxFileBytes: 300 })
      assert.deepStrictEqual(files(dir).slice(0, 3), [
        "arc-easy-001.ndjson",
        "arc-easy-002.ndjson",
        "arc-easy-003.ndjson"
      ])
      for (const name of files(dir)) assert.isAtMost(readFileSync(join(dir, "samples", name)).length, 300)
      const second = yield* run(dir, many, { maxFileBytes: 300 })
      assert.isTrue(second.known.every((verdict) => verdict === "correct"))
      assert.deepStrictEqual(
        [Option.getOrThrow(first.summary).lines, Option.getOrThrow(second.summary).lines],
        [10, 20]
      )
    })
  )

  it.scoped("cuts long texts, says so, and keeps every line below 1 MiB", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const long = "é".repeat(300_000)
      yield* run(dir, [
        record(0, { response: long }),
        record(1, { prompt: long, response: long, reasoning: long, reference: long, choices: [long] })
      ])
      const [one, many] = linesOf(dir, "arc-easy.ndjson")
      assert.strictEqual(one?.response, "é".repeat(131_072))
      assert.isTrue(one?.truncated)
      assert.isTrue(many?.truncated)
      for (const line of readFileSync(join(dir, "samples", "arc-easy.ndjson"))
        .toString()
        .split("\n"))
        assert.isAtMost(Buffer.byteLength(line), 1024 * 1024)
    })
  )

  it.scoped("leaves texts out on request", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      yield* run(dir, [record(0, { extracted: "That" })], { includeText: false })
      const { prompt: _, response: __, ...rest } = record(0, { extracted: "That" })
      assert.deepStrictEqual(linesOf(dir, "arc-easy.ndjson"), [rest])
    })
  )

  it.scoped("writes nothing when not asked to", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const { summary } = yield* run(dir, [record(0)], { write: false })
      assert.isTrue(Option.isNone(summary))
      assert.deepStrictEqual(readdirSync(dir), [])
    })
  )

  it.scoped("an unwritable folder is a clear failure", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      appendFileSync(join(dir, "samples"), "a file")
      const error = yield* Effect.flip(run(dir, []))
      assert.include(error.message, "per-sample records cannot be written")
    })
  )
})

it("slugs are safe file names", () => {
  assert.deepStrictEqual(["ARC:Easy/1", "../x", "", "a".repeat(50)].map(slugOf), [
    "arc-easy-1",
    "-x",
    "task",
    "a".repeat(40)
  ])
})

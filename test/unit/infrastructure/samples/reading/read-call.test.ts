/** Lines are read in one thread as in the other, and what is kept of them is the same. Reference: samples.md, "Upload". */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import type { ReadLines, ReadOptions } from "../../../../../application/ports/stores/sample-store.ts"
import { breath } from "../../../../../infrastructure/in-process/in-steps.ts"
import { makePacker, unpack } from "../../../../../infrastructure/samples/chunks.ts"
import { makeDivision } from "../../../../../infrastructure/samples/division.ts"
import { packAhead, packedAhead } from "../../../../../infrastructure/samples/pack-ahead.ts"
import { makeReadCall } from "../../../../../infrastructure/samples/reading/read-call.ts"
import { makeReadThread, type ReadThread } from "../../../../../infrastructure/samples/reading/read-thread.ts"
import { bundleProgram } from "../../../../support/bundled-program.ts"
import { tempDir } from "../../../../support/temp-dir.ts"

class Thread extends Context.Tag("Thread")<Thread, ReadThread>() {}

/** the program as it is built, in a thread of its own */
const withThread = Layer.scoped(
  Thread,
  Effect.gen(function* () {
    const file = join(yield* tempDir, "read-samples.mjs")
    yield* Effect.promise(() => bundleProgram("infrastructure/samples/reading/read-samples.ts", file))
    return yield* Effect.acquireRelease(
      Effect.sync(() => makeReadThread(file)),
      (thread) => Effect.promise(thread.end)
    )
  })
)

type Members = { readonly [member: string]: unknown }

const record = (index: number, members: Members = {}): Members => ({
  ...{ v: 1, sample_id: `s:${index}`, task: index % 2 === 0 ? "even" : "odd", index, repeat: index % 3 },
  ...{ verdict: index % 5 === 0 ? "incorrect" : "correct", prompt: [{ role: "user", content: "wörd 😀 ".repeat(20) }] },
  ...members
})

/** more bytes than are read where everything else is served */
const linesOf = (of: (index: number) => Members | string, count = 300): Buffer =>
  Buffer.from(
    Array.from({ length: count }, (_, index) => {
      const one = of(index)
      return typeof one === "string" ? one : JSON.stringify(one)
    }).join("\n")
  )

const varied = (index: number): Members =>
  record(index, {
    ...(index % 2 === 0 ? { score: index / 7 } : { scores: { exact_match: 1, f1: index / 3 } }),
    ...(index % 3 === 0 ? { tokens: { completion: index }, latency_ms: 0.5 * index, finish_reason: "stop" } : {}),
    ...(index % 4 === 0 ? { prompt_sha256: `${index}`.padStart(64, "a"), cluster: `c${index % 6}` } : {}),
    ...(index % 7 === 0 ? { flags: ["late", "odd_one", "late"], reason: "answer_equal", ttft_ms: 3 } : {}),
    ...(index % 11 === 0 ? { unheard_of: 1, reference: { "10": 1, "9": 2 } } : {}),
    ...(index === 9 ? { response: "é".repeat(200_000) } : {})
  })

const wrongAt = (index: number): Members | string =>
  index === 3 ? "{" : index === 5 ? record(index, { index: -1, verdict: "maybe" }) : index === 8 ? "" : record(index)

const bodies: ReadonlyArray<readonly [string, Buffer]> = [
  ["records of many kinds", linesOf(varied)],
  ["one of them a line that ends the body", Buffer.concat([linesOf(varied), Buffer.from("\n")])],
  [
    "records with more text than the memory of a call has room for: numbers written at length",
    linesOf(
      (index) => JSON.stringify(record(index)).replace(/}$/, `,"logprobs":{"all":[${"1e20,".repeat(90_000)}0]}}`),
      7
    )
  ],
  ["a few that are wrong", linesOf(wrongAt)],
  ["all of them wrong", linesOf((index) => record(index, { sample_id: 7, verdict: "no" }))],
  [
    "deep, and long names",
    linesOf((index) => `{"a":${"[".repeat(70 + index)}${"]".repeat(70 + index)},"${"n".repeat(2000)}":1}`)
  ],
  ["no UTF-8", Buffer.concat([linesOf(varied), Buffer.from([0xff, 0xfe])])],
  ["too many lines", linesOf((index) => record(index), 1001)],
  [
    "a line that is too long",
    linesOf((index) => record(index, index === 250 ? { response: "x".repeat(1_100_000) } : {}))
  ],
  ["nothing", Buffer.alloc(0)]
]

/** descriptions of the libraries that are installed: prose, code and signs of many hands */
const foreignTexts = readdirSync("node_modules")
  .map((name) => join("node_modules", name, "README.md"))
  .filter((file) => existsSync(file))
  .map((file) => readFileSync(file, "utf8"))
  .filter((text) => Buffer.byteLength(text) < 100_000)

/** what is to be seen of it while the call is under way */
const seen = (read: ReadLines) =>
  read._tag === "Read"
    ? {
        ...read,
        samples: read.samples.map((sample) => {
          const { bytes, from, to, ...made } = sample.made ?? assert.fail("no text was made")
          const { scores, ...known } = sample
          return {
            // beside a score of its own nobody asks for them
            ...(sample.score === undefined ? { ...known, scores } : known),
            document: sample.document,
            made: { ...made, text: bytes.toString("utf8", from, to) }
          }
        })
      }
    : read

const options: ReadOptions = { content: "full", most: 20 }

describe("the lines of a call", () => {
  layer(withThread, { excludeTestServices: true })((it) => {
    for (const [name, body] of bodies)
      for (const content of ["full", "hash"] as const)
        it.scoped(`${name}, kept: ${content}`, () =>
          Effect.gen(function* () {
            const thread = yield* Thread
            const there = seen(yield* makeReadCall(breath, thread)(body, { ...options, content }))
            const here = seen(yield* makeReadCall(breath, undefined)(body, { ...options, content }))
            assert.deepStrictEqual(there, here)
            const expected = /^(records|one)/.test(name)
              ? "Read"
              : /^no UTF|^too|line that is/.test(name)
                ? "Refused"
                : "Wrong"
            assert.strictEqual(there._tag, expected)
          })
        )

    it.scoped("records are what was sent, and what is kept of them is made of it", () =>
      Effect.gen(function* () {
        const read = yield* makeReadCall(breath, yield* Thread)(bodies[0]?.[1] ?? Buffer.alloc(0), options)
        if (read._tag !== "Read") return assert.fail(read._tag)
        assert.deepStrictEqual(read.unknown, ["unheard_of"])
        for (const [index, sample] of read.samples.entries()) {
          const { unheard_of: _, ...sent } = varied(index)
          assert.deepStrictEqual({ ...sample.document }, JSON.parse(JSON.stringify(sent)) as Members)
          const { bytes, from, to, digest } = sample.made ?? assert.fail("no text was made")
          assert.match(digest, /^[0-9a-f]{64}$/)
          const kept = JSON.parse(bytes.toString("utf8", from, to)) as Members
          assert.deepStrictEqual(kept["prompt"], sent["prompt"])
          assert.deepStrictEqual(kept["cut"], index === 9 ? ["response"] : undefined)
        }
      })
    )

    it.scoped("chunks are begun while further lines are read, and hold the records: texts that others wrote", () =>
      Effect.gen(function* () {
        const heard: Array<{ readonly memory: Buffer; readonly ends: ReadonlyArray<number> }> = []
        const read = makeReadCall(breath, yield* Thread, (memory, ends) => {
          heard.push({ memory, ends })
          packAhead(memory, ends)
        })
        const outcome = yield* read(
          linesOf((index) => record(index, { response: foreignTexts[index] }), foreignTexts.length),
          options
        )
        if (outcome._tag !== "Read") return assert.fail(outcome._tag)
        const made = outcome.samples.map((sample) => sample.made ?? assert.fail("no text was made"))
        const division = makeDivision()
        for (const { from, to } of made) division.add(to - from)
        const told = heard.flatMap(({ ends }) => ends)
        assert.isAtLeast(heard.length, 2)
        assert.deepStrictEqual(told, division.closed.slice(0, told.length))
        assert.isBelow(division.closed.length - told.length, 4)
        for (const { memory } of heard) assert.strictEqual(memory, made[0]?.bytes)
        const packer = makePacker()
        for (const text of made) packer.add(text)
        const { chunks, slots } = yield* packer.finish()
        const begun = yield* Effect.promise(() => packedAhead(made[0]?.bytes ?? Buffer.alloc(0), division.ends()))
        assert.lengthOf(begun, told.length)
        for (const [number, chunk] of begun.entries()) assert.strictEqual(chunks[number], chunk)
        const opened = yield* Effect.forEach(chunks, ({ data }) => unpack(data))
        for (const [index, { chunk, start, length }] of slots.entries()) {
          const kept = JSON.parse(opened[chunk]?.toString("utf8", start, start + length) ?? "") as Members
          assert.strictEqual(kept["response"], foreignTexts[index])
        }
      })
    )

    it.scoped("several calls at once keep their records apart, and none outlives its call", () =>
      Effect.gen(function* () {
        const read = makeReadCall(breath, yield* Thread)
        const scope = yield* Scope.make()
        const calls = yield* Effect.forEach(
          [0, 1, 2, 3, 4],
          (call) =>
            read(
              linesOf((index) => record(index, { response: `of ${call}` })),
              options
            ),
          { concurrency: "unbounded" }
        ).pipe(Scope.extend(scope))
        const samples = calls.map((one) => (one._tag === "Read" ? one.samples : []))
        for (const [call, some] of samples.entries()) {
          assert.lengthOf(some, 300)
          for (const { document, made } of some) {
            assert.strictEqual(document["response"], `of ${call}`)
            assert.include(made?.bytes.toString("utf8", made.from, made.to), `"of ${call}"`)
          }
        }
        yield* Scope.close(scope, Exit.void)
        assert.throws(() => samples[0]?.[0]?.document, /after the call/)
        assert.throws(() => samples[0]?.[0]?.made, /after the call/)
      })
    )

    it.scoped("what the thread leaves unanswered is read all the same, and so is the next call", () =>
      Effect.gen(function* () {
        const thread = yield* Thread
        const read = makeReadCall(breath, thread)
        const waiting = yield* Effect.fork(read(linesOf(varied), options))
        yield* Effect.yieldNow()
        yield* Effect.promise(thread.end)
        assert.strictEqual((yield* Fiber.join(waiting))._tag, "Read")
        assert.strictEqual((yield* read(linesOf(varied), options))._tag, "Read")
      })
    )

    it.scoped("a program that is not there is told of, and its lines are read", () =>
      Effect.gen(function* () {
        const thread = makeReadThread(join(yield* tempDir, "nowhere.mjs"))
        assert.strictEqual((yield* makeReadCall(breath, thread)(linesOf(varied), options))._tag, "Read")
      })
    )
  })
})

/** What every store of samples does, whatever lies below it. */
import { createHash } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Either } from "effect"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import {
  type AddOptions,
  type SampleScope,
  SampleStore,
  type SampleUnit
} from "../../../application/ports/stores/sample-store.ts"
import { readSample } from "../../../domain/sample/read-sample.ts"
import { limits, type Sample } from "../../../domain/sample/sample.ts"
import type { SampleFilter, SamplePosition, SampleSort } from "../../../domain/sample/sample-query.ts"
import type { StorageLayer } from "../../support/storage.ts"
import { jobId, makeJob } from "../../support/stored-jobs.ts"

const sampleOf = (members: { readonly [member: string]: unknown }): Sample => {
  const { sample, problems } = readSample({ v: 1, task: "t", repeat: 0, verdict: "correct", ...members }, [])
  if (sample === undefined) throw new Error(JSON.stringify(problems))
  return sample
}

/** the number decides everything about it */
const numbered = (index: number, members: { readonly [member: string]: unknown } = {}): Sample =>
  sampleOf({
    sample_id: `t:${index}`,
    index,
    verdict: index % 3 === 0 ? "incorrect" : "correct",
    score: index % 3 === 0 ? 0 : 1,
    finish_reason: index % 5 === 0 ? "length" : "stop",
    tokens: { prompt: 10, completion: (index * 7) % 11 },
    latency_ms: (index * 13) % 17,
    response: `answer ${index} ✓`,
    ...(index % 4 === 0 ? { flags: ["odd_one", "late"] } : {}),
    ...members
  })

const range = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, number) => number)

const full: AddOptions = { maxPerJob: 1_000_000, content: "full" }
const byIndex: SampleSort = { by: "index", descending: false }

export const samplesSuite = (name: string, storage: StorageLayer) =>
  describe(`samples: ${name}`, () => {
    layer(storage)((it) => {
      let last = 0x5000
      /** a job of its own with two benchmarks */
      const newUnit = (index = 0): Effect.Effect<SampleUnit, unknown, JobStore> =>
        Effect.gen(function* () {
          const unit = { tenant: "t", jobId: jobId(++last), index }
          yield* (yield* JobStore).insert(makeJob({ id: unit.jobId, tenant: unit.tenant }), [])
          return unit
        })
      const list = (scope: SampleScope, filter: SampleFilter, sort: SampleSort, limit = 7) =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const ids: Array<string> = []
          let after: SamplePosition | undefined
          let total = 0
          for (;;) {
            const page = yield* store.page(scope, { filter, sort, limit, ...(after === undefined ? {} : { after }) })
            ids.push(...page.items.map(({ benchmark, sampleId }) => `${benchmark}/${sampleId}`))
            total = page.total
            after = page.items.at(-1)?.position
            if (!page.more) return { ids, total }
          }
        })

      it.scoped("a body is read and stored as its records are by themselves, and is not looked at again", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          const samples = range(150).map((index) => numbered(index, { prompt_sha256: `${index}`.padEnd(64, "b") }))
          const body = Buffer.from(samples.map(({ document }) => JSON.stringify(document)).join("\n"))
          const read = yield* store.read(body, { content: "full", most: 20 })
          if (read._tag !== "Read") return assert.fail(read._tag)
          assert.deepEqual(yield* store.add(unit, read.samples.slice(0, 100), full), {
            ...{ stored: 100, replaced: 0, duplicate: 0 }
          })
          // some that are there, some that are not, and those as they are
          assert.deepEqual(yield* store.add(unit, read.samples.slice(90), full), {
            ...{ stored: 50, replaced: 0, duplicate: 10 }
          })
          assert.deepEqual(yield* store.add(unit, samples, full), { stored: 0, replaced: 0, duplicate: 150 })
          body.fill(0)
          const page = yield* store.page(unit, { filter: {}, sort: byIndex, limit: 200 })
          const texts = yield* store.texts(page.items)
          assert.deepEqual(
            texts.map((text) => JSON.parse(text ?? "") as unknown),
            samples.map(({ document }) => document)
          )
          const scored = (yield* store.scored(unit, 1000)) ?? []
          assert.lengthOf(new Set(scored.map(({ prompt }) => prompt)), 150)
          const wrong = yield* store.read(Buffer.from("{}\n[]"), { content: "full", most: 20 })
          assert.strictEqual(wrong._tag, "Wrong")
        })
      )

      it.effect("a call is stored once, however often it comes, and its records are given back as they were sent", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          const samples = range(150).map((index) => numbered(index))
          assert.deepEqual(yield* store.add(unit, samples, full), { stored: 150, replaced: 0, duplicate: 0 })
          const again = range(150).map((index) =>
            numbered(index, { latency_ms: 999, request_id: "other", started_at: "later", ttft_ms: 5 })
          )
          assert.deepEqual(yield* store.add(unit, [...again, numbered(150)], full), {
            stored: 1,
            replaced: 0,
            duplicate: 150
          })
          const { items, total } = yield* store.page(unit, { filter: {}, sort: byIndex, limit: 200 })
          assert.strictEqual(total, 151)
          const texts = yield* store.texts(items)
          assert.deepEqual(
            texts.map((text) => JSON.parse(text ?? "null")),
            range(151).map((index) => numbered(index).document)
          )
          assert.strictEqual(items[4]?.latencyMillis, 52 % 17)
        })
      )

      it.effect("what comparisons look at comes for all samples in the order of their keys, with what was asked", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          const hash = (digit: string) => digit.repeat(64)
          yield* store.add(
            unit,
            [
              numbered(3, { prompt_sha256: hash("a"), cluster: "doc" }),
              numbered(1, { prompt_sha256: hash("a"), repeat: 1 }),
              numbered(1, { prompt_sha256: hash("b") }),
              sampleOf({ sample_id: "bare", index: 9, verdict: "skipped" })
            ],
            full
          )
          const found = (yield* store.scored(unit, 4)) ?? []
          const [bare, first, again, third] = found
          assert.deepEqual(bare, { sampleId: "bare", task: "t", repeat: 0, verdict: "skipped" })
          assert.deepInclude(first, { sampleId: "t:1", repeat: 0, score: 1, verdict: "correct" })
          assert.deepInclude(third, { sampleId: "t:3", cluster: "doc", verdict: "incorrect", score: 0 })
          assert.strictEqual(again?.prompt, third?.prompt)
          assert.notStrictEqual(again?.prompt, first?.prompt)
          assert.isUndefined(yield* store.scored(unit, 3))
          yield* store.add(unit, [sampleOf({ sample_id: "bare", index: 9, prompt_sha256: hash("a") })], full)
          assert.deepInclude(((yield* store.scored(unit, 4)) ?? [])[0], {
            verdict: "correct",
            prompt: third?.prompt ?? ""
          })
          assert.deepEqual(yield* store.scored({ ...unit, tenant: "other" }, 4), [])
        })
      )

      it.effect("metadata of a stored sample is what its record says", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          yield* store.add(
            unit,
            [numbered(20, { cluster: "doc-7", reason: "answer_equal" }), sampleOf({ sample_id: "bare", index: 3 })],
            full
          )
          const found = yield* store.find(unit, { sampleId: "t:20", repeat: 0 })
          const { digest, position, place: _, ...known } = found ?? assert.fail("not found")
          assert.deepEqual(known, {
            ...{
              benchmark: 0,
              sampleId: "t:20",
              task: "t",
              repeat: 0,
              index: 20,
              verdict: "correct",
              reason: "answer_equal",
              finishReason: "length"
            },
            ...{
              flags: ["late", "odd_one"],
              score: 1,
              completionTokens: 140 % 11,
              latencyMillis: 260 % 17,
              cluster: "doc-7"
            }
          })
          assert.match(digest, /^[0-9a-f]{64}$/)
          assert.strictEqual(position.benchmark, 0)
          const bare = yield* store.find(unit, { sampleId: "bare", repeat: 0 })
          assert.isFalse(Object.hasOwn(bare ?? {}, "score"))
          assert.isFalse(Object.hasOwn(bare ?? {}, "cluster"))
          assert.isUndefined(yield* store.find(unit, { sampleId: "bare", repeat: 1 }))
          assert.isUndefined(yield* store.find(unit, { sampleId: "bare", repeat: 0, task: "other" }))
        })
      )

      it.effect("an error is replaced, a verdict is not, and a call with a contradiction stores nothing", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          const failed = (index: number) =>
            sampleOf({
              sample_id: `t:${index}`,
              index,
              verdict: "error",
              error: { code: "model_request_timeout", message: "late" }
            })
          yield* store.add(unit, [failed(0), failed(1), numbered(2)], full)
          assert.deepEqual(yield* store.add(unit, [numbered(0)], full), { stored: 0, replaced: 1, duplicate: 0 })
          const refused = yield* Effect.flip(
            store.add(unit, [numbered(9), numbered(2, { score: 0.5 }), numbered(0, { response: "no" })], full)
          )
          assert.strictEqual(refused._tag, "SamplesRefused")
          if (refused._tag !== "SamplesRefused") return
          assert.strictEqual(refused.why, "conflict")
          assert.deepEqual(
            refused.keys.map(({ sampleId }) => sampleId),
            ["t:2", "t:0"]
          )
          assert.isUndefined(yield* store.find(unit, { sampleId: "t:9", repeat: 0 }))
          assert.deepEqual((yield* store.summary(unit))?.byVerdict, {
            correct: 1,
            incorrect: 1,
            invalid: 0,
            error: 1,
            skipped: 0
          })
          const kinds = (yield* store.kinds(unit)).map(({ verdict, stored }) => `${verdict} ${stored}`)
          assert.deepEqual(kinds.sort(), ["correct 1", "error 1", "incorrect 1"])
          assert.deepEqual(yield* store.kinds(yield* newUnit()), [])
          const replaced = yield* store.find(unit, { sampleId: "t:0", repeat: 0 })
          assert.strictEqual(replaced?.verdict, "incorrect")
        })
      )

      it.effect("records of one call meet each other like those of two", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          const failed = sampleOf({ sample_id: "t:1", index: 1, verdict: "error", error: { code: "c", message: "" } })
          assert.deepEqual(yield* store.add(unit, [failed, numbered(1), numbered(1)], full), {
            stored: 1,
            replaced: 0,
            duplicate: 1
          })
          const refused = yield* Effect.flip(store.add(unit, [numbered(2), numbered(2, { score: 0.25 })], full))
          assert.strictEqual(refused._tag, "SamplesRefused")
        })
      )

      it.effect("every filter in every order gives each sample once, with an exact total", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          const other = { ...unit, index: 1 }
          const all = range(60).map((index) => numbered(index))
          yield* store.add(unit, all.slice(0, 33), full)
          yield* store.add(unit, all.slice(33), full)
          yield* store.add(other, [numbered(0), sampleOf({ sample_id: "t:bare", index: 1 })], full)
          const values: { readonly [by: string]: (sample: Sample) => number } = {
            index: ({ index }) => index,
            score: ({ score }) => score ?? -1e308,
            tokens: ({ completionTokens }) => completionTokens ?? -1,
            latency_ms: ({ latencyMillis }) => latencyMillis ?? -1
          }
          const filters: ReadonlyArray<readonly [SampleFilter, (sample: Sample) => boolean]> = [
            [{}, () => true],
            [{ verdict: "incorrect" }, ({ verdict }) => verdict === "incorrect"],
            [{ flag: "late" }, ({ flags }) => flags.includes("late")],
            [
              { finishReason: "length", verdict: "correct" },
              ({ finishReason, verdict }) => finishReason === "length" && verdict === "correct"
            ],
            [{ verdict: "skipped" }, () => false]
          ]
          for (const by of ["index", "score", "tokens", "latency_ms"] as const) {
            for (const descending of [false, true]) {
              for (const [filter, keeps] of filters) {
                const { ids, total } = yield* list(unit, filter, { by, descending })
                const value = values[by] ?? (() => 0)
                const wanted = all
                  .filter(keeps)
                  .toSorted((a, b) => (descending ? -1 : 1) * (value(a) - value(b) || a.index - b.index))
                  .map(({ sampleId }) => `0/${sampleId}`)
                assert.deepEqual(ids, wanted)
                assert.strictEqual(total, wanted.length)
                const whole = yield* list({ tenant: unit.tenant, jobId: unit.jobId }, filter, { by, descending })
                assert.strictEqual(new Set(whole.ids).size, whole.total)
                assert.strictEqual(whole.ids.length, whole.total)
                assert.includeMembers([...whole.ids], wanted)
              }
            }
          }
          const { ids } = yield* list({ tenant: unit.tenant, jobId: unit.jobId }, {}, byIndex)
          assert.deepEqual(ids.slice(59), ["0/t:59", "1/t:0", "1/t:bare"])
          const lowest = yield* list({ tenant: unit.tenant, jobId: unit.jobId }, {}, { by: "score", descending: false })
          assert.strictEqual(lowest.ids[0], "1/t:bare")
        })
      )

      it.effect("samples of another tenant do not exist", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          yield* store.add(unit, [numbered(0)], full)
          const foreign = { ...unit, tenant: "u" }
          assert.deepEqual(yield* store.page(foreign, { filter: {}, sort: byIndex, limit: 5 }), {
            items: [],
            total: 0,
            more: false
          })
          assert.isUndefined(yield* store.find(foreign, { sampleId: "t:0", repeat: 0 }))
          assert.isUndefined(yield* store.summary(foreign))
          assert.isUndefined(yield* store.digest(foreign))
          assert.strictEqual((yield* Effect.flip(store.add(foreign, [numbered(1)], full)))._tag, "NotFound")
        })
      )

      it.effect("a job holds so many samples and no more, over all its benchmarks", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          const small = { ...full, maxPerJob: 5 }
          yield* store.add(
            unit,
            range(3).map((index) => numbered(index)),
            small
          )
          const refused = yield* Effect.flip(
            store.add(
              { ...unit, index: 1 },
              range(3).map((index) => numbered(index)),
              small
            )
          )
          assert.deepEqual([refused._tag, refused._tag === "SamplesRefused" && refused.why], ["SamplesRefused", "full"])
          assert.deepEqual(yield* store.add({ ...unit, index: 1 }, [numbered(0), numbered(1)], small), {
            stored: 2,
            replaced: 0,
            duplicate: 0
          })
          assert.deepEqual(yield* store.add(unit, [numbered(0)], small), { stored: 0, replaced: 0, duplicate: 1 })
        })
      )

      it.effect("more kinds of samples than a list can merge are refused", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          const kinds = range(limits.kinds + 1).map((index) =>
            numbered(1, { sample_id: `k:${index}`, flags: [`flag_${index}`] })
          )
          const refused = yield* Effect.flip(store.add(unit, kinds, full))
          assert.deepEqual(
            [refused._tag, refused._tag === "SamplesRefused" && refused.why],
            ["SamplesRefused", "kinds"]
          )
          assert.strictEqual((yield* store.add(unit, kinds.slice(1), full)).stored, limits.kinds)
          const { ids, total } = yield* list(unit, {}, { by: "latency_ms", descending: true }, 150)
          assert.deepEqual([new Set(ids).size, total], [limits.kinds, limits.kinds])
        })
      )

      it.effect("without content no prompt and no answer is kept, and a repeated call is still recognised", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          const secret = "canary-77c1"
          const sample = numbered(1, {
            prompt: [{ role: "user", content: secret }],
            reasoning: secret,
            extracted: secret,
            response: secret,
            reference: "42"
          })
          yield* store.add(unit, [sample], { ...full, content: "hash" })
          assert.deepEqual(yield* store.add(unit, [sample], { ...full, content: "hash" }), {
            stored: 0,
            replaced: 0,
            duplicate: 1
          })
          const { items } = yield* store.page(unit, { filter: {}, sort: byIndex, limit: 5 })
          const [text = ""] = yield* store.texts(items)
          assert.notInclude(text, secret)
          assert.include(text, `"reference":"42"`)
        })
      )

      it.effect("a long text is cut, named, and the record is still the same to a second upload", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          const sample = numbered(1, { response: "é".repeat(limits.textBytes) })
          yield* store.add(unit, [sample, numbered(2)], full)
          assert.strictEqual((yield* store.add(unit, [sample], full)).duplicate, 1)
          const { items } = yield* store.page(unit, { filter: {}, sort: byIndex, limit: 5 })
          const [text = "{}", next = "{}"] = yield* store.texts(items)
          const record = JSON.parse(text) as { readonly cut: unknown; readonly response: string }
          assert.deepEqual(record.cut, ["response"])
          assert.isAtMost(Buffer.byteLength(record.response), limits.textBytes)
          assert.deepEqual(JSON.parse(next), numbered(2).document)
        })
      )

      it.effect("the summary counts verdicts and sums scores; without scores it goes by the verdicts", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          assert.isUndefined(yield* store.summary(unit))
          yield* store.add(
            unit,
            range(9).map((index) => numbered(index)),
            full
          )
          yield* store.add(unit, [sampleOf({ sample_id: "s", index: 9, verdict: "skipped" })], full)
          assert.deepEqual(yield* store.summary(unit), {
            ...{
              stored: 10,
              byVerdict: { correct: 6, incorrect: 3, invalid: 0, error: 0, skipped: 1 },
              items: 9,
              basis: "score",
              binary: true,
              repeats: 1
            },
            ...{ sum: 6, sumOfSquares: 6, successes: 6, min: 0, max: 1 }
          })
          yield* store.add(unit, [sampleOf({ sample_id: "plain", index: 10, verdict: "invalid" })], full)
          assert.deepEqual(yield* store.summary(unit), {
            ...{
              stored: 11,
              byVerdict: { correct: 6, incorrect: 3, invalid: 1, error: 0, skipped: 1 },
              items: 10,
              basis: "verdict",
              binary: true,
              repeats: 1
            },
            ...{ sum: 6, sumOfSquares: 6, successes: 6, min: 0, max: 1 }
          })
        })
      )

      it.effect("the summary averages repeats and sums clusters", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          const scored = (id: string, repeat: number, score: number, cluster?: string) =>
            sampleOf({ sample_id: id, index: 0, repeat, score, ...(cluster === undefined ? {} : { cluster }) })
          yield* store.add(
            unit,
            [
              scored("a", 0, 0.5, "x"),
              scored("a", 1, 1, "x"),
              scored("b", 0, 0.25, "x"),
              scored("c", 0, 1, "w"),
              scored("d", 0, 0)
            ],
            full
          )
          const summary = yield* store.summary(unit)
          assert.deepInclude(summary, {
            items: 4,
            basis: "score",
            binary: false,
            repeats: 2,
            sum: 2,
            sumOfSquares: 0.75 ** 2 + 0.25 ** 2 + 1,
            min: 0,
            max: 1
          })
          assert.deepEqual(summary?.clusters, [
            { items: 1, sum: 1 },
            { items: 2, sum: 1 },
            { items: 1, sum: 0 }
          ])
        })
      )

      it.effect("the digest depends on what was stored, not on the order or the calls in which it came", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const [first, second] = [yield* newUnit(), yield* newUnit()]
          assert.isUndefined(yield* store.digest(first))
          const all = [
            ...range(30).map((index) => numbered(index)),
            numbered(3, { repeat: 1 }),
            numbered(3, { task: "s" }),
            numbered(4, { sample_id: "😀" })
          ]
          yield* store.add(first, all, full)
          yield* store.add(second, all.slice(11).reverse(), full)
          const before = yield* store.digest(second)
          yield* store.add(second, all.slice(0, 11), { ...full, content: "hash" })
          const digest = yield* store.digest(first)
          assert.match(digest?.sha256 ?? "", /^[0-9a-f]{64}$/)
          assert.strictEqual(digest?.count, 33)
          assert.deepStrictEqual(yield* store.digest(second), digest)
          assert.deepStrictEqual(yield* store.digest(second), digest)
          const digests = yield* store.digests(first)
          assert.strictEqual(digests.length, 33 * 32)
          assert.strictEqual(createHash("sha256").update(digests).digest("hex"), digest?.sha256)
          assert.strictEqual((yield* store.digests({ ...first, tenant: "other" })).length, 0)
          assert.strictEqual(before?.count, 22)
          assert.notStrictEqual(before?.sha256, digest?.sha256)
        })
      )

      it.effect("calls for one benchmark at the same moment are each stored once", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const unit = yield* newUnit()
          const calls = range(6).map((call) => range(20).map((index) => numbered(call * 10 + index)))
          const added = yield* Effect.forEach(calls, (samples) => store.add(unit, samples, full), {
            concurrency: "unbounded"
          })
          assert.strictEqual(
            added.reduce((sum, { stored }) => sum + stored, 0),
            70
          )
          assert.strictEqual((yield* list(unit, {}, byIndex, 50)).ids.length, 70)
        })
      )

      it.effect("samples go with their job, and by their age", () =>
        Effect.gen(function* () {
          const store = yield* SampleStore
          const jobs = yield* JobStore
          const [removed, kept] = [yield* newUnit(), yield* newUnit()]
          for (const unit of [removed, kept])
            yield* store.add(
              unit,
              range(50).map((index) => numbered(index)),
              full
            )
          yield* jobs.remove(removed.tenant, removed.jobId, () => Either.right([]))
          assert.strictEqual((yield* store.page(removed, { filter: {}, sort: byIndex, limit: 5 })).total, 0)
          assert.strictEqual((yield* Effect.flip(store.add(removed, [numbered(1)], full)))._tag, "NotFound")
          while (yield* store.purge(20));
          assert.strictEqual((yield* list(kept, {}, byIndex)).total, 50)
          assert.isString(
            (yield* store.texts((yield* store.page(kept, { filter: {}, sort: byIndex, limit: 1 })).items))[0]
          )
          yield* store.expire("1969-01-01T00:00:00.000Z")
          assert.strictEqual((yield* list(kept, {}, byIndex)).total, 50)
          yield* store.expire("9999-01-01T00:00:00.000Z")
          assert.strictEqual((yield* list(kept, {}, byIndex)).total, 0)
          while (yield* store.purge(20));
          assert.deepEqual(yield* store.add(kept, [numbered(1)], full), { stored: 1, replaced: 0, duplicate: 0 })
        })
      )
    })
  })

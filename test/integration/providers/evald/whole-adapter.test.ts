/** What holds for the adapter as a whole, whatever the benchmark: seen from the requests that reach the model and from what it publishes. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { JobSpec } from "../../../../providers/contract/job-spec.ts"
import { startDemoModel } from "../../../../providers/demo-model/server.ts"
import { evaldAdapter } from "../../../../providers/evald/adapter.ts"
import type { Callbacks } from "../../../../providers/sdk/adapter.ts"
import { allCapabilities } from "../../../support/framework-request.ts"
import { type PeerRequest, startPeer } from "../../../support/http-peer.ts"
import { tempDir } from "../../../support/temp-dir.ts"
import { untilTrue } from "../../../support/until.ts"

const silent: Callbacks = { status: () => Effect.void, warn: () => Effect.void }

/** the demo model behind an address that remembers what was asked; `delay`: milliseconds before it passes an answer on */
const observedModel = (delay = 0) =>
  Effect.gen(function* () {
    const demo = yield* Effect.orDie(startDemoModel({ skill: 0.7 }))
    const origin = demo.url.replace(/\/v1$/, "")
    const peer = yield* startPeer(() => (response, request) => {
      const { method, path, headers, body } = request
      const asked = fetch(origin + path, {
        method,
        headers: { "content-type": String(headers["content-type"] ?? "application/json") },
        ...(body === "" ? {} : { body })
      })
      void asked.then(async (answer) => {
        const text = await answer.text()
        setTimeout(
          () =>
            response
              .writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" })
              .end(text),
          delay
        )
      })
    })
    return { url: `${peer.url}/v1`, requests: peer.requests }
  })

const job = (url: string, output: string, given: Partial<JobSpec> = {}): JobSpec => ({
  id: "job",
  provider_id: "evald",
  benchmark_id: "arith_basic",
  benchmark_index: 0,
  model: { url, name: "evald-demo" },
  parameters: { num_concurrent: 2 },
  num_examples: 20,
  callback_url: "http://127.0.0.1:1",
  output_dir: output,
  ...given
})

const run = (spec: JobSpec) => Effect.scoped(evaldAdapter("0.0.0").run(spec, silent))

/** requests that ask an item of arith_basic; the others look what the endpoint can do */
const isItem = ({ body }: PeerRequest) => body.includes("Finish with a last line")
const recordsIn = (output: string) =>
  readFileSync(join(output, "samples", "arith_basic.ndjson"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly sample_id: string; readonly verdict: string })

describe("an adapter that is started again on the same output folder", () => {
  it.scopedLive("asks only what it has no answer to, and publishes what one whole run would have", () =>
    Effect.gen(function* () {
      const output = yield* tempDir
      const slow = yield* observedModel(20)
      const first = yield* Effect.fork(run(job(slow.url, output)))
      yield* untilTrue(Effect.sync(() => slow.requests.filter(isItem).length >= 12))
      yield* Fiber.interrupt(first)
      const kept = recordsIn(output)
      assert.isAtLeast(kept.length, 10)
      assert.isBelow(kept.length, 20)
      const again = yield* observedModel()
      const results = yield* run(job(again.url, output))
      assert.strictEqual(again.requests.filter(isItem).length, 20 - kept.length)
      const records = recordsIn(output)
      assert.strictEqual(new Set(records.map(({ sample_id }) => sample_id)).size, 20)
      assert.strictEqual(records.length, 20)
      const whole = yield* run(job(again.url, yield* tempDir))
      assert.deepStrictEqual(results.metrics, whole.metrics)
      // nothing left to ask: the same figures without a single item
      const before = again.requests.filter(isItem).length
      assert.deepStrictEqual((yield* run(job(again.url, output))).metrics, whole.metrics)
      assert.strictEqual(again.requests.filter(isItem).length, before)
    })
  )
})

describe("the look at what an endpoint can do", () => {
  it.scopedLive("happens once, before any item, however many there are; its findings are recorded", () =>
    Effect.gen(function* () {
      const looks = (count: number) =>
        Effect.gen(function* () {
          const model = yield* observedModel()
          const { additionalInfo } = yield* run(job(model.url, yield* tempDir, { num_examples: count }))
          const firstItem = model.requests.findIndex(isItem)
          assert.isTrue(model.requests.slice(firstItem).every(isItem), "looked again after the first item")
          assert.strictEqual(model.requests.filter(isItem).length, count)
          return { looks: firstItem, endpoint: additionalInfo?.["endpoint"] }
        })
      const few = yield* looks(2)
      const many = yield* looks(30)
      assert.strictEqual(many.looks, few.looks)
      const { demo: _demo, ...capabilities } = allCapabilities
      assert.deepStrictEqual(many.endpoint, capabilities)
    })
  )
})

describe("the record of what ran", () => {
  it.scopedLive("names version and commit of the adapter's build, and no commit where none is known", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.orDie(startDemoModel({ skill: 1 }))
      const framework = (revision?: string) =>
        Effect.gen(function* () {
          const spec = job(url, yield* tempDir, { num_examples: 2 })
          const { additionalInfo } = yield* Effect.scoped(evaldAdapter("1.2.3", revision).run(spec, silent))
          return additionalInfo?.["framework"]
        })
      const built = { name: "evald", version: "1.2.3", revision: "0f1c2d3e4f5a" }
      assert.deepStrictEqual(yield* framework(built.revision), built)
      assert.deepStrictEqual(yield* framework(), { name: "evald", version: "1.2.3" })
    })
  )
})

describe("intervals", () => {
  it.scopedLive("are exact for shares, Student's for scores, and none where few rows would promise too much", () =>
    Effect.gen(function* () {
      const model = yield* observedModel()
      const share = (yield* run(job(model.url, yield* tempDir))).metrics.find(({ name }) => name === "exact_match")
      assert.deepInclude(share, { n: 20, ciLevel: 0.95, ciMethod: "clopper_pearson" })
      // partly what the demo model says to everything it does not know: neither all right nor all wrong
      const data = yield* tempDir
      writeFileSync(
        join(data, "rows.jsonl"),
        ["I am the demo model of somebody", "a language model of evald", "only the tasks", "demo", "model of tasks"]
          .map((answer) => JSON.stringify({ prompt: "Say it.", answer }))
          .join("\n")
      )
      const own = { benchmark_id: "custom_jsonl", test_data_dir: data, num_examples: 5 }
      const overlap = (scorer: string) =>
        Effect.gen(function* () {
          const { metrics } = yield* run(job(model.url, yield* tempDir, { ...own, parameters: { scorer } }))
          return metrics.find(({ name }) => name === scorer)
        })
      for (const scorer of ["f1", "rouge_l"])
        assert.deepInclude(yield* overlap(scorer), { n: 5, ciLevel: 0.95, ciMethod: "t" }, scorer)
      for (const scorer of ["bleu", "chrf"])
        assert.doesNotHaveAnyKeys(yield* overlap(scorer), ["ci", "ciMethod"], scorer)
    })
  )
})

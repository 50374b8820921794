/** A run from the job file to the exit code. Reference: adapter-contract.md, "Exit", "Result files". */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Random } from "effect"
import { type JobSpec, renderJobSpec } from "../../../../providers/contract/job-spec.ts"
import { type Adapter, AdapterError, type Results } from "../../../../providers/sdk/adapter.ts"
import { runAdapter } from "../../../../providers/sdk/run-adapter.ts"
import { type Peer, reply, startPeer } from "../../../support/http-peer.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const hasty = Effect.withRandom(Random.fixed([0]))
const ok = reply(200, { applied: true })
const secret = "s".repeat(43)

const results: Results = {
  metrics: [
    {
      name: "acc",
      value: 0.5,
      n: 20,
      stderr: 0.1,
      ci: [0.3, 0.7],
      ciMethod: "wilson",
      unit: "share",
      lowerIsBetter: false
    },
    { name: "broken", value: Number.NaN },
    { name: "label", value: "good" }
  ],
  artifacts: { card: { a: 1 } },
  additionalInfo: { framework: { name: "x", version: "1" } }
}
const adapterOf = (run: Adapter["run"]): Adapter => ({ name: "test", version: "1.2.3", run })
const succeeds = adapterOf((_, callbacks) =>
  Effect.gen(function* () {
    yield* callbacks.status({ phase: "running_evaluation", completed: 1, total: 2 })
    return results
  })
)
const failsWith = (code: string) =>
  adapterOf(() => Effect.fail(new AdapterError({ code, message: "it broke", retryable: false })))

const minimal: JobSpec = {
  id: "j",
  provider_id: "p",
  benchmark_id: "b",
  benchmark_index: 0,
  model: { url: "http://127.0.0.1:9/v1", name: "m" },
  parameters: {},
  callback_url: "http://127.0.0.1:9"
}

interface Unit {
  readonly dir: string
  readonly env: Readonly<Record<string, string>>
}

const prepare = (url: string, over: Partial<JobSpec> = {}) =>
  Effect.map(tempDir, (dir): Unit => {
    mkdirSync(join(dir, "meta"))
    const path = join(dir, "meta", "job.json")
    const job: JobSpec = {
      id: "j",
      provider_id: "p",
      benchmark_id: "b",
      benchmark_index: 3,
      model: { url: `${url}/cb/${secret}/model/v1`, name: "m", auth: { secret_ref: "canary-ref" } },
      parameters: { api_key: "canary-key", shots: 2 },
      callback_url: `${url}/cb/${secret}`,
      output_dir: join(dir, "results"),
      ...over
    }
    writeFileSync(path, renderJobSpec(job))
    return { dir, env: { EVALD_MODE: "local", EVALD_JOB_SPEC_PATH: path } }
  })

const eventsOf = (peer: Peer) => peer.requests.map(({ body }) => JSON.parse(body).benchmark_status_event)
const terminalOf = (peer: Peer) => eventsOf(peer).filter(({ status }) => status !== "running")
const readJson = (...parts: ReadonlyArray<string>) => JSON.parse(readFileSync(join(...parts), "utf8"))

const runWith = (adapter: Adapter, over: Partial<JobSpec> = {}) =>
  Effect.gen(function* () {
    const peer = yield* startPeer(() => ok)
    const unit = yield* prepare(peer.url, over)
    const code = yield* runAdapter(adapter, unit.env)
    return { peer, unit, code, terminal: terminalOf(peer) }
  }).pipe(hasty)

describe("runAdapter", () => {
  it.scopedLive("completes: events, result files, an empty spool, exit 0", () =>
    Effect.gen(function* () {
      const { peer, unit, code, terminal } = yield* runWith(succeeds)
      assert.strictEqual(code, 0)
      assert.deepInclude(eventsOf(peer)[0], { provider_id: "p", id: "b", benchmark_index: 3, status: "running" })
      assert.lengthOf(terminal, 1)
      const [event] = terminal
      assert.deepStrictEqual(event.metrics, { acc_stderr: 0.1, acc: 0.5, broken: "NaN", label: "good" })
      assert.deepStrictEqual(event.metrics_schema, [
        {
          name: "acc",
          type: "numeric",
          unit: "share",
          lower_is_better: false,
          n: 20,
          stderr: 0.1,
          ci: [0.3, 0.7],
          ci_level: 0.95,
          ci_method: "wilson"
        },
        { name: "broken", type: "numeric" },
        { name: "label", type: "categorical" }
      ])
      assert.isNumber(event.additional_info.duration_seconds)
      assert.match(event.completed_at, /^\d{4}-.*Z$/)
      assert.deepStrictEqual(readdirSync(join(unit.dir, "spool")), [])
      const out = join(unit.dir, "results")
      assert.deepStrictEqual(readJson(out, "result.json").benchmark_status_event, event)
      assert.deepStrictEqual(readJson(out, "metrics.json").label, { value: "good" })
      const environment = readFileSync(join(out, "environment.json"), "utf8")
      assert.deepInclude(JSON.parse(environment), {
        adapter: { name: "test", version: "1.2.3" },
        framework: { name: "x", version: "1" }
      })
      assert.notInclude(environment, "canary")
      assert.notInclude(environment, secret)
    })
  )

  for (const [code, exit] of [
    ["too_many_errors", 1],
    ["framework_missing", 69],
    ["benchmark_not_supported", 69]
  ] as const)
    it.scopedLive(`fails with ${code}: exit ${exit}`, () =>
      Effect.gen(function* () {
        const { code: exited, terminal, unit } = yield* runWith(failsWith(code))
        assert.strictEqual(exited, exit)
        assert.deepInclude(terminal[0], {
          status: "failed",
          error_message: { message: "it broke", message_code: code, message_origin: "adapter" }
        })
        assert.isFalse(existsSync(join(unit.dir, "results", "metrics.json")))
      })
    )

  for (const [name, run] of [
    ["a defect", () => Effect.die(new TypeError("x is undefined"))],
    [
      "an exception",
      () => {
        throw new RangeError("too deep")
      }
    ],
    ["an interruption of itself", () => Effect.interrupt]
  ] as const)
    it.scopedLive(`${name} is an internal error without a stack on the wire`, () =>
      Effect.gen(function* () {
        const { code, terminal } = yield* runWith(adapterOf(run))
        assert.strictEqual(code, 1)
        assert.strictEqual(terminal[0].error_message.message_code, "adapter_internal_error")
        assert.notInclude(JSON.stringify(terminal[0]), "run-adapter")
      })
    )

  it.scopedLive("stops by itself before its time limit", () =>
    Effect.gen(function* () {
      const { code, terminal } = yield* runWith(
        adapterOf(() => Effect.never),
        { timeout_seconds: 1 }
      )
      assert.strictEqual(code, 1)
      assert.strictEqual(terminal[0].error_message.message_code, "deadline_exceeded")
    })
  )

  it.scopedLive("stops without a terminal event when the job is gone", () =>
    Effect.gen(function* () {
      const peer = yield* startPeer(() => reply(404, ""))
      const unit = yield* prepare(peer.url)
      let cleaned = false
      const endless = adapterOf(() =>
        Effect.onInterrupt(Effect.never, () =>
          Effect.sync(() => {
            cleaned = true
          })
        )
      )
      assert.strictEqual(yield* runAdapter(endless, unit.env), 143)
      assert.isTrue(cleaned)
      assert.lengthOf(terminalOf(peer), 0)
    })
  )

  it.scopedLive("interrupted from outside sends no terminal event", () =>
    Effect.gen(function* () {
      const started = yield* Effect.makeLatch(false)
      const peer = yield* startPeer(() => ok)
      const unit = yield* prepare(peer.url)
      const fiber = yield* Effect.fork(
        runAdapter(
          adapterOf(() => Effect.zipRight(started.open, Effect.never)),
          unit.env
        )
      )
      yield* started.await
      yield* Fiber.interrupt(fiber)
      assert.lengthOf(terminalOf(peer), 0)
      assert.isFalse(existsSync(join(unit.dir, "spool")))
    })
  )

  it.scopedLive("keeps the terminal event in the spool when nobody accepts it: exit 75", () =>
    Effect.gen(function* () {
      const peer = yield* startPeer((_, { json }) =>
        JSON.stringify(json).includes('"completed"') ? reply(503, "") : ok
      )
      const unit = yield* prepare(peer.url)
      assert.strictEqual(yield* runAdapter(succeeds, { ...unit.env, EVALD_CALLBACK_MAX_SECONDS: "0.2" }), 75)
      const [name = ""] = readdirSync(join(unit.dir, "spool"))
      assert.strictEqual(readFileSync(join(unit.dir, "spool", name), "utf8"), peer.requests.at(-1)?.body)
    })
  )

  it.scopedLive("an unwritable result folder does not lose the result", () =>
    Effect.gen(function* () {
      const peer = yield* startPeer(() => ok)
      const unit = yield* prepare(peer.url)
      writeFileSync(join(unit.dir, "results"), "a file, no folder")
      assert.strictEqual(yield* runAdapter(succeeds, unit.env), 0)
      assert.strictEqual(terminalOf(peer)[0].warning_message.message_code, "artifact_export_failed")
    })
  )

  it.scopedLive("large information goes to the result file, the event points there", () =>
    Effect.gen(function* () {
      const large = {
        ...results,
        artifacts: { card: "x".repeat(900_000) },
        additionalInfo: { small: 1, big: "y".repeat(300_000) }
      }
      const { terminal, unit } = yield* runWith(adapterOf(() => Effect.succeed(large)))
      assert.deepStrictEqual(terminal[0].additional_info.big, { moved_to: "result.json", bytes: 300_002 })
      assert.strictEqual(terminal[0].additional_info.small, 1)
      assert.strictEqual(
        readJson(unit.dir, "results", "result.json").benchmark_status_event.additional_info.big.length,
        300_000
      )
    })
  )

  for (const [name, text] of [
    ["missing", undefined],
    ["no JSON", "{"],
    ["incomplete", '{"id":"j"}'],
    ["of another version", renderJobSpec({ ...minimal, spec_version: "2" })]
  ] as const)
    it.scopedLive(`a job file that is ${name}: exit 64`, () =>
      Effect.gen(function* () {
        const dir = yield* tempDir
        const path = join(dir, "job.json")
        if (text !== undefined) writeFileSync(path, text)
        assert.strictEqual(yield* runAdapter(succeeds, { EVALD_JOB_SPEC_PATH: path }), 64)
      })
    )

  it.scopedLive(
    "the primary metric and its standard error come first in the event and in the files (standard errors came before everything)",
    () =>
      Effect.gen(function* () {
        const late: Results = {
          metrics: [
            { name: "error_rate", value: 0, stderr: 0.01 },
            ...results.metrics,
            { name: "f1", value: 0.25, stderr: 0.2 }
          ]
        }
        const { unit, terminal } = yield* runWith(
          adapterOf(() => Effect.succeed(late)),
          { primary_score: { metric: "f1" } }
        )
        const order = ["f1", "f1_stderr", "error_rate", "error_rate_stderr", "acc", "acc_stderr", "broken", "label"]
        assert.deepStrictEqual(Object.keys(terminal[0].metrics), order)
        assert.deepStrictEqual(Object.keys(readJson(unit.dir, "results", "metrics.json")), [
          "f1",
          "error_rate",
          "acc",
          "broken",
          "label"
        ])
      })
  )

  it.scopedLive("in the cluster keeps no spool of its own", () =>
    Effect.gen(function* () {
      const unit = yield* prepare((yield* startPeer(() => ok)).url)
      assert.strictEqual(yield* runAdapter(succeeds, { ...unit.env, EVALD_MODE: "k8s" }), 0)
      assert.isFalse(existsSync(join(unit.dir, "spool")))
    })
  )
})

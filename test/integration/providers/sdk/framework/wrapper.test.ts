import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber } from "effect"
import type { JobSpec } from "../../../../../providers/contract/job-spec.ts"
import { startDemoModel } from "../../../../../providers/demo-model/server.ts"
import type { AdapterError, Callbacks, Results } from "../../../../../providers/sdk/adapter.ts"
import type { FrameworkDefinition } from "../../../../../providers/sdk/framework/definition.ts"
import { runFramework } from "../../../../../providers/sdk/framework/process.ts"
import { readBar } from "../../../../../providers/sdk/framework/progress.ts"
import { newestJson } from "../../../../../providers/sdk/framework/result-search.ts"
import { frameworkAdapter, type Wrapper } from "../../../../../providers/sdk/framework/wrapper.ts"
import { numberMember } from "../../../../../values/json.ts"
import { frameworkJob } from "../../../../support/framework-request.ts"
import { tempDir } from "../../../../support/temp-dir.ts"
import { until } from "../../../../support/until.ts"

const fake = resolve("test/support/fake-framework.mjs")
const secret = "s".repeat(43)

const definition: FrameworkDefinition = {
  parameters: [{ name: "steps", type: "array" }],
  rows: [
    { id: "plain", endpoint: "chat", primary: "acc", percentMetrics: ["bleu"] },
    { id: "gone", endpoint: "generate", flags: ["unavailable"] },
    { id: "code", endpoint: "generate", flags: ["code_execution"] },
    { id: "judged", endpoint: "generate", flags: ["needs_judge"] },
    { id: "nowhere", endpoint: "none" }
  ]
}

/** `lighteval` stands for any framework: the executable is the test's own */
const wrapper: Wrapper = {
  id: "lighteval",
  title: "Fake",
  definition,
  plan: ({ parameters, folders, apiKey }) =>
    Either.right({
      args: [folders.output, ...(parameters.value("steps") as ReadonlyArray<string>)],
      env: { OPENAI_API_KEY: apiKey ?? "" },
      files: { [join(folders.work, "model.yaml")]: "secret" },
      notes: ["planned"]
    }),
  progress: (line) => {
    const bar = readBar(line)
    return bar === undefined ? undefined : { phase: "running_evaluation", completed: bar.completed, total: bar.total }
  },
  watch: { lost: /request lost/ },
  read: ({ folders, counts }) =>
    Effect.map(newestJson(folders.output, /^results_.*\.json$/, "Fake"), ({ value }) => ({
      metrics: ["acc", "bleu"].flatMap((name) => {
        const found = numberMember(value, name)
        return found === undefined ? [] : [{ name, value: found }]
      }),
      version: "1.2.3",
      info: { counts }
    }))
}

type Reports = Array<Parameters<Callbacks["status"]>[0]>

const run = (given: {
  readonly steps: ReadonlyArray<string>
  readonly benchmark?: string
  readonly job?: Partial<JobSpec>
  readonly reports?: Reports
  readonly warnings?: Array<string>
  readonly results: string
}) =>
  Effect.gen(function* () {
    const model = yield* Effect.orDie(startDemoModel({}))
    const callbacks: Callbacks = {
      status: (report) => Effect.sync(() => void given.reports?.push(report)),
      warn: ({ code, message }) => Effect.sync(() => void given.warnings?.push(`${code}: ${message}`))
    }
    const { parameters, ...job } = given.job ?? {}
    const spec = frameworkJob({
      benchmark_id: given.benchmark ?? "plain",
      model: { url: model.url, name: "evald-demo" },
      output_dir: given.results,
      callback_url: `http://127.0.0.1:1/cb/${secret}`,
      ...job,
      parameters: { steps: given.steps, ...parameters }
    })
    return yield* frameworkAdapter(wrapper).run(spec, callbacks)
  }).pipe(Effect.scoped)

const outcome = (result: Either.Either<Results, AdapterError>) =>
  Either.match(result, {
    onLeft: ({ code, message }) => `${code}: ${message}`,
    onRight: ({ metrics }) => metrics.map(({ name, value }) => `${name}=${value}`).join(" ")
  })

const saved = { command: process.env["EVALD_FRAMEWORK_COMMAND"], keys: process.env["EVALD_MODEL_AUTH_DIR"] }
beforeAll(() => {
  process.env["EVALD_FRAMEWORK_COMMAND"] = fake
})
afterAll(() => {
  for (const [name, value] of [
    ["EVALD_FRAMEWORK_COMMAND", saved.command],
    ["EVALD_MODEL_AUTH_DIR", saved.keys]
  ] as const) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe("an adapter made of a wrapper", () => {
  it.scopedLive(
    "runs the command line, reports progress, converts percentages, and tells versions, endpoint and notes",
    () =>
      Effect.gen(function* () {
        const results = yield* tempDir
        const reports: Reports = []
        const warnings: Array<string> = []
        const steps = [
          "bar=run:  50%|██  | 1/2 [00:01<00:01]",
          "say=run: 100%|████| 2/2 [00:02<00:00]",
          "say=request lost",
          'result={"acc": 0.5, "bleu": 30}'
        ]
        const done = yield* run({ steps, results, reports, warnings, job: { parameters: { typo: 1 } } })
        assert.deepStrictEqual(done.metrics, [
          { name: "acc", value: 0.5 },
          { name: "bleu", value: 0.3 },
          { name: "bleu_raw", value: 30 }
        ])
        assert.deepInclude(done.additionalInfo, {
          framework: { name: "lighteval", version: "1.2.3" },
          counts: { lost: 1 },
          notes: [
            "planned",
            "what models that know nothing would score, chance included, is not told by the framework's record"
          ],
          demo: true
        })
        assert.deepInclude(done.additionalInfo?.["endpoint"], { chat: true, completions: true })
        assert.deepStrictEqual(
          reports.map(({ phase, completed }) => [phase, completed]),
          [
            ["loading_data", undefined],
            ["running_evaluation", 1],
            ["running_evaluation", 2],
            ["post_processing", undefined]
          ]
        )
        assert.deepStrictEqual(warnings, [
          "invalid_parameter: parameters typo are not known and were ignored; known are steps, auth_key"
        ])
      })
  )
  it.scopedLive("a benchmark of somebody's own provider has the scale and the needs that its definition says", () =>
    Effect.gen(function* () {
      const results = yield* tempDir
      const steps = ['result={"acc": 40, "bleu": 30}']
      const own = {
        benchmark_id: "own",
        requirements: { framework_task: "plain", percent_metrics: ["acc"] },
        primary_score: { metric: "acc" }
      }
      const done = yield* run({ steps, results, job: own })
      assert.deepStrictEqual(
        done.metrics.map(({ name, value }) => [name, value]),
        [
          ["acc", 0.4],
          ["acc_raw", 40],
          ["bleu", 30]
        ]
      )
      // the same id as a shipped row: what the definition says goes first
      const shadow = { ...own, requirements: { percent_metrics: ["acc"], flags: ["needs_judge"] } }
      assert.match(
        outcome(
          yield* Effect.either(run({ steps, results, benchmark: "plain", job: { ...shadow, benchmark_id: "plain" } }))
        ),
        /^benchmark_not_supported: benchmark plain needs a model that judges/
      )
    })
  )
  it.scopedLive("own folders that vanish, keys in the environment, and no secret left in the results", () =>
    Effect.gen(function* () {
      const results = yield* tempDir
      const keys = yield* tempDir
      process.env["EVALD_MODEL_AUTH_DIR"] = keys
      mkdirSync(keys, { recursive: true })
      writeFileSync(join(keys, "api-key"), "sk-1234567890")
      writeFileSync(join(keys, "hf-token"), "hf-1234567890")
      writeFileSync(join(keys, "ca_cert"), "no certificate")
      yield* Effect.either(run({ steps: ["environment", `say=${secret}`], results }))
      const text = readFileSync(join(results, "framework", "results_1.json"), "utf8")
      const { environment, cwd } = JSON.parse(text) as {
        readonly environment: Record<string, string>
        readonly cwd: string
      }
      assert.deepInclude(environment, {
        HF_TOKEN: "*".repeat(13),
        OPENAI_API_KEY: "*".repeat(13),
        TMPDIR: join(cwd, "tmp"),
        SSL_CERT_FILE: join(cwd, "authorities.pem")
      })
      assert.throws(() => readdirSync(cwd))
      delete process.env["EVALD_MODEL_AUTH_DIR"]
      yield* run({ steps: [`result={"acc": 1, "base_url": "http://127.0.0.1/cb/${secret}/model"}`], results })
      assert.include(readFileSync(join(results, "framework", "results_1.json"), "utf8"), `/cb/${"*".repeat(43)}/model`)
    })
  )
  it.scopedLive("every way to fail has its code", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [
          ["say=ValueError: Tasks not found: x", "exit=1"],
          /^benchmark_not_supported: Fake ended with exit status 1: ValueError/
        ],
        [["say=odd", "exit=3"], /^framework_failed: Fake ended with exit status 3\. Its last lines:\nodd$/],
        [[], /^framework_output_unreadable: Fake ended, but wrote no result file/],
        [['result={"acc": 0.'], /^framework_output_unreadable: Fake ended, but results_1.json is no JSON/],
        [["say=openai.RateLimitError: Error code: 429"], /^model_rate_limited/],
        [
          ['result={"f1": 1}'],
          /^primary_metric_missing: the primary metric acc has no value; the framework reported nothing/
        ]
      ]
      for (const [steps, wanted] of cases) {
        const results = yield* tempDir
        assert.match(outcome(yield* Effect.either(run({ steps, results }))), wanted)
      }
    })
  )
  it.scopedLive("rows that can not run say why and what to do, before anything starts", () =>
    Effect.gen(function* () {
      const results = yield* tempDir
      const said = (benchmark: string) =>
        Effect.map(Effect.either(run({ steps: ["result={}"], benchmark, results })), outcome)
      assert.match(yield* said("gone"), /^benchmark_not_supported: .* not available in any version/)
      assert.match(yield* said("nowhere"), /^benchmark_not_supported: .* can not be run through a model endpoint/)
      assert.match(yield* said("code"), /^benchmark_not_supported: .* allow_code_execution: true/)
      assert.match(yield* said("judged"), /^benchmark_not_supported: .* judge, judge_model, model_roles/)
    })
  )
  it.scopedLive("an endpoint that is not there is told without starting the framework", () =>
    Effect.gen(function* () {
      const results = yield* tempDir
      const reports: Reports = []
      const failed = yield* Effect.either(
        run({ steps: ["result={}"], results, reports, job: { model: { url: "http://127.0.0.1:1", name: "m" } } })
      )
      assert.match(outcome(failed), /^model_endpoint_unreachable/)
      assert.deepStrictEqual(reports, [])
    })
  )
  it.scopedLive("a missing framework is told with the install command", () =>
    Effect.gen(function* () {
      const results = yield* tempDir
      process.env["EVALD_FRAMEWORK_COMMAND"] = "/nowhere/venv"
      const failed = yield* Effect.either(run({ steps: [], results })).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            process.env["EVALD_FRAMEWORK_COMMAND"] = fake
          })
        )
      )
      assert.match(
        outcome(failed),
        /^framework_missing: provider p needs the executable "lighteval", which was not found at \/nowhere\/venv/
      )
    })
  )
})

describe("the process of a framework", () => {
  it.scopedLive("interrupted, it and its children are gone although it ignores SIGTERM", () =>
    Effect.gen(function* () {
      const folder = yield* tempDir
      let pid = 0
      const env = { PATH: process.env["PATH"] ?? "" }
      const onLine = (line: string) => {
        pid = Number(/^hanging (\d+)$/.exec(line)?.[1] ?? pid)
      }
      const fiber = yield* Effect.fork(
        runFramework({ file: fake, args: [folder, "hang"], env, cwd: folder, onLine, log: () => undefined })
      )
      yield* until(Effect.sync(() => (pid > 0 ? pid : undefined)))
      assert.isTrue(isAlive(pid))
      yield* Fiber.interrupt(fiber)
      assert.isFalse(isAlive(pid))
      assert.throws(() => process.kill(-pid, 0), /ESRCH/)
    })
  )
  it.scopedLive("its time is limited", () =>
    Effect.gen(function* () {
      const folder = yield* tempDir
      const env = { PATH: process.env["PATH"] ?? "" }
      const failed = yield* Effect.flip(
        runFramework({ file: "sleep", args: ["60"], env, cwd: folder, timeoutMillis: 100, log: () => undefined })
      )
      assert.strictEqual(failed.code, "deadline_exceeded")
    })
  )
})

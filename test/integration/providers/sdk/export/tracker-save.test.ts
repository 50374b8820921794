/** A benchmark as a run of the tracker, and every way the tracker can fail. Reference: adapter-contract.md, "Tracking". */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Random } from "effect"
import type { JobSpec } from "../../../../../providers/contract/job-spec.ts"
import { type TrackerOptions as SaveOptions, saveRun } from "../../../../../providers/sdk/export/tracker-save.ts"
import { type FakeTracker, fakeTracker, type TrackerOptions } from "../../../../support/fake-tracker.ts"
import { closedPort } from "../../../../support/http-peer.ts"
import { tempDir } from "../../../../support/temp-dir.ts"
import { savedParameters } from "../../../../support/tracker-suite.ts"

const hasty = Effect.withRandom(Random.fixed([0]))

const job: JobSpec = {
  id: "j",
  provider_id: "p",
  benchmark_id: "b",
  benchmark_index: 2,
  model: { url: "http://m/v1", name: "m" },
  parameters: { shots: 5, api_key: "canary", long: "x".repeat(600), seed: "other", "odd,name": { a: 1 } },
  seed: 7,
  callback_url: "http://c",
  tags: [{ key: "team", value: "x" }]
}
const event = {
  metrics: { acc: 0.5, acc_stderr: 0.1, "odd,metric=x": 2, note: "ok", flag: true },
  additional_info: { duration_seconds: 1.5, counts: { scored: 20 } }
}

const withTracker = (options: TrackerOptions = {}) =>
  Effect.gen(function* () {
    const tracker = yield* fakeTracker(options)
    const folder = yield* tempDir
    mkdirSync(join(folder, "samples"))
    for (const name of ["result.json", "metrics.json", "environment.json", "samples/a b.ndjson"])
      writeFileSync(join(folder, name), `content of ${name}`)
    const save = (over: Partial<SaveOptions> = {}, spec: JobSpec = job) =>
      saveRun(spec, "exp & more", {
        base: tracker.url,
        workspace: undefined,
        folder,
        startedAtMillis: 1000,
        status: "FINISHED",
        event,
        limit: Duration.seconds(20),
        ...over
      }).pipe(hasty)
    return { tracker, folder, save }
  })

const runOf = (tracker: FakeTracker, id: string) => {
  const run = tracker.runs.get(id)
  if (run === undefined) throw new Error(`no run ${id}`)
  return run
}

describe("saveRun", () => {
  it.scopedLive("a new experiment: metrics, parameters without secrets, tags, files, end", () =>
    Effect.gen(function* () {
      const { tracker, save } = yield* withTracker()
      const { runId, notes } = yield* save()
      const run = runOf(tracker, runId)
      assert.deepInclude(run, { experiment: "1", name: "j_2", status: "FINISHED" })
      assert.isNumber(run.endTime)
      assert.deepStrictEqual(Object.fromEntries(run.metrics), { acc: 0.5, acc_stderr: 0.1, odd_metric_x: 2 })
      assert.deepStrictEqual(Object.fromEntries(run.params), savedParameters)
      assert.deepStrictEqual(run.tags, [
        { key: "team", value: "x" },
        { key: "evald.job_id", value: "j" },
        { key: "evald.benchmark_index", value: "2" },
        { key: "evald.provider_id", value: "p" },
        { key: "evald.benchmark_id", value: "b" }
      ])
      const root = `1/${runId}/artifacts`
      assert.sameMembers(
        [...tracker.artifacts.keys()],
        [`${root}/result.json`, `${root}/metrics.json`, `${root}/samples/a b.ndjson`]
      )
      assert.strictEqual(
        tracker.artifacts.get(`${root}/samples/a b.ndjson`)?.toString(),
        "content of samples/a b.ndjson"
      )
      assert.deepStrictEqual(notes, [])
      assert.isTrue(tracker.headers.every((headers) => headers["x-mlflow-workspace"] === undefined))
    })
  )

  it.scopedLive("an existing experiment, a deleted one, and one that somebody else makes meanwhile", () =>
    Effect.gen(function* () {
      const existing = yield* withTracker({ experiments: { "exp & more": "active" } })
      yield* existing.save()
      assert.notInclude(existing.tracker.steps, "experiments/create")
      const deleted = yield* withTracker({ experiments: { "exp & more": "deleted" } })
      yield* deleted.save()
      assert.include(deleted.tracker.steps, "experiments/restore")
      const raced = yield* withTracker({
        intercept: (step, _, tracker) => {
          if (step === "experiments/create") tracker.experiments.set("exp & more", { id: "77", stage: "active" })
          return false
        }
      })
      const { runId } = yield* raced.save()
      assert.strictEqual(runOf(raced.tracker, runId).experiment, "77")
    })
  )

  it.scopedLive("1,500 metrics and 250 parameters are split into calls that the tracker accepts", () =>
    Effect.gen(function* () {
      const { tracker, save } = yield* withTracker()
      const metrics = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`m${at}`, at]))
      const parameters = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`p${at}`, "v".repeat(450)]))
      const { runId } = yield* save({ event: { metrics } }, { ...job, parameters })
      const run = runOf(tracker, runId)
      assert.strictEqual(run.metrics.size, 1500)
      assert.strictEqual(run.metrics.get("m1499"), 1499)
      assert.isAtLeast(run.params.size, 250)
    })
  )

  it.scopedLive("a failed benchmark is a failed run; the workspace is sent when there is one", () =>
    Effect.gen(function* () {
      const { tracker, save } = yield* withTracker()
      const { runId } = yield* save({ status: "FAILED", workspace: "team-a" })
      assert.strictEqual(runOf(tracker, runId).status, "FAILED")
      assert.isTrue(tracker.headers.every((headers) => headers["x-mlflow-workspace"] === "team-a"))
    })
  )

  it.scopedLive("artifacts in a place of the tracker's own are left out with a note", () =>
    Effect.gen(function* () {
      const { tracker, save } = yield* withTracker({ artifactRoot: "s3://bucket/1" })
      const { notes } = yield* save()
      assert.lengthOf(notes, 1)
      assert.strictEqual(tracker.artifacts.size, 0)
    })
  )

  const steps = [
    "experiments/get-by-name",
    "experiments/create",
    "runs/create",
    "runs/log-batch",
    "runs/get",
    "artifacts",
    "runs/update"
  ]
  for (const step of steps) {
    it.scopedLive(`${step}: 500 twice, then as usual`, () =>
      Effect.gen(function* () {
        let left = 2
        const { tracker, save } = yield* withTracker({
          intercept: (at, response) => {
            if (at !== step || left === 0) return false
            left--
            response.writeHead(500, { "content-type": "text/html" }).end("<h1>oops</h1>")
            return true
          }
        })
        const { runId } = yield* save()
        assert.strictEqual(left, 0)
        assert.strictEqual(runOf(tracker, runId).status, "FINISHED")
      })
    )

    it.scopedLive(`${step} refused: fails with the step's name, and a run that was begun is closed as failed`, () =>
      Effect.gen(function* () {
        let refused = 0
        const { tracker, save } = yield* withTracker({
          intercept: (at, response) => {
            if (at !== step || refused++ > 0) return false
            response.writeHead(403, { "content-type": "text/plain" }).end("Permission denied")
            return true
          }
        })
        const failure = yield* Effect.flip(save())
        assert.match(failure.message, /the tracker answered 403 to the .*check the credentials/)
        const begun = steps.indexOf(step) > steps.indexOf("runs/create")
        assert.strictEqual(failure.runId, begun ? "run1" : undefined)
        if (begun) assert.strictEqual(runOf(tracker, "run1").status, "FAILED")
      })
    )
  }

  it.scopedLive("statements of the tracker's database are not passed on", () =>
    Effect.gen(function* () {
      const { save } = yield* withTracker({
        intercept: (step, response) => {
          if (step !== "runs/create") return false
          response.writeHead(400).end(JSON.stringify({ error_code: "BAD_REQUEST", message: "[SQL: INSERT INTO runs]" }))
          return true
        }
      })
      const { message } = yield* Effect.flip(save())
      assert.include(message, "BAD_REQUEST")
      assert.notInclude(message, "SQL")
    })
  )

  it.scopedLive("a tracker that is down is given up at the limit", () =>
    Effect.gen(function* () {
      const { save } = yield* withTracker()
      const failure = yield* Effect.flip(
        save({ base: `http://127.0.0.1:${yield* closedPort}`, limit: Duration.millis(300) })
      )
      assert.match(failure.message, /cannot be reached.*given up after/)
      assert.isUndefined(failure.runId)
    })
  )
})

/** What a tracking server answers, and what server and adapters make of it: the same cases for the double and for a real one. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { ExperimentTracker } from "../../application/ports/experiment-tracker.ts"
import * as MlflowTracker from "../../infrastructure/tracker/mlflow-tracker.ts"
import type { JobSpec } from "../../providers/contract/job-spec.ts"
import { saveRun } from "../../providers/sdk/export/tracker-save.ts"
import { tempDir } from "./temp-dir.ts"

export interface TrackerUnderTest {
  readonly url: string
  readonly token?: string
}

interface Asked {
  readonly status: number
  readonly json: unknown
  readonly text: string
}

/** a member of an answer by its path, `experiment.lifecycle_stage` */
const memberAt = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === "object" && inner !== null ? Object.getOwnPropertyDescriptor(inner, name)?.value : undefined,
      value
    )

const asker =
  ({ url, token }: TrackerUnderTest) =>
  async (path: string, body?: object, workspace?: string): Promise<Asked> => {
    const response = await fetch(`${url}/api/${path.startsWith("3.0") ? path : `2.0/mlflow/${path}`}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(workspace === undefined ? {} : { "x-mlflow-workspace": workspace })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    const json: unknown = response.headers.get("content-type")?.includes("json") === true ? JSON.parse(text) : undefined
    return { status: response.status, json, text }
  }

/** status and code, as one word for comparisons */
const word = ({ status, json }: Asked) =>
  `${status} ${String(memberAt(json, "error_code") ?? (json === undefined ? "text" : "json"))}`

const connectionOf = ({ url, token }: TrackerUnderTest): MlflowTracker.TrackerOptions => ({
  uri: url,
  token: () => (token === undefined ? undefined : Redacted.make(token)),
  ca: () => undefined,
  insecure: false,
  timeoutMillis: 30_000
})

const clientOf = (peer: TrackerUnderTest) =>
  Effect.gen(function* () {
    const tracker = Context.get(yield* Layer.build(MlflowTracker.layer(connectionOf(peer))), ExperimentTracker)
    return tracker ?? (yield* Effect.dieMessage("no tracker"))
  })

const job = (id: string): JobSpec => ({
  id,
  ...{ provider_id: "p", benchmark_id: "b", benchmark_index: 2, seed: 7 },
  model: { url: "http://m/v1", name: "m" },
  parameters: { shots: 5, api_key: "canary", long: "x".repeat(600), "odd,name": { a: 1 } },
  callback_url: "http://c",
  tags: [{ key: "team", value: "x" }]
})

/** what of these and of the job's own parameters a run gets */
export const savedParameters = {
  benchmark_id: "b",
  provider_id: "p",
  model_name: "m",
  num_examples_evaluated: "20",
  duration_seconds: "1.5",
  seed: "7",
  shots: "5",
  long: "x".repeat(500),
  odd_name: '{"a":1}'
}

const event = {
  metrics: { acc: 0.5, acc_stderr: 0.1, "odd,metric=x": 2, note: "ok" },
  additional_info: { duration_seconds: 1.5, counts: { scored: 20 } }
}

/** saves a run as an adapter does */
const saved = (peer: TrackerUnderTest, experiment: string, workspace?: string, metrics: object = event.metrics) =>
  Effect.gen(function* () {
    const folder = yield* tempDir
    mkdirSync(join(folder, "samples"))
    for (const name of ["result.json", "samples/a b.ndjson"]) writeFileSync(join(folder, name), `content of ${name}`)
    const options = {
      base: peer.url,
      workspace,
      folder,
      startedAtMillis: 1000,
      status: "FINISHED" as const,
      limit: Duration.seconds(60)
    }
    return yield* saveRun(job(`job-of-${experiment}`), experiment, { ...options, event: { ...event, metrics } })
  })

const entries = (value: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Array.isArray(value) ? value.map((one: unknown) => [String(memberAt(one, "key")), memberAt(one, "value")]) : []
  )

/** `plain`: without workspaces; `workspaces`: with them on, `team-a` and `team-b` being there */
export const trackerSuite = (
  title: string,
  peers: { readonly plain: () => TrackerUnderTest; readonly workspaces: () => TrackerUnderTest }
): void => {
  describe(title, () => {
    it("the answers that client and adapters build on", async () => {
      const ask = asker(peers.plain())
      const made = await ask("experiments/create", { name: "answers", tags: [{ key: "team", value: "a" }] })
      const id = memberAt(made.json, "experiment_id")
      const run = memberAt(
        (await ask("runs/create", { experiment_id: id, start_time: 1, run_name: "r", tags: [] })).json,
        "run.info.run_id"
      )
      const batch = (given: object) => ask("runs/log-batch", { run_id: run, metrics: [], params: [], ...given })
      const metric = (key: string) => ({ key, value: 1, timestamp: 1, step: 0 })
      const many = (count: number, of: (key: string) => object) =>
        Array.from({ length: count }, (_, at) => of(`k${at}`))
      const param = (key: string) => ({ key, value: "v" })
      const answers = {
        "the capability probe": word(await ask("3.0/mlflow/server-info")),
        "a route that is none": word(await ask("no/such/route")),
        "a name that is there": word(await ask("experiments/create", { name: "answers" })),
        "no name": word(await ask("experiments/create", {})),
        "by name": word(await ask("experiments/get-by-name?experiment_name=answers")),
        "by an unknown name": word(await ask("experiments/get-by-name?experiment_name=nobody")),
        "by an unknown id": word(await ask("experiments/get?experiment_id=987654")),
        "a run of nothing": word(
          await ask("runs/create", { experiment_id: "987654", start_time: 1, run_name: "r", tags: [] })
        ),
        "an unknown run": word(await ask("runs/get?run_id=0123456789abcdef0123456789abcdef")),
        "the end of an unknown run": word(
          await ask("runs/update", { run_id: "0123456789abcdef0123456789abcdef", status: "FINISHED", end_time: 2 })
        ),
        "metrics of an unknown run": word(await batch({ run_id: "0123456789abcdef0123456789abcdef" })),
        "a metric": word(await batch({ metrics: [metric("acc")] })),
        "a key with a comma": word(await batch({ metrics: [metric("a,b")] })),
        "1,001 metrics": word(await batch({ metrics: many(1001, metric) })),
        "1,000 metrics and a parameter": word(
          await batch({ metrics: many(1000, metric), params: [param("one more")] })
        ),
        "101 parameters": word(await batch({ params: many(101, param) })),
        "100 parameters": word(await batch({ params: many(100, param) })),
        "a parameter again": word(await batch({ params: [param("k0")] })),
        "a changed parameter": word(await batch({ params: [{ key: "k0", value: "other" }] })),
        "a workspace where there are none": word(
          await ask("experiments/get-by-name?experiment_name=answers", undefined, "default")
        ),
        delete: word(await ask("experiments/delete", { experiment_id: id })),
        "a deleted one by name": memberAt(
          (await ask("experiments/get-by-name?experiment_name=answers")).json,
          "experiment.lifecycle_stage"
        ),
        "the name of a deleted one": word(await ask("experiments/create", { name: "answers" })),
        "a run of a deleted one": word(
          await ask("runs/create", { experiment_id: id, start_time: 1, run_name: "r", tags: [] })
        ),
        restore: word(await ask("experiments/restore", { experiment_id: id })),
        "a restored one by name": memberAt(
          (await ask("experiments/get-by-name?experiment_name=answers")).json,
          "experiment.lifecycle_stage"
        )
      }
      assert.deepStrictEqual(answers, {
        "the capability probe": "200 json",
        "a route that is none": "404 text",
        "a name that is there": "400 RESOURCE_ALREADY_EXISTS",
        "no name": "400 INVALID_PARAMETER_VALUE",
        "by name": "200 json",
        "by an unknown name": "404 RESOURCE_DOES_NOT_EXIST",
        "by an unknown id": "404 RESOURCE_DOES_NOT_EXIST",
        "a run of nothing": "404 RESOURCE_DOES_NOT_EXIST",
        "an unknown run": "404 RESOURCE_DOES_NOT_EXIST",
        "the end of an unknown run": "404 RESOURCE_DOES_NOT_EXIST",
        "metrics of an unknown run": "404 RESOURCE_DOES_NOT_EXIST",
        "a metric": "200 json",
        "a key with a comma": "400 INVALID_PARAMETER_VALUE",
        "1,001 metrics": "400 INVALID_PARAMETER_VALUE",
        "1,000 metrics and a parameter": "400 INVALID_PARAMETER_VALUE",
        "101 parameters": "400 INVALID_PARAMETER_VALUE",
        "100 parameters": "200 json",
        "a parameter again": "200 json",
        "a changed parameter": "400 INVALID_PARAMETER_VALUE",
        "a workspace where there are none": "500 FEATURE_DISABLED",
        delete: "200 json",
        "a deleted one by name": "deleted",
        "the name of a deleted one": "400 RESOURCE_ALREADY_EXISTS",
        "a run of a deleted one": "400 INVALID_PARAMETER_VALUE",
        restore: "200 json",
        "a restored one by name": "active"
      })
    })
    it.scopedLive(
      "an experiment is made once, by however many at a time, with its tags and its place for artifacts",
      () =>
        Effect.gen(function* () {
          const ask = asker(peers.plain())
          const { ensure, workspaceOf } = yield* clientOf(peers.plain())
          const wanted = {
            name: "raced & odd/name",
            tags: [{ key: "team", value: "a" }],
            artifactLocation: "mlflow-artifacts:/own/place"
          }
          const all = yield* Effect.all(
            Array.from({ length: 4 }, () => ensure("team-a", wanted)),
            { concurrency: "unbounded" }
          )
          const [first] = all
          assert.deepStrictEqual(new Set(all.map(({ id }) => id)), new Set([first?.id]))
          assert.strictEqual(first?.url, `${peers.plain().url}/#/experiments/${first?.id}`)
          assert.isUndefined(yield* workspaceOf("team-a"))
          const { json } = yield* Effect.promise(() => ask(`experiments/get?experiment_id=${first?.id}`))
          assert.deepInclude(memberAt(json, "experiment") as object, {
            name: wanted.name,
            artifact_location: wanted.artifactLocation
          })
          assert.deepInclude(entries(memberAt(json, "experiment.tags")), { team: "a" })
        })
    )
    it.scopedLive("a deleted experiment is restored, by the server and by an adapter", () =>
      Effect.gen(function* () {
        const ask = asker(peers.plain())
        const { ensure } = yield* clientOf(peers.plain())
        const { id } = yield* ensure("t", { name: "restored" })
        const remove = Effect.promise(() => ask("experiments/delete", { experiment_id: id }))
        yield* remove
        assert.strictEqual((yield* ensure("t", { name: "restored" })).id, id)
        yield* remove
        const { runId } = yield* saved(peers.plain(), "restored")
        const { json } = yield* Effect.promise(() => ask(`runs/get?run_id=${runId}`))
        assert.strictEqual(memberAt(json, "run.info.experiment_id"), id)
      })
    )
    it.scopedLive("a run of an adapter: metrics, parameters without secrets, tags, files, end", () =>
      Effect.gen(function* () {
        const peer = peers.plain()
        const { runId, notes } = yield* saved(peer, "with a run")
        assert.deepStrictEqual(notes, [])
        const { json } = yield* Effect.promise(() => asker(peer)(`runs/get?run_id=${runId}`))
        assert.deepInclude(memberAt(json, "run.info") as object, {
          run_name: "job-of-with a run_2",
          status: "FINISHED",
          start_time: 1000
        })
        assert.deepStrictEqual(entries(memberAt(json, "run.data.metrics")), {
          acc: 0.5,
          acc_stderr: 0.1,
          odd_metric_x: 2
        })
        assert.deepStrictEqual(entries(memberAt(json, "run.data.params")), savedParameters)
        assert.deepInclude(entries(memberAt(json, "run.data.tags")), {
          team: "x",
          "evald.benchmark_index": "2",
          "evald.provider_id": "p"
        })
        const root = String(memberAt(json, "run.info.artifact_uri")).replace(/^mlflow-artifacts:\/+/, "")
        const file = yield* Effect.promise(() =>
          fetch(`${peer.url}/api/2.0/mlflow-artifacts/artifacts/${root}/samples/a%20b.ndjson`)
        )
        assert.strictEqual(yield* Effect.promise(() => file.text()), "content of samples/a b.ndjson")
      })
    )
    it.scopedLive("1,500 metrics come in calls that are accepted", () =>
      Effect.gen(function* () {
        const peer = peers.plain()
        const { runId } = yield* saved(
          peer,
          "many",
          undefined,
          Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`m${at}`, at]))
        )
        const { json } = yield* Effect.promise(() => asker(peer)(`runs/get?run_id=${runId}`))
        const metrics = entries(memberAt(json, "run.data.metrics"))
        assert.deepStrictEqual([Object.keys(metrics).length, metrics["m1499"]], [1500, 1499])
      })
    )
    it.scopedLive(
      "with workspaces every tenant has its own; a place for artifacts and an unknown workspace are refused",
      () =>
        Effect.gen(function* () {
          const peer = peers.workspaces()
          const ask = asker(peer)
          const { ensure, workspaceOf } = yield* clientOf(peer)
          assert.strictEqual(yield* workspaceOf("team-a"), "team-a")
          const [a, b] = [yield* ensure("team-a", { name: "same" }), yield* ensure("team-b", { name: "same" })]
          assert.notStrictEqual(a.id, b.id)
          assert.match(a.url, /\?workspace=team-a$/)
          const strange = yield* Effect.promise(() => ask(`experiments/get?experiment_id=${a.id}`, undefined, "team-b"))
          assert.strictEqual(word(strange), "404 RESOURCE_DOES_NOT_EXIST")
          const placed = { name: "placed", artifactLocation: "s3://b/x" }
          assert.strictEqual((yield* Effect.flip(ensure("team-a", placed)))._tag, "Invalid")
          const raw = yield* Effect.promise(() =>
            ask("experiments/create", { name: "placed", artifact_location: "s3://b/x" }, "team-a")
          )
          assert.strictEqual(word(raw), "400 INVALID_PARAMETER_VALUE")
          assert.strictEqual((yield* Effect.flip(ensure("nobody", { name: "same" })))._tag, "Unavailable")
          const { runId, notes } = yield* saved(peer, "same", "team-b")
          assert.deepStrictEqual(notes, [])
          const { json } = yield* Effect.promise(() => ask(`runs/get?run_id=${runId}`, undefined, "team-b"))
          assert.strictEqual(memberAt(json, "run.info.experiment_id"), b.id)
          assert.match(String(memberAt(json, "run.info.artifact_uri")), /^mlflow-artifacts:\/+workspaces\/team-b\//)
        })
    )
  })
}

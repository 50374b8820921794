import { createServer as createSecureServer } from "node:https"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { JobPolicy } from "../../../../application/jobs/job-policy.ts"
import { ExperimentTracker } from "../../../../application/ports/experiment-tracker.ts"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import type { Experiment } from "../../../../domain/job/job.ts"
import { podDocuments } from "../../../../infrastructure/kubernetes/client/documents.ts"
import { podSpec } from "../../../../infrastructure/kubernetes/unit/pod-spec.ts"
import * as MlflowTracker from "../../../../infrastructure/tracker/mlflow-tracker.ts"
import { makeAuthority } from "../../../support/certificate.ts"
import { clusterOptions, clusterUnit } from "../../../support/cluster-units.ts"
import { type FakeTracker, fakeTracker } from "../../../support/fake-tracker.ts"
import * as Http from "../../../support/http-app.ts"
import { listening } from "../../../support/loopback-server.ts"

const connection = (uri: string, token?: string): MlflowTracker.TrackerOptions => ({
  uri,
  token: () => (token === undefined ? undefined : Redacted.make(token)),
  ca: () => undefined,
  insecure: false,
  timeoutMillis: 2000
})

const connected = (peer: FakeTracker, options: Partial<MlflowTracker.TrackerOptions> = {}) =>
  Effect.gen(function* () {
    const tracker = Context.get(
      yield* Layer.build(MlflowTracker.layer({ ...connection(peer.url), ...options })),
      ExperimentTracker
    )
    return tracker ?? (yield* Effect.dieMessage("no tracker"))
  })

const experiment: Experiment = { name: "nightly", tags: [{ key: "team", value: "a" }] }

describe("experiments", () => {
  it.scopedLive("are made when absent and found when there, with the page for people", () =>
    Effect.gen(function* () {
      const peer = yield* fakeTracker({ workspaces: "off" })
      const { ensure } = yield* connected(peer)
      const made = yield* ensure("team-a", experiment)
      assert.deepStrictEqual(yield* ensure("team-a", experiment), made)
      assert.deepStrictEqual(made, { id: "1", url: `${peer.url}/#/experiments/1` })
      assert.strictEqual(peer.steps.filter((step) => step === "experiments/create").length, 1)
      assert.isTrue(peer.headers.every((headers) => headers["x-mlflow-workspace"] === undefined))
    })
  )
  it.scopedLive("that were deleted are restored", () =>
    Effect.gen(function* () {
      const peer = yield* fakeTracker({ experiments: { nightly: "deleted" }, workspaces: "off" })
      const { ensure } = yield* connected(peer)
      assert.strictEqual((yield* ensure("t", experiment)).id, "1")
      assert.strictEqual(peer.experiments.get("nightly")?.stage, "active")
    })
  )
  it.scopedLive("made by somebody else at the same moment are found", () =>
    Effect.gen(function* () {
      const peer = yield* fakeTracker({
        workspaces: "off",
        intercept: (step, _, tracker) => {
          if (step === "experiments/create") tracker.experiments.set("nightly", { id: "7", stage: "active" })
          return false
        }
      })
      const { ensure } = yield* connected(peer)
      assert.strictEqual((yield* ensure("t", experiment)).id, "7")
    })
  )
  it.scopedLive("live in the tenant's workspace where the tracker has them, or in the configured one", () =>
    Effect.gen(function* () {
      const peer = yield* fakeTracker({ workspaces: ["team-a", "shared"] })
      const own = yield* connected(peer)
      const { url } = yield* own.ensure("team-a", experiment)
      assert.match(url, /\?workspace=team-a$/)
      assert.strictEqual(peer.headers.at(-1)?.["x-mlflow-workspace"], "team-a")
      const shared = yield* connected(peer, { workspace: "shared" })
      assert.strictEqual(yield* shared.workspaceOf("team-a"), "shared")
      const refused = yield* Effect.flip(own.ensure("team-a", { ...experiment, artifactLocation: "s3://b/x" }))
      assert.strictEqual(refused._tag, "Invalid")
      if (refused._tag === "Invalid")
        assert.deepStrictEqual(refused.violations[0].path, ["experiment", "artifactLocation"])
    })
  )
  it.scopedLive("a server without the capability probe has no workspaces", () =>
    Effect.gen(function* () {
      const peer = yield* fakeTracker()
      const { workspaceOf } = yield* connected(peer)
      assert.isUndefined(yield* workspaceOf("t"))
    })
  )
  it.scopedLive("a handshake that fails names the tracking server and its CA setting, for the log of the server", () =>
    Effect.gen(function* () {
      const { authority, server } = makeAuthority()
      const answering = createSecureServer(
        { cert: server.certificate, key: server.key },
        (_, response) => void response.writeHead(404).end()
      )
      const secure = yield* Effect.acquireRelease(
        Effect.promise(() => listening(answering, "https")),
        ({ close }) => Effect.promise(close)
      )
      for (const ca of [
        undefined,
        makeAuthority().authority,
        "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n"
      ]) {
        const tracker = Context.get(
          yield* Layer.build(MlflowTracker.layer({ ...connection(secure.url), ca: () => ca })),
          ExperimentTracker
        )
        const error = yield* Effect.flip(tracker?.ping ?? Effect.dieMessage("no tracker"))
        assert.match(
          String(error.cause),
          /TLS to the tracking server '127\.0\.0\.1:\d+' failed: .*tracker\.ca_cert_path/
        )
      }
      const known = Context.get(
        yield* Layer.build(MlflowTracker.layer({ ...connection(secure.url), ca: () => authority })),
        ExperimentTracker
      )
      yield* known?.ping ?? Effect.dieMessage("no tracker")
    })
  )
  it.scopedLive("a token is read at every call, so that a renewed one is used at once", () =>
    Effect.gen(function* () {
      const peer = yield* fakeTracker({ token: "second", workspaces: "off" })
      let token = "first"
      const { ensure } = yield* connected(peer, { token: () => Redacted.make(token) })
      assert.strictEqual((yield* Effect.flip(ensure("t", experiment)))._tag, "Unavailable")
      token = "second"
      assert.strictEqual((yield* ensure("t", experiment)).id, "1")
    })
  )
})

const app = (uri: string, workspace?: string) =>
  Http.layer().pipe(
    Layer.provide([
      MlflowTracker.layer({ ...connection(uri), ...(workspace === undefined ? {} : { workspace }) }),
      Layer.succeed(JobPolicy, { trackerConfigured: true, deferTrackerFailure: true })
    ])
  )
const tracked = Http.jobBody({ experiment: { name: "nightly", tags: [{ key: "team", value: "a" }] } })

describe("a job with an experiment", () => {
  it.scopedLive("shows the experiment's id and page, under both names", () =>
    Effect.gen(function* () {
      const peer = yield* fakeTracker({ workspaces: "off" })
      yield* Effect.gen(function* () {
        const { send } = yield* Http.HttpApp
        const { status, json } = yield* send("POST", Http.jobsPath, { body: tracked })
        assert.strictEqual(status, 202)
        const record = json as {
          readonly resource: {
            readonly id: string
            readonly tracker_experiment_id: string
            readonly mlflow_experiment_id: string
          }
          readonly results: { readonly tracker_experiment_url: string }
        }
        assert.strictEqual(record.resource.tracker_experiment_id, "1")
        assert.strictEqual(record.resource.mlflow_experiment_id, "1")
        assert.strictEqual(record.results.tracker_experiment_url, `${peer.url}/#/experiments/1`)
      }).pipe(Effect.provide(app(peer.url)))
    })
  )
  const workspaces = [
    {
      name: "the tenant's own, also when no workspace is configured",
      served: ["default"],
      configured: undefined,
      used: "default"
    },
    { name: "the configured one, not the tenant's", served: ["shared"], configured: "shared", used: "shared" },
    {
      name: "none where workspaces are off, although one is configured",
      served: "off",
      configured: "shared",
      used: undefined
    },
    { name: "none of a server of the time before them", served: undefined, configured: "shared", used: undefined }
  ] as const
  it.scopedLive.each(workspaces)(
    "sidecar and adapter of its pod get the workspace that the server used: $name",
    ({ served, configured, used }) =>
      Effect.gen(function* () {
        const peer = yield* fakeTracker(served === undefined ? {} : { workspaces: served })
        yield* Effect.gen(function* () {
          const { send } = yield* Http.HttpApp
          const posted = yield* send("POST", Http.jobsPath, { body: tracked })
          assert.strictEqual(posted.status, 202, posted.text)
          assert.notInclude(posted.text, 'orkspace"')
          const { job } = yield* (yield* JobStore).loadBenchmark(Http.idOf(posted), 0)
          const unit = { ...clusterUnit(), request: job }
          const options = clusterOptions({ tracker: { url: peer.url } })
          const sidecar = JSON.parse(podDocuments(unit, options, undefined)["sidecar.json"]) as {
            readonly tracker: { readonly workspace?: string }
          }
          assert.strictEqual(sidecar.tracker.workspace, used)
          const adapter = podSpec(unit, "B", options, undefined).containers[0]
          const env = new Map(
            (adapter !== undefined && "env" in adapter ? adapter.env : []).map(({ name, value }) => [name, value])
          )
          assert.deepStrictEqual([env.get("TRACKER_WORKSPACE"), env.get("MLFLOW_WORKSPACE")], [used, used])
          assert.strictEqual(peer.headers.at(-1)?.["x-mlflow-workspace"], used)
        }).pipe(Effect.provide(app(peer.url, configured)))
      })
  )
  it.scopedLive("is refused with 502 and not stored while the tracker fails; a dry run does not ask it", () =>
    Effect.gen(function* () {
      const peer = yield* fakeTracker({
        intercept: (_step, response) => {
          response.writeHead(500, { "content-type": "text/html" }).end("<h1>SELECT secret FROM users</h1>")
          return true
        }
      })
      yield* Effect.gen(function* () {
        const { send } = yield* Http.HttpApp
        const refused = yield* send("POST", Http.jobsPath, { body: tracked })
        assert.strictEqual(refused.status, 502)
        assert.strictEqual((refused.json as { readonly message_code: string }).message_code, "tracker_request_failed")
        assert.notInclude(JSON.stringify(refused.json), "SELECT")
        const asked = peer.steps.length
        assert.strictEqual((yield* send("POST", `${Http.jobsPath}?dry_run=true`, { body: tracked })).status, 200)
        assert.strictEqual(peer.steps.length, asked)
        assert.strictEqual(
          ((yield* send("GET", Http.jobsPath)).json as { readonly total_count: number }).total_count,
          0
        )
      }).pipe(Effect.provide(app(peer.url)))
    })
  )
})

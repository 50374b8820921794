/** Calls to tracker and registry that nobody waits for any more: their connections are closed at once, and nothing of them stays. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Fiber, Layer } from "effect"
import { ExperimentTracker } from "../../../../application/ports/experiment-tracker.ts"
import * as MlflowTracker from "../../../../infrastructure/tracker/mlflow-tracker.ts"
import { defaultNames } from "../../../../providers/sdk/export/oci-artifact.ts"
import { pushArtifact } from "../../../../providers/sdk/export/oci-push.ts"
import { saveRun } from "../../../../providers/sdk/export/tracker-save.ts"
import { fakeRegistry } from "../../../support/fake-registry.ts"
import { frameworkJob } from "../../../support/framework-request.ts"
import { serve } from "../../../support/loopback-server.ts"
import { tempDir } from "../../../support/temp-dir.ts"
import { untilTrue } from "../../../support/until.ts"

const limit = Duration.minutes(10)

interface SilentPeer {
  readonly url: string
  /** `127.0.0.1:<port>` */
  readonly host: string
  readonly asked: () => number
  readonly openConnections: Effect.Effect<number>
}

/** `begin` is all that it does with a request */
const silentPeer = (begin: (response: ServerResponse) => void) =>
  Effect.gen(function* () {
    let asked = 0
    const { server, url, port } = yield* Effect.acquireRelease(
      Effect.promise(() =>
        serve((_, response) => {
          asked += 1
          begin(response)
        })
      ),
      ({ close }) => Effect.promise(close)
    )
    const openConnections = Effect.promise(
      () =>
        new Promise<number>((resolve, reject) => {
          server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
        })
    )
    const peer: SilentPeer = { url, host: `127.0.0.1:${port}`, asked: () => asked, openConnections }
    return peer
  })

const moments: ReadonlyArray<readonly [when: string, begin: (response: ServerResponse) => void]> = [
  ["before an answer", () => {}],
  [
    "in the middle of an answer",
    (response) =>
      void response.writeHead(200, { "content-type": "application/json", "content-length": 1000 }).write("{")
  ]
]

/** interrupts the call once its request has come; it is over only when nobody holds a connection any more */
const interrupted = <A, E>(peer: SilentPeer, call: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const running = yield* Effect.fork(call)
    yield* untilTrue(Effect.sync(() => peer.asked() > 0))
    assert.isAbove(yield* peer.openConnections, 0)
    const exit = yield* Fiber.interrupt(running)
    assert.strictEqual(exit._tag, "Failure")
    yield* untilTrue(Effect.map(peer.openConnections, (open) => open === 0))
    const asked = peer.asked()
    // nobody tries again either
    yield* Effect.sleep("50 millis")
    assert.strictEqual(peer.asked(), asked)
  })

const trackerAt = (uri: string) =>
  Effect.gen(function* () {
    const options = { uri, token: () => undefined, ca: () => undefined, insecure: false, timeoutMillis: 600_000 }
    const tracker = Context.get(yield* Layer.build(MlflowTracker.layer(options)), ExperimentTracker)
    return tracker ?? (yield* Effect.dieMessage("no tracker"))
  })

const resultFolder = Effect.map(tempDir, (dir) => {
  const folder = join(dir, "results")
  mkdirSync(folder)
  writeFileSync(join(folder, "result.json"), "{}\n")
  return folder
})

describe.each(moments)("a call that is interrupted %s", (_when, begin) => {
  it.scopedLive("of the server to the tracker leaves no connection", () =>
    Effect.gen(function* () {
      const peer = yield* silentPeer(begin)
      const tracker = yield* trackerAt(peer.url)
      yield* interrupted(peer, tracker.ensure("t", { name: "nightly", tags: [] }))
    })
  )

  it.scopedLive("of the server's look whether the tracker is there leaves no connection", () =>
    Effect.gen(function* () {
      const peer = yield* silentPeer(begin)
      yield* interrupted(peer, (yield* trackerAt(peer.url)).ping)
    })
  )

  it.scopedLive("of an adapter to the tracker leaves no connection", () =>
    Effect.gen(function* () {
      const peer = yield* silentPeer(begin)
      const folder = yield* resultFolder
      yield* interrupted(
        peer,
        saveRun(frameworkJob({ id: "j" }), "nightly", {
          ...{ base: peer.url, workspace: undefined, folder, startedAtMillis: 0, status: "FINISHED", event: {}, limit }
        })
      )
    })
  )

  it.scopedLive("of an adapter to the registry leaves no connection, and no packed file", () =>
    Effect.gen(function* () {
      const peer = yield* silentPeer(begin)
      const folder = yield* resultFolder
      const oci = { coordinates: { oci_host: peer.host, oci_repository: "team/results" }, push_scheme: "http" } as const
      yield* interrupted(
        peer,
        pushArtifact(frameworkJob({ id: "j" }), oci, {
          ...{ folder, completedAt: "2026-01-02T03:04:05.678Z", names: defaultNames, limit, warn: () => Effect.void }
        })
      )
      assert.deepStrictEqual(readdirSync(join(folder, "..")), ["results"])
    })
  )
})

describe("a push that is interrupted", () => {
  for (const step of ["POST upload", "PUT upload", "PUT manifest"])
    it.scopedLive(`at ${step} takes its packed files away and does not go on`, () =>
      Effect.gen(function* () {
        let closed = false
        const registry = yield* fakeRegistry({
          repository: "team/results",
          intercept: (_, response, at) => {
            if (at !== step) return false
            response.once("close", () => {
              closed = true
            })
            return true
          }
        })
        const folder = yield* resultFolder
        const oci = {
          coordinates: { oci_host: registry.host, oci_repository: "team/results", oci_tag: "v1" },
          push_scheme: "http"
        } as const
        const push = yield* Effect.fork(
          pushArtifact(frameworkJob({ id: "j" }), oci, {
            ...{ folder, completedAt: "2026-01-02T03:04:05.678Z", names: defaultNames, limit, warn: () => Effect.void }
          })
        )
        yield* untilTrue(Effect.sync(() => registry.steps.includes(step)))
        yield* Fiber.interrupt(push)
        yield* untilTrue(Effect.sync(() => closed))
        assert.deepStrictEqual(readdirSync(join(folder, "..")), ["results"])
        assert.isFalse(registry.manifests.has("v1"))
      })
    )
})

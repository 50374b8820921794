/** Everybody who asks another server takes the same way out, and NO_PROXY past it: server, tracker, object storage, registry, gateway, sidecar, telemetry, messages and the cluster's API. */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Either, Layer, Redacted } from "effect"
import { ExperimentTracker } from "../../../../application/ports/experiment-tracker.ts"
import { Notifier } from "../../../../application/ports/notifier.ts"
import { load } from "../../../../config/load.ts"
import type { WayOut } from "../../../../domain/proxies.ts"
import { fixedAccess } from "../../../../infrastructure/kubernetes/client/connection.ts"
import { makeHttpChannel } from "../../../../infrastructure/kubernetes/client/http-channel.ts"
import * as Webhooks from "../../../../infrastructure/notifications/webhooks.ts"
import { fetchTestData } from "../../../../infrastructure/objectstore/download.ts"
import * as OtlpTracer from "../../../../infrastructure/telemetry/otlp-tracer.ts"
import * as MlflowTracker from "../../../../infrastructure/tracker/mlflow-tracker.ts"
import { makeModelGateway } from "../../../../interfaces/http/gateway/model-gateway.ts"
import { HttpAddress } from "../../../../interfaces/http/server.ts"
import * as Server from "../../../../interfaces/main/compose/server-layer.ts"
import type { SidecarConfig } from "../../../../providers/contract/sidecar-config.ts"
import { fakeRegistry } from "../../../support/fake-registry.ts"
import { fakeS3, s3Keys } from "../../../support/fake-s3.ts"
import { fakeTracker } from "../../../support/fake-tracker.ts"
import { send } from "../../../support/http-client.ts"
import { bodyOf, type Running, serve } from "../../../support/loopback-server.ts"
import { startCollector } from "../../../support/otlp-collector.ts"
import { connectProxy, through } from "../../../support/proxies.ts"
import {
  configOf,
  eventsPath,
  makeScope,
  type Overrides,
  type Place,
  startedSidecar
} from "../../../support/running-sidecar.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const hostOf = (url: string) => new URL(url).host
const serving = (listener: Parameters<typeof serve>[0]) =>
  Effect.acquireRelease(
    Effect.promise(() => serve(listener)),
    ({ close }: Running) => Effect.promise(close)
  )
const credentials = "me:s3cret"
const proxied = Effect.suspend(() =>
  Effect.map(connectProxy(credentials), (proxy) => ({ ...proxy, url: `http://${credentials}@${proxy.address}` }))
)

interface Proxied {
  readonly url: string
  readonly asked: ReadonlyArray<string>
}

/** by the proxy, which is asked for `url` alone, and once more past it because NO_PROXY names that; the same comes of both */
const bothWays = <A, E, R>(proxy: Proxied, url: string, ask: (way: WayOut) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const host = hostOf(url)
    const found = yield* ask(through(proxy.url))
    assert.deepStrictEqual([...new Set(proxy.asked)], [host])
    const before = proxy.asked.length
    assert.deepStrictEqual(yield* ask(through(proxy.url, { exempt: `models.example, ${host}` })), found)
    assert.strictEqual(proxy.asked.length, before)
    return found
  })

const folder = (config: string) =>
  Effect.tap(tempDir, (path) =>
    Effect.sync(() => {
      copyFileSync("config/auth.yaml", join(path, "auth.yaml"))
      writeFileSync(join(path, "config.yaml"), config)
    })
  )

interface PodProxy {
  readonly named: ReadonlyArray<string>
  readonly exempt?: ReadonlyArray<string>
}

/** a sidecar whose pod has this proxy, with its credentials in a mounted secret */
const sidecarBy = (
  proxy: { readonly address: string },
  { named, exempt = [] }: PodProxy,
  overrides: (place: Place) => Overrides
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const scope = makeScope()
        const place = scope.place()
        place.file("proxy/credentials", `${credentials}\n`)
        const config: SidecarConfig = {
          ...configOf(place, overrides(place)),
          proxy: { http: `http://${proxy.address}`, named, exempt, secret_dir: place.path("proxy") }
        }
        return { scope, running: await scope.keep(startedSidecar(config)) }
      }),
      ({ scope }) => Effect.promise(scope.end)
    ),
    ({ running }) => running
  )

describe("by way of a proxy", () => {
  it.scopedLive("the server asks the tracker", () =>
    Effect.gen(function* () {
      const [proxy, tracker] = [yield* proxied, yield* fakeTracker({ workspaces: "off" })]
      const options = {
        uri: tracker.url,
        token: () => undefined,
        ca: () => undefined,
        insecure: false,
        timeoutMillis: 5000
      }
      const id = yield* bothWays(proxy, tracker.url, (way) =>
        Effect.gen(function* () {
          const made = yield* Layer.build(MlflowTracker.layer({ ...options, way }))
          const { ensure } = Context.get(made, ExperimentTracker) ?? (yield* Effect.dieMessage("no tracker"))
          return (yield* ensure("t", { name: "nightly", tags: [] })).id
        })
      )
      assert.strictEqual(id, "1")
    })
  )

  it.scopedLive("test data comes from the object storage", () =>
    Effect.gen(function* () {
      const [proxy, storage] = [
        yield* proxied,
        yield* fakeS3({ bucket: "b", objects: new Map([["data/one.txt", "1"]]) })
      ]
      const keys = {
        AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
        AWS_DEFAULT_REGION: s3Keys.region,
        AWS_S3_ENDPOINT: storage.url
      }
      const secret = new Map(Object.entries(keys).map(([name, value]) => [name, Redacted.make(value)] as const))
      const wanted = {
        bucket: "b",
        key: "data",
        secret,
        maxBytes: 100,
        maxObjects: 10,
        parallel: 2
      }
      const done = yield* bothWays(proxy, storage.url, (way) =>
        Effect.gen(function* () {
          const target = join(yield* tempDir, "test_data")
          mkdirSync(target)
          const place = { target, staging: join(target, ".part") }
          return yield* fetchTestData({
            ...{ ...wanted, ...place, way },
            timeoutSeconds: 20,
            egress: undefined,
            requireTls: false
          })
        })
      )
      assert.deepStrictEqual(done, { objects: 1, bytes: 1 })
    })
  )

  it.scopedLive("the cluster's API is asked when it is named, and only then", () =>
    Effect.gen(function* () {
      const proxy = yield* proxied
      const { url } = yield* serving((_, response) => void response.end('{"major":"1"}'))
      const version = (named: ReadonlyArray<string>) =>
        Effect.flatMap(
          makeHttpChannel({ server: url, access: fixedAccess({}), way: through(proxy.url, { named }) }),
          ({ json }) => json({ method: "GET", path: "/version" })
        )
      assert.deepStrictEqual(yield* version([]), { major: "1" })
      assert.deepStrictEqual(proxy.asked, [])
      assert.deepStrictEqual(yield* version(["127.0.0.1"]), { major: "1" })
      assert.deepStrictEqual(proxy.asked, [hostOf(url)])
    })
  )

  it.scopedLive("the local gateway reaches a model; its stream is not held, and ends when the caller leaves", () =>
    Effect.gen(function* () {
      const proxy = yield* proxied
      let left: () => void = () => {}
      const leaving = new Promise<void>((resolve) => {
        left = resolve
      })
      const { url } = yield* serving((_, response) => {
        response.once("close", left)
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write("data: 1\n\n")
      })
      const first = yield* bothWays(proxy, url, (way) =>
        Effect.gen(function* () {
          const gateway = yield* Effect.acquireRelease(
            Effect.sync(() => makeModelGateway({ way })),
            ({ close }) => Effect.sync(close)
          )
          const front = yield* serving((request, response) =>
            gateway.handle(request, response, {
              modelUrl: url,
              secret: Either.right(undefined),
              path: "/v1",
              publicBase: "http://here",
              trace: "t"
            })
          )
          return yield* Effect.promise(async (signal) => {
            const answer = await fetch(front.url, { signal })
            const reader = answer.body?.getReader()
            const { value } = (await reader?.read()) ?? {}
            await reader?.cancel()
            return Buffer.from(value ?? []).toString("utf8")
          })
        })
      )
      assert.strictEqual(first, "data: 1\n\n")
      yield* Effect.promise(() => leaving)
    })
  )

  it.scopedLive(
    "a pod's sidecar reaches model, tracker and registry with the credentials of its own secret, and the server past it",
    () =>
      Effect.gen(function* () {
        const proxy = yield* proxied
        const [model, tracker] = [
          yield* serving((_, response) => void response.end("model")),
          yield* serving((_, response) => void response.end("tracker"))
        ]
        const registry = yield* fakeRegistry({ repository: "team/results" })
        const events: Array<string> = []
        const server = yield* serving(async (request, response) => {
          events.push((await bodyOf(request)).toString())
          response.writeHead(200, { "content-type": "application/json" }).end("{}")
        })
        const named = [hostOf(model.url), hostOf(tracker.url), registry.host]
        const asksAll = (exempt: ReadonlyArray<string>) =>
          Effect.gen(function* () {
            const { url, lines } = yield* sidecarBy(proxy, { named, exempt }, (place) => ({
              model: { url: model.url },
              server: { base_url: server.url },
              tracker: { url: tracker.url, token_path: place.file("tracker-token", "tt"), ca_path: place.path("none") },
              registry: {
                host: registry.host,
                repository: "team/results",
                plain_http: true,
                config_path: place.path("none")
              }
            }))
            const ask = (path: string, init: RequestInit = {}) =>
              Effect.promise(() =>
                fetch(`${url}${path}`, init).then(async (answer) => [answer.status, await answer.text()] as const)
              )
            assert.strictEqual((yield* ask("/v1/models"))[1], "model")
            assert.strictEqual((yield* ask("/api/2.0/mlflow/experiments/get"))[1], "tracker")
            assert.strictEqual((yield* ask("/v2/team/results/manifests/absent"))[0], 404)
            const event = { id: "b", provider_id: "p", benchmark_index: 0, status: "running" }
            const body = JSON.stringify({ benchmark_status_event: event })
            assert.strictEqual((yield* ask(eventsPath, { method: "POST", body }))[0], 200)
            assert.notMatch(JSON.stringify(lines), /s3cret/)
          })
        yield* asksAll([])
        assert.sameMembers([...new Set(proxy.asked)], named)
        assert.lengthOf(events, 1)
        const before = proxy.asked.length
        yield* asksAll(named)
        assert.strictEqual(proxy.asked.length, before)
        assert.lengthOf(events, 2)
      })
  )

  it.scopedLive("a pod's sidecar refuses a name that its proxy would resolve, until the proxy is trusted", () =>
    Effect.gen(function* () {
      const proxy = yield* proxied
      const { port } = yield* serving((_, response) => void response.end("model"))
      const model = { url: `http://localhost:${port}` }
      const asked = (trust_proxy: boolean) =>
        Effect.flatMap(
          sidecarBy(proxy, { named: ["localhost"] }, () => ({ model, egress: { allow_cidrs: [], trust_proxy } })),
          ({ url }) =>
            Effect.promise(() =>
              fetch(`${url}/v1`).then(async (answer) => [answer.status, await answer.text()] as const)
            )
        )
      const [status, text] = yield* asked(false)
      assert.strictEqual(status, 403)
      assert.match(text, /upstream_blocked/)
      assert.match(text, /egress\.trust_proxy/)
      assert.deepStrictEqual(proxy.asked, [])
      assert.deepStrictEqual(yield* asked(true), [200, "model"])
    })
  )

  it.scopedLive("traces go to the collector", () =>
    Effect.gen(function* () {
      const proxy = yield* proxied
      const collector = yield* Effect.acquireRelease(
        Effect.promise(() => startCollector()),
        ({ close }) => Effect.promise(() => close())
      )
      const names = yield* bothWays(proxy, collector.url, (way) => {
        const traced = OtlpTracer.layer({
          collector: { address: `${collector.url}/v1/traces`, headers: {}, timeout: "10 seconds", way },
          encoding: "json",
          sampler: () => true,
          service: { name: "evald", version: "1", instance: "i" },
          exportEvery: "10 millis"
        })
        return Effect.map(
          Effect.provide(Effect.withSpan(Effect.void, "work"), traced),
          () => collector.spans.at(-1)?.name
        )
      })
      assert.strictEqual(names, "work")
      assert.lengthOf(collector.spans, 2)
    })
  )

  it.scopedLive("messages about jobs go to their addresses", () =>
    Effect.gen(function* () {
      const proxy = yield* proxied
      const { url } = yield* serving((_, response) => void response.writeHead(204).end())
      const sent = yield* bothWays(proxy, url, (way) =>
        Effect.flatMap(Notifier, (notifier) =>
          notifier === undefined
            ? Effect.dieMessage("no notifier")
            : notifier.send("t", { url, secretRef: "hook" }, { id: "m", body: "{}" })
        ).pipe(
          Effect.provide(
            Webhooks.layer({
              ...{ rules: { allowHttp: true }, ofTenant: () => [], ca: () => undefined, timeoutMillis: 5000, way },
              ...{ agent: "evald", secretOf: () => Effect.succeed(new Map([["key", Redacted.make("k".repeat(16))]])) }
            })
          )
        )
      )
      assert.deepStrictEqual(sent, { status: 204 })
    })
  )

  it.scopedLive("a whole server takes the variables of its environment, and NO_PROXY", () =>
    Effect.gen(function* () {
      const proxy = yield* proxied
      const tracker = yield* fakeTracker({ workspaces: "off" })
      const ready = (noProxy: string) =>
        Effect.scoped(
          Effect.gen(function* () {
            const configDir = yield* folder(
              `egress: {proxied_hosts: [127.0.0.1]}\ntracker: {tracking_uri: "${tracker.url}"}\n`
            )
            const environment = { PORT: "0", HOME: configDir, http_proxy: proxy.url, NO_PROXY: noProxy }
            const plan = { settings: yield* load(configDir, environment), configDir, local: true, environment }
            const { port } = yield* Effect.provide(HttpAddress, yield* Layer.build(Server.layer(plan)))
            return (yield* send(port, "GET", "/api/v1/health/ready", {})).text
          })
        )
      const reachable = /"name":"tracker"[^}]*"ok":true/
      assert.match(yield* ready("models.example"), reachable)
      assert.include(proxy.asked, hostOf(tracker.url))
      const before = proxy.asked.length
      assert.match(yield* ready(`models.example,${hostOf(tracker.url)}`), reachable)
      assert.strictEqual(proxy.asked.length, before)
    })
  )

  it.scopedLive("a server does not start with a proxy that is none, and does not repeat its password", () =>
    Effect.gen(function* () {
      const configDir = yield* folder("")
      const environment = { PORT: "0", HOME: configDir, HTTPS_PROXY: "socks5://me:s3cret@proxy.test" }
      const plan = { settings: yield* load(configDir, environment), configDir, local: true, environment }
      const error = yield* Effect.flip(Layer.build(Server.layer(plan)))
      assert.match(error.message, /HTTPS_PROXY: expected the address of a proxy/)
      assert.notMatch(error.message, /s3cret/)
    })
  )
})

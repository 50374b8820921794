import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Metrics } from "../../../../../interfaces/http/metrics/metrics.ts"
import * as MetricsListener from "../../../../../interfaces/http/metrics/metrics-listener.ts"

const listener = MetricsListener.layer({ port: 0, host: "127.0.0.1" }).pipe(Layer.provideMerge(Metrics.layer))

it.scoped("serves the metrics of the server on a port of their own, and nothing else", () =>
  Effect.gen(function* () {
    const metrics = yield* Metrics
    metrics.event("applied")
    const { port } = yield* MetricsListener.MetricsAddress
    const get = (path: string, method = "GET") =>
      Effect.promise(() => fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { connection: "close" } }))
    const served = yield* get("/metrics?from=scraper")
    assert.strictEqual(served.status, 200)
    assert.match(served.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/)
    assert.include(yield* Effect.promise(() => served.text()), 'evald_status_events_total{outcome="applied"} 1')
    const head = yield* get("/metrics", "HEAD")
    assert.strictEqual(head.status, 200)
    assert.isAbove(Number(head.headers.get("content-length")), 100)
    assert.strictEqual((yield* get("/metrics", "POST")).status, 405)
    assert.strictEqual((yield* get("/api/v1/health")).status, 404)
  }).pipe(Effect.provide(listener))
)

it.scoped("a port that is taken is refused with the setting that moves it", () =>
  Effect.gen(function* () {
    const { port } = yield* MetricsListener.MetricsAddress
    const error = yield* Effect.flip(Effect.scoped(Layer.build(MetricsListener.layer({ port, host: "127.0.0.1" }))))
    assert.match(error.message, /metrics\.port/)
  }).pipe(Effect.provide(listener))
)

/**
 * Every metric of the HTTP interface, declared in one place. Labels use the route pattern, never the URL; methods are a closed set. The
 * registry belongs to the layer, so that several servers can live in one process.
 */
import { Context, Effect, Layer } from "effect"
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client"
import { RequestHistogram } from "./request-histogram.ts"

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])

const make = Effect.gen(function* () {
  const registry = new Registry()
  const registers = [registry]
  const duration = new RequestHistogram({
    name: "evald_http_request_duration_seconds",
    help: "time from the request's head to the answer's head",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers
  })
  const inFlight = new Gauge({ name: "evald_http_requests_in_flight", help: "requests whose answer is not finished, streams included", registers })
  const events = new Counter({ name: "evald_status_events_total", help: "status events of adapters by outcome", labelNames: ["outcome"], registers })
  const watchers = new Gauge({ name: "evald_watchers", help: "open change streams", registers })
  collectDefaultMetrics({ register: registry, prefix: "evald_" })
  yield* Effect.addFinalizer(() => Effect.sync(() => registry.clear()))
  return {
    started: () => inFlight.inc(),
    closed: () => inFlight.dec(),
    finished: (method: string, route: string, status: number, millis: number) =>
      duration.count(methods.has(method) ? method : "OTHER", route, status, millis / 1000),
    /** applied, repeated or refused */
    event: (outcome: "applied" | "repeated" | "refused") => events.inc({ outcome }),
    watching: (change: 1 | -1) => watchers.inc(change),
    contentType: registry.contentType,
    /** the exposition text */
    text: Effect.promise(() => registry.metrics()),
    /** other parts of the server declare theirs here */
    registry
  }
})

export class Metrics extends Context.Tag("evald/interfaces/http/Metrics")<Metrics, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.scoped(Metrics, make)
}

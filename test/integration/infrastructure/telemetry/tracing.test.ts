import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { Invalid } from "../../../../application/errors.ts"
import { JobStore } from "../../../../application/ports/job-store.ts"
import { launcher } from "../../../../application/runtime/launcher.ts"
import * as OtlpTracer from "../../../../infrastructure/telemetry/otlp-tracer.ts"
import * as TracedRuntime from "../../../../infrastructure/telemetry/traced-runtime.ts"
import * as App from "../../../support/http-app.ts"
import { HttpApp } from "../../../support/http-app.ts"
import { attributesOf, type Collector, type ReceivedSpan, startCollector } from "../../../support/otlp-collector.ts"
import * as World from "../../../support/runtime-workers.ts"
import { RuntimeScript } from "../../../support/scripted-runtime.ts"
import { untilTrue } from "../../../support/until.ts"

const collector = Effect.acquireRelease(
  Effect.promise(() => startCollector()),
  ({ close }) => Effect.promise(() => close())
)

const tracer = ({ url }: Collector) => OtlpTracer.layer({ endpoint: url, service: { name: "evald", version: "1", instance: "i" }, flushEvery: "1 hour" })

const named = (spans: ReadonlyArray<ReceivedSpan>, name: string): ReceivedSpan => {
  const [span] = spans.filter((one) => one.name === name)
  if (span === undefined) throw new Error(`no span '${name}' among ${spans.map((one) => one.name).join(", ")}`)
  return span
}

it.scoped("a request is one trace: HTTP, use case, database; it continues the caller's", () =>
  Effect.gen(function* () {
    const received = yield* collector
    const traceId = "0af7651916cd43dd8448eb211c80319c"
    const handedOn = yield* Effect.gen(function* () {
      const app = yield* HttpApp
      const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, "x-request-id": "mine" }
      const submitted = yield* app.send("POST", App.jobsPath, { body: App.jobBody(), headers })
      assert.strictEqual(submitted.status, 202)
      assert.notInclude(submitted.text, traceId, "the record does not show it")
      assert.strictEqual((yield* app.send("GET", `${App.jobsPath}/nothing?x=1`)).status, 400)
      yield* (yield* OtlpTracer.SpanExport).flush
      const { job } = yield* (yield* JobStore).loadBenchmark(String(App.at(submitted.json, "resource.id")), 0)
      return job.traceparent
    }).pipe(Effect.provide(Layer.provideMerge(App.layer(), tracer(received))))
    const { spans, resource } = received
    assert.deepStrictEqual([resource.get("service.name"), resource.get("service.version"), resource.get("service.instance.id")], ["evald", "1", "i"])
    const request = named(spans, "POST /api/v1/evaluations/jobs")
    const useCase = named(spans, "jobs.submit")
    const stored = spans.find((span) => span.name.startsWith("sql ") && span.parentSpanId === useCase.spanId)
    assert.deepStrictEqual([request.traceId, useCase.traceId, stored?.traceId], [traceId, traceId, traceId])
    assert.deepStrictEqual([request.parentSpanId, useCase.parentSpanId], ["b7ad6b7169203331", request.spanId])
    assert.deepStrictEqual([request.kind, stored?.kind], [2, 3])
    assert.strictEqual(handedOn, `00-${traceId}-${useCase.spanId}-01`, "units continue the trace of their submission")
    const attributes = attributesOf(request)
    assert.deepStrictEqual(
      [attributes.get("http.response.status_code"), attributes.get("evald.request.id"), attributes.get("http.route")],
      ["202", "mine", "/api/v1/evaluations/jobs"]
    )
    const refused = named(spans, "GET /api/v1/evaluations/jobs/:id")
    assert.notStrictEqual(refused.traceId, traceId)
    assert.deepStrictEqual([refused.status.code, refused.parentSpanId], [0, undefined])
    assert.isTrue(spans.every((span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano) && /^[0-9a-f]{16}$/.test(span.spanId)))
    assert.notInclude(JSON.stringify(spans), "nothing", "addresses are not exported")
  })
)

it.scoped("a task is a trace of its own, through to the runtime and the database", () =>
  Effect.gen(function* () {
    const received = yield* collector
    const world = TracedRuntime.layer.pipe(Layer.provideMerge(World.layer), Layer.provideMerge(tracer(received)))
    yield* Effect.gen(function* () {
      const job = yield* World.submit()
      const { launched } = yield* RuntimeScript
      const fiber = yield* Effect.fork(launcher({ ...World.lease, launchAttempts: 2 }))
      yield* untilTrue(Effect.sync(() => launched.length === 1))
      yield* untilTrue(
        Effect.zipRight(
          (yield* OtlpTracer.SpanExport).flush,
          Effect.sync(() => received.spans.some(({ name }) => name === "task launch"))
        )
      )
      yield* Fiber.interrupt(fiber)
      const task = named(received.spans, "task launch")
      const launch = named(received.spans, "runtime.launch")
      assert.deepStrictEqual([launch.traceId, launch.parentSpanId, task.parentSpanId], [task.traceId, task.spanId, undefined])
      assert.strictEqual(attributesOf(launch).get("evald.job.id"), job.id)
      assert.isTrue(received.spans.some(({ name, traceId }) => name === "sql completeTask" && traceId === task.traceId))
      assert.isFalse(
        received.spans.some(({ name }) => name === "sql claimTasks"),
        "polling is nobody's trace"
      )
    }).pipe(Effect.provide(world))
  })
)

it.scoped("an unsampled caller is not exported, failures are named by kind and never by their words", () =>
  Effect.gen(function* () {
    const received = yield* collector
    const secret = "hunter2"
    yield* Effect.gen(function* () {
      const app = yield* HttpApp
      yield* app.send("GET", App.jobsPath, { headers: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00" } })
      const failing = Effect.withSpan(Effect.fail(new Invalid({ violations: [{ path: "", message: secret, code: "invalid_value" }] })), "failing")
      const dying = Effect.withSpan(Effect.die(new Error(secret)), "dying")
      const exits = [yield* Effect.exit(failing), yield* Effect.exit(dying)]
      assert.isTrue(exits.every((exit) => Exit.isFailure(exit) && Cause.pretty(exit.cause) !== ""))
      yield* (yield* OtlpTracer.SpanExport).flush
    }).pipe(Effect.provide(Layer.provideMerge(App.layer(), tracer(received))))
    const { spans } = received
    assert.deepStrictEqual(
      spans.map(({ name, status }) => [name, status.code]),
      [
        ["failing", 2],
        ["dying", 2]
      ]
    )
    assert.deepStrictEqual(
      spans.map((span) => attributesOf(span).get("error.type")),
      ["Invalid", "defect"]
    )
    assert.notInclude(JSON.stringify(spans), secret)
  })
)

it.live("a collector that stumbles gets the spans again; one that refuses loses them, counted", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const received = yield* collector
      received.answers.push(503)
      yield* Effect.gen(function* () {
        const { flush, dropped } = yield* OtlpTracer.SpanExport
        yield* Effect.withSpan(Effect.void, "one")
        yield* flush
        assert.deepStrictEqual([received.requests(), received.spans.map(({ name }) => name), yield* dropped], [2, ["one"], 0])
        received.answers.push(400)
        yield* Effect.withSpan(Effect.void, "two")
        yield* flush
        assert.deepStrictEqual([received.requests(), yield* dropped], [3, 1])
        yield* Effect.withSpan(Effect.void, "last")
      }).pipe(Effect.provide(tracer(received)))
      // the end of the layer hands over what is left
      assert.deepStrictEqual(
        received.spans.map(({ name }) => name),
        ["one", "last"]
      )
    })
  )
)

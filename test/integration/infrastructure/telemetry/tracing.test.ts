import type { ServerResponse } from "node:http"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Either, Exit, Fiber, Layer, Tracer } from "effect"
import { Invalid } from "../../../../application/errors.ts"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { launcher } from "../../../../application/runtime/launcher.ts"
import * as OtlpTracer from "../../../../infrastructure/telemetry/otlp-tracer.ts"
import { type Sampler, samplerOf } from "../../../../infrastructure/telemetry/sampler.ts"
import * as TracedRuntime from "../../../../infrastructure/telemetry/traced-runtime.ts"
import * as App from "../../../support/http-app.ts"
import { HttpApp } from "../../../support/http-app.ts"
import { serve } from "../../../support/loopback-server.ts"
import { attributesOf, type Collector, type ReceivedSpan, startCollector } from "../../../support/otlp-collector.ts"
import * as World from "../../../support/runtime-workers.ts"
import { RuntimeScript } from "../../../support/scripted-runtime.ts"
import { quiet, untilTrue } from "../../../support/until.ts"

const collector = Effect.acquireRelease(
  Effect.promise(() => startCollector()),
  ({ close }) => Effect.promise(() => close())
)

const always: Sampler = (_, parent) => parent ?? true
const tracer = ({ url }: Pick<Collector, "url">, over: Partial<OtlpTracer.OtlpOptions> = {}) =>
  OtlpTracer.layer({
    collector: { address: `${url}/v1/traces`, headers: {}, timeout: "10 seconds" },
    encoding: "json",
    sampler: always,
    service: { name: "evald", version: "1", instance: "i" },
    exportEvery: "10 millis",
    ...over
  })

/** spans leave the process when their batch is due */
const arrived = (received: Collector, name: string) =>
  untilTrue(Effect.sync(() => received.spans.some((span) => span.name === name)))

const named = (spans: ReadonlyArray<ReceivedSpan>, name: string): ReceivedSpan => {
  const [span] = spans.filter((one) => one.name === name)
  if (span === undefined) throw new Error(`no span '${name}' among ${spans.map((one) => one.name).join(", ")}`)
  return span
}

it.scopedLive("a request is one trace: HTTP, use case, database; it continues the caller's", () =>
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
      yield* arrived(received, "GET /api/v1/evaluations/jobs/:id")
      const { job } = yield* (yield* JobStore).loadBenchmark(String(App.at(submitted.json, "resource.id")), 0)
      return job.traceparent
    }).pipe(Effect.provide(Layer.provideMerge(App.layer(), tracer(received))))
    const { spans, resource } = received
    assert.deepStrictEqual(
      [resource.get("service.name"), resource.get("service.version"), resource.get("service.instance.id")],
      ["evald", "1", "i"]
    )
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
      [202, "mine", "/api/v1/evaluations/jobs"]
    )
    const refused = named(spans, "GET /api/v1/evaluations/jobs/:id")
    assert.notStrictEqual(refused.traceId, traceId)
    assert.deepStrictEqual([refused.status.code, refused.parentSpanId], [0, undefined])
    assert.isTrue(
      spans.every(
        (span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano) && /^[0-9a-f]{16}$/.test(span.spanId)
      )
    )
    assert.notInclude(JSON.stringify(spans), "nothing", "addresses are not exported")
  })
)

it.scopedLive("a task is a trace of its own, through to the runtime and the database", () =>
  Effect.gen(function* () {
    const received = yield* collector
    const world = TracedRuntime.layer.pipe(Layer.provideMerge(World.layer), Layer.provideMerge(tracer(received)))
    yield* Effect.gen(function* () {
      const job = yield* World.submit()
      const { launched } = yield* RuntimeScript
      const fiber = yield* Effect.fork(launcher({ ...World.lease, launchAttempts: 2 }))
      yield* untilTrue(Effect.sync(() => launched.length === 1))
      yield* arrived(received, "task launch")
      yield* Fiber.interrupt(fiber)
      const task = named(received.spans, "task launch")
      const launch = named(received.spans, "runtime.launch")
      assert.deepStrictEqual(
        [launch.traceId, launch.parentSpanId, task.parentSpanId],
        [task.traceId, task.spanId, undefined]
      )
      assert.strictEqual(attributesOf(launch).get("evald.job.id"), job.id)
      assert.isTrue(received.spans.some(({ name, traceId }) => name === "sql completeTask" && traceId === task.traceId))
      assert.isFalse(
        received.spans.some(({ name }) => name === "sql claimTasks"),
        "polling is nobody's trace"
      )
    }).pipe(Effect.provide(world))
  })
)

it.scopedLive("an unsampled caller is not exported, failures are named by kind and never by their words", () =>
  Effect.gen(function* () {
    const received = yield* collector
    const secret = "hunter2"
    yield* Effect.gen(function* () {
      const app = yield* HttpApp
      yield* app.send("GET", App.jobsPath, {
        headers: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00" }
      })
      const failing = Effect.withSpan(
        Effect.fail(new Invalid({ violations: [{ path: [], message: secret, code: "invalid_value" }] })),
        "failing"
      )
      const dying = Effect.withSpan(Effect.die(new Error(secret)), "dying")
      const exits = [yield* Effect.exit(failing), yield* Effect.exit(dying)]
      assert.isTrue(exits.every((exit) => Exit.isFailure(exit) && Cause.pretty(exit.cause) !== ""))
      yield* arrived(received, "dying")
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
    assert.notInclude(JSON.stringify(spans), ".ts:")
    assert.isFalse(spans.some((span) => attributesOf(span).has("status.interrupted")))
  })
)

it.scopedLive("a collector that stumbles gets the spans again; one that refuses loses them, counted", () =>
  Effect.gen(function* () {
    const received = yield* collector
    received.answers.push(503)
    yield* Effect.gen(function* () {
      const { dropped } = yield* OtlpTracer.SpanExport
      yield* Effect.withSpan(Effect.void, "one")
      yield* arrived(received, "one")
      assert.deepStrictEqual(
        [received.requests(), received.spans.map(({ name }) => name), yield* dropped],
        [2, ["one"], 0]
      )
      received.answers.push(400)
      yield* Effect.withSpan(Effect.void, "two")
      yield* untilTrue(Effect.map(dropped, (count) => count === 1))
      assert.strictEqual(received.requests(), 3)
      yield* Effect.withSpan(Effect.void, "last")
    }).pipe(Effect.provide(tracer(received)))
    // the end of the layer hands over what is left
    assert.deepStrictEqual(
      received.spans.map(({ name }) => name),
      ["one", "last"]
    )
  })
)

it.scopedLive(
  "a collector that never answers holds nothing up: ten thousand spans wait, the others are dropped and counted",
  () =>
    Effect.gen(function* () {
      const held: Array<ServerResponse> = []
      let isSilent = true
      const refuse = (response: ServerResponse) => response.writeHead(400).end()
      const silent = yield* Effect.acquireRelease(
        Effect.promise(() =>
          serve((request, response) => {
            request.resume()
            if (isSilent) held.push(response)
            else refuse(response)
          })
        ),
        ({ close }) => Effect.promise(() => close())
      )
      yield* Effect.gen(function* () {
        const { dropped } = yield* OtlpTracer.SpanExport
        // a batch each time, which is handed on at once
        for (let round = 0; round < 30; round++) {
          for (let span = 0; span < 500; span++)
            yield* Effect.withSpan(Effect.void, "held", { captureStackTrace: false })
          yield* quiet
        }
        yield* untilTrue(Effect.map(dropped, (count) => count >= 4_500))
        assert.isAtMost(yield* dropped, 5_000)
        assert.strictEqual(held.length, 1)
        isSilent = false
        for (const response of held) refuse(response)
      }).pipe(Effect.provide(tracer(silent)))
    })
)

it.scopedLive("headers go to the collector, and a trace that is not sampled is no span anywhere", () =>
  Effect.gen(function* () {
    const received = yield* collector
    const sampler = Either.getOrThrow(samplerOf("parentbased_traceidratio", "0.5"))
    const traced = (name: string, traceId: string) =>
      Effect.withSpan(Effect.withSpan(Effect.void, `below ${name}`), name, {
        parent: Tracer.externalSpan({ traceId, spanId: "b7ad6b7169203331", sampled: true })
      })
    yield* Effect.gen(function* () {
      for (let root = 0; root < 64; root++) yield* Effect.withSpan(Effect.withSpan(Effect.void, "below"), "root")
      yield* traced("asked for", "0af7651916cd43dd8440000000000001")
    }).pipe(
      Effect.provide(
        tracer(received, {
          sampler,
          collector: {
            address: `${received.url}/v1/traces`,
            headers: { authorization: "Bearer t" },
            timeout: "10 seconds"
          }
        })
      )
    )
    assert.isTrue(received.spans.some(({ name }) => name === "below asked for"))
    const roots = received.spans.filter(({ name }) => name === "root")
    assert.isTrue(roots.length > 0 && roots.length < 64, String(roots.length))
    assert.isTrue(roots.every(({ traceId }) => Number.parseInt(traceId.slice(19, 20), 16) >= 8))
    assert.sameMembers(
      received.spans.flatMap(({ name, parentSpanId }) => (name === "below" ? [parentSpanId] : [])),
      roots.map(({ spanId }) => spanId)
    )
    assert.strictEqual(received.headers.get("authorization"), "Bearer t")
  })
)

it.scopedLive("protobuf goes out under its media type, and what is lost of it is counted too", () =>
  Effect.gen(function* () {
    const types: Array<string | undefined> = []
    const strict = yield* Effect.acquireRelease(
      Effect.promise(() =>
        serve((request, response) => {
          types.push(request.headers["content-type"])
          request.resume()
          response.writeHead(types.length === 1 ? 200 : 400).end()
        })
      ),
      ({ close }) => Effect.promise(() => close())
    )
    yield* Effect.gen(function* () {
      const { dropped } = yield* OtlpTracer.SpanExport
      yield* Effect.withSpan(Effect.void, "taken")
      yield* untilTrue(Effect.sync(() => types.length === 1))
      yield* Effect.withSpan(Effect.withSpan(Effect.void, "lost too"), "lost")
      yield* untilTrue(Effect.map(dropped, (count) => count === 2))
    }).pipe(Effect.provide(tracer(strict, { encoding: "protobuf" })))
    assert.deepStrictEqual(types, ["application/x-protobuf", "application/x-protobuf"])
  })
)

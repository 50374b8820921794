import { connect, createServer } from "node:net"
import { assert, it, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Scope, Stream } from "effect"
import { Unavailable } from "../../../../application/errors.ts"
import { DecisionStore } from "../../../../application/ports/stores/decision-store.ts"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { apiRoutes } from "../../../../interfaces/http/api.ts"
import {
  layer as app,
  at,
  eventBody,
  HttpApp,
  idleRuntime,
  idOf,
  jobBody,
  jobsPath
} from "../../../support/http-app.ts"
import { openStream, send, sendRaw } from "../../../support/http-client.ts"
import { sqliteMemory } from "../../../support/storage.ts"

const live = { excludeTestServices: true } as const

/** an app whose end the test decides */
const started = (options: Parameters<typeof app>[0] = {}) =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (one) => Scope.close(one, Exit.void))
    const context = yield* Layer.buildWithScope(app(options), scope)
    const { port } = yield* Effect.provide(HttpApp, context)
    return { port, stop: Scope.close(scope, Exit.void) }
  })

it.scopedLive("shutting down ends streams, lets a half-sent upload finish, and refuses new connections", () =>
  Effect.gen(function* () {
    const { port, stop } = yield* started()
    const id = idOf(yield* send(port, "POST", jobsPath, { body: jobBody() }))
    const stream = yield* openStream(port, `${jobsPath}/${id}/watch`)
    yield* stream.until("event: updated")

    const body = JSON.stringify(jobBody({ name: "late" }))
    const half = yield* Deferred.make<void>()
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => connect(port, "127.0.0.1")),
      (one) => Effect.sync(() => one.destroy())
    )
    const upload = yield* Effect.fork(
      Effect.async<string>((resume) => {
        const chunks: Array<Buffer> = []
        socket
          .on("data", (chunk) => chunks.push(chunk))
          .on("close", () => resume(Effect.succeed(Buffer.concat(chunks).toString("utf8"))))
        const head = `POST ${jobsPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
        socket.write(head + body.slice(0, 20), () => Deferred.unsafeDone(half, Exit.void))
      })
    )
    yield* Effect.fork(
      Effect.zipRight(
        stream.ended,
        Effect.sync(() => socket.write(body.slice(20)))
      )
    )
    yield* Deferred.await(half)
    // the upload must have reached the server before the stop begins
    yield* Effect.repeat(send(port, "GET", "/metrics"), {
      until: ({ text }) => /evald_http_requests_in_flight 3/.test(text)
    })
    yield* stop
    const answer = yield* upload
    assert.match(answer, /^HTTP\/1\.1 202 /)
    assert.match(answer, /connection: close/i)
    assert.strictEqual(yield* sendRaw(port, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"), "")
  })
)

it.scopedLive("what does not end within the grace time is cut", () =>
  Effect.gen(function* () {
    const stuck = idleRuntime({
      logs: () =>
        Effect.succeed({
          source: "live",
          text: Stream.concat(Stream.make(new TextEncoder().encode("first\n")), Stream.never)
        })
    })
    const { port, stop } = yield* started({ runtime: stuck, server: { grace: "50 millis" } })
    const id = idOf(yield* send(port, "POST", jobsPath, { body: jobBody() }))
    const stream = yield* openStream(port, `${jobsPath}/${id}/benchmarks/0/logs`)
    yield* stop
    yield* stream.ended
  })
)

it.scopedLive("a caller that leaves ends its stream's work", () =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<void>()
    const text = Stream.concat(Stream.make(new TextEncoder().encode("line\n")), Stream.never).pipe(
      Stream.ensuring(Deferred.succeed(ended, undefined))
    )
    const { port } = yield* started({ runtime: idleRuntime({ logs: () => Effect.succeed({ source: "live", text }) }) })
    const id = idOf(yield* send(port, "POST", jobsPath, { body: jobBody() }))
    const stream = yield* openStream(port, `${jobsPath}/${id}/logs?follow=true`)
    yield* stream.until("line")
    yield* stream.close
    yield* Deferred.await(ended)
  })
)

it.scopedLive("a log that fails half-way is cut, not passed off as complete", () =>
  Effect.gen(function* () {
    const text = Stream.concat(
      Stream.make(new TextEncoder().encode("line\n")),
      Stream.fail(new Unavailable({ peer: "cluster", operation: "logs" }))
    )
    const { port } = yield* started({ runtime: idleRuntime({ logs: () => Effect.succeed({ source: "live", text }) }) })
    const id = idOf(yield* send(port, "POST", jobsPath, { body: jobBody() }))
    const raw = yield* sendRaw(port, `GET ${jobsPath}/${id}/benchmarks/0/logs HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    assert.include(raw, "line")
    assert.isFalse(raw.endsWith("0\r\n\r\n"), raw)
  })
)

it.scopedLive("a port that is taken is told with the way out", () =>
  Effect.gen(function* () {
    const taken = yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const server = createServer().listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close())
    )
    const address = taken.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const error = yield* Effect.flip(Effect.scoped(Layer.build(app({ server: { port } }))))
    assert.strictEqual(error._tag, "ListenFailed")
    assert.include(error.message, `port ${port} is in use`)
  })
)

const outage = new Unavailable({
  peer: "database",
  operation: "test",
  cause: new Error("SQLITE_IOERR: disk I/O error at 0x7f")
})
const away = Layer.map(sqliteMemory, (context) => context).pipe(
  Layer.flatMap((context) =>
    Layer.mergeAll(
      Layer.succeedContext(context),
      Layer.mock(JobStore, {
        insert: () => outage,
        insertOnce: () => outage,
        load: () => outage,
        render: () => outage,
        page: () => outage,
        changeJob: () => outage,
        changeBenchmark: () => outage,
        remove: () => outage,
        ping: outage,
        loadBenchmark: () => outage
      }),
      Layer.mock(DecisionStore, { digest: () => "", find: () => outage })
    )
  )
) as typeof sqliteMemory

layer(app({ storage: away }), live)("while the database is away", (it) => {
  it.effect("every job route answers 503 with Retry-After and no word of the driver", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const sample = { v: 1, sample_id: "s", task: "t", index: 0, repeat: 0, verdict: "correct" }
      const bodies: { readonly [name: string]: unknown } = {
        submitJob: jobBody(),
        recordEvent: eventBody(),
        uploadSamples: sample,
        rerunJob: { which: "failed" },
        createGate: { policy: { criteria: [{ benchmark: "b", kind: "absolute", threshold: 0.5 }] } }
      }
      for (const { method, name, path, bodyType = "" } of apiRoutes().filter((route) =>
        route.path.startsWith(jobsPath)
      )) {
        const body = bodies[name]
        const answer = yield* http.send(
          method,
          path.replaceAll(/:\w+/g, "0"),
          body === undefined ? {} : { body, headers: { "content-type": bodyType } }
        )
        assert.deepStrictEqual(
          [answer.status, answer.code, answer.headers["retry-after"]],
          [503, "database_unavailable", "2"],
          name
        )
        assert.notMatch(answer.text, /SQLITE|disk|0x7f/)
      }
      const ready = yield* http.send("GET", "/api/v1/health/ready")
      assert.deepStrictEqual([ready.status, at(ready.json, "dependencies.0.ok")], [503, false])
      assert.strictEqual((yield* http.send("GET", "/health")).status, 200)
    })
  )
})

const defective = idleRuntime({ check: () => Effect.die(new Error("secret detail at /srv/app.ts:1")) })

layer(app({ runtime: defective }), live)("a defect", (it) => {
  it.effect("is 500 with a trace and nothing of its text", () =>
    Effect.gen(function* () {
      const answer = yield* (yield* HttpApp).send("POST", jobsPath, { body: jobBody() })
      assert.deepStrictEqual([answer.status, answer.code], [500, "internal_error"])
      assert.notMatch(answer.text, /secret|srv|Error/)
    })
  )
})

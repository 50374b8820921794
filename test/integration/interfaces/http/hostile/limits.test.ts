import { renameSync, writeFileSync } from "node:fs"
import { Agent, get } from "node:http"
import { join } from "node:path"
import { connect } from "node:tls"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { makeAuthority, type Signed } from "../../../../support/certificate.ts"
import { layer as app, eventBody, HttpApp, idleRuntime, idOf, jobBody, jobsPath } from "../../../../support/http-app.ts"
import { tempDir } from "../../../../support/temp-dir.ts"

layer(app({ server: { rateLimit: { perSecond: 0.001, burst: 3 } } }), { excludeTestServices: true })(
  "with a rate limit",
  (it) => {
    it.effect("a tenant that asks too much gets 429 with Retry-After, its adapters and its neighbours do not", () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
        for (let round = 0; round < 2; round++) assert.strictEqual((yield* http.send("GET", jobsPath)).status, 200)
        const refused = yield* http.send("GET", jobsPath)
        assert.deepStrictEqual([refused.status, refused.code], [429, "too_many_requests"])
        assert.match(String(refused.headers["retry-after"]), /^\d{3,4}$/)
        assert.strictEqual((yield* http.send("POST", `${jobsPath}/${id}/events`, { body: eventBody() })).status, 200)
        assert.strictEqual((yield* http.send("GET", jobsPath, { headers: { "x-tenant": "other" } })).status, 200)
        assert.strictEqual((yield* http.send("GET", "/health")).status, 200)
      })
    )
  }
)

const events = { accept: "text/event-stream" }
const followed = idleRuntime({
  logs: () => Effect.succeed({ source: "live", text: Stream.concat(Stream.make(Buffer.from("line\n")), Stream.never) })
})

layer(app({ runtime: followed, server: { streams: { all: 3, perTenant: 2 } } }), { excludeTestServices: true })(
  "with a limit of streams",
  (it) => {
    it.effect(
      "who has enough of them gets 429 with Retry-After, everything else is answered, and a stream that ends makes room",
      () =>
        Effect.gen(function* () {
          const http = yield* HttpApp
          const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
          const logs = `${jobsPath}/${id}/benchmarks/0/logs`
          const all = `${jobsPath}?watch=true`
          const watcher = yield* http.stream(all, events)
          const follower = yield* http.stream(`${logs}?follow=true`)
          assert.deepStrictEqual([watcher.status, follower.status], [200, 200])
          for (const path of [
            all,
            `${jobsPath}/${id}/watch`,
            `${logs}?follow=true`,
            `${jobsPath}/${id}/logs?follow=true`
          ]) {
            const refused = yield* http.send("GET", path, path.includes("logs") ? {} : { headers: events })
            assert.deepStrictEqual(
              [refused.status, refused.code, refused.headers["retry-after"]],
              [429, "too_many_streams", "10"],
              path
            )
            assert.include(refused.text, "service.max_streams_per_tenant")
          }
          assert.strictEqual((yield* http.send("GET", jobsPath)).status, 200)
          const neighbour = yield* http.stream(all, { ...events, "x-tenant": "other" })
          assert.strictEqual(neighbour.status, 200)
          const full = yield* http.send("GET", all, { headers: { ...events, "x-tenant": "third" } })
          assert.deepStrictEqual([full.status, full.code], [429, "too_many_streams"])
          yield* follower.close
          const next = yield* Effect.repeat(
            Effect.tap(http.stream(all, events), ({ status, close }) => (status === 200 ? Effect.void : close)),
            { until: ({ status }) => status === 200 }
          )
          for (const { close } of [watcher, neighbour, next]) yield* close
        })
    )
  }
)

/** a connection that stays open after its answer */
const kept = (port: number) =>
  Effect.async<Agent>((resume) => {
    const agent = new Agent({ keepAlive: true })
    get({ host: "127.0.0.1", port, path: "/health", agent }, (response) =>
      response.resume().once("end", () => resume(Effect.succeed(agent)))
    )
  })

layer(app({ server: { maxConnections: 2 } }), { excludeTestServices: true })("with a limit of connections", (it) => {
  it.effect(
    "one above it gets 503 with Retry-After and ends; health and adapters are answered, and a connection that ends makes room",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const agents = [yield* kept(http.port), yield* kept(http.port)]
        const refused = yield* http.send("GET", jobsPath, { headers: { connection: "keep-alive" } })
        assert.deepStrictEqual(
          [refused.status, refused.code, refused.headers["retry-after"], refused.headers["connection"]],
          [503, "too_many_connections", "5", "close"]
        )
        assert.strictEqual((yield* http.send("GET", "/health")).status, 200)
        assert.strictEqual((yield* http.send("POST", `${jobsPath}/absent/events`, { body: eventBody() })).status, 404)
        for (const agent of agents) agent.destroy()
        yield* Effect.repeat(http.send("GET", jobsPath), { until: ({ status }) => status === 200 })
      })
  )
})

/** the serial number of the certificate that the server shows, or how it refused */
const shown = (port: number, authority: string) =>
  Effect.async<string>((resume) => {
    const socket = connect({ port, host: "127.0.0.1", ca: authority, servername: "localhost" }, () => {
      const { fingerprint256 } = socket.getPeerCertificate()
      socket.end()
      resume(Effect.succeed(fingerprint256))
    })
    socket.on("error", (error) => resume(Effect.succeed(`refused: ${error.message}`)))
    return Effect.sync(() => socket.destroy())
  })

const write = (folder: string, { certificate, key }: Signed) => {
  for (const [name, content] of [
    ["tls.key", key],
    ["tls.crt", certificate]
  ] as const) {
    writeFileSync(join(folder, `${name}.new`), content, { mode: 0o600 })
    renameSync(join(folder, `${name}.new`), join(folder, name))
  }
}

const files = (folder: string) =>
  ({ certPath: join(folder, "tls.crt"), keyPath: join(folder, "tls.key"), reloadEvery: "20 millis" }) as const

it.scopedLive("a rotated certificate is used without a restart, an unusable one is not", () =>
  Effect.gen(function* () {
    const folder = yield* tempDir
    const [first, second] = [makeAuthority("first authority"), makeAuthority("second authority")]
    write(folder, first.server)
    const context = yield* Layer.build(app({ server: { tls: files(folder) } }))
    const { port } = yield* Effect.provide(HttpApp, context)
    const before = yield* shown(port, first.authority)
    assert.match(before, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)

    writeFileSync(join(folder, "tls.crt"), "not a certificate")
    for (let round = 0; round < 20; round++) assert.strictEqual(yield* shown(port, first.authority), before)

    write(folder, second.server)
    yield* Effect.repeat(shown(port, second.authority), { until: (text) => !text.startsWith("refused") })
    assert.match(yield* shown(port, first.authority), /^refused/)
  })
)

it.scopedLive("a server does not start with files that cannot be used, and names them", () =>
  Effect.gen(function* () {
    const folder = yield* tempDir
    const error = yield* Effect.flip(Layer.build(app({ server: { tls: files(folder) } })))
    assert.strictEqual(error._tag, "TlsUnusable")
    assert.include(error.message, join(folder, "tls.crt"))
  })
)

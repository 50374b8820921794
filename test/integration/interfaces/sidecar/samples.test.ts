/** Sample records through the sidecar: kept until the server has them, never in the way of events. Reference: gateway.md, "Event spool". */
import { readdirSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { bodyOf, serve } from "../../../support/loopback-server.ts"
import { configOf, eventsPath, makeScope, type Sidecar, startedSidecar } from "../../../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)

const samplesPath = eventsPath.replace(/events$/, "benchmarks/0/samples")
const line = (index: number, text = "yes") =>
  `${JSON.stringify({ v: 1, sample_id: `s${index}`, task: "t", index, repeat: 0, verdict: "correct", response: text })}\n`

interface Received {
  readonly path: string | undefined
  readonly headers: IncomingMessage["headers"]
  readonly text: string
}

/** answers samples as told, and events at once */
const server = async (status: (count: number) => number) => {
  const received: Array<Received> = []
  let samples = 0
  const serving = await scope.keep(
    serve(async (request, response) => {
      received.push({ path: request.url, headers: request.headers, text: (await bodyOf(request)).toString() })
      const code = request.url === samplesPath ? status(++samples) : 200
      response
        .writeHead(code, { "content-type": "application/json" })
        .end(JSON.stringify({ stored: 1, replaced: 0, duplicate: 0 }))
    })
  )
  return { url: serving.url, received, ofSamples: () => received.filter(({ path }) => path === samplesPath) }
}

const post = (to: Sidecar, body: string, path = samplesPath) =>
  fetch(`${to.url}${path}`, { method: "POST", body, headers: { "content-type": "application/x-ndjson" } })

describe("samples", () => {
  it("go to the server with the pod's token and tenant; its answer comes back", async () => {
    const place = scope.place()
    const upstream = await server(() => 200)
    const running = await scope.keep(startedSidecar(configOf(place, { server: { base_url: upstream.url } })))
    const answer = await post(running, line(0) + line(1))
    assert.deepStrictEqual([answer.status, await answer.json()], [200, { stored: 1, replaced: 0, duplicate: 0 }])
    const [received] = upstream.received
    assert.strictEqual(received?.text, line(0) + line(1))
    assert.include(received?.headers, {
      authorization: "Bearer callback-token",
      "x-tenant": "team-a",
      "content-type": "application/x-ndjson"
    })
    assert.strictEqual((await post(running, line(0), samplesPath.replace("/0/", "/1/"))).status, 403)
    assert.strictEqual((await post(running, "x".repeat(4 * 1024 * 1024 + 1))).status, 413)
  })

  it("are kept while the server fails, across a restart, and hold up no event", async () => {
    const place = scope.place()
    let healthy = false
    const upstream = await server(() => (healthy ? 200 : 503))
    const config = configOf(place, { server: { base_url: upstream.url }, timeouts: { event_wait_ms: 50 } })
    const first = await startedSidecar(config)
    assert.deepStrictEqual([(await post(first, line(0))).status, (await post(first, line(1))).status], [202, 202])
    const event = JSON.stringify({
      benchmark_status_event: { id: "b", provider_id: "p", benchmark_index: 0, status: "running" }
    })
    assert.strictEqual((await post(first, event, eventsPath)).status, 200)
    await first.close()
    assert.lengthOf(readdirSync(place.path("data/samples")), 2)
    healthy = true
    const before = upstream.ofSamples().length
    await scope.keep(startedSidecar(config))
    await vi.waitFor(() => assert.deepStrictEqual(readdirSync(place.path("data/samples")), []))
    // an attempt that the end of the first sidecar broke off may still have arrived: sending twice is harmless, another order is not
    const arrived = upstream.ofSamples().slice(before)
    assert.deepStrictEqual([...new Set(arrived.map(({ text }) => text))], [line(0), line(1)])
  })

  it("a full spool refuses, so that the sender keeps what it has", async () => {
    const place = scope.place()
    const upstream = await server(() => 503)
    const running = await scope.keep(
      startedSidecar(configOf(place, { server: { base_url: upstream.url }, timeouts: { event_wait_ms: 5 } }))
    )
    const statuses: Array<number> = []
    for (let call = 0; call < 17; call++) statuses.push((await post(running, line(call))).status)
    assert.deepStrictEqual(statuses, [...Array.from({ length: 16 }, () => 202), 503])
  })
})

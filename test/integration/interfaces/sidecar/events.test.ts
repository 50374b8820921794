import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { join } from "node:path"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { bodyOf, serve } from "../../../support/loopback-server.ts"
import {
  configOf,
  eventsPath,
  makeScope,
  type Overrides,
  type Place,
  type Sidecar,
  startedSidecar
} from "../../../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)

interface Received {
  readonly headers: IncomingMessage["headers"]
  readonly text: string
}
interface Answer {
  readonly status: number
  readonly body?: string
  readonly headers?: { readonly [name: string]: string }
}

/** an event server that answers as told, and tells when it has seen so many events */
const eventServer = async (answer: (received: Received, count: number) => Answer | Promise<Answer>) => {
  const received: Array<Received> = []
  const waiting = new Set<() => void>()
  const server = await scope.keep(
    serve(async (request, response) => {
      const one = { headers: request.headers, text: (await bodyOf(request)).toString() }
      received.push(one)
      assert.strictEqual(request.url, eventsPath)
      const { status, body = '{"applied":true}', headers } = await answer(one, received.length)
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)
      for (const check of waiting) check()
    })
  )
  const seen = (count: number) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (received.length >= count) resolve()
      }
      waiting.add(check)
      check()
    })
  return { ...server, received, seen }
}

const sidecar = (place: Place, overrides: Overrides, given?: Parameters<typeof startedSidecar>[1]) =>
  scope.keep(startedSidecar(configOf(place, overrides), given))
const event = (members: object) =>
  JSON.stringify({
    benchmark_status_event: { id: "b", provider_id: "p", benchmark_index: 0, status: "running", ...members }
  })
const post = (to: Sidecar, body: string, path = eventsPath) =>
  fetch(`${to.url}${path}`, { method: "POST", body, headers: { "content-type": "application/json" } })
const spooled = (place: Place) => readdirSync(place.path("data/spool")).sort()

describe("events", () => {
  it("go to the server with the pod's token and tenant; its answer comes back", async () => {
    const place = scope.place()
    const server = await eventServer(() => ({ status: 200, body: '{"job_id":"x","applied":true}' }))
    const running = await sidecar(place, { server: { base_url: server.url } })
    const body = event({ metrics: { acc: 0.5 }, extra: [1, 2] })
    const answer = await post(running, body)
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(await answer.text(), '{"job_id":"x","applied":true}')
    const [received] = server.received
    assert.strictEqual(received?.text, body)
    assert.include(received?.headers, {
      authorization: "Bearer callback-token",
      "x-tenant": "team-a",
      "content-type": "application/json"
    })
    await vi.waitFor(() => assert.deepStrictEqual(spooled(place), []))
  })

  it("an index that is missing is written into the text, which otherwise stays as it is", async () => {
    const place = scope.place()
    const server = await eventServer(() => ({ status: 200 }))
    const running = await sidecar(place, { server: { base_url: server.url }, identity: { benchmark_index: 7 } })
    const given =
      '{ "note": {"benchmark_status_event": {}}, "benchmark_status_event" : {"id":"b","provider_id":"","status":"running","metrics":{"x":NaN,"s":"a NaN {"}} }'
    assert.strictEqual((await post(running, given)).status, 200)
    assert.strictEqual(
      server.received[0]?.text,
      given.replace('"benchmark_status_event" : {', '"benchmark_status_event" : {"benchmark_index":7,')
    )
    assert.strictEqual((await post(running, '{"benchmark_status_event":{}}')).status, 200)
    assert.strictEqual(server.received[1]?.text, '{"benchmark_status_event":{"benchmark_index":7}}')
  })

  it.each<readonly [string, number, string]>([
    ["x", 400, "event_invalid"],
    ["[]", 400, "event_invalid"],
    ['{"benchmark_status_event":[]}', 400, "event_invalid"],
    [event({ benchmark_index: 1 }), 403, "forbidden"],
    [event({ benchmark_index: "0" }), 403, "forbidden"],
    [event({ id: "other" }), 403, "forbidden"],
    [event({ provider_id: "other" }), 403, "forbidden"]
  ])("%s is refused here", async (body, status, code) => {
    const place = scope.place()
    const server = await eventServer(() => ({ status: 200 }))
    const running = await sidecar(place, { server: { base_url: server.url } })
    const answer = await post(running, body)
    assert.strictEqual(answer.status, status)
    assert.include(await answer.json(), { message_code: code })
    assert.strictEqual(answer.headers.get("x-evald-sidecar"), "error")
    assert.lengthOf(server.received, 0)
  })

  it("a body above 10 MiB is refused", async () => {
    const running = await sidecar(scope.place(), {})
    const answer = await post(running, "x".repeat(10 * 1024 * 1024 + 1))
    assert.strictEqual(answer.status, 413)
  })

  it.each([
    ["another job", "/api/v1/evaluations/jobs/other/events"],
    ["the job itself", eventsPath.replace("/events", "")],
    ["the list", "/api/v1/evaluations/jobs"],
    ["a disguised path", "/api/v1/%65valuations/jobs"],
    ["doubled slashes", "//api//v1/evaluations/providers"]
  ])("%s cannot be reached", async (_, path) => {
    const running = await sidecar(scope.place(), {})
    const answer = await post(running, "{}", path)
    assert.strictEqual(answer.status, 403)
    assert.include(await answer.json(), { message_code: "forbidden" })
  })

  it("case 48: are promised when the server is away, kept in order, and delivered once it is back", async () => {
    const place = scope.place()
    let up = false
    const server = await eventServer(() => ({ status: up ? 200 : 503 }))
    const running = await sidecar(place, { server: { base_url: server.url }, timeouts: { event_wait_ms: 30 } })
    for (let index = 0; index < 5; index++) {
      const answer = await post(running, event({ progress: index }))
      assert.strictEqual(answer.status, 202)
      assert.deepStrictEqual(await answer.json(), { queued: true, position: index + 1 })
    }
    assert.lengthOf(spooled(place), 5)
    const failed = server.received.length
    up = true
    await server.seen(failed + 5)
    const delivered = server.received
      .slice(-5)
      .map(
        ({ text }) =>
          (JSON.parse(text) as { benchmark_status_event: { progress: number } }).benchmark_status_event.progress
      )
    assert.deepStrictEqual(delivered, [0, 1, 2, 3, 4])
  })

  it("case 48: fifty of them while the server is away, with other troubles on its return: in order, each taken once (seconds for the contract's hour)", async () => {
    const place = scope.place()
    let up = false
    const taken: Array<number> = []
    const troubles = [429, 401, 403, 503, 408]
    const server = await eventServer(({ text }) => {
      if (!up) return { status: 503 }
      const trouble = troubles.shift()
      if (trouble !== undefined) return { status: trouble, headers: { "retry-after": "0" } }
      taken.push((JSON.parse(text) as { benchmark_status_event: { n: number } }).benchmark_status_event.n)
      return { status: 200 }
    })
    const running = await sidecar(place, { server: { base_url: server.url }, timeouts: { event_wait_ms: 5 } })
    const numbers = Array.from({ length: 50 }, (_, index) => index)
    for (const n of numbers)
      assert.strictEqual((await post(running, event({ n, ...(n === 49 ? { status: "completed" } : {}) }))).status, 202)
    up = true
    await vi.waitFor(() => assert.lengthOf(taken, 50), { timeout: 15_000 })
    assert.deepStrictEqual(taken, numbers)
    await vi.waitFor(() => assert.deepStrictEqual(spooled(place), []))
  })

  it("case 48: survive a restart of the sidecar; torn files do not, foreign ones are left alone", async () => {
    const place = scope.place()
    const first = await startedSidecar(configOf(place, { timeouts: { event_wait_ms: 20 } }))
    for (const status of ["running", "completed"])
      assert.strictEqual((await post(first, event({ status }))).status, 202)
    await first.close()
    assert.deepStrictEqual(spooled(place), ["000000000001.json", "000000000002.json"])
    writeFileSync(place.path("data/spool/000000000003.json.tmp"), "torn")
    writeFileSync(place.path("data/spool/000000000009.json"), event({ benchmark_index: 4 }))
    writeFileSync(place.path("data/spool/note.txt"), "x")

    const server = await eventServer(() => ({ status: 200 }))
    const second = await sidecar(place, { server: { base_url: server.url } })
    await server.seen(2)
    assert.strictEqual((await post(second, event({ phase: "post_processing" }))).status, 200)
    assert.deepStrictEqual(
      server.received
        .map(
          ({ text }) =>
            (JSON.parse(text) as { benchmark_status_event: { status: string; phase?: string } }).benchmark_status_event
        )
        .map(({ status, phase }) => phase ?? status),
      ["running", "completed", "post_processing"]
    )
    // the answer goes out first, the delivered file is removed just after it
    await vi.waitFor(() => assert.deepStrictEqual(spooled(place), ["000000000009.json", "note.txt"]))
    assert.deepStrictEqual(
      second.lines.filter(({ level }) => level === "warning").map(({ fields }) => fields["name"]),
      ["000000000009.json", "note.txt"]
    )
  })

  it("case 48: a rotated token is read again on 401, and the event is not lost", async () => {
    const place = scope.place()
    const server = await eventServer(({ headers }) => {
      if (headers.authorization === "Bearer new-token") return { status: 200 }
      place.file("token", "new-token")
      return { status: 401 }
    })
    const running = await sidecar(place, { server: { base_url: server.url } })
    assert.strictEqual((await post(running, event({}))).status, 200)
    assert.deepStrictEqual(
      server.received.map(({ headers }) => headers.authorization),
      ["Bearer callback-token", "Bearer new-token"]
    )
  })

  it.each([408, 425, 429, 500, 503])("case 48: %i is tried again", async (status) => {
    const server = await eventServer((_, count) => ({
      status: count === 1 ? status : 200,
      headers: { "retry-after": "0" }
    }))
    const running = await sidecar(scope.place(), { server: { base_url: server.url } })
    assert.strictEqual((await post(running, event({}))).status, 200)
    assert.lengthOf(server.received, 2)
  })

  it("case 48: a 403 is tried again for a while, since bindings come late, then given up", async () => {
    const place = scope.place()
    const late = await eventServer((_, count) => ({ status: count < 3 ? 403 : 200 }))
    // longer than any machine is busy: what counts is that it ends with the second refusal
    const patient = { tuning: { backoff: { firstMillis: 4, maxMillis: 20 }, forbiddenMillis: 60_000 } }
    const waiting = await sidecar(place, { server: { base_url: late.url } }, patient)
    assert.strictEqual((await post(waiting, event({}))).status, 200)
    const never = await eventServer(() => ({ status: 403, body: '{"message_code":"forbidden"}' }))
    const refused = await post(await sidecar(scope.place(), { server: { base_url: never.url } }), event({}))
    assert.strictEqual(refused.status, 403)
    assert.isAbove(never.received.length, 1)
  })

  it("case 48: a 409 is the server's word and passes; the next event is sent all the same", async () => {
    const server = await eventServer((_, count) => ({ status: count === 1 ? 409 : 200, body: "{}" }))
    const running = await sidecar(scope.place(), { server: { base_url: server.url } })
    assert.strictEqual((await post(running, event({ status: "completed" }))).status, 409)
    assert.strictEqual((await post(running, event({}))).status, 200)
  })

  it("case 48: a 404 means that the job is gone: later events are not sent any more", async () => {
    const server = await eventServer(() => ({ status: 404, body: '{"message_code":"resource_not_found"}' }))
    const running = await sidecar(scope.place(), { server: { base_url: server.url } })
    for (let round = 0; round < 3; round++) assert.strictEqual((await post(running, event({}))).status, 404)
    assert.lengthOf(server.received, 1)
  })

  it("a full spool drops the oldest progress, never a result", async () => {
    const place = scope.place()
    const running = await sidecar(place, { spool: { max_files: 3 }, timeouts: { event_wait_ms: 10 } })
    await post(running, event({ n: 1 }))
    await post(running, event({ n: 2, status: "completed" }))
    for (const n of [3, 4, 5]) await post(running, event({ n }))
    const kept = spooled(place).map(
      (name) =>
        (
          JSON.parse(readFileSync(join(place.path("data/spool"), name), "utf8")) as {
            benchmark_status_event: { n: number }
          }
        ).benchmark_status_event.n
    )
    assert.deepStrictEqual(kept, [1, 2, 5])
  })

  it("case 50: when the disk refuses, the event is sent directly, or the sender keeps it", async () => {
    const place = scope.place()
    const server = await eventServer((_, count) => ({ status: count === 1 ? 200 : 503 }))
    const running = await sidecar(place, { server: { base_url: server.url }, timeouts: { event_wait_ms: 50 } })
    rmSync(place.path("data/spool"), { recursive: true })
    assert.strictEqual((await post(running, event({}))).status, 200)
    const refused = await post(running, event({ status: "completed" }))
    assert.strictEqual(refused.status, 503)
    assert.strictEqual(refused.headers.get("retry-after"), "5")
    assert.include(await refused.json(), { message_code: "spool_unavailable" })
    assert.strictEqual(running.pending(), 0)
  })

  it("case 50: a planted link is not followed", async () => {
    const place = scope.place()
    mkdirSync(place.path("data/spool"), { recursive: true })
    const precious = place.file("precious", "untouched")
    symlinkSync(precious, place.path("data/spool/000000000001.json"))
    const running = await sidecar(place, { timeouts: { event_wait_ms: 10 } })
    symlinkSync(precious, place.path("data/spool/000000000001.json.tmp"))
    await post(running, event({}))
    assert.strictEqual(readFileSync(precious, "utf8"), "untouched")

    const other = scope.place()
    mkdirSync(other.path("elsewhere"))
    mkdirSync(other.path("data"))
    symlinkSync(other.path("elsewhere"), other.path("data/spool"))
    const refused = await startedSidecar(configOf(other)).then(
      () => "started",
      (error: Error) => error.message
    )
    assert.match(refused, /is no directory/)
  })

  it("case 49: on stop, what is left is delivered first; what cannot be is told", async () => {
    const place = scope.place()
    let up = false
    const server = await eventServer(() => ({ status: up ? 200 : 503, headers: { "retry-after": "300" } }))
    const running = await startedSidecar(
      configOf(place, { server: { base_url: server.url }, timeouts: { event_wait_ms: 10 } })
    )
    await post(running, event({ status: "completed", metrics: { acc: 1 } }))
    up = true
    assert.deepStrictEqual(await running.stop({ serveMillis: 0, flushMillis: 20_000 }), {
      unsent: 0,
      dropped: 0,
      terminal: undefined
    })

    const lonely = scope.place()
    const second = await startedSidecar(configOf(lonely, { timeouts: { event_wait_ms: 10 } }))
    await post(second, event({}))
    await post(second, event({ status: "failed", error_message: { message: "m" } }))
    const left = await second.stop({ serveMillis: 0, flushMillis: 50 })
    assert.strictEqual(left.unsent, 2)
    assert.deepStrictEqual(left.terminal, {
      id: "b",
      provider_id: "p",
      benchmark_index: 0,
      status: "failed",
      error_message: { message: "m" }
    })
    assert.lengthOf(spooled(lonely), 2)
  })

  it("a plain sidecar says when it is done, a native one never", async () => {
    const server = await eventServer(() => ({ status: 200 }))
    let done = 0
    const finished = new Promise<void>((resolve) => {
      const start = async (mode: "plain" | "native") => {
        const running = await scope.keep(
          startedSidecar(configOf(scope.place(), { mode, server: { base_url: server.url } }), {
            tuning: { doneMillis: 20 },
            onDone: () => {
              done += 1
              assert.strictEqual(mode, "plain")
              resolve()
            }
          })
        )
        await post(running, event({ status: "completed" }))
      }
      void start("native").then(() => start("plain"))
    })
    await finished
    assert.strictEqual(done, 1)
  })
})

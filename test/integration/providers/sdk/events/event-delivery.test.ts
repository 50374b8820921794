/** Terminal events arrive in spite of everything. Reference: adapter-contract.md, "Delivery". */
import { readdirSync, readFileSync } from "node:fs"
import { type AddressInfo, createServer, type Server } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Option, Random, TestClock } from "effect"
import type { JobSpec } from "../../../../../providers/contract/job-spec.ts"
import { makeDelivery } from "../../../../../providers/sdk/events/event-delivery.ts"
import { closedPort, hang, type PeerAnswer, reply, reset, startPeer } from "../../../../support/http-peer.ts"
import { tempDir } from "../../../../support/temp-dir.ts"
import { advancing, waitingUntil } from "../../../../support/until.ts"

const jobAt = (url: string): JobSpec => ({
  id: "job/1",
  provider_id: "p",
  benchmark_id: "b",
  benchmark_index: 0,
  tenant: "team-a",
  model: { url: "http://h/v1", name: "m" },
  parameters: {},
  callback_url: `${url}/cb/s`,
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
})
const event = {
  id: "b",
  status: "completed",
  metrics: { acc: Number.NaN, n: 3, note: "x" },
  additional_info: { big: true },
  completed_at: "2026-01-01T00:00:00.000Z",
  event_id: "e"
}
const hasty = Effect.withRandom(Random.fixed([0]))
const ok = reply(200, { applied: true })
const minute = Duration.minutes(1)

const deliver = (limit: Duration.Duration, ...answers: ReadonlyArray<PeerAnswer>) =>
  Effect.gen(function* () {
    const dir = yield* tempDir
    const spooled = (): ReadonlyArray<string> => readdirSync(dir).map((name) => readFileSync(join(dir, name), "utf8"))
    const seen: Array<ReadonlyArray<string>> = []
    const peer = yield* startPeer((at) => {
      seen.push(spooled())
      return answers[Math.min(at, answers.length - 1)] ?? hang
    })
    const delivery = yield* makeDelivery(jobAt(peer.url), { spoolDir: dir })
    const delivered = yield* delivery.deliverTerminal(event, limit)
    return { delivered, bodies: peer.requests.map(({ body }) => body), first: peer.requests[0], seen, left: spooled() }
  }).pipe(hasty)

describe("a terminal event", () => {
  it.scopedLive("goes to the job's address with its tenant, spooled before the first try and not after", () =>
    Effect.gen(function* () {
      const { delivered, first, seen, left } = yield* deliver(minute, ok)
      assert.strictEqual(delivered, "accepted")
      assert.strictEqual(first?.path, "/cb/s/api/v1/evaluations/jobs/job%2F1/events")
      assert.strictEqual(first?.headers["x-tenant"], "team-a")
      assert.strictEqual(first?.headers["content-type"], "application/json")
      assert.strictEqual(first?.headers["traceparent"], jobAt(first?.path ?? "").traceparent)
      assert.deepStrictEqual(seen, [[first?.body ?? ""]])
      assert.deepStrictEqual(left, [])
      assert.strictEqual(JSON.parse(first?.body ?? "").benchmark_status_event.metrics.acc, "NaN")
    })
  )

  it.scopedLive("survives five 503, resets and a 429, with the same bytes on every try", () =>
    Effect.gen(function* () {
      const busy = reply(503, "")
      const { delivered, bodies } = yield* deliver(
        minute,
        busy,
        busy,
        busy,
        busy,
        busy,
        reset,
        reply(429, "", { "retry-after": "0" }),
        ok
      )
      assert.strictEqual(delivered, "accepted")
      assert.lengthOf(bodies, 8)
      assert.lengthOf([...new Set(bodies)], 1)
    })
  )

  it.scopedLive("202 of the sidecar is delivery", () =>
    Effect.map(deliver(minute, reply(202, { queued: true, position: 1 })), ({ delivered }) =>
      assert.strictEqual(delivered, "accepted")
    )
  )

  it.scopedLive("401 is tried again, at most five times", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* deliver(minute, reply(401, ""), ok)).delivered, "accepted")
      const denied = yield* deliver(minute, reply(403, ""))
      assert.deepStrictEqual([denied.delivered, denied.bodies.length, denied.left.length], ["undelivered", 5, 1])
    })
  )

  for (const status of [409, 404])
    it.scopedLive(`${status} means that nobody waits for it: dropped`, () =>
      Effect.gen(function* () {
        const { delivered, bodies, left } = yield* deliver(minute, reply(status, ""))
        assert.deepStrictEqual([delivered, bodies.length, left.length], ["superseded", 1, 0])
      })
    )

  it.scopedLive("400 is answered with the bare facts once", () =>
    Effect.gen(function* () {
      const { delivered, bodies, left } = yield* deliver(minute, reply(400, "no"), ok)
      assert.deepStrictEqual([delivered, left.length], ["accepted", 0])
      const { benchmark_status_event: bare } = JSON.parse(bodies[1] ?? "")
      assert.deepStrictEqual(bare, {
        id: "b",
        status: "completed",
        metrics: { n: 3 },
        completed_at: "2026-01-01T00:00:00.000Z",
        event_id: "e"
      })
      const refused = yield* deliver(minute, reply(400, "no"))
      assert.deepStrictEqual([refused.delivered, refused.bodies.length, refused.left.length], ["undelivered", 2, 1])
    })
  )

  it.scopedLive("a server that is down for good leaves it in the spool, whole", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const delivery = yield* makeDelivery(jobAt(`http://127.0.0.1:${yield* closedPort}`), { spoolDir: dir })
      assert.strictEqual(yield* delivery.deliverTerminal(event, Duration.millis(20)), "undelivered")
      assert.strictEqual(yield* delivery.deliverTerminal(event, Duration.millis(20)), "undelivered")
      const names = readdirSync(dir).sort()
      assert.deepStrictEqual(
        names.map((name) => name.slice(0, 7)),
        ["000001-", "000002-"]
      )
      for (const name of names) {
        assert.match(name, /^\d{6}-[0-9a-f-]{36}\.json$/)
        assert.strictEqual(JSON.parse(readFileSync(join(dir, name), "utf8")).benchmark_status_event.id, "b")
      }
    }).pipe(hasty)
  )

  it.scoped("waits as long as Retry-After says", () =>
    Effect.gen(function* () {
      const peer = yield* startPeer((at) => (at === 0 ? reply(429, "", { "retry-after": "30" }) : ok))
      const delivery = yield* makeDelivery(jobAt(peer.url), { spoolDir: yield* tempDir })
      const delivering = yield* Effect.fork(delivery.deliverTerminal(event, minute))
      yield* waitingUntil(30_000)
      assert.lengthOf(peer.requests, 1)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* Fiber.join(delivering), "accepted")
      assert.lengthOf(peer.requests, 2)
    }).pipe(hasty)
  )
})

/** answers as soon as the head of a request is there, without reading its body, and closes */
const impatient = (answer: (bytes: number) => string | undefined, over: "end" | "reset" = "reset") =>
  Effect.acquireRelease(
    Effect.async<{ readonly server: Server; readonly url: string }>((resume) => {
      const server = createServer((socket) => {
        let head = ""
        let answered = false
        socket.on("error", () => undefined)
        socket.on("data", (chunk: Buffer) => {
          if (answered) return
          head += chunk.toString("latin1")
          const bytes = Number(/content-length: (\d+)/i.exec(head)?.[1])
          const end = head.indexOf("\r\n\r\n")
          if (end < 0) return
          const said = answer(bytes)
          if (said?.startsWith("HTTP/1.1 200") === true && head.length - end - 4 < bytes) return
          answered = true
          if (over === "reset") socket.pause()
          if (said === undefined) socket.resetAndDestroy()
          else
            socket.write(said, () =>
              over === "end" || said.startsWith("HTTP/1.1 200") ? socket.end() : socket.resetAndDestroy()
            )
        })
      })
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({ server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
      )
    }),
    ({ server }) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
  )

const accepting = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"
const tooLarge = "HTTP/1.1 413 Payload Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
const metricsOf = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`member_${String(at).padStart(6, "0")}/exact_match`, 0.5])
  )

describe("a finished result is never lost because it is too large", () => {
  const large = {
    ...event,
    metrics: { acc: 0.5, ...metricsOf(2000), label: "z".repeat(60_000) },
    additional_info: { notes: ["kept"], big: "x".repeat(400_000) },
    artifacts: { card: "y".repeat(90_000) }
  }

  const deliverLarge = (answer: (at: number, body: string) => PeerAnswer) =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const peer = yield* startPeer((at, { body }) => answer(at, body))
      const delivery = yield* makeDelivery(jobAt(peer.url), { spoolDir: dir })
      const delivered = yield* delivery.deliverTerminal(large, minute)
      return { delivered, bodies: peer.requests.map(({ body }) => body), left: readdirSync(dir).length }
    }).pipe(hasty)

  it.scopedLive("413: the same result without its details, then the bare facts, then the primary metric alone", () =>
    Effect.gen(function* () {
      for (const [limit, tries] of [
        [300_000, 2],
        [100_000, 3],
        [500, 4]
      ] as const) {
        const { delivered, bodies, left } = yield* deliverLarge((_, body) =>
          body.length > limit ? reply(413, "too large") : ok
        )
        assert.deepStrictEqual([delivered, bodies.length, left], ["accepted", tries, 0], String(limit))
        const { benchmark_status_event: last } = JSON.parse(bodies.at(-1) ?? "")
        assert.strictEqual(last.metrics.acc, 0.5)
        assert.deepStrictEqual([last.status, last.event_id], ["completed", "e"])
        if (tries === 2)
          assert.deepStrictEqual(last.additional_info, {
            notes: ["kept"],
            big: { moved_to: "result.json", bytes: 400_002 }
          })
        assert.lengthOf(Object.keys(last.metrics), tries === 4 ? 1 : tries === 3 ? 2001 : 2002)
      }
    })
  )

  it.scopedLive("413 for everything leaves it in the spool, whole", () =>
    Effect.map(
      deliverLarge(() => reply(413, "")),
      ({ delivered, bodies, left }) => assert.deepStrictEqual([delivered, bodies.length, left], ["undelivered", 4, 1])
    )
  )

  for (const [name, answer] of [
    ["an early 413 that closes the connection over the rest of the body", tooLarge],
    ["a connection that is closed over every large body", undefined]
  ] as const)
    it.scopedLive(`${name} is not a broken network`, () =>
      Effect.gen(function* () {
        const dir = yield* tempDir
        const { url } = yield* impatient((bytes) => (bytes > 300_000 ? answer : accepting))
        const delivery = yield* makeDelivery(jobAt(url), { spoolDir: dir })
        assert.strictEqual(yield* delivery.deliverTerminal(large, minute), "accepted")
        assert.deepStrictEqual(readdirSync(dir), [])
      }).pipe(hasty)
    )

  it.scopedLive("an answer of 413 that is cut off is an answer, and is asked once", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const asked: Array<number> = []
      const { url } = yield* impatient((bytes) => {
        asked.push(bytes)
        return bytes > 300_000 ? 'HTTP/1.1 413 Payload Too Large\r\ncontent-length: 100\r\n\r\n{"message' : accepting
      }, "end")
      const delivery = yield* makeDelivery(jobAt(url), { spoolDir: dir })
      assert.strictEqual(yield* delivery.deliverTerminal(large, minute), "accepted")
      assert.lengthOf([...new Set(asked)], 2)
      assert.isTrue(asked.filter((bytes) => bytes > 300_000).length === 1, String(asked))
    }).pipe(hasty)
  )

  it.scopedLive("a network that cuts every connection for a while takes nothing from the result", () =>
    Effect.gen(function* () {
      const { delivered, bodies } = yield* deliverLarge((at) => (at < 7 ? reset : ok))
      assert.strictEqual(delivered, "accepted")
      assert.strictEqual(bodies.at(-1), bodies[0])
    })
  )
})

describe("the gateway", () => {
  it.scoped("is waited for until it accepts connections", () =>
    Effect.gen(function* () {
      const port = yield* closedPort
      const delivery = yield* makeDelivery(jobAt(`http://127.0.0.1:${port}`), {})
      const waiting = yield* Effect.fork(delivery.awaitGateway)
      // it has been refused once
      yield* waitingUntil(200)
      assert.isNull(waiting.unsafePoll())
      yield* startPeer(() => ok, port)
      assert.isTrue(
        yield* advancing("200 millis", Effect.map(Fiber.poll(waiting), Option.getOrUndefined)).pipe(Effect.flatten)
      )
    })
  )
})

/** What becomes of connections to the API server when their callers leave. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream, TestClock } from "effect"
import { fixedAccess } from "../../../../../infrastructure/kubernetes/client/connection.ts"
import { makeHttpChannel } from "../../../../../infrastructure/kubernetes/client/http-channel.ts"
import { quiet, untilTrue } from "../../../../support/until.ts"

/** answers every request with a head and a first piece, and never ends; counts what is open */
const endless = Effect.acquireRelease(
  Effect.async<{
    readonly url: string
    readonly open: () => number
    readonly seen: () => number
    readonly close: () => void
  }>((resume) => {
    let open = 0
    let seen = 0
    const server = createServer((request, response) => {
      open += 1
      seen += 1
      response.once("close", () => {
        open -= 1
      })
      response.writeHead(request.url === "/missing" ? 404 : 200).write("{")
    }).listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      const close = () => {
        server.close()
        server.closeAllConnections()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, open: () => open, seen: () => seen, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const setUp = Effect.gen(function* () {
  const server = yield* endless
  const channel = yield* makeHttpChannel({ server: server.url, access: fixedAccess({}) })
  return { server, channel }
})

describe("an answer of the API server", () => {
  for (const path of ["/found", "/missing"])
    it.scoped(`to an interrupted call is cut (${path})`, () =>
      Effect.gen(function* () {
        const { server, channel } = yield* setUp
        const call = yield* Effect.fork(channel.json({ method: "GET", path }))
        yield* untilTrue(Effect.sync(() => server.open() === 1))
        yield* quiet
        yield* Fiber.interrupt(call)
        yield* untilTrue(Effect.sync(() => server.open() === 0))
      })
    )

  it.scoped("whose body nobody ever reads does not keep its connection for good", () =>
    Effect.gen(function* () {
      const { server, channel } = yield* setUp
      const [unread, read] = [
        yield* channel.chunks({ method: "GET", path: "/log" }),
        yield* channel.chunks({ method: "GET", path: "/log" })
      ]
      const reading = yield* Effect.fork(Stream.runDrain(read))
      yield* quiet
      assert.strictEqual(server.open(), 2)
      yield* TestClock.adjust("11 seconds")
      yield* untilTrue(Effect.sync(() => server.open() === 1))
      yield* Fiber.interrupt(reading)
      yield* untilTrue(Effect.sync(() => server.open() === 0))
      const late = yield* Effect.flip(Stream.runDrain(unread))
      assert.match(late.message, /cut short/)
    })
  )
})

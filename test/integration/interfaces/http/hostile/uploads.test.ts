/** Uploads that never should end. They are refused while they come in, cost no memory, and hold no connection. */
import { connect } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as app, HttpApp, jobsPath } from "../../../../support/http-app.ts"

const live = { excludeTestServices: true } as const
const megabyte = Buffer.alloc(1_048_576, "x")

interface Upload {
  readonly answer: string
  readonly sentBytes: number
}

/** sends `next()` for as long as the other side takes it, and answers with what came back once the connection is closed */
const upload = (port: number, head: string, next: (sent: number) => Buffer | undefined): Effect.Effect<Upload> =>
  Effect.async((resume) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(head)
      pump()
    })
    let [answer, sent] = ["", 0]
    const pump = () => {
      for (;;) {
        const piece = socket.destroyed ? undefined : next(sent)
        if (piece === undefined) return
        sent += piece.length
        if (!socket.write(piece)) return
      }
    }
    socket.on("drain", pump)
    socket.setEncoding("utf8").on("data", (text: string) => {
      answer += text
    })
    socket.on("error", () => {}).once("close", () => resume(Effect.succeed({ answer, sentBytes: sent })))
    return Effect.sync(() => socket.destroy())
  })

const headOf = (more: string) =>
  `POST ${jobsPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}\r\n\r\n`

const isRefused = ({ answer }: Upload) => {
  assert.match(answer, /^HTTP\/1\.1 413 /)
  assert.include(answer, '"message_code":"request_body_too_large"')
  assert.match(answer, /connection: close/i)
}

layer(app({ settings: { maxBodyBytes: 1_048_576 } }), live)("an upload", (it) => {
  it.effect("of 100 MB is refused by its declared length", () =>
    Effect.gen(function* () {
      const { port } = yield* HttpApp
      const before = process.memoryUsage().rss
      isRefused(
        yield* upload(port, headOf("Content-Length: 104857600"), (sent) => (sent < 104_857_600 ? megabyte : undefined))
      )
      assert.isBelow(process.memoryUsage().rss - before, 60_000_000)
    })
  )

  it.effect("in chunks without end is refused and cut off", () =>
    Effect.gen(function* () {
      const { port } = yield* HttpApp
      const chunk = Buffer.concat([Buffer.from("100000\r\n"), megabyte, Buffer.from("\r\n")])
      const before = process.memoryUsage().rss
      // never ends by itself: that the connection closes is what is shown
      isRefused(yield* upload(port, headOf("Transfer-Encoding: chunked"), () => chunk))
      assert.isBelow(process.memoryUsage().rss - before, 60_000_000)
    })
  )

  it.effect("with two lengths, or with a length and chunks, is no request", () =>
    Effect.gen(function* () {
      const { port, raw } = yield* HttpApp
      for (const more of [
        "Content-Length: 2\r\nContent-Length: 3",
        "Content-Length: 2\r\nTransfer-Encoding: chunked",
        "Content-Length: -1",
        "Content-Length: 1e3"
      ]) {
        const { answer } = yield* upload(port, headOf(more), () => undefined)
        assert.match(answer, /^HTTP\/1\.1 400 /, more)
        assert.include(answer, '"message_code":"invalid_value"')
      }
      const chunked = yield* raw(`${headOf("Transfer-Encoding: chunked")}zz\r\n{}\r\n0\r\n\r\n`)
      assert.match(chunked, /^HTTP\/1\.1 400 /)
    })
  )

  it.effect("whose head is 64 KB of address, of one header or of many, is refused with the error body", () =>
    Effect.gen(function* () {
      const { raw } = yield* HttpApp
      const big = "a".repeat(65_536)
      const heads = [
        `GET ${jobsPath}?name=${big} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
        `GET ${jobsPath} HTTP/1.1\r\nHost: localhost\r\nX-Big: ${big}\r\n\r\n`,
        `GET ${jobsPath} HTTP/1.1\r\nHost: localhost\r\n${Array.from({ length: 3000 }, (_, number) => `X-${number}: ${number}-and-more\r\n`).join("")}\r\n`
      ]
      for (const head of heads) {
        const text = yield* raw(head)
        assert.match(text, /^HTTP\/1\.1 431 /)
        assert.include(text, '"message_code":"request_head_too_large"')
      }
    })
  )
})

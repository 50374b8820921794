/** Listening sockets report errors for as long as they live: a connection that cannot be accepted must not end the process. */
import { createServer, get } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { listen } from "../../../interfaces/http/listener/listen.ts"
import { bind } from "../../../interfaces/sidecar/listener.ts"

const noDescriptor = Object.assign(new Error("accept EMFILE"), { code: "EMFILE" })

const statusOf = (port: number) =>
  new Promise<number | undefined>((resolve, reject) => {
    get({ port, host: "127.0.0.1", agent: false }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode))
    }).on("error", reject)
  })

describe("a listening socket that fails after it was bound", () => {
  it.effect("is logged by the server, which goes on (the listener was taken off after the start)", () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => createServer((_, response) => response.end("ok"))),
        (one) => Effect.sync(() => one.close())
      )
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => lines.push(message))
      )
      const { port } = yield* listen(server, { port: 0, host: "127.0.0.1", setting: "PORT" }).pipe(
        Effect.provide(logger)
      )
      for (let time = 0; time < 3; time++) server.emit("error", noDescriptor)
      assert.strictEqual(yield* Effect.promise(() => statusOf(port)), 200)
      assert.strictEqual(lines.length, 3)
    }).pipe(Effect.scoped)
  )

  it("is told by the sidecar, which goes on", async () => {
    const told: Array<string> = []
    const server = createServer((_, response) => response.end("ok"))
    const port = await bind(server, { port: 0, host: "127.0.0.1", onError: (code) => told.push(code) })
    for (let time = 0; time < 3; time++) server.emit("error", noDescriptor)
    assert.strictEqual(await statusOf(port ?? 0), 200)
    assert.deepStrictEqual(told, ["EMFILE", "EMFILE", "EMFILE"])
    server.close()
  })
})

/** What the sidecar answers before an adapter has sent its whole body arrives, also at adapters that send everything before they read. */
import { type AddressInfo, createServer } from "node:net"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { sendThenRead } from "../../../support/blocking-client.ts"
import { serve } from "../../../support/loopback-server.ts"
import { configOf, eventsPath, makeScope, startedSidecar } from "../../../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)

const large = Buffer.alloc(12 * 1_048_576, "x")
const headOf = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${large.length}\r\n\r\n`

describe("an answer of the sidecar before the body was read", () => {
  it.each([
    ["an event that is too large", eventsPath, 413, "body_too_large"],
    ["a path that leads elsewhere", "/v1/../x", 400, "path_invalid"],
    ["a job that is not the pod's", "/api/v1/evaluations/jobs/other/events", 403, "forbidden"],
    ["a model that nobody serves", "/v1/chat", 502, "upstream_unreachable"]
  ])("%s: arrives", async (_, path, status, code) => {
    const running = await scope.keep(startedSidecar(configOf(scope.place())))
    for (let attempt = 0; attempt < 3; attempt++) {
      const told = await sendThenRead(running.port, headOf(path), large)
      assert.isUndefined(told.error, told.answer.slice(0, 300))
      assert.match(told.answer, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.include(told.answer, `"message_code":"${code}"`)
    }
  })

  it("a model that answers before it has read: its answer arrives", async () => {
    // reads no more than the head, and leaves the rest where it is
    const early = createServer((socket) => {
      socket.on("error", () => {})
      socket.once("data", () => {
        socket.pause()
        socket.write(
          'HTTP/1.1 413 Payload Too Large\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{"early":true}'
        )
      })
    })
    const port = await new Promise<number>((resolve) =>
      early.listen(0, "127.0.0.1", () => resolve((early.address() as AddressInfo).port))
    )
    await scope.keep({ close: () => early.close() })
    const running = await scope.keep(
      startedSidecar(configOf(scope.place(), { model: { url: `http://127.0.0.1:${port}` } }))
    )
    const told = await sendThenRead(running.port, headOf("/v1/chat"), large)
    assert.isUndefined(told.error)
    assert.match(told.answer, /^HTTP\/1\.1 413 [\s\S]*\{"early":true\}/)
  })

  it("and one that reads all of it is not disturbed", async () => {
    const upstream = await scope.keep(
      serve((request, response) => {
        let bytes = 0
        request.on("data", (chunk: Buffer) => {
          bytes += chunk.length
        })
        request.on("end", () => response.end(String(bytes)))
      })
    )
    const running = await scope.keep(startedSidecar(configOf(scope.place(), { model: { url: upstream.url } })))
    const told = await sendThenRead(running.port, headOf("/v1/chat"), large)
    assert.match(told.answer, new RegExp(`${large.length}`))
  })
})

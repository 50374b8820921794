import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { isUnreachable } from "../../../../interfaces/cli/client/exit.ts"
import { fetchBy } from "../../../../interfaces/cli/client/transport.ts"
import { makeClient } from "../../../../interfaces/client/client.ts"

const send = fetchBy()
const seen: Array<{ readonly port: number | undefined; readonly encoding: string | undefined }> = []
const server = createServer((request, answer) => {
  seen.push({ port: request.socket.remotePort, encoding: String(request.headers["accept-encoding"]) })
  const json = { "content-type": "application/json" }
  switch (request.url) {
    case "/packed":
      return answer
        .writeHead(200, { ...json, "content-encoding": "gzip" })
        .end(gzipSync(`{"long":"${"x".repeat(5000)}"}`))
    case "/broken":
      answer.writeHead(200, { ...json, "content-length": "100" }).write("{")
      return setImmediate(() => answer.destroy())
    case "/endless":
      return answer.writeHead(200, json).write("{")
    case "/nothing":
      return answer.writeHead(204).end()
    default:
      return answer.writeHead(200, json).end(JSON.stringify({ status: "healthy" }))
  }
})
let url = ""
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe("requests of the command line", () => {
  it("go over one connection, one after the other", async () => {
    const client = makeClient({ baseUrl: url, fetch: send })
    for (let turn = 0; turn < 3; turn++) assert.nestedPropertyVal(await client.health(), "value.status", "healthy")
    assert.strictEqual(new Set(seen.map(({ port }) => port)).size, 1)
  })
  it("ask for compressed answers and read them", async () => {
    const response = await send(`${url}/packed`)
    assert.strictEqual(JSON.parse(await response.text()).long.length, 5000)
    assert.strictEqual(seen.at(-1)?.encoding, "gzip")
  })
  it("have answers without a body", async () => {
    const response = await send(`${url}/nothing`)
    assert.deepStrictEqual([response.status, response.ok, response.body], [204, true, null])
  })
  it("for the head alone have none either, whatever coding it names (unpacking nothing ended the command)", async () => {
    const response = await send(`${url}/packed`, { method: "HEAD" })
    assert.deepStrictEqual([response.status, response.body, await response.text()], [200, null, ""])
    assert.strictEqual(response.headers.get("content-encoding"), "gzip")
  })
  it("fail as an unreachable server does when their answer breaks off", async () => {
    const response = await send(`${url}/broken`)
    const failure = await response.text().then(
      () => undefined,
      (error: unknown) => error
    )
    assert.isTrue(isUnreachable(failure), String(failure))
  })
  it("may be given up while nobody reads their answer", async () => {
    const controller = new AbortController()
    assert.strictEqual((await send(`${url}/endless`, { signal: controller.signal })).status, 200)
    controller.abort()
    // an error that nobody listens to would end the process
    await new Promise((resolve) => setImmediate(resolve))
  })
  it("end with the reason of who gives them up", async () => {
    const reason = new Error("enough")
    const failure = await send(url, { signal: AbortSignal.abort(reason) }).then(
      () => undefined,
      (error: unknown) => error
    )
    assert.strictEqual(failure, reason)
  })
})

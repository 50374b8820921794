import { createServer as createPlain } from "node:net"
import { gzipSync } from "node:zlib"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { Either } from "effect"
import { modelUpstream } from "../../../../domain/credentials/upstream.ts"
import { straight } from "../../../../domain/proxies.ts"
import { type ConnectionOptions, makeConnections } from "../../../../infrastructure/outbound/connections.ts"
import { OutboundError } from "../../../../infrastructure/outbound/outbound-error.ts"
import { modelPeer } from "../../../../interfaces/gateway/peers.ts"
import { type Exchange, forward } from "../../../../interfaces/gateway/proxy.ts"
import { rawConnection, serve } from "../../../support/loopback-server.ts"
import { makeScope } from "../../../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)

const options: ConnectionOptions = {
  peer: modelPeer,
  connectMillis: 5_000,
  trust: () => ({}),
  egress: undefined,
  way: straight,
  maxPerOrigin: 1,
  maxQueued: 1
}

/** a proxy in front of one upstream */
const front = async (url: string, given: Partial<ConnectionOptions> = {}, idleMillis = 60_000) => {
  const connections = makeConnections({ ...options, ...given })
  const exchanges: Array<Exchange> = []
  const server = await scope.keep(
    serve((request, response) =>
      forward(
        { request, response, trace: "t", expectsContinue: false },
        {
          route: "r",
          upstream: Either.getOrThrow(modelUpstream(url)),
          path: request.url ?? "/",
          authorization: undefined,
          drop: new Set(),
          replace: new Map(),
          publicBase: "http://here"
        },
        {
          connections,
          idleMillis,
          maxHeadBytes: 65_536,
          onExchange: (exchange) => void exchanges.push(exchange)
        }
      )
    )
  )
  await scope.keep({ close: connections.close })
  return { ...server, exchanges }
}

describe("connections", () => {
  it("beyond the limit requests wait, beyond the queue they are refused", async () => {
    const held: Array<() => void> = []
    let first: () => void = () => {}
    const arrived = new Promise<void>((resolve) => {
      first = resolve
    })
    const model = await scope.keep(
      serve((_, response) => {
        held.push(() => response.end("ok"))
        first()
        if (held.length > 1) response.end("ok")
      })
    )
    const proxy = await front(model.url)
    const one = fetch(proxy.url)
    await arrived
    const both = [fetch(proxy.url), fetch(proxy.url)]
    const refused = await Promise.race(both)
    assert.strictEqual(refused.status, 503)
    assert.strictEqual(refused.headers.get("retry-after"), "1")
    assert.include(await refused.json(), { message_code: "overloaded" })
    held[0]?.()
    assert.strictEqual((await one).status, 200)
    assert.sameMembers(
      (await Promise.all(both)).map(({ status }) => status),
      [200, 503]
    )
  })

  it("a handshake that never ends is given up", async () => {
    const sockets: Array<{ readonly destroy: () => unknown }> = []
    const silent = createPlain((socket) => void sockets.push(socket))
    const port = await new Promise<number>((resolve) => {
      silent.listen(0, "127.0.0.1", () => {
        const address = silent.address()
        resolve(typeof address === "object" && address !== null ? address.port : 0)
      })
    })
    await scope.keep({
      close: () => {
        for (const socket of sockets) socket.destroy()
        silent.close()
      }
    })
    const proxy = await front(`https://127.0.0.1:${port}`, { connectMillis: 50 })
    const answer = await fetch(proxy.url)
    assert.strictEqual(answer.status, 504)
    assert.include(await answer.json(), { message_code: "upstream_timeout" })
  })

  it("compressed bytes are not touched", async () => {
    const packed = gzipSync("x".repeat(10_000))
    const model = await scope.keep(
      serve(
        (_, response) =>
          void response.writeHead(200, { "content-encoding": "gzip", "content-length": packed.length }).end(packed)
      )
    )
    const proxy = await front(model.url)
    const client = await rawConnection(proxy.port)
    client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    await client.closed
    const text = client.received()
    assert.match(text, /content-encoding: gzip/i)
    assert.deepStrictEqual(Buffer.from(text.slice(text.indexOf("\r\n\r\n") + 4), "latin1"), packed)
    assert.include(proxy.exchanges[0], { status: 200, bytesOut: packed.length, aborted: false })
  })

  it("an upstream that closes idle connections does not hurt the next request", async () => {
    const model = await scope.keep(
      serve((_, response) => void response.writeHead(200, { connection: "close" }).end("ok"))
    )
    const proxy = await front(model.url)
    for (let round = 0; round < 5; round++) assert.strictEqual(await (await fetch(proxy.url)).text(), "ok")
  })

  it("a connection that is free takes the next request, is silent for as long as that request may be, and is left when it stays idle", async () => {
    const model = await scope.keep(
      serve((request, response) => {
        if (request.url === "/slow") setTimeout(() => response.end("late"), 250)
        else if (request.url !== "/never") response.end("ok")
      })
    )
    let opened = 0
    let closed = 0
    model.server.on("connection", (socket) => {
      opened += 1
      socket.once("close", () => {
        closed += 1
      })
    })
    const proxy = await front(model.url, { idleMillis: 100 }, 600)
    for (let round = 0; round < 5; round++) assert.strictEqual(await (await fetch(proxy.url)).text(), "ok")
    // longer than a free connection stays, which is no limit of one in use
    assert.strictEqual(await (await fetch(`${proxy.url}/slow`)).text(), "late")
    assert.deepStrictEqual([opened, closed], [1, 0])
    const silent = await fetch(`${proxy.url}/never`)
    assert.strictEqual(silent.status, 504)
    assert.include(await silent.json(), { message_code: "upstream_timeout" })
    assert.strictEqual(await (await fetch(proxy.url)).text(), "ok")
    assert.strictEqual(opened, 2)
    await vi.waitFor(() => assert.strictEqual(closed, 2))
  })

  it("requests at once have a connection each, and later ones share them", async () => {
    const held: Array<() => void> = []
    const model = await scope.keep(
      serve((_, response) => {
        held.push(() => void response.end("ok"))
        if (held.length === 3) for (const answer of held.splice(0)) answer()
      })
    )
    let opened = 0
    model.server.on("connection", () => {
      opened += 1
    })
    const proxy = await front(model.url, { maxPerOrigin: 3 })
    const ask = async () => (await fetch(proxy.url)).text()
    for (let round = 0; round < 3; round++)
      assert.deepStrictEqual(await Promise.all([ask(), ask(), ask()]), ["ok", "ok", "ok"])
    assert.strictEqual(opened, 3)
  })

  it("a host that may not be asked never gets an agent", () => {
    const policy = { denied: [], allowed: [], hosts: ["models.example"] }
    const { agentFor, close } = makeConnections({ ...options, egress: policy })
    const refused = agentFor(Either.getOrThrow(modelUpstream("http://other.example")))
    assert.isTrue(refused instanceof OutboundError && refused.reason === "blocked")
    assert.isFalse(agentFor(Either.getOrThrow(modelUpstream("http://models.example"))) instanceof OutboundError)
    close()
  })
})

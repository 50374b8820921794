import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { Either, Redacted } from "effect"
import type { Exchange } from "../../../../../interfaces/gateway/proxy.ts"
import {
  type ModelContext,
  type ModelGateway,
  makeModelGateway
} from "../../../../../interfaces/http/gateway/model-gateway.ts"
import { bodyOf, listening, type Running, rawConnection, serve } from "../../../../support/loopback-server.ts"

const running: Array<{ readonly close: () => unknown }> = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.close()
})
const keep = async <A extends { readonly close: () => unknown }>(one: A | Promise<A>): Promise<A> => {
  const started = await one
  running.push(started)
  return started
}

interface Setup {
  readonly front: Running
  readonly model: Running
  readonly exchanges: ReadonlyArray<Exchange>
  readonly exchanged: (count: number) => Promise<void>
}

/** adapter → gateway → model, everything on loopback */
const setup = async (
  listener: RequestListener,
  options: {
    readonly keys?: { readonly [key: string]: string }
    readonly modelPath?: string
    readonly idleMillis?: number
    readonly secret?: ModelContext["secret"]
  } = {}
): Promise<Setup> => {
  const model = await keep(serve(listener))
  const exchanges: Array<Exchange> = []
  const waiting = new Set<() => void>()
  const gateway: ModelGateway = await keep(
    makeModelGateway({
      ...(options.idleMillis === undefined ? {} : { idleMillis: options.idleMillis }),
      onExchange: (exchange) => {
        exchanges.push(exchange)
        for (const check of waiting) check()
      }
    })
  )
  const secret =
    options.keys === undefined
      ? undefined
      : new Map(Object.entries(options.keys).map(([key, value]) => [key, Redacted.make(value)]))
  const handle = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) =>
    gateway.handle(request, response, {
      modelUrl: `${model.url}${options.modelPath ?? "/v1"}`,
      secret: options.secret ?? Either.right(secret),
      path: (request.url ?? "").replace(/^\/cb\/s\/model/, ""),
      publicBase: "http://127.0.0.1:1/cb/s/model",
      trace: "trace-1",
      expectsContinue
    })
  const server = createServer({ requestTimeout: 0 }, handle(false))
  server.on("checkContinue", handle(true))
  const front = await keep(listening(server))
  const exchanged = (count: number) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (exchanges.length >= count) resolve()
      }
      waiting.add(check)
      check()
    })
  return { front, model, exchanges, exchanged }
}
const at = ({ front }: Setup, path: string) => `${front.url}/cb/s/model${path}`

describe("the local model gateway", () => {
  it("swaps the reference for the key and keeps method, path, query, headers and body", async () => {
    const seen: Array<{ head: string; headers: IncomingMessage["rawHeaders"]; body: string }> = []
    const given = await setup(
      async (request, response) => {
        seen.push({
          head: `${request.method} ${request.url}`,
          headers: request.rawHeaders,
          body: (await bodyOf(request)).toString()
        })
        response.writeHead(
          201,
          "Made",
          [
            ["X-Answer", "a"],
            ["Set-Cookie", "a=1"],
            ["Set-Cookie", "b=2"]
          ].flat()
        )
        response.end("done")
      },
      { keys: { "api-key": "sk-real\n" } }
    )
    const answer = await fetch(at(given, "/v1/chat/completions?a=%2F&b"), {
      method: "POST",
      body: '{"x":"Bearer api-key:ref"}',
      headers: {
        authorization: "Bearer api-key:ref",
        "x-tenant": "team-a",
        "x-forwarded-for": "1.2.3.4",
        "X-Custom": "kept",
        "x-user": "root"
      }
    })
    assert.strictEqual(answer.status, 201)
    assert.strictEqual(answer.statusText, "Made")
    assert.deepStrictEqual(answer.headers.getSetCookie(), ["a=1", "b=2"])
    assert.strictEqual(await answer.text(), "done")
    const [request] = seen
    assert.strictEqual(request?.head, "POST /v1/chat/completions?a=%2F&b")
    assert.strictEqual(request?.body, '{"x":"Bearer api-key:ref"}')
    const names = (request?.headers ?? []).filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
    const header = (name: string) => request?.headers[names.indexOf(name) * 2 + 1]
    assert.strictEqual(header("authorization"), "Bearer sk-real")
    assert.strictEqual(names.filter((name) => name === "authorization").length, 1)
    assert.strictEqual(header("host"), `127.0.0.1:${given.model.port}`)
    assert.strictEqual(header("x-custom"), "kept")
    assert.strictEqual(header("x-request-id"), "trace-1")
    for (const name of ["x-tenant", "x-forwarded-for", "x-user"]) assert.notInclude(names, name)
    await given.exchanged(1)
    assert.include(given.exchanges[0], {
      route: "model",
      method: "POST",
      status: 201,
      bytesIn: 26,
      bytesOut: 4,
      aborted: false
    })
  })

  it("an answer's first bytes arrive while the model is still silent about the rest, chunk by chunk", async () => {
    const releases: Array<() => void> = []
    const given = await setup((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.flushHeaders()
      const parts = ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]
      const next = () => {
        const part = parts.shift()
        if (part === undefined) response.end()
        else response.write(part)
      }
      releases.push(next, next, next, next)
    })
    const client = await rawConnection(given.front.port)
    client.send("GET /cb/s/model/v1/stream HTTP/1.1\r\nHost: x\r\n\r\n")
    await client.until(/event-stream[\s\S]*\r\n\r\n$/)
    for (const [index, release] of releases.entries()) {
      release()
      await client.until(index < 3 ? new RegExp(`9\\r\\ndata: ${index + 1}\\n\\n\\r\\n`) : /0\r\n\r\n$/)
    }
    client.destroy()
  })

  it("keeps trailers in both directions", async () => {
    const given = await setup(async (request, response) => {
      const body = await bodyOf(request)
      response.writeHead(200, { Trailer: "X-Sum" })
      response.write(body)
      response.addTrailers({ "X-Sum": String(request.trailers["x-in"]) })
      response.end()
    })
    const client = await rawConnection(given.front.port)
    client.send(
      "POST /cb/s/model/v1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: X-In\r\n\r\n3\r\nabc\r\n0\r\nX-In: 7\r\n\r\n"
    )
    const text = await client.until(/X-Sum: 7\r\n\r\n$/)
    assert.match(text, /3\r\nabc\r\n0\r\nX-Sum: 7/)
    client.destroy()
  })

  it("a caller that leaves stops the model", async () => {
    let stop: () => void = () => {}
    const stopped = new Promise<void>((resolve) => {
      stop = resolve
    })
    const given = await setup((request, response) => {
      response.writeHead(200)
      response.write("first")
      request.socket.once("close", stop)
    })
    const client = await rawConnection(given.front.port)
    client.send("GET /cb/s/model/v1 HTTP/1.1\r\nHost: x\r\n\r\n")
    await client.until(/first/)
    client.destroy()
    await stopped
    await given.exchanged(1)
    assert.isTrue(given.exchanges[0]?.aborted)
  })

  it("a model that breaks after the head cuts the caller; before the head it is a 502", async () => {
    const given = await setup((request, response) => {
      if (request.url === "/v1/early") request.socket.destroy()
      else {
        response.writeHead(200)
        response.write("part")
        response.once("finish", () => {})
        setImmediate(() => request.socket.destroy())
      }
    })
    const early = await fetch(at(given, "/v1/early"))
    assert.strictEqual(early.status, 502)
    assert.strictEqual(early.headers.get("x-evald-sidecar"), "error")
    assert.include(await early.json(), { message_code: "upstream_unreachable", trace: "trace-1" })
    const client = await rawConnection(given.front.port)
    client.send("GET /cb/s/model/v1/late HTTP/1.1\r\nHost: x\r\n\r\n")
    await client.until(/part/)
    await client.closed
    assert.notMatch(client.received(), /0\r\n\r\n$/)
  })

  it("a model that is not there is a 502 that names it", async () => {
    const given = await setup(() => {})
    await given.model.close()
    const answer = await fetch(at(given, "/v1"), { method: "POST", body: "x" })
    assert.strictEqual(answer.status, 502)
    assert.match(((await answer.json()) as { message: string }).message, /127\.0\.0\.1:\d+.*ECONNREFUSED/)
  })

  it("silence is given up, slowness is not", async () => {
    const given = await setup(
      (request, response) => {
        if (request.url === "/v1/silent") return
        let left = 12
        const timer = setInterval(() => {
          left -= 1
          response.write("x")
          if (left === 0) {
            clearInterval(timer)
            response.end()
          }
        }, 100)
      },
      { idleMillis: 1_000 }
    )
    const silent = await fetch(at(given, "/v1/silent"))
    assert.strictEqual(silent.status, 504)
    assert.include(await silent.json(), { message_code: "upstream_timeout" })
    assert.strictEqual(await (await fetch(at(given, "/v1/slow"))).text(), "x".repeat(12))
  })

  it("carries large bodies both ways, byte for byte", async () => {
    const blocks = 256
    const given = await setup((request, response) => {
      response.writeHead(200, { "content-type": "application/octet-stream" })
      request.pipe(response)
    })
    const block = (index: number) => Buffer.alloc(256 * 1024, `${index},`)
    const expected = createHash("sha256")
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (sent === blocks) return controller.close()
        const next = block(sent)
        sent += 1
        expected.update(next)
        controller.enqueue(next)
      }
    })
    const streamed: RequestInit & { readonly duplex: "half" } = { method: "POST", body, duplex: "half" }
    const answer = await fetch(at(given, "/v1/echo"), streamed)
    const received = createHash("sha256")
    for await (const chunk of answer.body ?? []) received.update(chunk)
    assert.strictEqual(received.digest("hex"), expected.digest("hex"))
    await given.exchanged(1)
    assert.include(given.exchanges[0], { bytesIn: blocks * 256 * 1024, bytesOut: blocks * 256 * 1024 })
  })

  it("a reader that reads nothing holds the model back", async () => {
    let written = 0
    const given = await setup((_, response) => {
      const block = Buffer.alloc(64 * 1024)
      const write = () => {
        while (written < 4_000) {
          written += 1
          if (!response.write(block)) {
            response.once("drain", write)
            return
          }
        }
        response.end()
      }
      write()
    })
    const client = await rawConnection(given.front.port)
    client.send("GET /cb/s/model/v1 HTTP/1.1\r\nHost: x\r\n\r\n")
    await client.until(/200 OK/)
    client.destroy()
    await given.exchanged(1)
    assert.isBelow(written, 4_000)
  })

  it.each([
    ["HEAD", "/v1/head", 200],
    ["GET", "/v1/204", 204],
    ["GET", "/v1/304", 304]
  ])("%s %s has no body and keeps its headers", async (method, path, status) => {
    const given = await setup((_, response) => {
      response.writeHead(status, { "x-kept": "1", ...(status === 204 ? {} : { "content-length": "5" }) })
      response.end(status === 200 && method === "GET" ? "12345" : undefined)
    })
    const client = await rawConnection(given.front.port)
    client.send(`${method} /cb/s/model${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    await client.closed
    assert.match(client.received(), new RegExp(`^HTTP/1.1 ${status}`))
    assert.match(client.received(), /x-kept: 1/)
    assert.match(client.received(), /\r\n\r\n$/)
  })

  it("relays 100-continue, and a refusal instead of it", async () => {
    const given = await setup(async (request, response) => {
      response.end((await bodyOf(request)).toString().toUpperCase())
    })
    given.model.server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      if (request.url === "/v1/no") {
        response.writeHead(417, { connection: "close" }).end()
        return
      }
      response.writeContinue()
      given.model.server.emit("request", request, response)
    })
    const client = await rawConnection(given.front.port)
    client.send("POST /cb/s/model/v1 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    await client.until(/HTTP\/1\.1 100 Continue\r\n\r\n/)
    client.send("abc")
    await client.until(/ABC/)
    client.destroy()
    const other = await rawConnection(given.front.port)
    other.send("POST /cb/s/model/v1/no HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    await other.until(/HTTP\/1\.1 417/)
    assert.notMatch(other.received(), /100 Continue/)
    other.destroy()
  })

  it("redirects are shown, not followed; those to the model itself lead back through the gateway", async () => {
    let calls = 0
    const given = await setup((request, response) => {
      calls += 1
      const location =
        request.url === "/v1/own"
          ? `http://${request.headers.host}/v1/next?x=1`
          : request.url === "/health"
            ? "/v1/next?x=1"
            : "http://169.254.169.254/latest"
      response.writeHead(307, { location }).end()
    })
    const own = await fetch(at(given, "/v1/own"), { redirect: "manual" })
    assert.strictEqual(own.headers.get("location"), "http://127.0.0.1:1/cb/s/model/v1/next?x=1")
    const path = await fetch(at(given, "/health"), { redirect: "manual" })
    assert.strictEqual(path.headers.get("location"), "/cb/s/model/v1/next?x=1", "a path alone led out of the gateway")
    const foreign = await fetch(at(given, "/v1/foreign"), { redirect: "manual" })
    assert.strictEqual(foreign.headers.get("location"), "http://169.254.169.254/latest")
    assert.strictEqual(calls, 3)
  })

  it("routes a prefix to its own address", async () => {
    const seen: Array<string> = []
    const other = await keep(
      serve((request, response) => {
        seen.push(`${request.url} ${request.headers.authorization}`)
        response.end()
      })
    )
    const given = await setup((_, response) => void response.writeHead(500).end(), {
      keys: { "b_api-key": "kb", b_url: `${other.url}/base` }
    })
    assert.strictEqual(
      (await fetch(at(given, "/chat"), { headers: { authorization: "Bearer b_api-key:ref" } })).status,
      200
    )
    assert.deepStrictEqual(seen, ["/base/chat Bearer kb"])
  })

  it.each<readonly [string, string, string]>([
    ["an unknown reference", "/v1 HTTP/1.1\r\nAuthorization: Bearer zz_api-key:ref", "credential_ref_unknown"],
    [
      "two Authorization headers",
      "/v1 HTTP/1.1\r\nAuthorization: Bearer api-key:ref\r\nAuthorization: Bearer x",
      "authorization_ambiguous"
    ],
    ["a dot segment", "/v1/%2e%2e/x HTTP/1.1", "path_invalid"]
  ])("%s never reaches the model", async (_, head, code) => {
    const calls: Array<string> = []
    const given = await setup((request) => void calls.push(request.url ?? ""), { keys: { "api-key": "k" } })
    const client = await rawConnection(given.front.port)
    client.send(`GET /cb/s/model${head}\r\nHost: x\r\nConnection: close\r\n\r\n`)
    await client.closed
    assert.match(client.received(), new RegExp(`^HTTP/1.1 400[\\s\\S]*${code}`))
    assert.deepStrictEqual(calls, [])
  })

  it("a secret that cannot be used is said to the adapter", async () => {
    const given = await setup(() => {}, { secret: Either.left({ message: "secret 's': run chmod 600" }) })
    const answer = await fetch(at(given, "/v1"))
    assert.strictEqual(answer.status, 502)
    assert.deepStrictEqual(await answer.json(), {
      message: "secret 's': run chmod 600",
      message_code: "credential_unavailable",
      trace: "trace-1"
    })
  })

  it("an upgrade is refused", async () => {
    const given = await setup(() => {})
    const client = await rawConnection(given.front.port)
    client.send("GET /cb/s/model/v1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    await client.until(/upgrade_not_supported/)
    assert.match(client.received(), /^HTTP\/1.1 501/)
    client.destroy()
  })

  it("an early answer to an upload arrives, and the connection survives it", async () => {
    const given = await setup((request, response) => {
      response.writeHead(413, { connection: "close" }).end("too much")
      request.resume()
    })
    const client = await rawConnection(given.front.port)
    client.send(`POST /cb/s/model/v1 HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${"x".repeat(1000)}`)
    await client.until(/413[\s\S]*too much/)
    client.destroy()
  })

  it("a thousand exchanges reuse connections", async () => {
    const sockets = new Set<unknown>()
    const given = await setup((request, response) => {
      sockets.add(request.socket)
      response.end("ok")
    })
    for (let round = 0; round < 25; round++)
      await Promise.all(
        Array.from({ length: 8 }, async () => assert.strictEqual(await (await fetch(at(given, "/v1"))).text(), "ok"))
      )
    assert.isAtMost(sockets.size, 32)
  })
})

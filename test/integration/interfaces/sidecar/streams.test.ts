/** Bodies and streams through a whole sidecar: bytes in are bytes out, nothing is held back, and whoever leaves ends the other side too. */
import { createHash, randomBytes } from "node:crypto"
import { type IncomingMessage, request as openRequest, type ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { callerLeaves, momentsToLeave } from "../../../support/leaving-caller.ts"
import { bodyOf, rawConnection, serve } from "../../../support/loopback-server.ts"
import { configOf, makeScope, type Overrides, startedSidecar } from "../../../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)

const behind = async (
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  given: Overrides = {}
) => {
  const model = await scope.keep(serve(listener))
  const place = scope.place()
  const running = await scope.keep(
    startedSidecar(configOf(place, { ...given, model: { url: `${model.url}/v1`, ...given.model } }))
  )
  return { model, running, place }
}
const get = (path = "/v1") => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const wholeAnswer = async (port: number, request: string): Promise<string> => {
  const client = await rawConnection(port)
  client.send(request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"))
  await client.closed
  return client.received()
}
const bodyIn = (answer: string) => answer.slice(answer.indexOf("\r\n\r\n") + 4)

/** sends so many bytes and answers with the digest of what came back */
const echoed = (port: number, bytes: number): Promise<{ readonly sent: string; readonly got: string }> =>
  new Promise((resolve, reject) => {
    const [sent, got] = [createHash("sha256"), createHash("sha256")]
    const block = randomBytes(65_536)
    const request = openRequest(
      { port, host: "127.0.0.1", method: "POST", path: "/v1/echo", agent: false, headers: { "content-length": bytes } },
      (response) => {
        response.on("data", (chunk: Buffer) => got.update(chunk))
        response.once("end", () => resolve({ sent: sent.digest("hex"), got: got.digest("hex") }))
      }
    )
    request.once("error", reject)
    let left = bytes
    const pump = () => {
      while (left > 0) {
        const chunk = block.subarray(0, Math.min(left, block.length))
        left -= chunk.length
        sent.update(chunk)
        if (!request.write(chunk)) return void request.once("drain", pump)
      }
      request.end()
    }
    pump()
  })

describe("case 39: bodies", () => {
  it("64 MB up and down at once: the same bytes", async () => {
    const { running } = await behind((request, response) => void request.pipe(response))
    const { sent, got } = await echoed(running.port, 64_000_000)
    assert.strictEqual(got, sent)
  })

  it("compressed bytes stay compressed, with their headers", async () => {
    const packed = gzipSync(randomBytes(50_000))
    const { running } = await behind(
      (_, response) =>
        void response.writeHead(200, { "content-encoding": "gzip", "content-length": packed.length }).end(packed)
    )
    const answer = await wholeAnswer(running.port, get())
    assert.match(answer, /content-encoding: gzip/i)
    assert.deepStrictEqual(Buffer.from(bodyIn(answer), "latin1"), packed)
  })

  it("an event stream byte by byte: every chunk arrives as it was sent, before the next exists", async () => {
    const text = 'data: {"a":"é"}\n\n'
    let next: () => void = () => {}
    const { running } = await behind((_, response) => {
      const bytes = [...Buffer.from(text)]
      response.writeHead(200, { "content-type": "text/event-stream" })
      next = () => {
        const byte = bytes.shift()
        if (byte === undefined) response.end()
        else response.write(Buffer.from([byte]))
      }
      response.flushHeaders()
    })
    const client = await rawConnection(running.port)
    client.send(get())
    await client.until(/\r\n\r\n/)
    let expected = bodyIn(client.received())
    assert.strictEqual(expected, "")
    for (const byte of Buffer.from(text)) {
      next()
      expected += `1\r\n${String.fromCharCode(byte)}\r\n`
      const wanted = expected
      await client.until({ test: (all: string) => bodyIn(all) === wanted } as RegExp)
    }
    next()
    assert.strictEqual(bodyIn(await client.until(/\r\n0\r\n\r\n$/)), `${expected}0\r\n\r\n`)
    client.destroy()
  })

  it("trailers in both directions", async () => {
    let seen: NodeJS.Dict<string> = {}
    const { running } = await behind(async (request, response) => {
      await bodyOf(request)
      seen = request.trailers
      response.writeHead(200, { trailer: "x-tokens" })
      response.write("ok")
      response.addTrailers({ "x-tokens": "42" })
      response.end()
    })
    const client = await rawConnection(running.port)
    client.send(
      "POST /v1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 7\r\n\r\n"
    )
    assert.match(await client.until(/x-tokens: 42\r\n\r\n/i), /\r\n0\r\n/)
    client.destroy()
    assert.deepStrictEqual({ ...seen }, { "x-sum": "7" })
  })

  it("100-continue comes from the model, and so does a refusal in its place", async () => {
    const { model, running } = await behind(async (request, response) => void response.end(await bodyOf(request)))
    const ask = async () => {
      const client = await rawConnection(running.port)
      client.send("POST /v1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
      return client
    }
    const client = await ask()
    await client.until(/^HTTP\/1.1 100 Continue\r\n\r\n/)
    client.send("hi")
    assert.match(await client.until(/\r\n\r\n(.|\n)*hi/), /HTTP\/1.1 200 OK/)
    client.destroy()
    model.server.on("checkContinue", (_, response: ServerResponse) => void response.writeHead(413).end())
    const refused = await ask()
    assert.notMatch(await refused.until(/HTTP\/1.1 413/), /100 Continue/)
    refused.destroy()
  })

  it("HEAD, 204 and 304 have no body, and keep what their heads say", async () => {
    const { running } = await behind((request, response) => {
      if (request.method === "HEAD") response.writeHead(200, { "content-length": 1234, etag: '"a"' }).end()
      else if (request.url?.endsWith("/none") === true) response.writeHead(204, { "x-left": "1" }).end()
      else response.writeHead(304, { etag: '"b"' }).end()
    })
    const head = await wholeAnswer(running.port, "HEAD /v1 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert.match(head, /^HTTP\/1.1 200 OK(.|\r\n)*content-length: 1234/i)
    assert.match(await wholeAnswer(running.port, get("/v1/none")), /^HTTP\/1.1 204 (.|\r\n)*x-left: 1/i)
    const unchanged = await wholeAnswer(running.port, get("/v1/same"))
    assert.match(unchanged, /^HTTP\/1.1 304 (.|\r\n)*etag: "b"/i)
    for (const answer of [head, unchanged]) assert.strictEqual(bodyIn(answer), "")
  })

  it("errors of the model pass as they are, odd reason phrases and repeated headers included", async () => {
    const { running } = await behind((_, response) => {
      response.writeHead(429, "Slow Down Please", [
        "Set-Cookie",
        "a=1",
        "Set-Cookie",
        "b=2",
        "Retry-After",
        "7",
        "content-length",
        "4"
      ])
      response.end("busy")
    })
    const answer = await wholeAnswer(running.port, get())
    assert.match(answer, /^HTTP\/1.1 429 Slow Down Please\r\n/)
    assert.deepStrictEqual(
      [...answer.matchAll(/set-cookie: (\S+)/gi)].map(([, value]) => value),
      ["a=1", "b=2"]
    )
    assert.match(answer, /retry-after: 7/i)
    assert.notMatch(answer, /x-evald-sidecar/i)
    assert.strictEqual(bodyIn(answer), "busy")
  })
})

describe("case 40: silence", () => {
  const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
  it("a stream that pauses again and again and lasts longer than the limit is delivered (limit 1.5 s for 15 minutes)", async () => {
    const { running } = await behind(
      async (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        for (let n = 1; n <= 8; n++) {
          response.write(`data: ${n}\n\n`)
          await pause(250)
        }
        response.end()
      },
      { timeouts: { idle_ms: 1_500 } }
    )
    const answer = await (await fetch(`${running.url}/v1`)).text()
    assert.strictEqual(answer, [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `data: ${n}\n\n`).join(""))
  })
  it("one that is silent for longer is cut, and before its head it is a 504 (limit 200 ms for 15 minutes)", async () => {
    const { running } = await behind(
      (request, response) => {
        if (request.url?.endsWith("/late") !== true) response.writeHead(200).write("begun")
      },
      { timeouts: { idle_ms: 200 } }
    )
    const cut = await fetch(`${running.url}/v1`)
      .then((answer) => answer.text())
      .then(
        () => "complete",
        () => "cut"
      )
    assert.strictEqual(cut, "cut")
    const late = await fetch(`${running.url}/v1/late`)
    assert.deepStrictEqual(
      [late.status, ((await late.json()) as { message_code: string }).message_code],
      [504, "upstream_timeout"]
    )
  })
})

describe("case 41: partners that leave", () => {
  it.each(momentsToLeave)("a caller that leaves %s ends the model's request", async (moment) => {
    await callerLeaves(scope, moment)
  })

  it("a model that breaks before its head is a 502, after it the caller is cut", async () => {
    const { running } = await behind((request, response) => {
      if (request.url?.endsWith("/early") === true) return void request.socket.destroy()
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write("data: 1\n\n", () => request.socket.resetAndDestroy())
    })
    const early = await fetch(`${running.url}/v1/early`)
    assert.deepStrictEqual(
      [early.status, ((await early.json()) as { message_code: string }).message_code],
      [502, "upstream_unreachable"]
    )
    const client = await rawConnection(running.port)
    client.send(get())
    await client.closed
    assert.notInclude(client.received(), "0\r\n\r\n")
  })
})

describe("case 47: base paths and bodies", () => {
  it.each([
    ["/b", "/b/chat?x=1", "/b/chat?x=1"],
    ["/b", "/b", "/b"],
    ["/b/", "/b/chat", "/b/chat"],
    ["/b", "/bc/chat", "/b/bc/chat"],
    ["/b", "/chat", "/b/chat"],
    ["", "/chat", "/chat"]
  ])("an address with base path '%s' gets %s as %s", async (base, path, expected) => {
    const other = await scope.keep(serve((request, response) => void response.end(request.url)))
    const place = scope.place()
    place.file("secret/p_api-key", "k")
    place.file("secret/p_url", `${other.url}${base}`)
    const running = await scope.keep(startedSidecar(configOf(place, { model: { secret_dir: place.path("secret") } })))
    assert.strictEqual(
      await (await fetch(`${running.url}${path}`, { headers: { authorization: "Bearer p_api-key:ref" } })).text(),
      expected
    )
  })

  it("references in bodies, queries, cookies and other headers are left alone", async () => {
    const place = scope.place()
    place.file("secret/api-key", "sk-real")
    const { running } = await behind(
      async (request, response) => {
        const body = (await bodyOf(request)).toString()
        response.end(
          JSON.stringify({ body, url: request.url, cookie: request.headers.cookie, key: request.headers["x-api-key"] })
        )
      },
      { model: { secret_dir: place.path("secret") } }
    )
    const body = '{"key":"Bearer api-key:ref"}'
    const answer = await fetch(`${running.url}/v1?key=api-key:ref`, {
      method: "POST",
      body,
      headers: { authorization: "Bearer api-key:ref", cookie: "k=api-key:ref", "x-api-key": "api-key:ref" }
    })
    assert.deepStrictEqual(await answer.json(), {
      body,
      url: "/v1?key=api-key:ref",
      cookie: "k=api-key:ref",
      key: "api-key:ref"
    })
  })
})

describe("case 53: many at once", () => {
  it("200 streams at the same time (for the contract's 500; rates and memory over an hour are figures of the benchmarks and the soak)", async () => {
    const count = 200
    const open: Array<ServerResponse> = []
    let all: () => void = () => {}
    const everybody = new Promise<void>((resolve) => {
      all = resolve
    })
    const { running } = await behind((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write("data: first\n\n")
      open.push(response)
      if (open.length === count) all()
    })
    const answers = Array.from({ length: count }, (_, index) =>
      fetch(`${running.url}/v1/${index}`).then((answer) => answer.text())
    )
    await everybody
    for (const response of open) response.end("data: last\n\n")
    for (const text of await Promise.all(answers)) assert.strictEqual(text, "data: first\n\ndata: last\n\n")
  })
})

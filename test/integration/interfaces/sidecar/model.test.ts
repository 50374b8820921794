import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { makeAuthority } from "../../../support/certificate.ts"
import { listening, rawConnection, serve } from "../../../support/loopback-server.ts"
import { configOf, makeScope, type Overrides, type Place, startedSidecar } from "../../../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)

/** a model that answers with what it got */
const model = async () => {
  const seen: Array<{ readonly path: string | undefined; readonly headers: IncomingMessage["headers"] }> = []
  const server = await scope.keep(
    serve((request, response) => {
      seen.push({ path: request.url, headers: request.headers })
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ path: request.url, authorization: request.headers.authorization ?? null }))
    })
  )
  return { ...server, seen }
}
const sidecar = (place: Place, overrides: Overrides, apiServer?: string) =>
  scope.keep(startedSidecar(configOf(place, overrides), { apiServer }))
const code = async (answer: Response) => ((await answer.json()) as { readonly message_code?: string }).message_code
const secretIn = (place: Place, keys: { readonly [key: string]: string }) => {
  for (const [key, value] of Object.entries(keys)) place.file(`secret/${key}`, value)
  return place.path("secret")
}

describe("model traffic", () => {
  it("without a credential carries the pod's token", async () => {
    const upstream = await model()
    const running = await sidecar(scope.place(), { model: { url: `${upstream.url}/v1` } })
    const answer = await fetch(`${running.url}/v1/models?x=1`, { headers: { "x-tenant": "team-a" } })
    assert.deepStrictEqual(await answer.json(), { path: "/v1/models?x=1", authorization: "Bearer pod-token" })
    assert.isUndefined(upstream.seen[0]?.headers["x-tenant"])
  })
  it("with a reference carries the key, with anything else what the adapter sent", async () => {
    const place = scope.place()
    const upstream = await model()
    const running = await sidecar(place, {
      model: { url: upstream.url, secret_dir: secretIn(place, { "api-key": "sk-real\n" }) }
    })
    const sent = async (authorization: string) =>
      ((await (await fetch(`${running.url}/v1`, { headers: { authorization } })).json()) as { authorization: string })
        .authorization
    assert.strictEqual(await sent("Bearer api-key:ref"), "Bearer sk-real")
    assert.strictEqual(await sent("Bearer sk-own"), "Bearer sk-own")
    assert.strictEqual(await sent("Basic eDp5"), "Basic eDp5")
  })
  it("named headers are replaced when configured", async () => {
    const place = scope.place()
    const upstream = await model()
    const running = await sidecar(place, {
      model: { url: upstream.url, secret_dir: secretIn(place, { "api-key": "sk-real" }), ref_headers: ["X-API-Key"] }
    })
    await fetch(`${running.url}/v1`, { headers: { "x-api-key": "api-key:ref" } })
    assert.strictEqual(upstream.seen[0]?.headers["x-api-key"], "sk-real")
    assert.isUndefined(upstream.seen[0]?.headers.authorization)
  })
  it("several models are told apart by prefix", async () => {
    const place = scope.place()
    const [first, second] = [await model(), await model()]
    const secret_dir = secretIn(place, {
      "a_api-key": "ka",
      a_url: `${first.url}/base`,
      b_sa_token: "",
      b_url: second.url
    })
    const running = await sidecar(place, { model: { secret_dir } })
    const get = async (reference: string) =>
      (await fetch(`${running.url}/chat`, { headers: { authorization: `Bearer ${reference}` } })).json()
    assert.deepStrictEqual(await get("a_api-key:ref"), { path: "/base/chat", authorization: "Bearer ka" })
    assert.deepStrictEqual(await get("b_sa_token:ref"), { path: "/chat", authorization: "Bearer pod-token" })
  })
  it("a refusal never holds a value", async () => {
    const place = scope.place()
    const running = await sidecar(place, {
      model: { secret_dir: secretIn(place, { "a_api-key": "CANARY", "b_api-key": "", c_url: "CANARY" }) }
    })
    for (const reference of ["b_api-key:ref", "c_url:ref", "x_api-key:ref"]) {
      const answer = await fetch(`${running.url}/v1`, { headers: { authorization: `Bearer ${reference}` } })
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(answer.headers.get("x-evald-sidecar"), "error")
      assert.notInclude(await answer.text(), "CANARY")
    }
  })
  it("an upstream's own 401 passes unmarked", async () => {
    const upstream = await scope.keep(
      serve((_, response) => void response.writeHead(401, { "www-authenticate": "Bearer" }).end("no"))
    )
    const running = await sidecar(scope.place(), { model: { url: upstream.url } })
    const answer = await fetch(`${running.url}/v1`)
    assert.strictEqual(answer.status, 401)
    assert.isNull(answer.headers.get("x-evald-sidecar"))
    assert.strictEqual(await answer.text(), "no")
  })
  it.each<readonly ["always" | "in_cluster" | "never", string | null]>([
    ["in_cluster", null],
    ["never", null]
  ])("case 45: token injection '%s' leaves a foreign host without it", async (sa_token_injection, authorization) => {
    const upstream = await model()
    const running = await sidecar(scope.place(), { model: { url: upstream.url, sa_token_injection } })
    assert.deepStrictEqual(await (await fetch(`${running.url}/v1`)).json(), { path: "/v1", authorization })
  })
  it("case 45: credentials over plain http can be refused", async () => {
    const upstream = await model()
    const running = await sidecar(scope.place(), {
      model: { url: upstream.url },
      egress: { require_tls_for_credentials: true }
    })
    const answer = await fetch(`${running.url}/v1`)
    assert.strictEqual(answer.status, 403)
    assert.strictEqual(await code(answer), "upstream_blocked")
    assert.lengthOf(upstream.seen, 0)
  })
})

describe("what leaves unprotected", () => {
  it("is said once", async () => {
    const upstream = await model()
    const running = await sidecar(scope.place(), { model: { url: upstream.url } })
    for (let round = 0; round < 3; round++) await (await fetch(`${running.url}/v1`)).text()
    assert.deepStrictEqual(
      running.lines.filter(({ level }) => level === "warning").map(({ fields }) => fields),
      [{ host: `127.0.0.1:${upstream.port}` }]
    )
  })
})

describe("case 44: outbound policy", () => {
  it.each([
    "http://127.0.0.1:9/",
    "http://localhost:9/",
    "http://169.254.169.254/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::1]:9/",
    "http://0.0.0.0:9/"
  ])("%s is never connected", async (url) => {
    const running = await sidecar(scope.place(), { model: { url }, egress: { allow_cidrs: [] } })
    const answer = await fetch(`${running.url}/v1`)
    assert.strictEqual(answer.status, 403)
    assert.strictEqual(await code(answer), "upstream_blocked")
  })
  it("the cluster's API server is not reachable, whoever asks", async () => {
    const running = await sidecar(scope.place(), { model: { url: "http://10.255.0.1:443" } }, "10.255.0.1")
    assert.strictEqual(await code(await fetch(`${running.url}/v1`)), "upstream_blocked")
  })
  it("hosts can be listed", async () => {
    const upstream = await model()
    const running = await sidecar(scope.place(), {
      model: { url: upstream.url },
      egress: { allow_hosts: ["models.example"] }
    })
    const answer = await fetch(`${running.url}/v1`)
    assert.strictEqual(await code(answer), "upstream_blocked")
    const named = await sidecar(scope.place(), {
      model: { url: upstream.url.replace("127.0.0.1", "LOCALHOST") },
      egress: { allow_hosts: ["localhost"] }
    })
    assert.strictEqual((await fetch(`${named.url}/v1`)).status, 200)
  })
})

describe("case 43: TLS", () => {
  const secureModel = async () => {
    const { authority, server } = makeAuthority()
    const running = await scope.keep(
      listening(
        createSecureServer({ cert: server.certificate, key: server.key }, (_, response) => void response.end("secure")),
        "https"
      )
    )
    return { ...running, authority }
  }
  it("a private CA from the secret is added to the roots", async () => {
    const place = scope.place()
    const upstream = await secureModel()
    const running = await sidecar(place, {
      model: { url: upstream.url, secret_dir: secretIn(place, { ca_cert: upstream.authority }) }
    })
    assert.strictEqual(await (await fetch(`${running.url}/v1`)).text(), "secure")
  })
  it.each<readonly [string, (place: Place) => Partial<Overrides["model"]>]>([
    ["missing", () => ({})],
    ["of somebody else", (place) => ({ secret_dir: secretIn(place, { ca_cert: makeAuthority().authority }) })],
    [
      "unreadable",
      (place) => ({
        secret_dir: secretIn(place, { ca_cert: "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n" })
      })
    ]
  ])("a CA that is %s is a TLS failure that says so", async (_, secret) => {
    const place = scope.place()
    const upstream = await secureModel()
    const running = await sidecar(place, { model: { url: upstream.url, ...secret(place) } })
    const answer = await fetch(`${running.url}/v1`)
    assert.strictEqual(answer.status, 502)
    const body = (await answer.json()) as { readonly message: string; readonly message_code: string }
    assert.strictEqual(body.message_code, "upstream_tls_failed")
    assert.match(body.message, /ca_cert/)
  })
  it("the default model over http and a prefixed one with the CA live side by side", async () => {
    const place = scope.place()
    const [plain, secure] = [await model(), await secureModel()]
    const secret_dir = secretIn(place, { ca_cert: secure.authority, "s_api-key": "k", s_url: secure.url })
    const running = await sidecar(place, { model: { url: plain.url, secret_dir } })
    assert.strictEqual((await fetch(`${running.url}/v1`)).status, 200)
    assert.strictEqual(
      await (await fetch(`${running.url}/v1`, { headers: { authorization: "Bearer s_api-key:ref" } })).text(),
      "secure"
    )
  })
})

describe("case 46: hardening", () => {
  it.each<readonly [string, string, number, string]>([
    ["a dot segment", "GET /v1/../api/v1/evaluations/jobs HTTP/1.1", 400, "path_invalid"],
    ["an encoded dot segment", "GET /v1/%2E%2e/x HTTP/1.1", 400, "path_invalid"],
    ["an encoded slash with dots", "GET /v1/..%2f..%2fx HTTP/1.1", 400, "path_invalid"],
    ["a backslash", "GET /v1\\x HTTP/1.1", 400, "path_invalid"],
    ["an absolute target", "GET http://169.254.169.254/ HTTP/1.1", 400, "path_invalid"],
    ["CONNECT", "CONNECT 169.254.169.254:80 HTTP/1.1", 400, "path_invalid"],
    ["an upgrade", "GET /v1 HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket", 501, "upgrade_not_supported"],
    [
      "length and chunks at once",
      "POST /v1 HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked",
      400,
      "request_invalid"
    ],
    [
      "two Authorization headers",
      "GET /v1 HTTP/1.1\r\nAuthorization: a\r\nauthorization: b",
      400,
      "authorization_ambiguous"
    ],
    ["no HTTP", "hello", 400, "request_invalid"],
    [
      "thousands of header lines, which hide the last of them",
      `GET /v1 HTTP/1.1\r\n${"a: 1\r\n".repeat(2000)}Authorization: Bearer x`,
      431,
      "request_head_too_large"
    ],
    ["an unknown expectation", "GET /v1 HTTP/1.1\r\nExpect: miracles", 417, "request_invalid"],
    ["no Host", "GET /v1 HTTP/1.1\r\n\r\nGET /v1 HTTP/1.1", 400, "request_invalid"],
    ["a head above 64 KiB", `GET /v1 HTTP/1.1\r\nX-Long: ${"x".repeat(70_000)}`, 431, "request_head_too_large"]
  ])("%s", async (_, head, status, expected) => {
    const upstream = await model()
    const running = await sidecar(scope.place(), { model: { url: upstream.url } })
    const client = await rawConnection(running.port)
    client.send(`${head}\r\nHost: x\r\n\r\n`)
    const text = await client.until(/"message_code":"\w+"/)
    assert.match(text, new RegExp(`^HTTP/1.1 ${status} `))
    assert.include(text, `"message_code":"${expected}"`)
    assert.match(text, /x-evald-sidecar: error/i)
    client.destroy()
    assert.lengthOf(upstream.seen, 0)
  })
  it("identity and hop-by-hop headers end here, in both directions", async () => {
    const seen: Array<IncomingMessage["headers"]> = []
    const upstream = await scope.keep(
      serve((request, response) => {
        seen.push(request.headers)
        response
          .writeHead(200, { Connection: "X-Hop", "X-Hop": "1", "X-End": "2", "Proxy-Authenticate": "Basic" })
          .end()
      })
    )
    const running = await sidecar(scope.place(), { model: { url: upstream.url } })
    const client = await rawConnection(running.port)
    client.send(
      "GET /v1 HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, X-Secret-Hop\r\nX-Secret-Hop: 1\r\nTE: trailers, deflate\r\nProxy-Authorization: x\r\nImpersonate-User: root\r\nX-Remote-User: root\r\nX-Forwarded-For: 1\r\nForwarded: for=1\r\nX-User: root\r\nX-End: 1\r\n\r\n"
    )
    const text = await client.until(/\r\n\r\n/)
    client.destroy()
    assert.notMatch(text, /x-hop|proxy-authenticate/i)
    assert.match(text, /x-end: 2/i)
    const names = Object.keys(seen[0] ?? {})
    for (const gone of [
      "x-secret-hop",
      "proxy-authorization",
      "impersonate-user",
      "x-remote-user",
      "x-forwarded-for",
      "forwarded",
      "x-user"
    ])
      assert.notInclude(names, gone)
    assert.include(seen[0], { te: "trailers", "x-end": "1" })
  })
  it("a request id is kept when it is sane, made otherwise", async () => {
    const upstream = await model()
    const running = await sidecar(scope.place(), { model: { url: upstream.url } })
    await fetch(`${running.url}/v1`, { headers: { "x-request-id": "mine-1" } })
    await fetch(`${running.url}/v1`)
    assert.deepStrictEqual(
      upstream.seen.map(({ headers }) => headers["x-request-id"]),
      ["mine-1", "id-1"]
    )
  })
  it("listens on loopback only, health and metrics beside it", async () => {
    const upstream = await model()
    const running = await sidecar(scope.place(), { model: { url: upstream.url }, metrics: true })
    await (await fetch(`${running.url}/v1/chat`)).text()
    assert.strictEqual((await fetch(`${running.url}/health`)).status, 200)
    const health = await fetch(`http://127.0.0.1:${running.healthPort}/health`)
    assert.deepStrictEqual(await health.json(), { status: "healthy" })
    assert.strictEqual((await fetch(`http://127.0.0.1:${running.healthPort}/v1`)).status, 404)
    const metrics = await (await fetch(`http://127.0.0.1:${running.healthPort}/metrics`)).text()
    assert.match(metrics, /evald_sidecar_exchanges_total\{route="model",method="GET",status="2xx"\} 1/)
    assert.notMatch(metrics, /chat|127\.0\.0\.1/)
  })
})

describe("case 42: rotation", () => {
  it("a key that changed is used after five seconds at most, and all keys change together", async () => {
    const place = scope.place()
    const upstream = await model()
    // as a mounted secret looks: the keys are links through one link that is switched
    const write = (version: string) => {
      mkdirSync(place.path(`secret/..${version}`), { recursive: true })
      for (const key of ["api-key", "a_api-key"])
        writeFileSync(place.path(`secret/..${version}/${key}`), `${key}-${version}`)
      symlinkSync(`..${version}`, place.path("secret/..next"))
      renameSync(place.path("secret/..next"), place.path("secret/..data"))
    }
    mkdirSync(place.path("secret"))
    for (const key of ["api-key", "a_api-key"]) symlinkSync(`..data/${key}`, place.path(`secret/${key}`))
    write("v1")
    let now = 0
    const config = configOf(place, { model: { url: upstream.url, secret_dir: place.path("secret") } })
    const running = await scope.keep(startedSidecar(config, { tuning: { fileClock: () => now } }))
    const sent = async (key: string) =>
      (
        (await (await fetch(`${running.url}/v1`, { headers: { authorization: `Bearer ${key}:ref` } })).json()) as {
          authorization: string
        }
      ).authorization
    assert.strictEqual(await sent("api-key"), "Bearer api-key-v1")
    write("v2")
    now = 4_999
    assert.strictEqual(await sent("api-key"), "Bearer api-key-v1")
    now = 5_000
    assert.strictEqual(await sent("api-key"), "Bearer api-key-v2")
    assert.strictEqual(await sent("a_api-key"), "Bearer a_api-key-v2")
    // in the middle of a change, or gone: the last good values
    rmSync(place.path("secret/..data"))
    now = 10_000
    assert.strictEqual(await sent("api-key"), "Bearer api-key-v2")
  })

  it("key, authority and token change while requests go on: none fails, and each is in use within its time", async () => {
    const place = scope.place()
    const authorities = [makeAuthority("first"), makeAuthority("second")] as const
    const seen = new Set<string | undefined>()
    const models = await Promise.all(
      authorities.map(({ server }) =>
        scope.keep(
          listening(
            createSecureServer({ cert: server.certificate, key: server.key }, (request, response) => {
              seen.add(request.headers.authorization)
              response.end("ok")
            }),
            "https"
          )
        )
      )
    )
    const [first, second] = models
    // both authorities at once, as an administrator rotates them
    const secret_dir = secretIn(place, {
      "api-key": "k1",
      ca_cert: authorities[0].authority,
      "b_api-key": "kb",
      b_url: second?.url ?? ""
    })
    let now = 0
    const config = configOf(place, { model: { url: first?.url ?? "", secret_dir } })
    const running = await scope.keep(startedSidecar(config, { tuning: { fileClock: () => now } }))
    let going = true
    const statuses = new Map<number, number>()
    const load = Array.from({ length: 4 }, async (_, lane) => {
      while (going) {
        const { status } = await fetch(
          `${running.url}/v1`,
          lane < 2 ? { headers: { authorization: "Bearer api-key:ref" } } : {}
        )
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    })
    const used = (value: string) => vi.waitFor(() => assert.isTrue(seen.has(value), value), { timeout: 10_000 })
    await used("Bearer k1")
    await used("Bearer pod-token")
    secretIn(place, { "api-key": "k2", ca_cert: `${authorities[0].authority}${authorities[1].authority}` })
    place.file("model-token", "pod-token-2\n")
    // secrets are looked at every 5 s at the latest, tokens every 60 s
    now = 61_000
    await used("Bearer k2")
    await used("Bearer pod-token-2")
    const other = await fetch(`${running.url}/v1`, { headers: { authorization: "Bearer b_api-key:ref" } })
    assert.strictEqual(other.status, 200)
    going = false
    await Promise.all(load)
    assert.deepStrictEqual([...statuses.keys()], [200])
  })
})

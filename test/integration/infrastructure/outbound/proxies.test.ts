/** Whoever asks another server does so through a real proxy, or past it. Loopback needs to be named for that. Reference: gateway.md, "Proxies". */
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { modelUpstream } from "../../../../domain/credentials/upstream.ts"
import type { EgressPolicy } from "../../../../domain/egress.ts"
import { straight, type WayOut } from "../../../../domain/proxies.ts"
import { ask } from "../../../../infrastructure/outbound/ask.ts"
import { type ConnectionOptions, makeConnections } from "../../../../infrastructure/outbound/connections.ts"
import { OutboundError } from "../../../../infrastructure/outbound/outbound-error.ts"
import { makeAuthority } from "../../../support/certificate.ts"
import { closedPort } from "../../../support/http-peer.ts"
import { listening, serve } from "../../../support/loopback-server.ts"
import { connectProxy, through } from "../../../support/proxies.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const server = Effect.acquireRelease(
  Effect.promise(async () => {
    const seen: Array<NodeJS.Dict<string | Array<string>>> = []
    const running = await serve((request, response) => {
      seen.push(request.headers)
      response.end("answer")
    })
    return { ...running, seen }
  }),
  ({ close }) => Effect.promise(close)
)
/** each has an authority of its own name, by which OpenSSL tells them apart */
let authorities = 0
const secureServer = Effect.acquireRelease(
  Effect.promise(async () => {
    authorities += 1
    const { authority, server: signed } = makeAuthority(`authority ${authorities}`)
    const answering = createSecureServer(
      { cert: signed.certificate, key: signed.key },
      (_, response) => void response.end("secure")
    )
    return { ...(await listening(answering, "https")), authority }
  }),
  ({ close }) => Effect.promise(close)
)

const peer = { name: "the peer", remedy: "look at its CA" }
const connectionsOf = (way: WayOut, given: Partial<ConnectionOptions> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      makeConnections({
        peer,
        connectMillis: 5_000,
        trust: () => ({}),
        egress: undefined,
        way,
        maxPerOrigin: 4,
        maxQueued: 4,
        ...given
      })
    ),
    ({ close }) => Effect.sync(close)
  )
/** the body of the answer, or why there is none */
const get = (url: string, way: WayOut, given: Partial<ConnectionOptions> = {}) =>
  Effect.gen(function* () {
    const connections = yield* connectionsOf(way, given)
    const upstream = Either.getOrThrow(modelUpstream(url))
    const wanted = {
      connections,
      upstream,
      method: "GET",
      path: "/",
      headers: {},
      timeoutMillis: 5_000,
      maxBytes: 1_000
    } as const
    return yield* Effect.either(
      Effect.tryPromise(() => ask(wanted).then(({ body }) => body)).pipe(
        Effect.catchAll(({ error }) => (error instanceof OutboundError ? Effect.fail(error) : Effect.die(error)))
      )
    )
  })
const answered = Either.getOrThrow<string, OutboundError>
const failed = <A>(result: Either.Either<A, OutboundError>): OutboundError => Either.getOrThrow(Either.flip(result))

describe("a request through a proxy", () => {
  it.scopedLive("goes by CONNECT with the proxy's credentials, which the other side never sees", () =>
    Effect.gen(function* () {
      const proxy = yield* connectProxy("me:s3cret")
      const [plain, secure] = [yield* server, yield* secureServer]
      const way = through(`http://me:s3cret@${proxy.address}`)
      assert.strictEqual(answered(yield* get(plain.url, way)), "answer")
      assert.strictEqual(answered(yield* get(secure.url, way, { trust: () => ({ ca: secure.authority }) })), "secure")
      assert.deepStrictEqual(proxy.asked, [`127.0.0.1:${plain.port}`, `127.0.0.1:${secure.port}`])
      assert.isUndefined(plain.seen[0]?.["proxy-authorization"])
    })
  )

  it.scopedLive("is not made for loopback that nobody named, for NO_PROXY, and for evald itself", () =>
    Effect.gen(function* () {
      const proxy = yield* connectProxy()
      const { url } = yield* server
      const address = `http://${proxy.address}`
      assert.strictEqual(answered(yield* get(url, through(address, { named: [] }))), "answer")
      assert.strictEqual(answered(yield* get(url, through(address, { exempt: "127.0.0.0/8" }))), "answer")
      assert.strictEqual(
        answered(yield* get(url, through(address, { named: ["models.example"] }), { own: true })),
        "answer"
      )
      assert.deepStrictEqual(proxy.asked, [])
    })
  )

  it.scopedLive("over TLS needs the proxy's CA, and says where that belongs", () =>
    Effect.gen(function* () {
      const { authority, server: signed } = makeAuthority()
      const proxy = yield* connectProxy("me:s3cret", signed)
      const { url, authority: ca } = yield* secureServer
      const way = (own: string | undefined) =>
        through(`https://me:s3cret@${proxy.address}`, own === undefined ? {} : { ca: own })
      assert.strictEqual(answered(yield* get(url, way(authority), { trust: () => ({ ca }) })), "secure")
      const error = failed(yield* get(url, way(undefined), { trust: () => ({ ca }) }))
      assert.strictEqual(error.reason, "tls")
      assert.match(error.message, /^TLS to the proxy https:\/\/127\.0\.0\.1:\d+ failed: .*egress\.proxy_ca_path/)
    })
  )

  it.scopedLive("that the proxy refuses, or that finds none, names the proxy and never its password", () =>
    Effect.gen(function* () {
      const proxy = yield* connectProxy("me:s3cret")
      const { url } = yield* server
      const refused = failed(yield* get(url, through(`http://me:wr0ng@${proxy.address}`)))
      assert.strictEqual(refused.reason, "unreachable")
      assert.match(
        refused.message,
        /^the proxy http:\/\/127\.0\.0\.1:\d+ opens no way to '127\.0\.0\.1:\d+': it answers 407/
      )
      const absent = failed(yield* get(url, through(`http://me:wr0ng@127.0.0.1:${yield* closedPort}`)))
      assert.match(absent.message, /the proxy http:\/\/127\.0\.0\.1:\d+: ECONNREFUSED$/)
      for (const { message } of [refused, absent]) assert.notMatch(message, /wr0ng|s3cret|Basic/)
    })
  )

  it.scopedLive("that the proxy leaves without an answer is given up", () =>
    Effect.gen(function* () {
      const silent = yield* Effect.acquireRelease(
        Effect.promise(() => {
          const accepting = createServer()
          accepting.on("connect", () => {})
          return listening(accepting)
        }),
        ({ server: accepting }) =>
          Effect.sync(() => {
            accepting.close()
            accepting.closeAllConnections()
          })
      )
      const { url } = yield* server
      const error = failed(yield* get(url, through(silent.url), { connectMillis: 30 }))
      assert.strictEqual(error.reason, "timeout")
      assert.match(
        error.message,
        /^the proxy http:\/\/127\.0\.0\.1:\d+ opened no way to '127\.0\.0\.1:\d+' within 30 ms$/
      )
    })
  )

  it.scopedLive("whose handshake fails behind the proxy blames the other side", () =>
    Effect.gen(function* () {
      const proxy = yield* connectProxy()
      const { url } = yield* secureServer
      const error = failed(yield* get(url, through(`http://${proxy.address}`)))
      assert.deepStrictEqual([error.reason, proxy.asked.length], ["tls", 1])
      assert.match(error.message, /^TLS to the peer '127\.0\.0\.1:\d+' failed: .*look at its CA/)
    })
  )
})

describe("a CA file", () => {
  it.scopedLive("adds to the roots of the system and of NODE_EXTRA_CA_CERTS; only a cluster's own replaces them", () =>
    Effect.gen(function* () {
      const [known, other] = [yield* secureServer, yield* secureServer]
      const path = join(yield* tempDir, "extra.crt")
      writeFileSync(path, known.authority)
      const before = process.env["NODE_EXTRA_CA_CERTS"]
      process.env["NODE_EXTRA_CA_CERTS"] = path
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (before === undefined) delete process.env["NODE_EXTRA_CA_CERTS"]
          else process.env["NODE_EXTRA_CA_CERTS"] = before
        })
      )
      const ca = other.authority
      assert.strictEqual(answered(yield* get(other.url, straight, { trust: () => ({ ca }) })), "secure")
      assert.strictEqual(answered(yield* get(known.url, straight, { trust: () => ({ ca }) })), "secure")
      assert.strictEqual(failed(yield* get(known.url, straight, { trust: () => ({ ca, onlyCa: true }) })).reason, "tls")
    })
  )
})

describe("the outbound policy before a proxy", () => {
  const policy = (given: Partial<EgressPolicy> = {}): EgressPolicy => ({ denied: [], allowed: [], hosts: [], ...given })
  const cases: ReadonlyArray<readonly [string, string, EgressPolicy, RegExp | undefined]> = [
    ["a name is refused, because nobody here sees its address", "localhost", policy(), /egress\.trust_proxy/],
    ["a name goes through a trusted proxy", "localhost", policy({ trustProxy: true }), undefined],
    [
      "a name that is not allowed is refused through a trusted proxy too",
      "localhost",
      policy({ trustProxy: true, hosts: ["models.example"] }),
      /allowed hosts/
    ],
    [
      "a denied literal address is refused through a trusted proxy too",
      "127.0.0.1",
      policy({ trustProxy: true }),
      /outbound policy forbids/
    ]
  ]
  for (const [title, host, egress, refusal] of cases)
    it.scopedLive(title, () =>
      Effect.gen(function* () {
        const proxy = yield* connectProxy()
        const { port } = yield* server
        const result = yield* get(`http://${host}:${port}`, through(`http://${proxy.address}`), { egress })
        if (refusal === undefined) {
          assert.strictEqual(answered(result), "answer")
          assert.deepStrictEqual(proxy.asked, [`localhost:${port}`])
          return
        }
        assert.strictEqual(failed(result).reason, "blocked")
        assert.match(failed(result).message, refusal)
        assert.deepStrictEqual(proxy.asked, [])
      })
    )
})

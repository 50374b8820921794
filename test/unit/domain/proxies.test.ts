import { assert, describe, it } from "@effect/vitest"
import { Either, Redacted } from "effect"
import {
  type Proxies,
  proxyAddress,
  proxyAuthorization,
  proxyFor,
  proxyVariables,
  readProxies,
  withoutCredentials
} from "../../../domain/proxies.ts"

const names = { http: "HTTP_PROXY", https: "HTTPS_PROXY", exempt: "NO_PROXY", named: "egress.proxied_hosts" }
const read = (texts: {
  readonly http?: string
  readonly https?: string
  readonly exempt?: string
  readonly named?: ReadonlyArray<string>
}) => readProxies({ http: texts.http, https: texts.https, exempt: texts.exempt, named: texts.named ?? [] }, names)
const with_ = (exempt: string, named: ReadonlyArray<string> = []): Proxies =>
  Either.getOrThrow(read({ http: "http://plain.proxy:3128", https: "http://secure.proxy:3128", exempt, named }))

/** `host:port`, bare IPv6 addresses in brackets */
const way = (proxies: Proxies, url: string, own = false): string => {
  const { protocol, hostname, port } = new URL(url)
  const secure = protocol === "https:"
  const destination = {
    protocol: secure ? ("https:" as const) : ("http:" as const),
    hostname: hostname.replace(/^\[|\]$/g, "")
  }
  return (
    proxyFor(proxies, { ...destination, port: port === "" ? (secure ? 443 : 80) : Number(port) }, own)?.hostname ??
    "straight"
  )
}

describe("which way a request leaves", () => {
  it("https and http have a proxy each", () => {
    assert.strictEqual(way(with_(""), "https://models.example/v1"), "secure.proxy")
    assert.strictEqual(way(with_(""), "http://models.example/v1"), "plain.proxy")
    assert.strictEqual(
      way(Either.getOrThrow(read({ http: "http://plain.proxy" })), "https://models.example"),
      "straight"
    )
  })

  const cases: ReadonlyArray<readonly [list: string, straight: ReadonlyArray<string>, proxied: ReadonlyArray<string>]> =
    [
      ["*", ["https://a.example", "http://8.8.8.8"], []],
      [
        "example.com",
        ["https://example.com", "https://EXAMPLE.com.", "https://a.example.com"],
        ["https://notexample.com", "https://example.com.evil.test"]
      ],
      [
        ".example.com",
        ["https://a.example.com", "https://a.b.example.com"],
        ["https://example.com", "https://notexample.com"]
      ],
      ["*.example.com", ["https://a.example.com"], ["https://example.com"]],
      ["example.com:8443", ["https://example.com:8443"], ["https://example.com"]],
      [
        "10.0.0.0/8,fd00::/8",
        ["http://10.1.2.3", "https://[fd00::1]:8443"],
        ["http://11.1.2.3", "https://[2001:db8::1]"]
      ],
      ["192.0.2.7", ["http://192.0.2.7:9000"], ["http://192.0.2.8"]],
      [
        "192.0.2.7:9000 [2001:db8::1]:443",
        ["http://192.0.2.7:9000", "https://[2001:db8::1]"],
        ["http://192.0.2.7", "https://[2001:db8::1]:8443"]
      ],
      ["10.0.0.0/8:9000", ["http://10.1.2.3:9000"], ["http://10.1.2.3"]],
      [" a.test ,, b.test\tc.test ", ["http://a.test", "http://b.test", "http://c.test"], ["http://d.test"]],
      [
        ".svc,.cluster.local",
        ["http://model.team.svc:8080", "http://model.team.svc.cluster.local"],
        ["http://model.team.svc.other"]
      ]
    ]
  for (const [list, straight, proxied] of cases)
    it(`NO_PROXY ${JSON.stringify(list)}`, () => {
      for (const url of straight) assert.strictEqual(way(with_(list), url), "straight", url)
      for (const url of proxied) assert.notStrictEqual(way(with_(list), url), "straight", url)
    })

  it("loopback, evald itself and the cluster's API are asked straight, unless they are named", () => {
    for (const url of [
      "http://127.0.0.1:8080",
      "https://localhost",
      "https://a.localhost",
      "http://[::1]:8080",
      "http://127.9.9.9",
      "http://0.0.0.0:1",
      "http://[::ffff:127.0.0.1]"
    ])
      assert.strictEqual(way(with_(""), url), "straight", url)
    assert.strictEqual(way(with_(""), "https://10.96.0.1", true), "straight")
    assert.strictEqual(way(with_("", ["127.0.0.1:8080"]), "http://127.0.0.1:8080"), "plain.proxy")
    assert.strictEqual(way(with_("", ["127.0.0.1:8080"]), "http://127.0.0.1:8081"), "straight")
    assert.strictEqual(way(with_("", ["10.96.0.1"]), "https://10.96.0.1", true), "secure.proxy")
    assert.strictEqual(way(with_("10.96.0.1", ["10.96.0.1"]), "https://10.96.0.1", true), "straight")
  })
})

describe("the variables of proxies", () => {
  it("are taken in both cases, lower case first, and empty ones count as absent", () => {
    assert.deepStrictEqual(proxyVariables({ HTTPS_PROXY: "http://a", https_proxy: "http://b", NO_PROXY: "x" }), {
      http: undefined,
      https: "http://b",
      exempt: "x"
    })
    assert.strictEqual(way(Either.getOrThrow(read({ https: "" })), "https://models.example"), "straight")
  })

  it("an address may lack its scheme and its port, and may be one of IPv6", () => {
    const addressOf = (https: string) => {
      const proxy = Either.getOrThrow(read({ https })).https
      return proxy === undefined ? undefined : proxyAddress(proxy)
    }
    assert.strictEqual(addressOf("proxy.test:3128"), "http://proxy.test:3128")
    assert.strictEqual(addressOf("http://proxy.test/"), "http://proxy.test:80")
    assert.strictEqual(addressOf("https://proxy.test"), "https://proxy.test:443")
    assert.strictEqual(addressOf("http://[2001:db8::1]:3128"), "http://[2001:db8::1]:3128")
  })

  it("credentials become Proxy-Authorization and appear nowhere else", () => {
    const proxies = Either.getOrThrow(read({ https: "http://me:p%40ss%20w%C3%B6rd@proxy.test:3128" }))
    assert.isDefined(proxies.https)
    if (proxies.https === undefined) return
    assert.strictEqual(Redacted.value(proxies.https.credentials ?? Redacted.make("")), "me:p@ss wörd")
    assert.strictEqual(proxyAuthorization(proxies.https), `Basic ${Buffer.from("me:p@ss wörd").toString("base64")}`)
    assert.strictEqual(proxyAddress(proxies.https), "http://proxy.test:3128")
    assert.notMatch(JSON.stringify(proxies), /p@ss|p%40ss/)
    for (const text of [
      "http://me:secret@proxy.test:3128",
      "me:sec@ret@proxy.test:3128",
      "socks5://me:secret@proxy.test"
    ])
      assert.notMatch(withoutCredentials(text), /me|sec/, text)
    assert.strictEqual(withoutCredentials("http://me:secret@proxy.test:3128"), "http://proxy.test:3128")
    assert.strictEqual(withoutCredentials("http://proxy.test:3128"), "http://proxy.test:3128")
  })

  it("what is unusable is named without being repeated", () => {
    const problem = (texts: Parameters<typeof read>[0]) => Either.getOrThrow(Either.flip(read(texts)))
    for (const https of [
      "socks5://me:secret@proxy.test",
      "http://me:secret@",
      "http://me:secret@proxy.test/path",
      "http://me:%zzsecret@proxy.test"
    ]) {
      assert.match(problem({ https }), /^HTTPS_PROXY: /, https)
      assert.notMatch(problem({ https }), /secret/, https)
    }
    assert.match(problem({ exempt: "a.test,10.0.0.0/99" }), /^NO_PROXY: '10\.0\.0\.0\/99' is no name/)
    assert.match(problem({ named: ["a b"] }), /^egress\.proxied_hosts: /)
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { isClusterHost, modelUpstream, prefixUpstream, upstreamPath } from "../../../../domain/credentials/upstream.ts"

describe("upstreams", () => {
  it("the model's path was given to the adapter, so only the origin counts", () => {
    const upstream = Either.getOrThrow(modelUpstream("https://m.example:8443/v1?x=1"))
    assert.deepStrictEqual(upstream, {
      protocol: "https:",
      hostname: "m.example",
      port: 8443,
      host: "m.example:8443",
      basePath: ""
    })
    assert.strictEqual(upstreamPath(upstream, "/v1/chat?x=1"), "/v1/chat?x=1")
  })
  it("addresses without brackets", () =>
    assert.strictEqual(Either.getOrThrow(modelUpstream("http://[::1]/")).hostname, "::1"))
  it.each([
    ["https://a/b", "/chat", "/b/chat"],
    ["https://a/b", "/b/chat", "/b/chat"],
    ["https://a/b", "/b", "/b"],
    ["https://a/b", "/b?q=/b/", "/b?q=/b/"],
    ["https://a/b/", "/chat?x=%2F..", "/b/chat?x=%2F.."],
    ["https://a/b", "/bc", "/b/bc"],
    ["https://a", "/v1", "/v1"],
    ["https://a/", "/v1", "/v1"]
  ])("%s + %s", (base, path, expected) =>
    assert.strictEqual(upstreamPath(Either.getOrThrow(prefixUpstream(base)), path), expected)
  )
  it.each(["", "model", "ftp://a", "https://u@a", "https://a/#f", "https://a/?q=1", "http://"])(
    "%j is refused",
    (text) => assert.isTrue(Either.isLeft(prefixUpstream(text)))
  )
  it("cluster hosts", () => {
    for (const host of ["a.b.svc", "A.B.SVC", "a.b.svc.cluster.local", "a.b.svc."]) assert.isTrue(isClusterHost(host))
    for (const host of ["svc", "a.svc.example", "asvc", "a.b.svc.cluster.local.evil"])
      assert.isFalse(isClusterHost(host))
  })
})

import { assert, describe, it } from "vitest"
import { makeCallerSource } from "../../../../interfaces/http/middleware/caller-source.ts"

const source = (remoteAddress: string | undefined, forwarded?: string, trusted: ReadonlyArray<string> = []) =>
  makeCallerSource(trusted)({ remoteAddress, headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded } })

describe("where a request comes from", () => {
  it("the peer's address, whatever it says of itself", () => {
    assert.strictEqual(source("10.0.0.1"), "10.0.0.1")
    assert.strictEqual(source("10.0.0.1", "1.2.3.4"), "10.0.0.1")
    assert.strictEqual(source("10.0.0.1", "1.2.3.4", ["10.0.0.2"]), "10.0.0.1")
    assert.strictEqual(source("::ffff:10.0.0.1"), "10.0.0.1")
    assert.strictEqual(source(undefined), "unknown")
  })
  it("behind a trusted proxy the nearest address that is none of the trusted ones", () => {
    const trusted = ["10.0.0.2", "10.0.0.3"]
    assert.strictEqual(source("10.0.0.2", "1.2.3.4", trusted), "1.2.3.4")
    assert.strictEqual(source("::ffff:10.0.0.2", "9.9.9.9, 1.2.3.4 ,10.0.0.3", trusted), "1.2.3.4")
    assert.strictEqual(source("10.0.0.2", "[2001:db8::1]:443", trusted), "2001:db8:0:0::/64")
    assert.strictEqual(source("10.0.0.2", "1.2.3.4:5678", trusted), "1.2.3.4")
  })
  it("a proxy that names nobody, or nothing that is an address, is the source itself", () => {
    for (const forwarded of [undefined, "", "unknown", "_hidden", "1.2.3.4, nonsense", "10.0.0.3"])
      assert.match(source("10.0.0.2", forwarded, ["10.0.0.2", "10.0.0.3"]), /^10\.0\.0\.[23]$/, forwarded)
  })
  it("one network of IPv6 is one source, since everybody there has countless addresses", () => {
    assert.strictEqual(source("2001:db8:1:2:aaaa::1"), source("2001:db8:1:2:bbbb::2"))
    assert.notStrictEqual(source("2001:db8:1:2::1"), source("2001:db8:1:3::1"))
    assert.strictEqual(source("fe80::1%eth0"), source("fe80::2"))
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { type EgressPolicy, mayAsk, mayReach, parseAddress, parseCidr } from "../../../domain/egress.ts"

const open: EgressPolicy = { denied: [], allowed: [], hosts: [] }
const range = (text: string) => Either.getOrThrow(parseCidr(text))

describe("outbound policy", () => {
  it.each([
    "169.254.169.254",
    "169.254.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "100.100.100.200",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "fd00:ec2::254",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "64:ff9b::169.254.169.254",
    "2002:7f00:1::",
    "not-an-address",
    "",
    "127.0.0.01",
    "1.2.3",
    "0x7f000001"
  ])("%s is refused", (address) => assert.isFalse(mayReach(open, address)))
  it.each([
    "10.1.2.3",
    "192.168.0.1",
    "172.16.0.1",
    "8.8.8.8",
    "100.100.100.201",
    "fd00::1",
    "2001:db8::1",
    "::ffff:10.0.0.1"
  ])("%s is allowed", (address) => assert.isTrue(mayReach(open, address)))
  it("settings add and override", () => {
    assert.isFalse(mayReach({ ...open, denied: [range("10.0.0.0/8")] }, "10.1.2.3"))
    assert.isFalse(mayReach({ ...open, denied: [range("10.0.0.0/8")] }, "::ffff:10.1.2.3"))
    assert.isTrue(mayReach({ ...open, denied: [range("10.0.0.0/8")], allowed: [range("10.1.0.0/16")] }, "10.1.2.3"))
    assert.isTrue(mayReach({ ...open, allowed: [range("127.0.0.1")] }, "127.0.0.1"))
    assert.isFalse(mayReach({ ...open, allowed: [range("127.0.0.1")] }, "127.0.0.2"))
  })
  it("hosts", () => {
    assert.isTrue(mayAsk(open, "any.example"))
    assert.isTrue(mayAsk({ ...open, hosts: ["m.example"] }, "M.example."))
    assert.isFalse(mayAsk({ ...open, hosts: ["m.example"] }, "x.m.example"))
  })
  it.each(["", "10.0.0.0/33", "::/129", "10/8", "10.0.0.0/8/8", "a/8", "10.0.0.0/x", "1:2:3"])(
    "%j is no range",
    (text) => assert.isTrue(Either.isLeft(parseCidr(text)))
  )
  it("an address is in every range around it", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.integer({ min: 0, max: 32 }), (address, bits) => {
        assert.isDefined(parseAddress(address))
        assert.isTrue(mayReach({ ...open, allowed: [range(`${address}/${bits}`)] }, address))
      })
    )
  })
})

import { assert, describe, it } from "@effect/vitest"
import { dnsLabelProblem, dnsSubdomainProblem, isDnsLabel, isDnsSubdomain } from "../../../domain/dns-name.ts"

describe("DNS names", () => {
  it.each(["a", "0", "team-a", "a".repeat(63), "1-2"])("label %s", (text) => {
    assert.isTrue(isDnsLabel(text))
    assert.isTrue(isDnsSubdomain(text))
  })
  it.each(["", "-a", "a-", "A", "a_b", "a.b", "a".repeat(64), "a\n", "ä", "../x", "a b", "a\u0000"])(
    "no label %j",
    (text) => {
      assert.isFalse(isDnsLabel(text))
      assert.isString(dnsLabelProblem(text))
    }
  )
  it.each(["a.b", "x.y-z.0", `${"a".repeat(200)}.b`])("subdomain %s", (text) => assert.isTrue(isDnsSubdomain(text)))
  it.each(["", ".", "a.", ".a", "a..b", "a.-b", "a/b", `${"a".repeat(252)}.b`])("no subdomain %j", (text) =>
    assert.isString(dnsSubdomainProblem(text))
  )
  it("a caller may shorten the allowed length", () => {
    assert.match(dnsSubdomainProblem("a".repeat(64), 63) ?? "", /at most 63 characters, has 64/)
  })
})

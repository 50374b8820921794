/** The worked examples that the publisher of the signature prints in its reference. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { canonicalQuery, encodeComponent, signRequest } from "../../../../infrastructure/objectstore/signature-v4.ts"

const keys = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: Redacted.make("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
  region: "us-east-1"
}
const host = "examplebucket.s3.amazonaws.com"
const at = Date.UTC(2013, 4, 24)

const signatureOf = (
  path: string,
  query: ReadonlyArray<readonly [string, string]>,
  headers: { readonly [name: string]: string } = {}
) => signRequest({ method: "GET", host, path, query, headers }, keys, at)["authorization"]?.split("Signature=")[1]

describe("signature version 4", () => {
  it("GET object with a range", () =>
    assert.strictEqual(
      signatureOf("/test.txt", [], { range: "bytes=0-9" }),
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    ))
  it("GET bucket lifecycle: a query name without value", () =>
    assert.strictEqual(
      signatureOf("/", [["lifecycle", ""]]),
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    ))
  it("list objects: several query members, given in any order", () =>
    assert.strictEqual(
      signatureOf("/", [
        ["prefix", "J"],
        ["max-keys", "2"]
      ]),
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
    ))
  it("names the signed headers in order and sends a session token as one of them", () => {
    const headers = signRequest(
      { method: "GET", host, path: "/x", query: [], headers: { "if-match": '"e"' } },
      { ...keys, sessionToken: Redacted.make("T") },
      at
    )
    assert.include(headers["authorization"], "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ")
    assert.include(
      headers["authorization"],
      "SignedHeaders=host;if-match;x-amz-content-sha256;x-amz-date;x-amz-security-token,"
    )
    assert.strictEqual(headers["x-amz-security-token"], "T")
    assert.strictEqual(headers["x-amz-date"], "20130524T000000Z")
  })
  it("encodes everything but unreserved characters", () => {
    assert.strictEqual(encodeComponent("a b/c+(d)*!'~_-.ü"), "a%20b%2Fc%2B%28d%29%2A%21%27~_-.%C3%BC")
    assert.strictEqual(
      canonicalQuery([
        ["b", "2"],
        ["a", "x"],
        ["a", "A b"]
      ]),
      "a=A%20b&a=x&b=2"
    )
  })
})

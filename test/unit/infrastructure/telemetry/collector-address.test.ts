import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { encodingOf, readHeaders, tracesAddress } from "../../../../infrastructure/telemetry/collector-address.ts"

const refusal = (result: Either.Either<unknown, string>) => Either.getOrThrow(Either.flip(result))

describe("the collector's address", () => {
  it.each([
    ["http://c:4318", "http://c:4318/v1/traces"],
    ["http://c:4318/", "http://c:4318/v1/traces"],
    ["https://c/otlp//", "https://c/otlp/v1/traces"],
    ["https://c/x/v1/traces", "https://c/x/v1/traces"]
  ])("%s is %s", (endpoint, address) => assert.deepStrictEqual(tracesAddress(endpoint), Either.right(address)))
  it("is refused when it cannot be asked, and never shows what it holds", () => {
    for (const endpoint of ["", "collector:4317", "grpc://c", "c"])
      assert.include(refusal(tracesAddress(endpoint)), "http or https", endpoint)
    const refused = refusal(tracesAddress("https://me:hunter2@c"))
    assert.include(refused, "telemetry.headers")
    assert.notInclude(refused, "hunter2")
  })
})

describe("the protocol", () => {
  it("is OTLP over HTTP, as JSON or protobuf", () => {
    for (const name of ["http/json", "otlp-http", " HTTP/JSON "])
      assert.deepStrictEqual(encodingOf(name), Either.right("json"), name)
    assert.deepStrictEqual(encodingOf("http/protobuf"), Either.right("protobuf"))
  })
  it("gRPC is refused with what to use instead", () => {
    for (const name of ["grpc", "otlp-grpc", "GRPC"])
      assert.strictEqual(
        refusal(encodingOf(name)),
        "traces are sent over HTTP, not gRPC: use http/protobuf or http/json with the collector's HTTP port, by default 4318"
      )
    assert.include(refusal(encodingOf("zipkin")), "'zipkin' is not known")
    assert.include(refusal(encodingOf("constructor")), "not known")
  })
})

describe("headers for the collector", () => {
  it("are pairs, percent-encoded, names in lower case, the last one counts", () => {
    assert.deepStrictEqual(
      readHeaders("Authorization=Bearer%20a%3Db, x-scope = one=two ,,x-empty=,x-scope=three"),
      Either.right({ authorization: "Bearer a=b", "x-scope": "three", "x-empty": "" })
    )
    assert.deepStrictEqual(readHeaders(""), Either.right({}))
  })
  it("that cannot be sent are named without their value", () => {
    assert.strictEqual(refusal(readHeaders("a=1,hunter2")), "header 2 is not of the form name=value")
    assert.strictEqual(refusal(readHeaders("=hunter2")), "header 1 is not of the form name=value")
    assert.strictEqual(refusal(readHeaders("a b=hunter2")), "header 1 is not of the form name=value")
    for (const value of ["hunter2%0d%0ax: y", "hunter2%", "hunter2%E2%82%AC"]) {
      const refused = refusal(readHeaders(`authorization=${value}`))
      assert.include(refused, "'authorization'")
      assert.notInclude(refused, "hunter2")
    }
  })
})

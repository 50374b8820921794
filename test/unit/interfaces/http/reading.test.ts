import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc, Schema } from "effect"
import { inWireWords } from "../../../../config/wire-names.ts"
import { parseTagFilter } from "../../../../domain/list-filter.ts"
import { decoder } from "../../../../interfaces/http/dto/decode.ts"
import { decodeJobRequest } from "../../../../interfaces/http/dto/job-request.ts"
import { decodeCollection } from "../../../../interfaces/http/dto/provider-body.ts"
import {
  choiceParameter,
  flagParameter,
  integerParameter,
  parsedParameter,
  reader,
  repeatable,
  textParameter
} from "../../../../interfaces/http/dto/query.ts"
import { maybe, maybeAs } from "../../../../interfaces/http/dto/shapes.ts"
import { choose } from "../../../../interfaces/http/middleware/accept.ts"
import { isCurrent, permitted } from "../../../../interfaces/http/middleware/conditional.ts"
import * as JsonDocument from "../../../../interfaces/http/middleware/json-document.ts"
import { refusalOf } from "../../../../interfaces/http/middleware/same-site.ts"
import { ignoredMembers, warningHeader } from "../../../../interfaces/http/middleware/warnings.ts"
import { makeRouter } from "../../../../interfaces/http/routing.ts"
import { nearest } from "../../../../values/nearest.ts"

const strict = { lenient: false }
// small documents are read without a pause
const parse = (text: Uint8Array) => Effect.runSync(Effect.either(JsonDocument.parse(text)))
const parseLenient = (text: Uint8Array) => Effect.runSync(Effect.either(JsonDocument.parseLenient(text)))
const bytes = (text: string) => new TextEncoder().encode(text)

describe("routing", () => {
  const route = makeRouter([
    { method: "GET", path: "/a" },
    { method: "GET", path: "/a/:id" },
    { method: "DELETE", path: "/a/:id" },
    { method: "POST", path: "/a/:id/b/:index" }
  ])
  const shown = (method: string, path: string) => {
    const found = route(method, path)
    return found._tag === "Found"
      ? { path: found.route.path, params: found.params }
      : found._tag === "OtherMethod"
        ? found.allow
        : "unknown"
  }

  it("finds literal paths and parameters, decoded", () => {
    assert.deepStrictEqual(shown("GET", "/a"), { path: "/a", params: {} })
    assert.deepStrictEqual(shown("HEAD", "/a/x%2Fy%20z"), { path: "/a/:id", params: { id: "x/y z" } })
    assert.deepStrictEqual(shown("POST", "/a/1/b/2"), { path: "/a/:id/b/:index", params: { id: "1", index: "2" } })
  })

  it("names the other methods, and knows no near misses", () => {
    assert.deepStrictEqual(shown("PUT", "/a/1"), ["DELETE", "GET", "HEAD"])
    for (const path of ["/", "", "/a/", "//a", "/a//b/1", "/a/%", "/a/%ff", "/A", "/a/1/b/2/3"])
      assert.strictEqual(shown("GET", path), "unknown", path)
  })

  it.prop("never throws, and every parameter is a decoded part of the path", [fc.webPath()], ([path]) => {
    const found = route("GET", path)
    if (found._tag === "Found")
      for (const value of Object.values(found.params)) assert.include(decodeURIComponent(path), value)
  })
})

describe("JSON documents", () => {
  it.prop(
    "what JSON.stringify writes is read back, whatever it is",
    [fc.jsonValue({ maxDepth: 20, stringUnit: "grapheme" })],
    ([value]) => {
      const text = JSON.stringify(value)
      const read = parse(bytes(text))
      if (Either.isRight(read)) assert.deepStrictEqual(read.right.value, JSON.parse(text))
      else assert.match(text, /__proto__|\\u|\d[eE]/)
    }
  )

  it.prop("any bytes are read or refused, strictly and leniently", [fc.uint8Array({ maxLength: 200 })], ([some]) => {
    for (const read of [parse(some), parseLenient(some)])
      if (Either.isLeft(read)) assert.include(["Refused", "Invalid"], read.left._tag)
  })

  it("64 levels are read and 65 are not, brackets in strings do not count", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
    assert.isTrue(Either.isRight(parse(bytes(nested(64)))))
    assert.isTrue(Either.isLeft(parse(bytes(nested(65)))))
    assert.isTrue(Either.isRight(parse(bytes(JSON.stringify("[".repeat(1000))))))
    assert.isTrue(Either.isRight(parse(bytes(`["\\"${"[".repeat(1000)}"]`))))
  })
})

describe("integers that double precision can not hold", () => {
  const noteOf = (text: string) => Either.getOrThrow(parse(bytes(text))).notes
  it("are named with their place and what they became", () => {
    assert.deepStrictEqual(noteOf('{"a":{"b/c":[1,12345678901234567890]},"d":-9007199254740993}'), [
      "integers beyond 2^53 were rounded, send them as texts to keep every digit: /a/b~1c/1 became 12345678901234567000, /d became -9007199254740992"
    ])
    assert.deepStrictEqual(
      noteOf(`{"ids":[${Array.from({ length: 30 }, () => "9007199254740993").join(",")}]}`).map(
        (note) => note.split(" became ").length
      ),
      [6]
    )
  })
  it("are not those that it can hold, nor digits of texts, fractions and powers", () => {
    for (const text of [
      '{"a":9007199254740992,"b":9007199254740991,"c":1000000000000000000000}',
      '{"a":"12345678901234567890","9007199254740993":1}',
      '{"a":0.12345678901234567890,"b":1234567890123456789.5,"c":12345678901234567890e1,"d":1e300}',
      '{"a":"\\"9007199254740993"}'
    ])
      assert.deepStrictEqual(noteOf(text), [], text)
  })
  it("are found in events too", () => {
    const { notes } = Either.getOrThrow(
      parseLenient(bytes('{"benchmark_status_event":{"metrics":{"n":9007199254740993,"x":NaN}}}'))
    )
    assert.lengthOf(notes, 1)
    assert.include(notes[0] ?? "", "/benchmark_status_event/metrics/n became 9007199254740992")
  })
  it.prop("every integer is either exact or named", [fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n })], ([value]) => {
    const again = String(Number(value))
    const exact = again.includes("e") ? BigInt(Number(value)) === value : again === String(value)
    assert.strictEqual(noteOf(`{"a":${value}}`).length, exact ? 0 : 1)
  })
})

describe("queries", () => {
  const read = reader({
    limit: integerParameter("", { minimum: 1, maximum: 100, default: 50 }),
    offset: integerParameter("", { minimum: 0, default: 0 }),
    brief: flagParameter("", false),
    name: textParameter(""),
    kind: choiceParameter("", ["a", "b"])
  })
  const problems = (search: string) => {
    const result = read(search)
    return Either.isLeft(result)
      ? (result.left.violations ?? []).map(inWireWords).map(({ path, code }) => [path, code])
      : []
  }

  it("gives defaults, reads values and treats an empty text as absent", () => {
    assert.deepStrictEqual(Either.getOrThrow(read("")), {
      limit: 50,
      offset: 0,
      brief: false,
      name: undefined,
      kind: undefined
    })
    assert.deepStrictEqual(Either.getOrThrow(read("limit=7&name=&kind=b&brief=true")), {
      limit: 7,
      offset: 0,
      brief: true,
      name: undefined,
      kind: "b"
    })
    assert.strictEqual(Either.getOrThrow(read("name=a+b%26c")).name, "a b&c")
  })

  it("tells all problems at once, each with its code", () => {
    assert.deepStrictEqual(problems("limit=0&offset=x&brief=1&kind=c&nmae=x&limit=1&limit=2"), [
      ["/limit", "query_parameter_invalid"],
      ["/offset", "query_parameter_invalid"],
      ["/brief", "query_parameter_invalid"],
      ["/kind", "query_parameter_value_invalid"],
      ["/nmae", "query_bad_parameter"],
      ["/limit", "query_parameter_invalid"],
      ["/limit", "query_parameter_invalid"]
    ])
  })

  it("texts of a parameter that may be repeated count as one, any other is given once", () => {
    const listed = reader({ tags: repeatable(parsedParameter("", parseTagFilter), ","), name: textParameter("") })
    assert.deepStrictEqual(Either.getOrThrow(listed("tags=a&tags=b|c&tags=&tags=d")).tags, [["a"], ["b", "c"], ["d"]])
    const told = (search: string) => {
      const result = listed(search)
      return Either.isLeft(result)
        ? (result.left.violations ?? []).map(inWireWords).map(({ path, message }) => `${path} ${message}`)
        : []
    }
    assert.deepStrictEqual(told("name=a&name=b"), [
      "/name query parameter 'name' is given more than once; give it once"
    ])
    assert.deepStrictEqual(told("tags=a&tags=|&tags=|"), [
      "/tags query parameter 'tags' is 'a,|' but must name tags, with ',' (both) or '|' (either) between them"
    ])
    assert.lengthOf(told(Array.from({ length: 4000 }, (_, at) => `tags=t${at}`).join("&")), 1)
  })

  it("an unknown name lists the known ones and the nearest", () => {
    const result = read("nmae=x")
    assert.include(
      Either.isLeft(result) ? result.left.message : "",
      "known are limit, offset, brief, name, kind; did you mean 'name'?"
    )
  })
})

describe("decoding", () => {
  const Inner = Schema.Struct({ value: maybe(Schema.Number), kind: Schema.Literal("a", "b") })
  const decode = decoder(
    Schema.Struct({
      id: Schema.String,
      innerList: maybeAs("inner_list", Schema.Array(Inner)),
      choice: maybe(Schema.Union(Schema.String, Schema.Number))
    })
  )
  const told = (document: unknown) => {
    const result = decode(document, strict)
    return Either.isLeft(result)
      ? result.left.violations.map(inWireWords).map(({ path, message }) => `${path}: ${message}`)
      : []
  }

  it("null is absent and inner names are the domain's", () => {
    assert.deepStrictEqual(
      Either.getOrThrow(decode({ id: "x", inner_list: [{ value: null, kind: "a" }], choice: null }, strict)).value,
      {
        id: "x",
        innerList: [{ kind: "a" }]
      }
    )
  })

  it("says path, value and what is allowed, all at once", () => {
    assert.deepStrictEqual(told({ inner_list: [{ value: "1", kind: "c" }, 7], choice: [], extra: 1 }), [
      "/extra: 'extra' is not a known member; known are id, inner_list, choice",
      "/id: 'id' is required",
      "/inner_list/0/value: 'inner_list.0.value' is '1' but must be a number",
      "/inner_list/0/kind: 'inner_list.0.kind' is 'c' but must be one of 'a', 'b'",
      "/inner_list/1: 'inner_list.1' is 7 but must be an object",
      "/choice: 'choice' is [] but must be a string or a number"
    ])
    assert.deepStrictEqual(told(null), [": the document is null but must be an object"])
  })

  it("free-form members say that they are objects", () => {
    const result = decodeJobRequest(
      { name: "n", model: { url: "http://m/v1", name: "m", parameters: "x" }, custom: [] },
      strict
    )
    assert.deepStrictEqual(
      Either.isLeft(result) ? result.left.violations.map(inWireWords).map(({ message }) => message) : [],
      ["'model.parameters' is 'x' but must be an object", "'custom' is [] but must be an object"]
    )
    const told = decodeCollection({ name: "n", category: "c", custom: [], benchmarks: [] }, strict)
    assert.deepStrictEqual(
      Either.isLeft(told) ? told.left.violations.map(inWireWords).map(({ message }) => message) : [],
      ["'custom' is [] but must be an object"]
    )
  })

  it("long values are cut, pointers are escaped", () => {
    const [message] = told({ id: ["x".repeat(200)], "a/b~c": 1 }).filter((text) => text.startsWith("/id"))
    assert.isBelow(message?.length ?? 0, 140)
    assert.isTrue(told({ id: "x", "a/b~c": 1 }).some((text) => text.startsWith("/a~1b~0c: ")))
  })

  it.prop(
    "a job request decodes or is refused with pointers that lead into the document",
    [fc.jsonValue({ maxDepth: 4 })],
    ([document]) => {
      const result = decodeJobRequest(document, strict)
      if (Either.isLeft(result))
        for (const { path, message } of result.left.violations.map(inWireWords))
          assert.isTrue(message.length > 0 && (path === "" || path.startsWith("/")))
    }
  )
})

describe("nearest names", () => {
  it("sees through case, separators and swapped letters", () => {
    const known = ["provider_id", "benchmarks", "name", "pass_criteria"]
    assert.deepStrictEqual(
      ["providerId", "benchmark", "nmae", "passCriteria", "PROVIDER-ID"].map((name) => nearest(name, known)),
      ["provider_id", "benchmarks", "name", "pass_criteria", "provider_id"]
    )
    for (const name of ["", "zzz", "x".repeat(1000), "completely_different"])
      assert.isUndefined(nearest(name, known), name)
  })
})

describe("media types", () => {
  const offered = ["application/yaml", "application/json"] as const
  const chosen = (header: string | undefined) => Either.getOrElse(choose(header, offered), ({ code }) => code)

  it("follows quality, specificity and the route's favourite", () => {
    const cases: ReadonlyArray<readonly [string | undefined, string]> = [
      [undefined, "application/yaml"],
      ["*/*", "application/yaml"],
      ["application/json", "application/json"],
      ["application/*;q=0.5", "application/yaml"],
      ["application/yaml;q=0.1, application/json", "application/json"],
      ["application/yaml;q=0, */*;q=0.1", "application/json"],
      ["text/html, APPLICATION/JSON ; q=0.3", "application/json"],
      ["text/html", "not_acceptable"],
      ["application/*;q=0", "not_acceptable"],
      [",,", "application/yaml"]
    ]
    for (const [header, wanted] of cases) assert.strictEqual(chosen(header), wanted, header)
  })
})

describe("entity tags", () => {
  it("are compared weakly for answers and strongly for writes", () => {
    assert.isTrue(isCurrent({ "if-none-match": 'W/"1", "2"' }, '"1"'))
    assert.isTrue(isCurrent({ "if-none-match": "*" }, '"1"'))
    assert.isFalse(isCurrent({ "if-none-match": '"11"' }, '"1"'))
    assert.isFalse(isCurrent({}, '"1"'))
    const mayWrite = (headers: Parameters<typeof permitted>[0]) => Either.isRight(permitted(headers, "x")('"1"'))
    assert.isTrue(mayWrite({ "if-match": '"0", "1"' }))
    assert.isTrue(mayWrite({}))
    for (const header of ['W/"1"', '"2"', "1", ""]) assert.isFalse(mayWrite({ "if-match": header }), header)
  })
})

describe("other sites", () => {
  const loopbackOnly = { anyHost: false }

  it("loopback hosts and their own pages pass, everything else does not", () => {
    for (const host of ["localhost", "localhost:8080", "127.0.0.1:1", "127.8.9.10", "[::1]:8080"])
      assert.isUndefined(refusalOf({ host }, loopbackOnly), host)
    assert.isUndefined(refusalOf({ host: "localhost:1", origin: "http://LOCALHOST:1" }, loopbackOnly))
    for (const host of [
      "",
      "example.com",
      "localhost.example.com",
      "127.0.0.1.nip.io",
      "128.0.0.1",
      "[::2]",
      "localhost:x"
    ])
      assert.isDefined(refusalOf({ host }, loopbackOnly), host)
    for (const origin of ["null", "http://example.com", "http://localhost:2", "file://", "https://localhost:1/x"])
      assert.isDefined(refusalOf({ host: "localhost:1", origin }, loopbackOnly), origin)
    assert.isDefined(refusalOf({}, loopbackOnly))
  })

  it("where a token is needed anyway other names are fine, pages of other sites are not", () => {
    assert.isUndefined(refusalOf({ host: "evald.lan:8080", origin: "http://evald.lan:8080" }, { anyHost: true }))
    assert.isDefined(refusalOf({ host: "evald.lan:8080", origin: "http://evil.example" }, { anyHost: true }))
  })
})

describe("warnings", () => {
  it("are quoted, visible ASCII and bounded", () => {
    assert.deepStrictEqual(warningHeader([]), {})
    assert.deepStrictEqual(warningHeader(['a "b" \\c']), { warning: '199 evald "a \\"b\\" \\\\c"' })
    const { warning = "" } = warningHeader(
      ignoredMembers(Array.from({ length: 500 }, (_, at) => `/x\u0000\r\n\u{1f9ea}${at}`))
    )
    assert.match(warning, /^[\x20-\x7e]{1,2000}$/)
  })
})

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as app, at, eventBody, HttpApp, idOf, jobBody, jobsPath } from "../../../../support/http-app.ts"

const live = { excludeTestServices: true } as const
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
const custom = (text: string) => JSON.stringify(jobBody()).replace(/}$/, `,"custom":${text}}`)
const valid = JSON.stringify(jobBody())

const malformed: ReadonlyArray<readonly [string, string | Buffer, string]> = [
  ["an open brace", "{", "invalid_json_request"],
  ["no body", "", "invalid_json_request"],
  ["a word", "hello", "invalid_json_request"],
  ["a trailing comma", valid.replace(/}$/, ",}"), "invalid_json_request"],
  ["text after the document", `${valid} x`, "invalid_json_request"],
  ["two documents", `${valid}${valid}`, "invalid_json_request"],
  ["a byte order mark", `\ufeff${valid}`, "invalid_json_request"],
  ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), "invalid_json_request"],
  ["an overlong form", Buffer.from([0x22, 0xc0, 0x80, 0x22]), "invalid_json_request"],
  ["a raw control character", valid.replace("job", "j\u0001b"), "invalid_json_request"],
  ["nesting of 10,000", nested(10_000), "invalid_json_request"],
  ["nesting of 65", custom(nested(65)), "invalid_json_request"],
  ["a bare NaN", custom('{"x":NaN}'), "invalid_json_request"],
  ["an array", "[]", "invalid_value"],
  ["a string", '"job"', "invalid_value"],
  ["null", "null", "invalid_value"],
  ["a number", "17", "invalid_value"],
  ["a number beyond double precision", custom('{"x":1e400}'), "invalid_value"],
  ["a long number", custom(`{"x":${"9".repeat(400)}}`), "invalid_value"],
  ["NUL in a name", jobText({ name: "a\u0000b" }), "invalid_value"],
  ["NUL deep in a free-form object", custom('{"a":[{"b":"\\u0000"}]}'), "invalid_value"],
  ["NUL in a member name", custom('{"a\\u0000":1}'), "invalid_value"],
  ["half a surrogate pair", custom('{"x":"\\ud800"}'), "invalid_value"],
  ["a member called __proto__", custom('{"__proto__":{"polluted":true}}'), "invalid_value"],
  ["a disguised __proto__", custom('{"\\u005f_proto__":{"polluted":true}}'), "invalid_value"],
  ["a top-level __proto__", valid.replace(/}$/, ',"__proto__":{"polluted":true}}'), "invalid_value"],
  ["a top-level constructor", valid.replace(/}$/, ',"constructor":{"prototype":{"polluted":true}}}'), "invalid_value"],
  ["a bidirectional override in a name", jobText({ name: "safe\u202egnp.exe" }), "invalid_value"],
  ["control characters in a name", jobText({ name: "a\u0007b" }), "invalid_value"],
  ["a blank name", jobText({ name: "   " }), "invalid_value"],
  [
    "every member of the wrong type",
    JSON.stringify({ name: 1, description: [], tags: "a", model: [], benchmarks: {}, custom: [] }),
    "invalid_value"
  ]
]

function jobText(given: { readonly [member: string]: unknown }) {
  return JSON.stringify(jobBody(given))
}

layer(app({ settings: { maxBodyBytes: 65_536, stallMillis: 150 } }), live)("bodies that nobody should send", (it) => {
  for (const [name, body, code] of malformed) {
    it.effect(`${name}: 400 ${code}`, () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const answer = yield* http.send("POST", jobsPath, { body })
        assert.deepStrictEqual([answer.status, answer.code], [400, code], answer.text)
        assert.isUndefined((Object.prototype as { readonly polluted?: unknown }).polluted)
      })
    )
  }

  it.effect("what is odd and legal is stored and given back as it is", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const odd = {
        constructor: { prototype: { polluted: true } },
        prototype: 1,
        emoji: "🧪👩‍🔬",
        sql: "'; DROP TABLE jobs; --",
        like: "%_\\",
        "": "empty name",
        bidi: "\u202eabc",
        deep: [[[[{ a: [null, true, -0.5, 1e-7] }]]]]
      }
      const created = yield* http.send("POST", jobsPath, {
        body: jobBody({ name: "tête-à-tête 🧪 %_'\"\\", description: "\u202eok\n\ttabs", custom: odd })
      })
      assert.strictEqual(created.status, 202, created.text)
      assert.deepStrictEqual(at((yield* http.send("GET", `${jobsPath}/${idOf(created)}`)).json, "custom"), odd)
      assert.isUndefined((Object.prototype as { readonly polluted?: unknown }).polluted)
    })
  )

  it.effect("of duplicate members the last wins", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const created = yield* http.send("POST", jobsPath, {
        body: valid.replace("{", '{"name":"first","name":"second",').replace('"name":"job",', "")
      })
      assert.deepStrictEqual([created.status, at(created.json, "name")], [202, "second"])
    })
  )

  it.effect("a body that is too large: 413, declared or not", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const declared = yield* http.send("POST", jobsPath, { body: custom(`"${"x".repeat(70_000)}"`) })
      assert.deepStrictEqual(
        [declared.status, declared.code, declared.headers["connection"]],
        [413, "request_body_too_large", "close"]
      )
      const chunk = `2000\r\n${"x".repeat(0x2000)}\r\n`
      const endless = `POST ${jobsPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}`
      const text = yield* http.raw(endless)
      assert.match(text, /^HTTP\/1\.1 413 /)
      assert.include(text, "request_body_too_large")
    })
  )

  it.effect("a body that stalls: 408 and the connection closes", () =>
    Effect.gen(function* () {
      const text = yield* (yield* HttpApp).raw(
        `POST ${jobsPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`
      )
      assert.match(text, /^HTTP\/1\.1 408 /)
      assert.include(text, "request_timeout")
      assert.match(text, /connection: close/i)
    })
  )

  it.effect("a head of 64 KB: 431 with the error body", () =>
    Effect.gen(function* () {
      const text = yield* (yield* HttpApp).raw(
        `GET ${jobsPath} HTTP/1.1\r\nHost: localhost\r\nX-Big: ${"a".repeat(65_536)}\r\n\r\n`
      )
      assert.match(text, /^HTTP\/1\.1 431 /)
      assert.include(text, '"message_code":"request_head_too_large"')
    })
  )

  it.effect("bytes that are no HTTP: 400 with the error body", () =>
    Effect.gen(function* () {
      const text = yield* (yield* HttpApp).raw("NOT HTTP AT ALL\r\n\r\n")
      assert.match(text, /^HTTP\/1\.1 400 /)
      assert.include(text, '"message_code":"invalid_value"')
    })
  )

  it.effect("other media types, character sets and encodings: 415", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (const headers of [
        { "content-type": "text/plain" },
        { "content-type": "application/x-www-form-urlencoded" },
        { "content-type": "application/json; charset=latin1" },
        { "content-type": "application/json-patch+json" },
        { "content-type": "application/json", "content-encoding": "gzip" }
      ]) {
        const answer = yield* http.send("POST", jobsPath, { body: valid, headers })
        assert.deepStrictEqual([answer.status, answer.code], [415, "unsupported_media_type"], JSON.stringify(headers))
      }
      const fine = yield* http.send("POST", jobsPath, {
        body: valid,
        headers: { "content-type": 'Application/JSON; Charset="UTF-8"' }
      })
      assert.strictEqual(fine.status, 202)
    })
  )

  it.effect("odd paths and queries never reach a handler's depth", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (const path of [
        "/%",
        "/%00",
        "/../../etc/passwd",
        "//",
        `/${"a".repeat(8000)}`,
        "/api/v1/evaluations/jobs/",
        `${jobsPath}/%ff`
      ]) {
        assert.strictEqual((yield* http.send("GET", path)).code, "route_not_found", path)
      }
      for (const id of [
        "%2e%2e",
        "a%2fb",
        "%00",
        "%F0%9F%A7%AA",
        "'%20OR%201=1",
        "..%5c",
        "constructor",
        "__proto__"
      ]) {
        assert.strictEqual((yield* http.send("GET", `${jobsPath}/${id}`)).code, "resource_not_found", id)
      }
      for (const query of [
        "limit=1e1",
        "limit=",
        "offset=-1",
        "limit=0",
        "limit=101",
        "limit=5&limit=6",
        "offset=99999999999999999999",
        "name=%00"
      ]) {
        assert.strictEqual((yield* http.send("GET", `${jobsPath}?${query}`)).code, "query_parameter_invalid", query)
      }
      for (const query of ["__proto__=1", "constructor=1", "Limit=1", "status[]=x", "=1"]) {
        assert.strictEqual((yield* http.send("GET", `${jobsPath}?${query}`)).code, "query_bad_parameter", query)
      }
      for (const query of ["name=%25", "name=_", "tags=%25", "name='%20OR%201=1", "model=%5C", "name=%F0%9F%A7%AA"]) {
        const answer = yield* http.send("GET", `${jobsPath}?${query}`)
        assert.strictEqual(answer.status, 200, query)
      }
    })
  )

  it.effect("events are read leniently and still never break", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(
        yield* http.send("POST", jobsPath, {
          body: jobBody({
            benchmarks: [
              { id: "b", provider_id: "p" },
              { id: "plain", provider_id: "p" }
            ]
          })
        })
      )
      const path = `${jobsPath}/${id}/events`
      const post = (body: string) => http.send("POST", path, { body })
      assert.strictEqual((yield* post("{")).code, "invalid_json_request")
      assert.strictEqual((yield* post(nested(10_000))).code, "invalid_json_request")
      assert.strictEqual((yield* post(JSON.stringify(eventBody({ status: "cancelled" })))).code, "invalid_value")
      assert.strictEqual((yield* post(JSON.stringify(eventBody({ benchmark_index: 9 })))).code, "invalid_value")
      const proto = yield* post(
        '{"benchmark_status_event":{"id":"b","provider_id":"p","status":"running","metrics":{"__proto__":{"polluted":1},"a":1},"__proto__":{"x":1}}}'
      )
      assert.strictEqual(proto.status, 200, proto.text)
      assert.isUndefined(({} as { readonly polluted?: unknown }).polluted)
      const done = yield* post(
        '{"benchmark_status_event":{"id":"b","provider_id":"p","benchmark_index":0,"status":"completed","metrics":{"acc":NaN,"ppl":-Infinity,"big":1e400,"ok":1},"nonsense":true},"extra":1}'
      )
      assert.deepStrictEqual([done.status, at(done.json, "applied")], [200, true], done.text)
      assert.match(String(done.headers["warning"]), /^199 evald ".*nonsense/)
      const job = yield* http.send("GET", `${jobsPath}/${id}`)
      assert.deepInclude(at(job.json, "results.benchmarks.0.metrics") as object, {
        acc: "NaN",
        ppl: "-Infinity",
        ok: 1
      })
    })
  )
})

/** Test data from a strict in-process storage into a directory. Reference: gateway.md, "Test data". */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Random, Redacted } from "effect"
import type { TestDataFailed, TestDataRequest } from "../../../../application/ports/test-data.ts"
import type { EgressPolicy } from "../../../../domain/egress.ts"
import { fetchTestData } from "../../../../infrastructure/objectstore/download.ts"
import { makeAuthority } from "../../../support/certificate.ts"
import { errorXml, type FakeS3, type FakeS3Options, fakeS3, s3Keys } from "../../../support/fake-s3.ts"
import { closedPort } from "../../../support/http-peer.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const hasty = Effect.withRandom(Random.fixed([0]))

const secretOf = (url: string, over: Readonly<Record<string, string | undefined>> = {}) => {
  const texts = {
    AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: `${s3Keys.secretAccessKey}\n`,
    AWS_DEFAULT_REGION: s3Keys.region,
    AWS_S3_ENDPOINT: url,
    ...over
  }
  return new Map(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, Redacted.make(text)] as const]))
  )
}

const requestOf = (
  target: string,
  secret: TestDataRequest["secret"],
  over: Partial<TestDataRequest> = {}
): TestDataRequest => ({
  bucket: "b",
  key: "",
  secret,
  target,
  staging: join(target, ".evald-part"),
  maxBytes: 1_000_000_000,
  maxObjects: 100_000,
  parallel: 4,
  timeoutSeconds: 60,
  egress: undefined,
  requireTls: false,
  ...over
})

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

type Contents = Readonly<Record<string, string>>

const withStore = (objects: Contents | ReadonlyMap<string, string>, options: Partial<FakeS3Options> = {}) =>
  Effect.gen(function* () {
    const fake = yield* fakeS3({
      bucket: "b",
      objects: objects instanceof Map ? objects : new Map(Object.entries(objects)),
      ...options
    })
    const target = join(yield* tempDir, "test_data")
    mkdirSync(target)
    const fetch = (over: Partial<TestDataRequest> = {}, secret: Readonly<Record<string, string | undefined>> = {}) =>
      fetchTestData(requestOf(target, secretOf(fake.url, secret), over)).pipe(hasty)
    return { fake, target, fetch }
  })

const failureOf = <A>(effect: Effect.Effect<A, TestDataFailed>) => Effect.flip(effect)

const many = (count: number): ReadonlyMap<string, string> =>
  new Map(
    Array.from({ length: count }, (_, index) => [`data/${String(index % 97)}/item-${index}.txt`, `${index}`] as const)
  )

describe("case 52: test data from an object store", () => {
  it.scopedLive("a storage with a private certificate needs its authority in AWS_CA_BUNDLE, and says so", () =>
    Effect.gen(function* () {
      const { authority, server } = makeAuthority()
      const { fetch, target } = yield* withStore({ "data/one.txt": "1" }, { tls: server })
      const untrusted = yield* failureOf(fetch({ key: "data" }))
      assert.strictEqual(untrusted.reason, "unreachable")
      assert.match(
        untrusted.message,
        /TLS to the object storage '127\.0\.0\.1:\d+' failed: .*; if its certificate is private, put the CA into AWS_CA_BUNDLE/
      )
      const foreign = yield* failureOf(fetch({ key: "data" }, { AWS_CA_BUNDLE: makeAuthority().authority }))
      assert.match(foreign.message, /TLS to .* failed/)
      const path = yield* failureOf(fetch({ key: "data" }, { AWS_CA_BUNDLE: "/etc/ssl/ca.pem" }))
      assert.match(path.message, /AWS_CA_BUNDLE of the test data secret must hold the certificates themselves/)
      assert.deepStrictEqual(filesBelow(target), [])
      assert.deepStrictEqual(yield* fetch({ key: "data", requireTls: true }, { AWS_CA_BUNDLE: `\n${authority}` }), {
        objects: 1,
        bytes: 1
      })
      assert.deepStrictEqual(filesBelow(target), ["one.txt"])
    })
  )
  it.scopedLive("keeps relative paths, skips folder markers, sets readable modes and leaves nothing of its own", () =>
    Effect.gen(function* () {
      const { target, fetch, fake } = yield* withStore({
        "data/a/one.txt": "1",
        "data/a/deep/er/two.txt": "22",
        "data/a/": "",
        "data/a/empty": "",
        "data/ab/no": "x"
      })
      assert.deepStrictEqual(yield* fetch({ key: "data/a/" }), { objects: 3, bytes: 3 })
      assert.deepStrictEqual(filesBelow(target), ["deep/er/two.txt", "empty", "one.txt"])
      assert.strictEqual(readFileSync(join(target, "deep/er/two.txt"), "utf8"), "22")
      assert.strictEqual(statSync(join(target, "one.txt")).mode & 0o777, 0o644)
      assert.strictEqual(statSync(join(target, "deep")).mode & 0o777, 0o755)
      assert.isFalse(existsSync(join(target, ".evald-part")))
      assert.isAtMost(fake.mostAtOnce(), 4)
    })
  )

  it.scopedLive("pages beyond 1,000 keys: 1,205 objects with their bytes", () =>
    Effect.gen(function* () {
      const { target, fetch, fake } = yield* withStore(many(1205))
      assert.strictEqual((yield* fetch({ key: "data" })).objects, 1205)
      assert.lengthOf(filesBelow(target), 1205)
      assert.strictEqual(readFileSync(join(target, "41", "item-332.txt"), "utf8"), "332")
      assert.lengthOf(
        fake.requests.filter((request) => request.includes("list-type") && request.includes("continuation-token")),
        1
      )
    })
  )

  it.scopedLive("lists 25,000 objects completely before anything is downloaded", () =>
    Effect.gen(function* () {
      const { target, fetch, fake } = yield* withStore(many(25_000))
      const failure = yield* failureOf(fetch({ key: "data/", maxObjects: 24_999 }))
      assert.strictEqual(failure.reason, "too_large")
      assert.include(failure.message, "25000 objects")
      assert.lengthOf(fake.gets(), 0)
      assert.deepStrictEqual(readdirSync(target), [])
    })
  )

  const odd = [
    "data/with space.txt",
    "data/plus+and&<xml>.txt",
    "data/ümläut/日本語.txt",
    "data/per%20cent.txt",
    "data/quote'\"(1)*!.txt",
    "data/semi;comma,=.txt",
    "data/new\nline"
  ]
  for (const ignoresEncoding of [false, true])
    it.scopedLive(`odd keys, ${ignoresEncoding ? "plain" : "encoded"} in the listing`, () =>
      Effect.gen(function* () {
        const objects = Object.fromEntries(odd.map((key, index) => [key, String(index)]))
        const { target, fetch } = yield* withStore(objects, { ignoresEncoding })
        yield* fetch({ key: "data/" })
        for (const [index, key] of odd.entries())
          assert.strictEqual(readFileSync(join(target, key.slice("data/".length)), "utf8"), String(index))
      })
    )

  const beside = ["data/a/b", "data/a.txt", "data/ab/x"]
  for (const [key, keys, wanted] of [
    ["data/a", [...beside, "data/a"], ["a", "a.txt", "ab/x", "b"]],
    ["data/a/", [...beside, "data/a"], ["b"]],
    ["data", beside, ["a.txt", "a/b", "ab/x"]],
    ["da", beside, ["data/a.txt", "data/a/b", "data/ab/x"]],
    ["data/ab", beside, ["x"]],
    ["data/a.t", beside, ["a.txt"]]
  ] as const)
    it.scopedLive(`the key is a prefix and not only a folder: what ${key} takes of ${keys.join(" ")}`, () =>
      Effect.gen(function* () {
        const { target, fetch } = yield* withStore(Object.fromEntries(keys.map((name) => [name, name])))
        yield* fetch({ key })
        assert.deepStrictEqual(filesBelow(target), wanted)
      })
    )

  it.scopedLive(
    "two objects that would get the same path are an error that names both, before anything is written",
    () =>
      Effect.gen(function* () {
        const { target, fetch } = yield* withStore({ "many/1/1.txt": "inside", "many/1.txt": "beside" })
        const failure = yield* failureOf(fetch({ key: "many/1" }))
        assert.strictEqual(failure.reason, "unsafe_key")
        for (const name of ['"many/1/1.txt"', '"many/1.txt"']) assert.include(failure.message, name)
        assert.deepStrictEqual(readdirSync(target), [])
      })
  )

  it.scopedLive("an empty prefix is the whole bucket", () =>
    Effect.gen(function* () {
      const { target, fetch } = yield* withStore({ a: "1", "b/c": "2" })
      yield* fetch()
      assert.deepStrictEqual(filesBelow(target), ["a", "b/c"])
    })
  )

  it.scopedLive("nothing whose key begins with the prefix", () =>
    Effect.gen(function* () {
      const { fetch } = yield* withStore({ "data/ab/x": "1", "data/marker/": "" })
      const none = yield* failureOf(fetch({ key: "data/ac" }))
      assert.deepStrictEqual(
        [none.reason, none.message],
        ["not_found", "bucket 'b' has no object whose key begins with \"data/ac\""]
      )
      assert.strictEqual((yield* failureOf(fetch({ key: "data/marker" }))).reason, "not_found")
      assert.strictEqual((yield* failureOf(fetch({ key: "nothing/here/" }))).reason, "not_found")
    })
  )

  it.scopedLive("no such bucket", () =>
    Effect.gen(function* () {
      const { fetch } = yield* withStore({ a: "1" })
      const failure = yield* failureOf(fetch({ bucket: "other" }))
      assert.strictEqual(failure.reason, "not_found")
      assert.include(failure.message, "bucket 'other'")
    })
  )

  for (const [what, secret, hint] of [
    ["wrong secret", { AWS_SECRET_ACCESS_KEY: "wrong" }, "AWS_SECRET_ACCESS_KEY"],
    ["wrong key id", { AWS_ACCESS_KEY_ID: "NOBODY" }, "AWS_ACCESS_KEY_ID"],
    ["wrong region", { AWS_DEFAULT_REGION: "elsewhere" }, "AWS_DEFAULT_REGION"],
    ["unexpected session token", { AWS_SESSION_TOKEN: "t" }, "AWS_SESSION_TOKEN"]
  ] as const)
    it.scopedLive(`${what}: denied at once, naming the key and no value`, () =>
      Effect.gen(function* () {
        const { fetch, fake } = yield* withStore({ a: "1" })
        const failure = yield* failureOf(fetch({}, secret))
        assert.strictEqual(failure.reason, "denied")
        assert.include(failure.message, hint)
        assert.notInclude(failure.message, s3Keys.secretAccessKey)
        assert.lengthOf(fake.requests, 1)
      })
    )

  it.scopedLive("a session token is signed and sent", () =>
    Effect.gen(function* () {
      const { fetch } = yield* withStore({ a: "1" }, { sessionToken: "session" })
      assert.strictEqual((yield* fetch({}, { AWS_SESSION_TOKEN: "session" })).objects, 1)
    })
  )

  it.scopedLive("missing secret keys are all named, unusable ones too", () =>
    Effect.gen(function* () {
      const { fetch } = yield* withStore({ a: "1" })
      const missing = yield* failureOf(fetch({}, { AWS_DEFAULT_REGION: undefined, AWS_SECRET_ACCESS_KEY: " \n" }))
      assert.strictEqual(missing.reason, "configuration")
      assert.include(missing.message, "AWS_SECRET_ACCESS_KEY, AWS_DEFAULT_REGION")
      for (const endpoint of ["ftp://x", "nothing", "http://user:pw@x"]) {
        const failure = yield* failureOf(fetch({}, { AWS_S3_ENDPOINT: endpoint }))
        assert.strictEqual(failure.reason, "configuration")
        assert.include(failure.message, "AWS_S3_ENDPOINT")
      }
      assert.strictEqual((yield* failureOf(fetch({ requireTls: true }))).reason, "configuration")
    })
  )

  for (const key of ["d/../../escape", "d//x", "d/./x", "d/a\\b", `d/${"n".repeat(256)}`, "d/.evald-part/x"])
    it.scopedLive(`refuses the key ${JSON.stringify(key).slice(0, 40)} before any download`, () =>
      Effect.gen(function* () {
        const { fetch, fake, target } = yield* withStore({ "d/good": "1", [key]: "2" })
        const failure = yield* failureOf(fetch({ key: "d/" }))
        assert.strictEqual(failure.reason, "unsafe_key")
        assert.lengthOf(fake.gets(), 0)
        assert.deepStrictEqual(readdirSync(target), [])
      })
    )

  it.scopedLive("a file that is also a folder is refused", () =>
    Effect.gen(function* () {
      const { fetch } = yield* withStore({ "d/x": "1", "d/x/y": "2" })
      assert.strictEqual((yield* failureOf(fetch({ key: "d" }))).reason, "unsafe_key")
      const nested = yield* withStore({ "d/a/b": "1", "d/a/b/c/e": "2" })
      assert.strictEqual((yield* failureOf(nested.fetch({ key: "d" }))).reason, "unsafe_key")
    })
  )

  it.scopedLive("links that lie in the target are not followed", () =>
    Effect.gen(function* () {
      const { fetch, target } = yield* withStore({ "d/link/x": "1" })
      const outside = yield* tempDir
      symlinkSync(outside, join(target, "link"))
      assert.strictEqual((yield* failureOf(fetch({ key: "d" }))).reason, "unsafe_key")
      assert.deepStrictEqual(readdirSync(outside), [])
      const file = yield* withStore({ "d/x": "new" })
      writeFileSync(join(outside, "precious"), "old")
      symlinkSync(join(outside, "precious"), join(file.target, "x"))
      yield* file.fetch({ key: "d" })
      assert.strictEqual(readFileSync(join(outside, "precious"), "utf8"), "old")
      assert.isTrue(lstatSync(join(file.target, "x")).isFile())
    })
  )

  it.scopedLive("more bytes than allowed: nothing is downloaded", () =>
    Effect.gen(function* () {
      const { fetch, fake } = yield* withStore({ "d/a": "12345", "d/b": "67890" })
      const failure = yield* failureOf(fetch({ key: "d", maxBytes: 9 }))
      assert.strictEqual(failure.reason, "too_large")
      assert.include(failure.message, "10 bytes")
      assert.lengthOf(fake.gets(), 0)
    })
  )

  it.scopedLive("SlowDown and cut answers are tried again, up to five times", () =>
    Effect.gen(function* () {
      const busy = new Map<string, number>()
      const { fetch, target } = yield* withStore(
        { "d/a": "aaaa", "d/b": "bbbb" },
        {
          intercept: (request, response) => {
            const path = request.url ?? ""
            const seen = (busy.get(path) ?? 0) + 1
            busy.set(path, seen)
            if (seen > 4) return false
            if (path.startsWith("/b/d/a")) {
              response.writeHead(200, { "content-length": "4" })
              response.write("aa", () => response.destroy())
            } else {
              response.writeHead(503)
              response.end(errorXml("SlowDown"))
            }
            return true
          }
        }
      )
      assert.deepStrictEqual(yield* fetch({ key: "d/" }), { objects: 2, bytes: 8 })
      assert.strictEqual(readFileSync(join(target, "a"), "utf8"), "aaaa")
    })
  )

  it.scopedLive("a storage that stays busy is given up after five tries", () =>
    Effect.gen(function* () {
      const { fetch, fake } = yield* withStore(
        {},
        {
          intercept: (_, response) => {
            response.writeHead(503)
            response.end(errorXml("SlowDown"))
            return true
          }
        }
      )
      const failure = yield* failureOf(fetch())
      assert.strictEqual(failure.reason, "unreachable")
      assert.include(failure.message, "503 SlowDown (after 5 tries)")
      assert.lengthOf(fake.requests, 5)
    })
  )

  it.scopedLive("an endpoint that is down", () =>
    Effect.gen(function* () {
      const { fetch } = yield* withStore({})
      const failure = yield* failureOf(fetch({}, { AWS_S3_ENDPOINT: `http://127.0.0.1:${yield* closedPort}` }))
      assert.strictEqual(failure.reason, "unreachable")
      assert.include(failure.message, "ECONNREFUSED")
    })
  )

  const changing = (act: (fake: FakeS3) => void) =>
    Effect.gen(function* () {
      const box: { fake?: FakeS3; done: boolean } = { done: false }
      const store = yield* withStore(
        { "d/a": "first" },
        {
          intercept: (request) => {
            if (request.url === "/b/d/a" && !box.done && box.fake !== undefined) {
              box.done = true
              act(box.fake)
            }
            return false
          }
        }
      )
      box.fake = store.fake
      return store
    })

  it.scopedLive("an object that changes meanwhile is listed again and taken as it is now", () =>
    Effect.gen(function* () {
      const { fetch, target } = yield* changing((fake) => fake.put("d/a", "second, and longer"))
      yield* fetch({ key: "d/" })
      assert.strictEqual(readFileSync(join(target, "a"), "utf8"), "second, and longer")
    })
  )

  it.scopedLive("an object that vanishes meanwhile is a clear failure", () =>
    Effect.gen(function* () {
      const { fetch } = yield* changing((fake) => fake.remove("d/a"))
      const failure = yield* failureOf(fetch({ key: "d/" }))
      assert.strictEqual(failure.reason, "not_found")
      assert.deepStrictEqual(failure.listed, { objects: 1, bytes: 5 })
    })
  )

  it.scopedLive("an object that grows beyond the limit meanwhile", () =>
    Effect.gen(function* () {
      const { fetch, target } = yield* changing((fake) => fake.put("d/a", "x".repeat(100)))
      assert.strictEqual((yield* failureOf(fetch({ key: "d/", maxBytes: 50 }))).reason, "too_large")
      assert.deepStrictEqual(
        filesBelow(target).filter((name) => !name.startsWith(".evald-part")),
        []
      )
    })
  )

  it.scopedLive("a repeated continuation token ends the listing", () =>
    Effect.gen(function* () {
      const { fetch, fake } = yield* withStore(many(30), {
        pageSize: 10,
        rewriteList: (xml) => xml.replace(/next:\d+/, "next:10").replace("<IsTruncated>false", "<IsTruncated>true")
      })
      const failure = yield* failureOf(fetch())
      assert.strictEqual(failure.reason, "unreachable")
      assert.include(failure.message, "continuation token")
      assert.lengthOf(fake.requests, 2)
    })
  )

  it.scopedLive("a listing cut in the middle is not taken for a short one", () =>
    Effect.gen(function* () {
      const { fetch } = yield* withStore({ a: "1", b: "2" }, { rewriteList: (xml) => xml.slice(0, -30) })
      assert.strictEqual((yield* failureOf(fetch())).reason, "unreachable")
    })
  )

  it.scopedLive("interrupted and started again: what is complete is kept, what changed is fetched", () =>
    Effect.gen(function* () {
      let hold = true
      const { fetch, fake, target } = yield* withStore(
        { "d/a": "aaa", "d/b": "bbb", "d/c": "ccc" },
        {
          // the third object never comes in the first run
          intercept: (request) => hold && request.url === "/b/d/c"
        }
      )
      const first = yield* Effect.fork(fetch({ key: "d/", parallel: 1 }))
      yield* Effect.iterate(0, {
        while: (tries) => tries < 500 && !fake.gets().includes("d/c"),
        body: (tries) => Effect.as(Effect.sleep("5 millis"), tries + 1)
      })
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(first)))
      assert.isTrue(existsSync(join(target, "b")))
      hold = false
      fake.put("d/b", "BBB")
      const before = fake.gets().length
      assert.deepStrictEqual(yield* fetch({ key: "d/", parallel: 1 }), { objects: 3, bytes: 9 })
      assert.deepStrictEqual(fake.gets().slice(before), ["d/b", "d/c"])
      assert.strictEqual(readFileSync(join(target, "b"), "utf8"), "BBB")
      assert.deepStrictEqual(filesBelow(target), ["a", "b", "c"])
    })
  )

  it.scopedLive("the whole run has a limit", () =>
    Effect.gen(function* () {
      const { fetch } = yield* withStore({ a: "1" }, { intercept: () => true })
      const failure = yield* failureOf(fetch({ timeoutSeconds: 0.2 }))
      assert.strictEqual(failure.reason, "unreachable")
      assert.include(failure.message, "test_data.timeout_seconds")
    })
  )

  it.scopedLive("redirects are followed on the same host only", () =>
    Effect.gen(function* () {
      const to = (where: string): Partial<FakeS3Options> => ({
        intercept: (request, response) => {
          if (!(request.url ?? "").startsWith("/b/d/a")) return false
          response.writeHead(307, { location: where })
          response.end(errorXml("TemporaryRedirect"))
          return true
        }
      })
      const same = yield* withStore({ "d/a": "1", moved: "1" }, to("/b/moved"))
      assert.strictEqual((yield* same.fetch({ key: "d" })).objects, 1)
      const other = yield* withStore({ "d/a": "1" }, to("http://127.0.0.1:9/b/moved"))
      const failure = yield* failureOf(other.fetch({ key: "d" }))
      assert.strictEqual(failure.reason, "unreachable")
      assert.include(failure.message, "redirects elsewhere")
    })
  )

  const policy = (over: Partial<EgressPolicy>): EgressPolicy => ({ denied: [], allowed: [], hosts: [], ...over })
  it.scopedLive("the outbound policy holds for literal addresses, for names, and for the list of hosts", () =>
    Effect.gen(function* () {
      const { fetch, fake } = yield* withStore({ a: "1" })
      const byName = fake.url.replace("127.0.0.1", "localhost")
      for (const [egress, endpoint] of [
        [policy({}), fake.url],
        [policy({}), byName],
        [policy({ hosts: ["other.example"] }), byName]
      ] as const) {
        const failure = yield* failureOf(fetch({ egress }, { AWS_S3_ENDPOINT: endpoint }))
        assert.strictEqual(failure.reason, "unreachable")
        assert.include(failure.message, "outbound policy")
      }
      assert.lengthOf(fake.requests, 0)
    })
  )
})

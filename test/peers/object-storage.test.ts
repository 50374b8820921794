/**
 * Test data from moto's S3 server, which checks signatures once its users are set up: paging, nested and odd keys, wrong keys, nothing
 * there. Objects are put without signatures while it does not check yet.
 */
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { fetchTestData } from "../../infrastructure/objectstore/download.ts"
import { peerEnvironments } from "../support/peer-environments.ts"
import { startPeerProcess } from "../support/peer-process.ts"
import { peerVenv } from "../support/peer-venv.ts"
import { tempDir } from "../support/temp-dir.ts"

const venv = await peerVenv(peerEnvironments.moto)

const bucket = "data-sets"
const odd = ["set/with space.txt", "set/plus+and&.txt", "set/ümläut/日本語.txt", "set/100%.txt", "set/quote'(1)*!.txt"]
const objects = new Map<string, string>([
  ...Array.from({ length: 1205 }, (_, at) => [`many/${at % 7}/item-${at}.txt`, `content ${at}`] as const),
  ...odd.map((key) => [key, `odd ${key}`] as const),
  ["set2/other", "not below the folder"],
  ["set/marker/", ""]
])

const call = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const answer = await fetch(url, init)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${init.method ?? "GET"} ${url}: ${answer.status} ${text.slice(0, 300)}`)
    return text
  })

/** how the server tells its services apart; the signature is not looked at yet */
const asIam = {
  authorization:
    "AWS4-HMAC-SHA256 Credential=setup/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0"
}
const iam = (url: string, action: string, more: Readonly<Record<string, string>>) =>
  call(url, {
    method: "POST",
    headers: asIam,
    body: new URLSearchParams({ Action: action, Version: "2010-05-08", UserName: "reader", ...more })
  })

const policy = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: "s3:*", Resource: "*" }]
})
const started = Effect.gen(function* () {
  const server = yield* startPeerProcess(venv._tag === "Ready" ? join(venv.bin, "moto_server") : "moto_server", {
    arguments: (port) => ["-H", "127.0.0.1", "-p", String(port)],
    env: { INITIAL_NO_AUTH_ACTION_COUNT: "1000000", AWS_DEFAULT_REGION: "us-east-1" }
  })
  yield* call(`${server.url}/${bucket}`, { method: "PUT" })
  yield* Effect.forEach(
    objects,
    ([key, body]) =>
      call(`${server.url}/${bucket}/${key.split("/").map(encodeURIComponent).join("/")}`, { method: "PUT", body }),
    { concurrency: 4, discard: true }
  )
  yield* iam(server.url, "CreateUser", {})
  yield* iam(server.url, "PutUserPolicy", { PolicyName: "all", PolicyDocument: policy })
  const made = yield* iam(server.url, "CreateAccessKey", {})
  // from here on every signature is checked
  yield* call(`${server.url}/moto-api/reset-auth`, { method: "POST", body: "0" })
  const said = (element: string) => new RegExp(`<${element}>([^<]*)<`).exec(made)?.[1] ?? ""
  const keys = { id: said("AccessKeyId"), secret: said("SecretAccessKey") }
  const target = join(yield* tempDir, "test_data")
  mkdirSync(target)
  const fetchInto = (key: string, over: Readonly<Record<string, string>> = {}, from = bucket) =>
    fetchTestData({
      bucket: from,
      key,
      secret: new Map(
        Object.entries({
          AWS_ACCESS_KEY_ID: keys.id,
          AWS_SECRET_ACCESS_KEY: keys.secret,
          AWS_DEFAULT_REGION: "us-east-1",
          AWS_S3_ENDPOINT: server.url,
          ...over
        }).map(([name, value]) => [name, Redacted.make(value)])
      ),
      target,
      staging: join(target, ".evald-part"),
      maxBytes: 1_000_000,
      maxObjects: 10_000,
      parallel: 4,
      timeoutSeconds: 120,
      egress: undefined,
      requireTls: false
    })
  return { fetchInto, target }
})

describe.runIf(venv._tag === "Ready")("a real object storage", () => {
  it.scopedLive("1,205 objects, odd keys, wrong keys, nothing there", () =>
    Effect.gen(function* () {
      const { fetchInto, target } = yield* started
      assert.strictEqual((yield* fetchInto("many")).objects, 1205)
      assert.strictEqual(readFileSync(join(target, "1", "item-1.txt"), "utf8"), "content 1")
      assert.lengthOf(
        readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
        1205
      )
      // a folder in a folder: names are told from it on
      assert.strictEqual((yield* fetchInto("many/3")).objects, 172)
      assert.strictEqual(readFileSync(join(target, "item-1200.txt"), "utf8"), "content 1200")
      // the key is a prefix: what lies below it is told from it on, what only begins with it from its own last folder on
      assert.strictEqual((yield* fetchInto("set")).objects, odd.length + 1)
      for (const key of odd)
        assert.strictEqual(readFileSync(join(target, key.slice("set/".length)), "utf8"), `odd ${key}`)
      assert.strictEqual(readFileSync(join(target, "set2", "other"), "utf8"), "not below the folder")
      assert.strictEqual((yield* fetchInto("set/")).objects, odd.length)
      assert.strictEqual((yield* Effect.flip(fetchInto("set", { AWS_SECRET_ACCESS_KEY: "wrong" }))).reason, "denied")
      assert.strictEqual((yield* Effect.flip(fetchInto("set", { AWS_ACCESS_KEY_ID: "AKIAWRONG" }))).reason, "denied")
      assert.strictEqual((yield* Effect.flip(fetchInto("sets"))).reason, "not_found")
      assert.strictEqual((yield* Effect.flip(fetchInto("set/marker"))).reason, "not_found")
      assert.strictEqual((yield* Effect.flip(fetchInto("set", {}, "no-such-bucket"))).reason, "not_found")
    })
  )
})

/** Compressed answers as a client meets them: 225 KB of providers went out plain to callers that asked for less. */
import { request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  layer as app,
  HttpApp,
  idOf,
  jobBody,
  jobsPath,
  providersPath,
  sampleCatalog
} from "../../../support/http-app.ts"
import { sampleProvider } from "../../../support/sample-definitions.ts"

const live = { excludeTestServices: true } as const
const many = sampleProvider({
  id: "many",
  benchmarks: Array.from({ length: 500 }, (_, at) => ({
    id: `b${at}`,
    name: `benchmark ${at}`,
    category: "other",
    metrics: ["acc"]
  }))
})

const fetched = (port: number, method: string, path: string, headers: { readonly [name: string]: string }) =>
  Effect.promise(
    () =>
      new Promise<{
        readonly status: number | undefined
        readonly headers: { readonly [name: string]: unknown }
        readonly body: Buffer
      }>((resolve, reject) => {
        request({ port, host: "127.0.0.1", method, path, headers, agent: false }, (answer) => {
          const chunks: Array<Buffer> = []
          answer.on("data", (chunk: Buffer) => chunks.push(chunk))
          answer.on("end", () =>
            resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) })
          )
        })
          .on("error", reject)
          .end()
      })
  )

layer(app({ catalog: { ...sampleCatalog, providers: [...sampleCatalog.providers, many] } }), live)(
  "an answer that a caller wants compressed",
  (it) => {
    it.effect("is the same one in fewer bytes, with headers that caches understand", () =>
      Effect.gen(function* () {
        const { port } = yield* HttpApp
        for (const path of [providersPath, `${providersPath}/many`, "/openapi.yaml", "/docs"]) {
          const plain = yield* fetched(port, "GET", path, {})
          assert.isUndefined(plain.headers["content-encoding"])
          assert.include(String(plain.headers["vary"]), "accept-encoding", path)
          for (const [coding, unpack] of [
            ["gzip", gunzipSync],
            ["br", brotliDecompressSync]
          ] as const) {
            const packed = yield* fetched(port, "GET", path, { "accept-encoding": coding })
            assert.deepStrictEqual([packed.status, packed.headers["content-encoding"]], [200, coding], path)
            assert.isBelow(packed.body.length, plain.body.length / 3)
            assert.isTrue(unpack(packed.body).equals(plain.body))
            assert.strictEqual(packed.headers["content-length"], String(packed.body.length))
            assert.notStrictEqual(packed.headers["etag"], plain.headers["etag"])
            const again = yield* fetched(port, "GET", path, {
              "accept-encoding": coding,
              "if-none-match": String(packed.headers["etag"])
            })
            assert.deepStrictEqual(
              [again.status, again.body.length, again.headers["etag"]],
              [304, 0, packed.headers["etag"]]
            )
            const head = yield* fetched(port, "HEAD", path, { "accept-encoding": coding })
            assert.deepStrictEqual(
              [head.body.length, head.headers["content-length"]],
              [0, packed.headers["content-length"]]
            )
          }
        }
      })
    )

    it.effect("has a tag with which its record can be changed", () =>
      Effect.gen(function* () {
        const { port, send } = yield* HttpApp
        const id = idOf(
          yield* send("POST", jobsPath, {
            body: jobBody({ description: "x", custom: { text: "again ".repeat(3000) } })
          })
        )
        const packed = yield* fetched(port, "GET", `${jobsPath}/${id}`, { "accept-encoding": "gzip" })
        assert.strictEqual(packed.headers["content-encoding"], "gzip")
        assert.strictEqual(
          (yield* send("DELETE", `${jobsPath}/${id}`, { headers: { "if-match": '"other-gzip"' } })).status,
          412
        )
        assert.strictEqual(
          (yield* send("DELETE", `${jobsPath}/${id}`, { headers: { "if-match": String(packed.headers["etag"]) } }))
            .status,
          204
        )
      })
    )

    it.effect("is sent as it comes when it is a stream", () =>
      Effect.gen(function* () {
        const stream = yield* (yield* HttpApp).stream(`${jobsPath}?watch=true`, {
          accept: "text/event-stream",
          "accept-encoding": "gzip"
        })
        yield* stream.until("retry: 2000")
        assert.isUndefined(stream.headers["content-encoding"])
        yield* stream.close
      })
    )
  }
)

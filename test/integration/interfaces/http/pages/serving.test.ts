/** How the pages are served: who may have them, how long they may be kept, and what they may do. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliCompressSync, brotliDecompressSync, gzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll } from "vitest"
import * as Authentication from "../../../../../interfaces/http/middleware/authentication.ts"
import { layer as app, HttpApp, jobBody, jobsPath } from "../../../../support/http-app.ts"

const folder = mkdtempSync(join(tmpdir(), "evald-ui-"))
mkdirSync(join(folder, "assets"))
const script = "x".repeat(20_000)
for (const [name, text] of [
  ["index.html", "<!doctype html><title>evald</title>"],
  ["assets/main-ABC.js", script],
  ["assets/secret.txt", "no asset"]
] as const) {
  writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, `${name}.gz`), gzipSync(text))
  writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text))
}
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const guarded = Authentication.layerTrustedHeaders({ trustedProxies: ["192.0.2.1"] })
layer(app({ authentication: guarded, server: { local: false, pages: folder } }))("the pages", (it) => {
  it.effect("are there without a caller, at each path of theirs, and hold the browser to a strict policy", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const get = (path: string, headers: { readonly [name: string]: string } = {}) =>
        Effect.promise(() => fetch(`http://127.0.0.1:${http.port}${path}`, { headers }))
      for (const path of ["/", "/?status=failed", "/jobs/1", "/jobs/1/samples?x=1", "/compare", "/usage"]) {
        const answer = yield* get(path)
        assert.deepStrictEqual([answer.status, answer.headers.get("cache-control")], [200, "no-cache"], path)
        assert.include(yield* Effect.promise(() => answer.text()), "<title>evald</title>")
        const policy = answer.headers.get("content-security-policy") ?? ""
        assert.include(policy, "default-src 'none'")
        assert.include(policy, "frame-ancestors 'none'")
        assert.notMatch(policy, /unsafe|\*/)
        assert.isNull(answer.headers.get("set-cookie"))
      }
      const again = yield* get("/", { "if-none-match": (yield* get("/")).headers.get("etag") ?? "" })
      assert.strictEqual(again.status, 304)
    })
  )

  it.effect("other paths stay unknown, other methods are named, and the API wants its caller as before", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (const path of ["/other", "/jobsx", "/assets/none.js", "/assets/secret.txt", "/assets/..%2findex.html"])
        assert.strictEqual((yield* http.send("GET", path)).code, "route_not_found", path)
      const posted = yield* http.send("POST", "/")
      assert.deepStrictEqual([posted.status, posted.headers["allow"]], [405, "GET, HEAD"])
      assert.strictEqual((yield* http.send("GET", jobsPath)).status, 401)
    })
  )

  it.effect("assets are kept for ever, and go out as they were compressed at the build", () =>
    Effect.gen(function* () {
      const { port } = yield* HttpApp
      const get = (coding: string) =>
        Effect.promise(async () => {
          const { request } = await import("node:http")
          return new Promise<{ readonly headers: NodeJS.Dict<string | string[]>; readonly body: Buffer }>((resolve) =>
            request({ port, path: "/assets/main-ABC.js", headers: { "accept-encoding": coding } }, async (answer) =>
              resolve({ headers: answer.headers, body: Buffer.concat(await answer.toArray()) })
            ).end()
          )
        })
      const brotli = yield* get("br, gzip")
      assert.include(brotli.headers, {
        "content-encoding": "br",
        "cache-control": "public, max-age=31536000, immutable",
        "content-type": "text/javascript; charset=utf-8",
        vary: "accept-encoding"
      })
      assert.strictEqual(brotliDecompressSync(brotli.body).toString(), script)
      assert.strictEqual((yield* get("gzip")).headers["content-encoding"], "gzip")
      const plain = yield* get("identity")
      assert.deepStrictEqual([plain.headers["content-encoding"], plain.body.toString()], [undefined, script])
    })
  )
})

layer(app({ server: { local: true, origins: ["https://evald.example"] } }))(
  "a browser's request that changes something",
  (it) => {
    const post = (headers: { readonly [name: string]: string }) =>
      Effect.flatMap(HttpApp, (http) => http.send("POST", jobsPath, { headers, body: jobBody() }))

    it.effect("needs a header that no form and no page of another site can send", () =>
      Effect.gen(function* () {
        for (const browsers of [
          { cookie: "a=b" },
          { "sec-fetch-site": "same-origin" },
          { origin: "https://evald.example" }
        ]) {
          assert.strictEqual((yield* post(browsers)).status, 403, JSON.stringify(browsers))
          assert.strictEqual((yield* post({ ...browsers, "x-evald-client": "pages" })).status, 202)
        }
      })
    )

    it.effect("comes from our own origin, or one that is listed", () =>
      Effect.gen(function* () {
        for (const origin of ["https://evald.example.evil", "http://evald.example", "null"])
          assert.strictEqual((yield* post({ origin, "x-evald-client": "pages" })).status, 403, origin)
      })
    )

    it.effect("a client that is no browser sends what it did before; node's own fetch says only its mode", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* post({})).status, 202)
        assert.strictEqual((yield* post({ "sec-fetch-mode": "cors" })).status, 202)
      })
    )
  }
)

layer(app())("a server whose pages are switched off", (it) => {
  it.effect("has nothing at /", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* (yield* HttpApp).send("GET", "/")).code, "route_not_found")
    })
  )
})

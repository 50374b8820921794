/** Heads of requests that hide something from the server, or that node answers by itself. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Authentication from "../../../../../interfaces/http/middleware/authentication.ts"
import { layer as app, at, HttpApp, idOf, jobBody, jobsPath } from "../../../../support/http-app.ts"

const live = { excludeTestServices: true } as const

const filler = (lines: number) => "a:1\r\n".repeat(lines)
const body = JSON.stringify(jobBody())
const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
const codeOf = (text: string) => /"message_code":"(\w+)"/.exec(text)?.[1]

layer(
  app({
    authentication: Authentication.layerTrustedHeaders({ trustedProxies: [] }),
    server: { local: false, maxHeadBytes: 65_536 }
  }),
  live
)("a request with thousands of header lines", (it) => {
  it.effect("is refused: the identity that a proxy adds at the end does not vanish (201 as admin)", () =>
    Effect.gen(function* () {
      const { raw } = yield* HttpApp
      const own = "Host: localhost\r\nConnection: close\r\nX-User: admin\r\nX-Tenant: other\r\n"
      const added = "X-User: mallory\r\nX-Tenant: own\r\n"
      const post = `POST ${jobsPath} HTTP/1.1\r\n${own}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
      const text = yield* raw(`${post}${filler(2000)}${added}\r\n${body}`)
      assert.deepStrictEqual([statusOf(text), codeOf(text)], [431, "request_head_too_large"], text)
    })
  )

  it.effect("up to the limit is served, and both identities are seen", () =>
    Effect.gen(function* () {
      const { raw } = yield* HttpApp
      const own = "Host: localhost\r\nConnection: close\r\nX-User: admin\r\nX-Tenant: other\r\n"
      assert.strictEqual(statusOf(yield* raw(`GET ${jobsPath} HTTP/1.1\r\n${own}${filler(1990)}\r\n`)), 200)
      assert.strictEqual(
        statusOf(yield* raw(`GET ${jobsPath} HTTP/1.1\r\n${own}${filler(1990)}X-User: mallory\r\n\r\n`)),
        401
      )
    })
  )

  it.effect("cannot hide that it has a body", () =>
    Effect.gen(function* () {
      const { raw } = yield* HttpApp
      const head = `POST ${jobsPath} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-User: u\r\nX-Tenant: t\r\nContent-Type: application/json\r\n`
      const text = yield* raw(`${head}${filler(2000)}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`)
      assert.strictEqual(statusOf(text), 431, text)
    })
  )
})

layer(app(), live)("the Host of a request", (it) => {
  const get = (more: string, target = jobsPath) => `GET ${target} HTTP/1.1\r\nConnection: close\r\n${more}\r\n`

  it.effect("is given once: two get 400 with the error body", () =>
    Effect.gen(function* () {
      const { raw } = yield* HttpApp
      for (const more of ["Host: localhost\r\nHost: localhost\r\n", "Host: localhost\r\nhost: evil.example\r\n"]) {
        const text = yield* raw(get(more))
        assert.deepStrictEqual([statusOf(text), codeOf(text)], [400, "invalid_value"], text)
        assert.match(text, /x-request-id: /i)
      }
    })
  )

  it.effect("is there: without it HTTP/1.1 gets 400 with the error body", () =>
    Effect.gen(function* () {
      const text = yield* (yield* HttpApp).raw(get(""))
      assert.deepStrictEqual([statusOf(text), codeOf(text)], [400, "invalid_value"], text)
      assert.include(text, "no Host header")
    })
  )

  it.effect("of an absolute target counts, and such a target finds its route", () =>
    Effect.gen(function* () {
      const { raw, send } = yield* HttpApp
      const id = idOf(yield* send("POST", jobsPath, { body: jobBody() }))
      const found = yield* raw(get("Host: localhost\r\n", `http://localhost${jobsPath}/${id}`))
      assert.strictEqual(statusOf(found), 200, found)
      assert.include(found, id)
      assert.strictEqual(statusOf(yield* raw(get("Host: localhost\r\n", "HTTP://127.0.0.1:80?limit=1"))), 404)
      assert.strictEqual(statusOf(yield* raw(get("Host: localhost\r\n", `http://localhost${jobsPath}?limit=1`))), 200)
      assert.strictEqual(statusOf(yield* raw(get("Host: localhost\r\n", `http://evil.example${jobsPath}`))), 403)
      assert.strictEqual(statusOf(yield* raw(get("Host: localhost\r\n", "*"))), 404)
    })
  )
})

layer(app(), live)("an expectation", (it) => {
  const post = (expect: string) =>
    `POST ${jobsPath} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nExpect: ${expect}\r\nContent-Length: ${body.length}\r\n\r\n`

  it.effect("that nobody knows gets 417 with the error body", () =>
    Effect.gen(function* () {
      const text = yield* (yield* HttpApp).raw(`${post("miracles")}${body}`)
      assert.deepStrictEqual([statusOf(text), codeOf(text)], [417, "expectation_failed"], text)
      assert.match(text, /x-request-id: /i)
    })
  )

  it.effect("of 100-continue is met when the body is wanted, and answered at once when it is not", () =>
    Effect.gen(function* () {
      const { raw } = yield* HttpApp
      const taken = yield* raw(`${post("100-continue")}${body}`)
      assert.match(taken, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 202 /)
      const refused = yield* raw(`${post("100-continue").replace("application/json", "text/plain")}${body}`)
      assert.match(refused, /^HTTP\/1\.1 415 /)
      const none = yield* raw(`${post("100-continue").replace(jobsPath, "/none")}${body}`)
      assert.match(none, /^HTTP\/1\.1 404 /)
    })
  )
})

for (const local of [true, false]) {
  const trusted = Authentication.layerTrustedHeaders({ trustedProxies: [] })
  const world = app({ authentication: local ? Authentication.layerNone({}) : trusted, server: { local } })
  layer(world, live)(
    `pages of other sites, ${local ? "in local mode" : "behind a proxy that knows its users by a cookie"}`,
    (it) => {
      const identity: { readonly [name: string]: string } = local ? {} : { "x-user": "u", "x-tenant": "t" }
      const from = (site: string, more: { readonly [name: string]: string } = {}) => ({
        headers: { ...identity, "sec-fetch-site": site, ...more }
      })

      it.effect("neither read nor write, whatever else they send", () =>
        Effect.gen(function* () {
          const http = yield* HttpApp
          for (const site of ["cross-site", "same-site", "same-origin, cross-site"]) {
            for (const sent of [
              from(site),
              from(site, { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" }),
              from(site, { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" })
            ]) {
              const read = yield* http.send("GET", jobsPath, sent)
              assert.deepStrictEqual([read.status, read.code], [403, "forbidden"], JSON.stringify(sent))
              assert.strictEqual((yield* http.send("POST", jobsPath, { ...sent, body: jobBody() })).status, 403)
              assert.strictEqual((yield* http.send("GET", "/metrics", sent)).status, 403)
            }
            const form = yield* http.send("POST", jobsPath, {
              ...from(site, { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }),
              body: jobBody()
            })
            assert.strictEqual(form.status, 403)
          }
        })
      )

      it.effect("may ask for health and for the documents, and may link here", () =>
        Effect.gen(function* () {
          const http = yield* HttpApp
          for (const path of ["/health", "/api/v1/health", "/api/v1/health/ready", "/openapi.yaml", "/docs"])
            assert.strictEqual(
              (yield* http.send("GET", path, { headers: { "sec-fetch-site": "cross-site" } })).status,
              200,
              path
            )
          const linked = yield* http.send(
            "GET",
            jobsPath,
            from("cross-site", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" })
          )
          assert.strictEqual(linked.status, 200)
        })
      )

      it.effect("are not own pages, typed addresses and clients that are no browser", () =>
        Effect.gen(function* () {
          const http = yield* HttpApp
          for (const site of ["same-origin", "none"])
            assert.strictEqual((yield* http.send("GET", jobsPath, from(site))).status, 200, site)
          assert.strictEqual((yield* http.send("GET", jobsPath, { headers: identity })).status, 200)
        })
      )

      it.effect("cannot embed an answer: all of them say so", () =>
        Effect.gen(function* () {
          const http = yield* HttpApp
          const answers = [
            yield* http.send("GET", "/health"),
            yield* http.send("GET", jobsPath, { headers: identity }),
            yield* http.send("GET", "/none")
          ]
          for (const { headers } of answers) assert.strictEqual(headers["cross-origin-resource-policy"], "same-origin")
          assert.match(yield* http.raw("NOT HTTP\r\n\r\n"), /cross-origin-resource-policy: same-origin/i)
        })
      )
    }
  )
}

layer(app({ server: { local: true, maxHeadBytes: 65_536 } }), live)("the page that sent a request", (it) => {
  const post = (lines: number) =>
    `POST ${jobsPath} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${filler(lines)}Origin: http://evil.example\r\n\r\n${body}`

  it.effect("cannot hide its Origin behind two thousand header lines, and starts nothing", () =>
    Effect.gen(function* () {
      const { raw, send } = yield* HttpApp
      const [seen, hidden] = [yield* raw(post(1990)), yield* raw(post(2000))]
      assert.strictEqual(statusOf(seen), 403, seen)
      assert.deepStrictEqual([statusOf(hidden), codeOf(hidden)], [431, "request_head_too_large"], hidden)
      assert.strictEqual(at((yield* send("GET", jobsPath)).json, "total_count"), 0)
    })
  )
})

/** Answers that are given before the body was read reach the caller, also one that sends everything before it reads. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Authentication from "../../../../interfaces/http/middleware/authentication.ts"
import { sendThenRead } from "../../../support/blocking-client.ts"
import { layer as app, HttpApp, jobsPath } from "../../../support/http-app.ts"

const live = { excludeTestServices: true } as const
const large = Buffer.alloc(8_388_608, "x")
const length = `Content-Length: ${large.length}`
const json = "Content-Type: application/json"

const chunked = Buffer.concat([Buffer.from(`${large.length.toString(16)}\r\n`), large, Buffer.from("\r\n0\r\n\r\n")])

const cases: ReadonlyArray<
  readonly [name: string, request: string, headers: string, body: Buffer, status: number, code: string]
> = [
  [
    "a body that is too large by its length",
    `POST ${jobsPath}`,
    `${json}\r\n${length}`,
    large,
    413,
    "request_body_too_large"
  ],
  [
    "a body that is too large in chunks",
    `POST ${jobsPath}`,
    `${json}\r\nTransfer-Encoding: chunked`,
    chunked,
    413,
    "request_body_too_large"
  ],
  [
    "another media type",
    `POST ${jobsPath}`,
    `Content-Type: text/plain\r\n${length}`,
    large,
    415,
    "unsupported_media_type"
  ],
  ["an unknown route", "POST /none", `${json}\r\n${length}`, large, 404, "route_not_found"],
  [
    "an unknown callback address",
    `POST /cb/${"s".repeat(43)}/model/v1`,
    `${json}\r\n${length}`,
    large,
    404,
    "route_not_found"
  ],
  ["another method", `PUT ${jobsPath}`, `${json}\r\n${length}`, large, 405, "method_not_allowed"],
  ["an unknown parameter", `POST ${jobsPath}?nonsense=1`, `${json}\r\n${length}`, large, 400, "query_bad_parameter"],
  [
    "a page of another site",
    `POST ${jobsPath}`,
    `${json}\r\n${length}\r\nSec-Fetch-Site: cross-site`,
    large,
    403,
    "forbidden"
  ],
  ["two hosts", `POST ${jobsPath}`, `Host: localhost\r\n${json}\r\n${length}`, large, 400, "invalid_value"],
  [
    "a head that is too large",
    `POST ${jobsPath}`,
    `X-Long: ${"x".repeat(70_000)}\r\n${json}\r\n${length}`,
    large,
    431,
    "request_head_too_large"
  ],
  ["bytes that are no HTTP", "NOT HTTP", length, large, 400, "invalid_value"]
]

layer(app(), live)("an answer before the body was read (a broken pipe in 30 of 30 tries)", (it) => {
  for (const [name, request, headers, body, status, code] of cases) {
    it.effect(`${name}: ${status} arrives`, () =>
      Effect.gen(function* () {
        const { port } = yield* HttpApp
        for (let attempt = 0; attempt < 3; attempt++) {
          const told = yield* Effect.promise(() =>
            sendThenRead(port, `${request} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n`, body)
          )
          assert.isUndefined(told.error, told.answer)
          assert.match(told.answer, new RegExp(`^HTTP/1\\.1 ${status} `))
          assert.include(told.answer, `"message_code":"${code}"`)
          assert.match(told.answer, /connection: close/i)
        }
      })
    )
  }

  it.effect("to HEAD has no body and closes too", () =>
    Effect.gen(function* () {
      const { port } = yield* HttpApp
      const told = yield* Effect.promise(() =>
        sendThenRead(port, `HEAD /none HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n`, large)
      )
      assert.isUndefined(told.error)
      assert.match(told.answer, /^HTTP\/1\.1 404 [\s\S]*\r\n\r\n$/)
    })
  )

  it.effect("does not hold the connection of a caller that sends no more", () =>
    Effect.gen(function* () {
      const text = yield* (yield* HttpApp).raw(`POST /none HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\nabc`)
      assert.match(text, /^HTTP\/1\.1 404 /)
    })
  )
})

layer(
  app({ authentication: Authentication.layerTrustedHeaders({ trustedProxies: [] }), server: { local: false } }),
  live
)("without an identity", (it) => {
  it.effect("401 arrives", () =>
    Effect.gen(function* () {
      const { port } = yield* HttpApp
      const told = yield* Effect.promise(() =>
        sendThenRead(port, `POST ${jobsPath} HTTP/1.1\r\nHost: localhost\r\n${json}\r\n${length}\r\n\r\n`, large)
      )
      assert.isUndefined(told.error)
      assert.match(told.answer, /^HTTP\/1\.1 401 /)
    })
  )
})

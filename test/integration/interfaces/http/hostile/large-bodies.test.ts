/** Bodies that hold more than any record can have: every route with a body refuses them by their number, before they are parsed. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  layer as app,
  at,
  collectionsPath,
  eventBody,
  HttpApp,
  idOf,
  jobBody,
  jobsPath,
  providersPath
} from "../../../../support/http-app.ts"

const live = { excludeTestServices: true } as const

const items = `[${"0,".repeat(60_000)}0]`
const withItems = (body: object, name: string) => JSON.stringify(body).replace(/}$/, `,"${name}":${items}}`)
const provider = { name: "own", runtime: { local: { command: "true" } }, benchmarks: [{ id: "b" }] }
const collection = { name: "own", category: "c", benchmarks: [{ id: "b", provider_id: "p" }] }

layer(app({ settings: { maxBodyBytes: 10_485_760 } }), live)("a body with 60,000 items", (it) => {
  it.effect("is refused on every route with a body", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const ownProvider = idOf(yield* http.send("POST", providersPath, { body: provider }))
      const ownCollection = idOf(yield* http.send("POST", collectionsPath, { body: collection }))
      const job = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      const bodies: ReadonlyArray<readonly [method: string, path: string, body: string]> = [
        ["POST", jobsPath, withItems(jobBody(), "custom")],
        ["POST", `${jobsPath}?dry_run=true`, withItems(jobBody(), "custom")],
        ["POST", `${jobsPath}/${job}/events`, `{"benchmark_status_event":${items}}`],
        ["POST", providersPath, withItems(provider, "requirements")],
        ["PUT", `${providersPath}/${ownProvider}`, withItems(provider, "requirements")],
        ["PATCH", `${providersPath}/${ownProvider}`, `{"tags":${items}}`],
        ["POST", collectionsPath, withItems(collection, "custom")],
        ["PUT", `${collectionsPath}/${ownCollection}`, withItems(collection, "custom")],
        ["PATCH", `${collectionsPath}/${ownCollection}`, `[{"op":"add","path":"/tags","value":${items}}]`]
      ]
      for (const [method, path, body] of bodies) {
        const answer = yield* http.send(method, path, { body })
        if (path.endsWith("/events")) assert.strictEqual(answer.status, 400, path)
        else
          assert.deepStrictEqual(
            [answer.status, answer.code, at(answer.json, "message")],
            [400, "invalid_json_request", "the request body has more than 50000 members and items; send fewer"],
            path
          )
      }
    })
  )

  it.effect("that reports an end is taken without the rest of them, and says so", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const job = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      const body = JSON.stringify(eventBody({ status: "completed", metrics: { acc: 1 } })).replace(
        /}}$/,
        `,"additional_info":{"kept":1,"samples":${items}}}}`
      )
      const answer = yield* http.send("POST", `${jobsPath}/${job}/events`, { body })
      assert.deepStrictEqual(
        [answer.status, at(answer.json, "applied"), at(answer.json, "benchmark.status")],
        [200, true, "completed"],
        answer.text
      )
      assert.match(
        String(answer.headers["warning"]),
        /too many values; of additional_info only the first ones were taken/
      )
      const stored = yield* http.send("GET", `${jobsPath}/${job}`)
      assert.deepStrictEqual(at(stored.json, "results.benchmarks.0.metrics"), { acc: 1 })
      assert.deepStrictEqual(at(stored.json, "results.benchmarks.0.additional_info"), { kept: 1 })
    })
  )

  it.effect("or with fewer, where a free-form object takes 10,000, is refused at its place", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const some = Array.from({ length: 10_001 }, () => 0)
      for (const [path, body, place] of [
        [jobsPath, jobBody({ custom: { some } }), "/custom"],
        [
          jobsPath,
          jobBody({ benchmarks: [{ id: "b", provider_id: "p", parameters: { some } }] }),
          "/benchmarks/0/parameters"
        ],
        [providersPath, { ...provider, requirements: { some } }, "/requirements"],
        [collectionsPath, { ...collection, custom: { some } }, "/custom"]
      ] as const) {
        const answer = yield* http.send("POST", path, { body })
        assert.deepStrictEqual(
          [answer.status, answer.code, at(answer.json, "errors.0.path")],
          [400, "invalid_value", place],
          answer.text
        )
      }
    })
  )

  it.effect("45,000 unknown members get twenty problems", () =>
    Effect.gen(function* () {
      const members = Object.fromEntries(Array.from({ length: 45_000 }, (_, number) => [`member${number}`, 1]))
      const answer = yield* (yield* HttpApp).send("POST", jobsPath, { body: jobBody(members) })
      assert.deepStrictEqual([answer.status, answer.code], [400, "invalid_value"])
      assert.lengthOf(at(answer.json, "errors") as ReadonlyArray<unknown>, 20)
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { NotFound } from "../../../../../application/errors.ts"
import { ChangeFeed } from "../../../../../application/ports/change-feed.ts"
import {
  layer as app,
  at,
  eventBody,
  HttpApp,
  idleRuntime,
  idOf,
  jobBody,
  jobsPath
} from "../../../../support/http-app.ts"

const live = { excludeTestServices: true } as const

interface Event {
  readonly id: string
  readonly event: string
  readonly data: unknown
}

const eventsIn = (text: string): ReadonlyArray<Event> =>
  text
    .split("\n\n")
    .map((block) =>
      Object.fromEntries(
        block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)])
      )
    )
    .filter((fields) => fields["event"] !== undefined)
    .map((fields) => ({
      id: String(fields["id"]),
      event: String(fields["event"]),
      data: JSON.parse(String(fields["data"])) as unknown
    }))

layer(app(), live)("change streams", (it) => {
  it.effect("a job's stream begins with its record and ends with the event that made it terminal", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      const stream = yield* http.stream(`${jobsPath}/${id}/watch`)
      assert.deepStrictEqual([stream.status, stream.headers["content-type"]], [200, "text/event-stream"])
      yield* stream.until('"state":"pending"')
      yield* http.send("POST", `${jobsPath}/${id}/events`, { body: eventBody() })
      yield* stream.until('"state":"running"')
      yield* http.send("POST", `${jobsPath}/${id}/events`, {
        body: eventBody({ status: "completed", metrics: { acc: 1 } })
      })
      yield* stream.ended
      const events = eventsIn(stream.received())
      assert.deepStrictEqual(
        events.map(({ data }) => at(data, "status.state")),
        ["pending", "running", "completed"]
      )
      const record = yield* http.send("GET", `${jobsPath}/${id}`)
      assert.deepStrictEqual(events.at(-1)?.data, record.json)

      const again = yield* http.send("GET", `${jobsPath}/${id}/watch`, {
        headers: { "last-event-id": events.at(-1)?.id ?? "" }
      })
      assert.strictEqual(again.status, 204)
      const anew = yield* http.send("GET", `${jobsPath}/${id}/watch`)
      assert.deepStrictEqual(
        eventsIn(anew.text).map(({ data }) => at(data, "status.state")),
        ["completed"]
      )
    })
  )

  it.effect("a removed job ends its stream; an unknown one has none", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      const stream = yield* http.stream(`${jobsPath}/${id}/watch`)
      yield* stream.until("event: updated")
      yield* http.send("DELETE", `${jobsPath}/${id}?hard_delete=true`)
      yield* stream.ended
      assert.deepInclude(eventsIn(stream.received()).at(-1), { event: "deleted", data: { resource: { id } } })
      assert.strictEqual((yield* http.send("GET", `${jobsPath}/${id}/watch`)).code, "resource_not_found")
    })
  )

  it.effect("the tenant's stream shows its jobs alone, and continues where it was left", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const headers = { "x-tenant": "streams" }
      const stream = yield* http.stream(`${jobsPath}?watch=true`, headers)
      yield* stream.until("retry: 2000")
      yield* http.send("POST", jobsPath, { body: jobBody({ name: "foreign" }) })
      const first = idOf(yield* http.send("POST", jobsPath, { headers, body: jobBody({ name: "first" }) }))
      yield* stream.until(first)
      yield* stream.close
      const seen = eventsIn(stream.received())
      assert.deepStrictEqual(
        seen.map(({ event, data }) => [event, at(data, "name")]),
        [["created", "first"]]
      )
      const second = idOf(yield* http.send("POST", jobsPath, { headers, body: jobBody({ name: "second" }) }))
      yield* http.send("DELETE", `${jobsPath}/${second}`, { headers })
      const resumed = yield* http.stream(`${jobsPath}?watch=true`, {
        ...headers,
        "last-event-id": seen.at(-1)?.id ?? ""
      })
      yield* resumed.until(second, '"state":"cancelled"')
      yield* resumed.close
      // the two changes of the second job came at once, so they are told once, with the latest state
      assert.deepStrictEqual(
        eventsIn(resumed.received()).map(({ event, data }) => [event, at(data, "name"), at(data, "status.state")]),
        [["created", "second", "cancelled"]]
      )
    })
  )

  it.effect(
    "a position that the log does not have begins anew with a marked snapshot of all jobs (it was silent for ever, or lost changes)",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const headers = { "x-tenant": "anew" }
        const ids: Array<string> = []
        for (let number = 0; number < 3; number++)
          ids.unshift(idOf(yield* http.send("POST", jobsPath, { headers, body: jobBody({ name: `job ${number}` }) })))
        for (const position of ["999999999999", "of another service"]) {
          const stream = yield* http.stream(`${jobsPath}?watch=true`, { ...headers, "last-event-id": position })
          yield* stream.until("event: synced")
          const late = idOf(yield* http.send("POST", jobsPath, { headers, body: jobBody({ name: "late" }) }))
          yield* stream.until("event: created", late)
          yield* stream.close
          const events = eventsIn(stream.received())
          assert.deepStrictEqual(
            events.map(({ event, data }) => [event, at(data, "resource.id")]),
            [["reset", undefined], ...ids.map((id) => ["snapshot", id]), ["synced", undefined], ["created", late]]
          )
          assert.deepStrictEqual(
            events.map(({ id }) => /^\d+$/.test(id)),
            [false, ...ids.map(() => false), true, true]
          )
          ids.unshift(late)
          // the position at the end of the snapshot is one to continue from
          const resumed = yield* http.stream(`${jobsPath}?watch=true`, {
            ...headers,
            "last-event-id": events.at(-2)?.id ?? ""
          })
          yield* resumed.until(late)
          yield* resumed.close
          assert.deepStrictEqual(
            eventsIn(resumed.received()).map(({ event }) => event),
            ["created"]
          )
        }
      })
  )

  it.effect("a position that the log has forgotten begins anew, and one that it still has goes on", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const feed = yield* ChangeFeed
      const headers = { "x-tenant": "pruned" }
      const post = (name: string) => Effect.map(http.send("POST", jobsPath, { headers, body: jobBody({ name }) }), idOf)
      const before = yield* feed.latest
      const ids = [yield* post("first"), yield* post("second"), yield* post("third")]
      const kept = yield* feed.latest
      yield* feed.forgetAllBut(1)
      const namesAfter = (position: number, until: string) =>
        Effect.gen(function* () {
          const stream = yield* http.stream(`${jobsPath}?watch=true`, { ...headers, "last-event-id": String(position) })
          yield* stream.until(until)
          yield* stream.close
          return eventsIn(stream.received()).map(({ event, data }) => [event, at(data, "resource.id")])
        })
      assert.deepStrictEqual(yield* namesAfter(before, "event: synced"), [
        ["reset", undefined],
        ...ids.toReversed().map((id) => ["snapshot", id]),
        ["synced", undefined]
      ])
      const late = yield* post("late")
      assert.deepStrictEqual(yield* namesAfter(kept, late), [["created", late]])
    })
  )

  it.effect("callers that cannot take events are told", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      assert.strictEqual(
        (yield* http.send("GET", `${jobsPath}/${id}/watch`, { headers: { accept: "application/json" } })).code,
        "not_acceptable"
      )
      assert.strictEqual((yield* http.send("GET", `${jobsPath}/${id}/watch?x=1`)).code, "query_bad_parameter")
    })
  )
})

const encoder = new TextEncoder()
const logging = idleRuntime({
  logs: ({ index, jobId, attempt }, query) =>
    index === 2
      ? Effect.fail(new NotFound({ kind: "log", id: jobId }))
      : Effect.succeed({
          source: index === 0 ? "live" : "captured",
          text:
            index === 3
              ? Stream.empty
              : Stream.map(Stream.make(`log ${index}.${attempt} `, `${JSON.stringify(query)}\n`), (text) =>
                  encoder.encode(text)
                )
        })
})

layer(app({ runtime: logging }), live)("logs", (it) => {
  const benchmarks = [0, 1, 2, 3].map(() => ({ id: "b", provider_id: "p" }))

  it.effect("one benchmark's log is plain text with the asked limits", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody({ benchmarks }) }))
      const log = yield* http.send(
        "GET",
        `${jobsPath}/${id}/benchmarks/1/logs?tail_lines=5&since_seconds=60&timestamps=true`
      )
      assert.deepStrictEqual([log.status, log.headers["content-type"]], [200, "text/plain; charset=utf-8"])
      assert.strictEqual(log.text, 'log 1.1 {"tailLines":5,"timestamps":true,"follow":false,"sinceSeconds":60}\n')
      for (const index of ["4", "-1", "x", "1e0"]) {
        assert.strictEqual(
          (yield* http.send("GET", `${jobsPath}/${id}/benchmarks/${index}/logs`)).code,
          "resource_not_found",
          index
        )
      }
      assert.strictEqual(
        (yield* http.send("GET", `${jobsPath}/${id}/benchmarks/1/logs`, { headers: { "x-tenant": "other" } })).code,
        "resource_not_found"
      )
      for (const query of ["tail_lines=0", "tail_lines=10001", "since_seconds=0", "follow=1"]) {
        assert.strictEqual(
          (yield* http.send("GET", `${jobsPath}/${id}/logs?${query}`)).code,
          "query_parameter_invalid",
          query
        )
      }
    })
  )

  it.effect(
    "is searched: lines with the text only, none of them is an empty text, and a text that is too long is refused",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody({ benchmarks }) }))
        const log = (query: string, index = 1) =>
          http.send("GET", `${jobsPath}/${id}/benchmarks/${index}/logs?tail_lines=5&${query}`)
        // all of the log is asked for: the last lines are those of what was found
        const line = '{"timestamps":false,"follow":false}\n'
        assert.strictEqual((yield* log("contains=LOG%201.")).text, `log 1.1 ${line}`)
        const none = yield* log("contains=l.g")
        assert.deepStrictEqual([none.status, none.text, none.headers["x-log-source"]], [200, "", "captured"])
        for (const index of [2, 3]) assert.strictEqual((yield* log("contains=log", index)).code, "resource_not_found")
        const { text } = yield* http.send("GET", `${jobsPath}/${id}/logs?contains=${encodeURIComponent("log 1")}`)
        const heading = (index: number) => `=== benchmark ${index}: p/b ===\n`
        assert.strictEqual(text, `${heading(0)}${heading(1)}log 1.1 ${line}${heading(2)}${heading(3)}`)
        assert.strictEqual((yield* log(`contains=${encodeURIComponent("€".repeat(256))}`)).status, 200)
        for (const long of [`contains=${"x".repeat(257)}`, "contains=a%0Ab", "contains=a&contains=b"]) {
          const refused = yield* log(long)
          assert.deepStrictEqual([refused.status, refused.code], [400, "query_parameter_invalid"], long)
          assert.include(refused.text, "query parameter 'contains'", long)
        }
      })
  )

  it.effect("says where the text comes from, and is never empty: no log is 404 with the reason", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody({ benchmarks }) }))
      const log = (index: number, method = "GET") => http.send(method, `${jobsPath}/${id}/benchmarks/${index}/logs`)
      assert.strictEqual((yield* log(0)).headers["x-log-source"], "live")
      assert.strictEqual((yield* log(1)).headers["x-log-source"], "captured")
      const head = yield* log(1, "HEAD")
      assert.deepStrictEqual([head.status, head.headers["x-log-source"], head.text], [200, "captured", ""])
      for (const index of [2, 3]) {
        const none = yield* log(index)
        assert.deepStrictEqual([none.status, none.code], [404, "resource_not_found"])
        assert.include(none.text, "the benchmark has not started yet")
      }
    })
  )

  it.effect("a job's log has all benchmarks under headings", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody({ benchmarks }) }))
      const { text } = yield* http.send("GET", `${jobsPath}/${id}/logs`)
      assert.deepStrictEqual(
        text.split("\n").filter((line) => line.startsWith("===")),
        ["=== benchmark 0: p/b ===", "=== benchmark 1: p/b ===", "=== benchmark 2: p/b ===", "=== benchmark 3: p/b ==="]
      )
      assert.include(text, 'log 0.1 {"tailLines":1000,')
      assert.strictEqual((yield* http.send("GET", `${jobsPath}/nobody/logs`)).code, "resource_not_found")
    })
  )
})

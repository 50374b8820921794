/** Samples over HTTP: uploads, lists, records, searches and streams. */
import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Either, Redacted } from "effect"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { SampleStore } from "../../../../application/ports/stores/sample-store.ts"
import { UnitSecrets } from "../../../../application/ports/stores/unit-secrets.ts"
import { judgeSamples } from "../../../../application/samples/close-samples.ts"
import * as ValidityOf from "../../../../application/validity/validity-of.ts"
import { defaultLimits } from "../../../../domain/validity/limits.ts"
import { layer as app, at, eventBody, HttpApp, idOf, jobBody, jobsPath } from "../../../support/http-app.ts"
import type { Answered } from "../../../support/http-client.ts"

const live = { excludeTestServices: true } as const

interface Streamed {
  readonly sample_id: string
  readonly task: string
  readonly repeat: number
  readonly [member: string]: unknown
}

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest()

/** the digest over samples as their page defines it, by code of its own: all values of these records are texts and numbers */
const hashOver = (records: ReadonlyArray<Streamed>): string => {
  const inOrder = records.toSorted(
    (a, b) =>
      Buffer.compare(Buffer.from(a.sample_id), Buffer.from(b.sample_id)) ||
      Buffer.compare(Buffer.from(a.task), Buffer.from(b.task)) ||
      a.repeat - b.repeat
  )
  const digests = inOrder.map(({ latency_ms: _1, ttft_ms: _2, request_id: _3, started_at: _4, ...rest }) =>
    sha256(JSON.stringify(rest, Object.keys(rest).sort()))
  )
  return sha256(Buffer.concat(digests)).toString("hex")
}

const record = (index: number, members: { readonly [member: string]: unknown } = {}) => ({
  ...{
    v: 1,
    sample_id: `t:${index}`,
    task: "t",
    index,
    repeat: 0,
    verdict: index % 2 === 0 ? "correct" : "incorrect",
    response: `the answer is ${index}`
  },
  ...members
})

const ndjson = { "content-type": "application/x-ndjson" }
const body = (records: ReadonlyArray<unknown>) =>
  records.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("\n")

const newJob = (benchmarks = 2) =>
  Effect.gen(function* () {
    const http = yield* HttpApp
    const made = yield* http.send("POST", jobsPath, {
      body: jobBody({ benchmarks: Array.from({ length: benchmarks }, () => ({ id: "b", provider_id: "p" })) })
    })
    return `${jobsPath}/${idOf(made)}`
  })

const upload = (path: string, records: ReadonlyArray<unknown>) =>
  Effect.flatMap(HttpApp, (http) =>
    http.send("POST", `${path}/benchmarks/0/samples`, { headers: ndjson, body: body(records) })
  )

const get = (path: string, headers: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(HttpApp, (http) => http.send("GET", path, { headers }))

/** what a server does when late samples close */
const close = (path: string) =>
  Effect.gen(function* () {
    const jobId = path.slice(jobsPath.length + 1)
    const { head } = yield* (yield* JobStore).loadBenchmark(jobId, 0)
    yield* judgeSamples({ tenant: head.tenant, jobId, index: 0 })
  }).pipe(Effect.provide(ValidityOf.layer(defaultLimits)))

const idsOf = (json: unknown): ReadonlyArray<unknown> =>
  (at(json, "items") as ReadonlyArray<unknown>).map((item) => at(item, "sample_id"))

layer(app(), live)("samples over HTTP", (it) => {
  it.effect("are taken once, listed, and given back as they were sent", () =>
    Effect.gen(function* () {
      const path = yield* newJob()
      const records = [0, 1, 2, 3].map((index) =>
        record(index, { score: index / 3, tokens: { completion: 10 - index } })
      )
      const first = yield* upload(path, records)
      assert.deepStrictEqual([first.status, first.json], [200, { stored: 4, replaced: 0, duplicate: 0 }])
      assert.deepStrictEqual((yield* upload(path, records)).json, { stored: 0, replaced: 0, duplicate: 4 })
      const page = yield* get(`${path}/benchmarks/0/samples?limit=3`)
      assert.deepStrictEqual([at(page.json, "total_count"), idsOf(page.json)], [4, ["t:0", "t:1", "t:2"]])
      const href = String(at(at(page.json, "next"), "href"))
      assert.strictEqual(page.headers["link"], `<${href}>; rel="next"`)
      const last = yield* get(href)
      assert.deepStrictEqual([idsOf(last.json), at(last.json, "next")], [["t:3"], undefined])
      assert.deepStrictEqual(at(at(last.json, "items"), "0"), {
        ...{
          benchmark_index: 0,
          sample_id: "t:3",
          task: "t",
          index: 3,
          repeat: 0,
          verdict: "incorrect",
          score: 1,
          tokens: { completion: 7 }
        },
        sha256: at(at(at(last.json, "items"), "0"), "sha256")
      })
      const whole = yield* get(`${path}/samples?content=true&sort=-score&verdict=correct`)
      assert.deepStrictEqual(idsOf(whole.json), ["t:2", "t:0"])
      assert.deepStrictEqual(at(at(at(whole.json, "items"), "0"), "record"), records[2])
      assert.deepStrictEqual((yield* get(`${path}/benchmarks/0/samples/${encodeURIComponent("t:1")}`)).json, records[1])
      const stream = yield* get(`${path}/samples?verdict=incorrect`, { accept: "application/x-ndjson" })
      assert.strictEqual(stream.headers["content-type"], "application/x-ndjson")
      assert.deepStrictEqual(
        stream.text
          .trimEnd()
          .split("\n")
          .map((text) => JSON.parse(text)),
        [records[1], records[3]]
      )
      assert.match(
        String(at((yield* get(`${path}/benchmarks/0/samples?digest=true`)).json, "sha256")),
        /^[0-9a-f]{64}$/
      )
      assert.deepStrictEqual(at((yield* get(`${path}/benchmarks/1/samples`)).json, "items"), [])
    })
  )

  it.effect(
    "of calls that are under way at once are not mixed, and neither are those of calls that share memory later",
    () =>
      Effect.gen(function* () {
        const texts = (call: number, round: number) =>
          Array.from({ length: 60 }, (_, index) =>
            record(index, { response: `${"abcdefgh"[call]}${round} `.repeat(100 + 40 * call + index) })
          )
        const calls = Array.from({ length: 6 }, (_, call) => call)
        for (const round of [0, 1, 2])
          yield* Effect.forEach(
            calls,
            (call) =>
              Effect.gen(function* () {
                const path = yield* newJob()
                const records = texts(call, round)
                assert.strictEqual((yield* upload(path, records)).status, 200)
                const stream = yield* get(`${path}/samples`, { accept: "application/x-ndjson" })
                const lines = stream.text.trimEnd().split("\n")
                assert.deepStrictEqual(
                  lines.map((text) => JSON.parse(text)),
                  records
                )
              }),
            { concurrency: "unbounded", discard: true }
          )
      })
  )

  it.effect("of many bytes come in pages that have fewer than were asked for and lead on to the rest", () =>
    Effect.gen(function* () {
      const path = yield* newJob()
      const long = "x".repeat(250_000)
      const records = Array.from({ length: 13 }, (_, index) =>
        record(index, { prompt: long, response: index < 12 ? long : "short", reasoning: long })
      )
      for (let start = 0; start < records.length; start += 5)
        assert.strictEqual((yield* upload(path, records.slice(start, start + 5))).status, 200)
      const walked = (query: string) =>
        Effect.gen(function* () {
          const pages: Array<ReadonlyArray<unknown>> = []
          for (let href: string | undefined = `${path}/samples?limit=100&content=true&${query}`; href !== undefined; ) {
            const page: Answered = yield* get(href)
            pages.push(at(page.json, "items") as ReadonlyArray<unknown>)
            href = at(page.json, "next.href") as string | undefined
            assert.strictEqual(page.headers["link"], href === undefined ? undefined : `<${href}>; rel="next"`)
          }
          assert.deepStrictEqual(
            pages.flat().map((item) => at(item, "record")),
            records
          )
          return pages.map(({ length }) => length)
        })
      // 750,000 bytes of text each, in pages of 8 MiB
      assert.deepStrictEqual(yield* walked("sort=index"), [11, 2])
      assert.deepStrictEqual(yield* walked("q=xxx"), [11, 2])
      // figures alone are few bytes
      assert.deepStrictEqual(
        idsOf((yield* get(`${path}/samples?limit=100`)).json),
        records.map(({ sample_id }) => sample_id)
      )
    })
  )

  it.effect(
    "all of them as a stream are the counted ones, in the order of the data set, and make the published hash",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const path = yield* newJob(1)
        const records = Array.from({ length: 1230 }, (_, index) =>
          record(index, {
            ...{ sample_id: `${index % 7 === 0 ? "é" : "T"}:${index}`, task: index % 3 === 0 ? "b" : "a" },
            ...{
              latency_ms: index / 4,
              started_at: new Date(index).toISOString(),
              request_id: `r-${index}`,
              ttft_ms: 1
            }
          })
        )
        // neither in the order of the data set nor in that of the keys
        const shuffled = records.toSorted((a, b) => ((a.index * 7919) % 1231) - ((b.index * 7919) % 1231))
        for (let start = 0; start < shuffled.length; start += 700)
          assert.strictEqual((yield* upload(path, shuffled.slice(start, start + 700))).status, 200)
        yield* http.send("POST", `${path}/events`, { body: eventBody({ status: "completed", metrics: { acc: 0.5 } }) })
        const published = at((yield* get(path)).json, "results.benchmarks.0.samples")
        const { text } = yield* get(`${path}/samples`, { accept: "application/x-ndjson" })
        const lines = text.split("\n")
        assert.strictEqual(lines.pop(), "")
        const streamed = lines.map((line) => JSON.parse(line) as Streamed)
        assert.deepStrictEqual(streamed, records)
        assert.deepStrictEqual(published, { count: streamed.length, sha256: hashOver(streamed) })
      })
  )

  it.effect(
    "that come after the result are what its verdict rests on, as soon as their mean is the reported value",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const path = yield* newJob(1)
        const right = (count: number, of: number) =>
          Array.from({ length: of }, (_, index) => record(index, { verdict: index < count ? "correct" : "incorrect" }))
        yield* http.send("POST", `${path}/events`, {
          body: eventBody({
            status: "completed",
            metrics: { acc: 0.9 },
            metrics_schema: [{ name: "acc", n: 10, successes: 9 }]
          })
        })
        const before = yield* get(path)
        assert.deepInclude(at(before.json, "results.benchmarks.0.test.interval"), { n: 10, source: "counts" })
        // as long as they are not all there, their mean is another one
        assert.strictEqual((yield* upload(path, right(200, 200).slice(0, 150))).status, 200)
        yield* close(path)
        const test = "results.benchmarks.0.test"
        const halfway = yield* get(path)
        assert.deepStrictEqual(at(halfway.json, test), at(before.json, test))
        assert.strictEqual(at(halfway.json, "results.benchmarks.0.samples.count"), 150)
        assert.strictEqual((yield* upload(path, right(180, 200).slice(150))).status, 200)
        yield* close(path)
        const after = yield* get(path)
        assert.notStrictEqual(after.headers["etag"], before.headers["etag"])
        assert.deepInclude(at(after.json, "results.benchmarks.0.test.interval"), {
          n: 200,
          source: "samples",
          method: "clopper_pearson"
        })
        assert.deepStrictEqual(at(after.json, "results.benchmarks.0.samples"), {
          count: 200,
          sha256: at((yield* get(`${path}/benchmarks/0/samples?digest=true`)).json, "sha256")
        })
        assert.deepInclude(at(after.json, "results.test"), { score: 0.9, pass: true, decided: "pass" })
        const lowOf = (json: unknown) => Number(at(json, "results.test.bounds.low"))
        assert.isAbove(lowOf(after.json), lowOf(before.json) + 0.1)
      })
  )

  it.effect("that come after the result and say that nothing was answered take its verdict back", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const path = yield* newJob(1)
      yield* http.send("POST", `${path}/events`, { body: eventBody({ status: "completed", metrics: { acc: 0.9 } }) })
      assert.strictEqual(at((yield* get(path)).json, "results.benchmarks.0.test.pass"), true)
      const silent = (index: number) => record(index, { verdict: "invalid", reason: "no_answer_empty" })
      yield* upload(path, [...Array.from({ length: 30 }, (_, index) => record(index)), ...[30, 31, 32].map(silent)])
      yield* close(path)
      const { json } = yield* get(path)
      const result = at(json, "results.benchmarks.0")
      assert.deepStrictEqual(
        [at(result, "validity.status"), at(result, "validity.flags.0.code"), at(result, "validity.flags.0.count")],
        ["invalid", "empty_responses", 3]
      )
      assert.deepStrictEqual([at(result, "test.pass"), at(result, "test.decided")], [undefined, "inconclusive"])
      assert.notStrictEqual(at(json, "results.test.pass"), true)
    })
  )

  it.effect("are witnesses of a result whose event names its benchmark by its ids alone", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const path = yield* newJob(1)
      yield* upload(
        path,
        [0, 1, 2].map((index) => record(index, { verdict: "invalid", reason: "no_answer_empty" }))
      )
      yield* http.send("POST", `${path}/events`, {
        body: eventBody({ status: "completed", metrics: { acc: 0.9 }, benchmark_index: undefined })
      })
      const { json } = yield* get(path)
      assert.strictEqual(at(json, "results.benchmarks.0.validity.flags.0.code"), "empty_responses")
      assert.notStrictEqual(at(json, "results.test.pass"), true)
    }).pipe(Effect.provide(ValidityOf.layer(defaultLimits)))
  )

  it.effect("bad lines are told by line and member, and nothing of the call is stored", () =>
    Effect.gen(function* () {
      const path = yield* newJob()
      const refused = yield* upload(path, [
        record(0),
        record(1, { index: "1", score: null }),
        "{",
        "3",
        record(4, { verdict: "right" })
      ])
      assert.strictEqual(refused.status, 400)
      assert.deepStrictEqual(
        (at(refused.json, "errors") as ReadonlyArray<unknown>).map((one) => [at(one, "path"), at(one, "message_code")]),
        [
          ["/1/index", "invalid_value"],
          ["/2", "invalid_json_request"],
          ["/3", "invalid_value"],
          ["/4/verdict", "invalid_value"]
        ]
      )
      const deep = yield* upload(path, [`{"prompt":${"[".repeat(100)}${"]".repeat(100)}}`])
      assert.deepStrictEqual([deep.status, at(at(at(deep.json, "errors"), "0"), "path")], [400, "/0"])
      assert.deepStrictEqual((yield* upload(path, [""])).status, 400)
      assert.strictEqual(at((yield* get(`${path}/samples`)).json, "total_count"), 0)
      const lenient = yield* upload(path, [record(0, { mystery: 1, other: null })])
      assert.deepStrictEqual([lenient.status, String(lenient.headers["warning"]).includes("mystery")], [200, true])
    })
  )

  it.effect("without a score of their own have that of the primary metric, and are kept as they were sent", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const made = yield* http.send("POST", jobsPath, {
        body: jobBody({ benchmarks: [{ id: "b", provider_id: "p", primary_score: { metric: "acc" } }] })
      })
      const path = `${jobsPath}/${idOf(made)}`
      const records = [0, 1].map((index) => record(index, { scores: { acc: index / 4, other: 1 } }))
      assert.strictEqual((yield* upload(path, records)).status, 200)
      const page = yield* get(`${path}/benchmarks/0/samples?sort=-score`)
      const listed = (at(page.json, "items") as ReadonlyArray<unknown>).map((item) => [
        at(item, "sample_id"),
        at(item, "score")
      ])
      assert.deepStrictEqual(listed, [
        ["t:1", 0.25],
        ["t:0", 0]
      ])
      for (const one of records)
        assert.deepStrictEqual((yield* get(`${path}/benchmarks/0/samples/${one.sample_id}`)).json, one)
    })
  )

  it.effect("a call has its limits", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const path = yield* newJob()
      const many = yield* upload(
        path,
        Array.from({ length: 1001 }, (_, index) => record(index))
      )
      assert.deepStrictEqual([many.status, at(many.json, "message_code")], [413, "request_body_too_large"])
      assert.strictEqual((yield* upload(path, [record(0, { response: "x".repeat(1024 * 1024) })])).status, 413)
      assert.strictEqual(
        (yield* upload(
          path,
          Array.from({ length: 5 }, (_, index) => record(index, { response: "x".repeat(900_000) }))
        )).status,
        413
      )
      const typed = yield* http.send("POST", `${path}/benchmarks/0/samples`, { body: record(0) })
      assert.strictEqual(typed.status, 415)
      const bytes = yield* http.send("POST", `${path}/benchmarks/0/samples`, {
        headers: ndjson,
        body: Buffer.from([0x7b, 0xff, 0x7d])
      })
      assert.deepStrictEqual([bytes.status, at(bytes.json, "message_code")], [400, "invalid_json_request"])
      assert.strictEqual((yield* upload(path, [record(0, { response: "é".repeat(262_144) })])).status, 200)
      assert.deepStrictEqual(at((yield* get(`${path}/benchmarks/0/samples/t:0`)).json, "cut"), ["response"])
    })
  )

  it.effect("a contradiction names its keys; an error gives way", () =>
    Effect.gen(function* () {
      const path = yield* newJob()
      yield* upload(path, [
        record(0),
        record(1, { verdict: "error", error: { code: "model_request_timeout", message: "late" } })
      ])
      assert.deepStrictEqual((yield* upload(path, [record(1)])).json, { stored: 0, replaced: 1, duplicate: 0 })
      const conflict = yield* upload(path, [record(0, { response: "another" }), record(7)])
      assert.deepStrictEqual([conflict.status, at(conflict.json, "message_code")], [409, "sample_conflict"])
      assert.include(String(at(conflict.json, "message")), "'t:0' of 't', repeat 0")
      assert.strictEqual((yield* get(`${path}/benchmarks/0/samples/t:7`)).status, 404)
      const many = Array.from({ length: 25 }, (_, index) => record(100 + index))
      assert.strictEqual((yield* upload(path, many)).status, 200)
      const told = String(
        at(
          (yield* upload(
            path,
            many.map((one) => ({ ...one, response: "another" }))
          )).json,
          "message"
        )
      )
      assert.deepStrictEqual(
        told.match(/'t:\d+'/g),
        many.slice(0, 20).map(({ sample_id }) => `'${sample_id}'`)
      )
      assert.match(told, /25 samples differ .* and 5 more$/)
    })
  )

  it.effect("a search finds texts, says how far it looked, and has no total", () =>
    Effect.gen(function* () {
      const path = yield* newJob()
      yield* upload(
        path,
        Array.from({ length: 30 }, (_, index) =>
          record(index, { prompt: [{ role: "user", content: index % 10 === 3 ? "Where is Göttingen?" : "No." }] })
        )
      )
      const found = yield* get(`${path}/samples?q=g%C3%96ttingen&limit=2`)
      assert.deepStrictEqual(idsOf(found.json), ["t:3", "t:13"])
      assert.deepStrictEqual(
        [at(found.json, "scanned"), at(found.json, "complete"), at(found.json, "total_count")],
        [14, false, undefined]
      )
      const rest = yield* get(String(at(at(found.json, "next"), "href")))
      assert.deepStrictEqual(
        [idsOf(rest.json), at(rest.json, "scanned"), at(rest.json, "complete")],
        [["t:23"], 16, true]
      )
      assert.deepStrictEqual(idsOf((yield* get(`${path}/samples?q=sample_id`)).json), [])
    })
  )

  it.effect("queries are checked like those of other lists", () =>
    Effect.gen(function* () {
      const path = yield* newJob()
      for (const [query, code] of [
        ["sort=verdict", "query_parameter_value_invalid"],
        ["verdict=right", "query_parameter_value_invalid"],
        ["limit=101", "query_parameter_invalid"],
        ["cursor=nonsense", "query_parameter_invalid"],
        ["offset=1", "query_bad_parameter"]
      ]) {
        const refused = yield* get(`${path}/samples?${query}`)
        assert.deepStrictEqual([query, refused.status, at(refused.json, "message_code")], [query, 400, code])
      }
      assert.strictEqual((yield* get(`${path}/benchmarks/x/samples`)).status, 404)
      assert.strictEqual((yield* get(`${path}/benchmarks/7/samples`)).status, 404)
      assert.strictEqual((yield* get(`${jobsPath}/none/samples`)).status, 404)
      assert.strictEqual((yield* get(`${path}/samples`, { accept: "text/html" })).status, 406)
    })
  )

  it.effect("a benchmark that ended takes samples for a minute more, by the server's clock", () =>
    Effect.gen(function* () {
      const minuteBefore = (time = "") => new Date(Date.parse(time) - 61_000).toISOString()
      const http = yield* HttpApp
      const path = yield* newJob()
      const ending = (completed_at?: string) =>
        http.send("POST", `${path}/events`, {
          body: eventBody({
            status: "completed",
            metrics: { acc: 1 },
            benchmark_index: 0,
            ...(completed_at === undefined ? {} : { completed_at })
          })
        })
      // the adapter's clock is an hour behind
      const created = Date.parse(String(at((yield* http.send("GET", path)).json, "resource.created_at")))
      assert.strictEqual((yield* ending(new Date(created - 3_600_000).toISOString())).status, 200)
      assert.strictEqual((yield* upload(path, [record(0)])).status, 200)
      const store = yield* JobStore
      const jobId = path.slice(jobsPath.length + 1)
      yield* store.changeBenchmark(
        { jobId, select: { index: 0 } },
        (head, benchmark) =>
          Either.right({
            _tag: "Changed",
            head,
            benchmark: { ...benchmark, endedAt: minuteBefore(benchmark.endedAt) },
            tasks: []
          }),
        () => undefined
      )
      const late = yield* upload(path, [record(1)])
      assert.deepStrictEqual([late.status, at(late.json, "message_code")], [409, "benchmark_can_not_be_updated"])
    })
  )

  it.effect("a unit's callback address takes its own benchmark's samples and no other's", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const path = yield* newJob()
      const jobId = path.slice(jobsPath.length + 1)
      const { head } = yield* (yield* JobStore).loadBenchmark(jobId, 1)
      const secret = Redacted.value(
        yield* (yield* UnitSecrets).issue({ tenant: head.tenant, jobId, index: 1, attempt: 1 })
      )
      const post = (index: number, job = jobId) =>
        http.send("POST", `/cb/${secret}${jobsPath}/${job}/benchmarks/${index}/samples`, {
          headers: ndjson,
          body: body([record(0)])
        })
      assert.strictEqual((yield* post(1)).status, 200)
      assert.strictEqual((yield* post(0)).status, 403)
      assert.strictEqual((yield* post(1, "other")).status, 403)
      const page = yield* (yield* SampleStore).page(
        { tenant: head.tenant, jobId },
        { filter: {}, sort: { by: "index", descending: false }, limit: 5 }
      )
      assert.deepStrictEqual(
        page.items.map(({ benchmark }) => benchmark),
        [1]
      )
    })
  )
})

/** What a unit writes, however it writes it, is kept within limits, clean of secrets, and never blocks it. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Redacted, Stream, TestClock } from "effect"
import { type LogQuery, Runtime, type Unit } from "../../../../application/ports/runtime.ts"
import { segmentsIn } from "../../../../infrastructure/local/files/log-store.ts"
import { BaseDir, layerAlone, unitRunning, written } from "../../../support/local-units.ts"
import { quiet, untilTrue } from "../../../support/until.ts"

const logOf = (unit: Unit, query: Partial<LogQuery> = {}) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const { text } = yield* runtime.logs(unit, { tailLines: 1000, timestamps: false, follow: false, ...query })
    return yield* Stream.runCollect(Stream.decodeText(text)).pipe(Effect.map(Chunk.join("")))
  })

const ended = (unit: Unit) =>
  Effect.flatMap(Runtime, (runtime) =>
    Stream.runDrain(Stream.takeUntil(runtime.facts, (fact) => fact._tag === "Ended" && fact.unit.jobId === unit.jobId))
  )

const run = (unit: Unit) => Effect.flatMap(Runtime, (runtime) => Effect.zipRight(runtime.launch(unit), ended(unit)))

const readLogFile = (root: string) => readFileSync(join(root, "log", "jobrun.log"), "utf8")

const rootOf = (unit: Unit) => Effect.map(BaseDir, (baseDir) => join(baseDir, "test", unit.jobId, "0-bench-0"))

describe("the output of a unit", () => {
  it.scoped(
    "reaches who follows it as it is written, and so does its end, without anybody looking again and again",
    () =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        const unit = unitRunning(
          "55555555-0000-7000-8000-000000000009",
          "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two"
        )
        yield* runtime.launch(unit)
        const root = yield* rootOf(unit)
        const captured = (text: string) =>
          untilTrue(Effect.sync(() => existsSync(join(root, "log", "jobrun.log")) && readLogFile(root).endsWith(text)))
        yield* captured("one\n")
        const { text } = yield* runtime.logs(unit, { tailLines: 1000, timestamps: false, follow: true })
        let seen = ""
        const following = yield* Effect.fork(
          Stream.runForEach(Stream.decodeText(text), (piece) => Effect.sync(() => (seen += piece)))
        )
        yield* untilTrue(Effect.sync(() => seen === "one\n"))
        writeFileSync(join(root, "work", "go"), "")
        yield* captured("two\n")
        // far less than the time after which anybody would look
        const moment = Effect.zipRight(quiet, TestClock.adjust("50 millis"))
        yield* moment
        yield* untilTrue(Effect.sync(() => seen === "one\ntwo\n"))
        yield* ended(unit)
        yield* moment
        yield* Fiber.join(following)
      }).pipe(Effect.provide(layerAlone()))
  )

  it.scopedLive("keeps the order of both streams, also when it opens them by name", () =>
    Effect.gen(function* () {
      const unit = unitRunning(
        "55555555-0000-7000-8000-000000000001",
        "echo one; echo two >&2; echo three; echo four > /dev/stderr; printf five"
      )
      yield* run(unit)
      assert.strictEqual(yield* logOf(unit), "one\ntwo\nthree\nfour\nfive\n")
      assert.strictEqual(yield* logOf(unit, { tailLines: 2 }), "four\nfive\n")
      assert.match(
        yield* logOf(unit, { timestamps: true, tailLines: 1 }),
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z five\n$/
      )
    }).pipe(Effect.provide(layerAlone()))
  )

  it.scopedLive("of a hundred megabytes does not block it, and is kept within the limit", () =>
    Effect.gen(function* () {
      const unit = unitRunning(
        "55555555-0000-7000-8000-000000000002",
        "echo begin; head -c 100000000 /dev/zero | tr '\\0' 'x' | fold -w 99; echo; echo end"
      )
      yield* run(unit)
      const log = join(yield* rootOf(unit), "log")
      const bytes = segmentsIn(log).reduce((sum, segment) => sum + statSync(segment.path).size, 0)
      assert.isAtMost(bytes, 4 * 1024 * 1024)
      const text = yield* logOf(unit, { tailLines: 10_000 })
      assert.isTrue(text.endsWith("\nend\n"))
      assert.strictEqual(text.split("\n").length, 10_001)
    }).pipe(Effect.provide(layerAlone({ logMaxBytes: 4 * 1024 * 1024 })))
  )

  it.scopedLive("of one endless line is cut, with NUL and bad UTF-8 made harmless", () =>
    Effect.gen(function* () {
      const unit = unitRunning(
        "55555555-0000-7000-8000-000000000003",
        "head -c 10000000 /dev/zero | tr '\\0' 'x'; printf '\\nbad \\377\\376 \\000nul\\n'"
      )
      yield* run(unit)
      const [long = "", bad] = (yield* logOf(unit)).split("\n")
      assert.deepStrictEqual([long.slice(65_536), bad], [`…[+${10_000_000 - 65_536} bytes]`, "bad \uFFFD\uFFFD nul"])
    }).pipe(Effect.provide(layerAlone()))
  )

  it.scopedLive(
    "holds no secret: the callback's, the model's, the server's, also when one is written in two halves",
    () =>
      Effect.gen(function* () {
        const unit = unitRunning(
          "55555555-0000-7000-8000-000000000004",
          "cat ../meta/job.json; printf 'model-ca'; sleep 0.1; echo 'nary-key'; env | sort; echo server-canary-token"
        )
        const withAuth: Unit = {
          ...unit,
          request: { ...unit.request, model: { url: "http://h/v1", name: "m", auth: { secretRef: "s" } } }
        }
        yield* run(withAuth)
        const text = yield* logOf(unit)
        assert.include(text, "/cb/***")
        for (const word of ["secret-of", "model-canary", "server-canary"]) assert.notInclude(text, word)
      }).pipe(
        Effect.provide(
          layerAlone({
            modelAuth: () => Effect.succeed([Redacted.make("model-canary-key")]),
            redact: [Redacted.make("server-canary-token")]
          })
        )
      )
  )

  it.scopedLive("is followed to the end of the unit", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const unit = unitRunning(
        "55555555-0000-7000-8000-000000000005",
        "echo first; while [ ! -e go ]; do sleep 0.02; done; echo last"
      )
      yield* runtime.launch(unit)
      const root = yield* rootOf(unit)
      yield* written(join(root, "log", "jobrun.log"))
      const following = yield* Effect.fork(logOf(unit, { follow: true }))
      yield* runtime.launch(unitRunning("55555555-0000-7000-8000-000000000006", `touch ${join(root, "work", "go")}`))
      assert.strictEqual(yield* Fiber.join(following), "first\nlast\n")
    }).pipe(Effect.provide(layerAlone()))
  )

  it.scopedLive("that does not exist is not found", () =>
    Effect.gen(function* () {
      const answer = yield* Effect.flip(logOf(unitRunning("55555555-0000-7000-8000-000000000007", "true")))
      assert.deepStrictEqual([answer._tag, "kind" in answer ? answer.kind : ""], ["NotFound", "log"])
    }).pipe(Effect.provide(layerAlone()))
  )
})

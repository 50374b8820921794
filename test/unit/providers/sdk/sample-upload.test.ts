/** Sample records on their way to the server: whole lines, in calls that a server takes, once each. Reference: samples.md, "Upload". */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, TestClock } from "effect"
import { readJobSpec } from "../../../../providers/contract/job-spec.ts"
import type { Attempt } from "../../../../providers/sdk/events/event-delivery.ts"
import { makeSampleUpload, SampleSink, uploadedMark } from "../../../../providers/sdk/sample-upload.ts"
import { openSamples } from "../../../../providers/sdk/samples.ts"
import { frameworkJob } from "../../../support/framework-request.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const jobOf = (samples: unknown) => {
  const read = readJobSpec(JSON.stringify({ ...frameworkJob({ id: "j" }), samples }))
  if (read._tag === "Left") throw new Error(JSON.stringify(read.left))
  return read.right
}

const record = (index: number, response = "yes") => ({
  v: 1 as const,
  sample_id: `t:${index}`,
  task: "t",
  index,
  repeat: 0,
  verdict: "correct" as const,
  response
})
const line = (index: number, response?: string) => `${JSON.stringify(record(index, response))}\n`
const indicesOf = (bodies: ReadonlyArray<Buffer>) =>
  bodies.map((body) =>
    body
      .toString()
      .trimEnd()
      .split("\n")
      .map((text) => (JSON.parse(text) as { readonly index: number }).index)
  )

/** a server that answers each call with the next of these, the last one for ever */
const server = (...answers: ReadonlyArray<Attempt>) => {
  const bodies: Array<Buffer> = []
  return {
    bodies,
    post: (body: Buffer) =>
      Effect.sync(
        () => answers[Math.min(bodies.push(body), answers.length) - 1] ?? { outcome: "accepted" as const, detail: "" }
      )
  }
}
const accepted: Attempt = { outcome: "accepted", detail: "200" }

const start = (
  dir: string,
  post: (body: Buffer) => Effect.Effect<Attempt>,
  samples: unknown = { write: true, include_text: true }
) =>
  Effect.gen(function* () {
    mkdirSync(join(dir, "results", "samples"), { recursive: true })
    return yield* makeSampleUpload(jobOf(samples), { results: join(dir, "results"), post, spoolDir: dir })
  })
const write = (dir: string, name: string, text: string) =>
  Effect.sync(() => appendFileSync(join(dir, "results", "samples", name), text))

describe("the upload of samples", () => {
  it.scoped("sends whole lines while they are written, and a torn one when it is whole", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const { bodies, post } = server(accepted)
      const upload = yield* start(dir, post)
      yield* write(dir, "t.ndjson", line(0) + line(1).slice(0, 9))
      yield* TestClock.adjust("2 seconds")
      assert.deepEqual(indicesOf(bodies), [[0]])
      yield* write(dir, "t.ndjson", line(1).slice(9) + line(2))
      yield* write(dir, "u.ndjson", line(7))
      assert.isTrue(yield* upload.finish(Duration.seconds(5)))
      assert.deepEqual(indicesOf(bodies), [[0], [1, 2], [7]])
      assert.deepEqual(JSON.parse(readFileSync(join(dir, uploadedMark), "utf8")), {
        "t.ndjson": line(0).length * 3,
        "u.ndjson": line(7).length
      })
    })
  )

  it.scoped("a call holds a thousand lines and less than four megabytes", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const { bodies, post } = server(accepted)
      const upload = yield* start(dir, post)
      yield* write(dir, "many.ndjson", Array.from({ length: 2500 }, (_, index) => line(index)).join(""))
      yield* write(
        dir,
        "wide.ndjson",
        Array.from({ length: 9 }, (_, index) => line(index, "x".repeat(900_000))).join("")
      )
      assert.isTrue(yield* upload.finish(Duration.seconds(5)))
      assert.deepEqual(
        indicesOf(bodies).map(({ length }) => length),
        [1000, 1000, 500, 4, 4, 1]
      )
      for (const body of bodies) assert.isAtMost(body.length, 4 * 1024 * 1024)
    })
  )

  it.scoped("tries again until it is heard, and gives up after a time without an answer", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const away: Attempt = { outcome: "retry", detail: "connect refused" }
      const { bodies, post } = server(away, away, accepted)
      const upload = yield* start(dir, post)
      yield* write(dir, "t.ndjson", line(0))
      yield* TestClock.adjust("2 minutes")
      assert.deepEqual(indicesOf(bodies), [[0], [0], [0]])
      assert.isTrue(yield* upload.finish(Duration.seconds(5)))
      const other = yield* tempDir
      const silent = yield* start(other, server(away).post)
      yield* write(other, "t.ndjson", line(0))
      const fiber = yield* Effect.fork(silent.finish(Duration.seconds(5)))
      yield* TestClock.adjust("6 seconds")
      assert.isFalse(yield* fiber.await.pipe(Effect.flatten))
      assert.isFalse(existsSync(join(other, uploadedMark)))
    })
  )

  it.scoped("lines that the server refuses hold nobody up; a job that is over is left alone", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const { bodies, post } = server({ outcome: "refused", detail: "400 invalid_value" }, accepted)
      const upload = yield* start(dir, post)
      yield* write(dir, "t.ndjson", line(0))
      yield* TestClock.adjust("2 seconds")
      yield* write(dir, "t.ndjson", line(1))
      assert.isFalse(yield* upload.finish(Duration.seconds(5)))
      assert.deepEqual(indicesOf(bodies), [[0], [1]])
      const other = yield* tempDir
      const gone = server({ outcome: "gone", detail: "404" })
      const ended = yield* start(other, gone.post)
      yield* write(other, "t.ndjson", line(0) + line(1))
      assert.isFalse(yield* ended.finish(Duration.seconds(5)))
      assert.lengthOf(gone.bodies, 1)
    })
  )

  it.scoped("nothing is sent where no samples are wanted", () =>
    Effect.gen(function* () {
      for (const samples of [
        { write: false, include_text: true },
        { write: true, include_text: true, upload: false }
      ]) {
        const dir = yield* tempDir
        const { bodies, post } = server(accepted)
        const upload = yield* start(dir, post, samples)
        yield* write(dir, "t.ndjson", line(0))
        yield* upload.finish(Duration.seconds(5))
        assert.lengthOf(bodies, 0)
      }
    })
  )

  it.scoped("files that are put into their final order are not sent a second time", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const { bodies, post } = server(accepted)
      const upload = yield* start(dir, post)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const samples = yield* openSamples({
            outputDir: join(dir, "results"),
            task: "t",
            write: true,
            includeText: true
          })
          for (const index of [2, 0, 1]) yield* samples.write(record(index))
          yield* TestClock.adjust("2 seconds")
          assert.deepEqual(indicesOf(bodies).flat(), [2, 0, 1])
          yield* samples.summary
        })
      ).pipe(Effect.provideService(SampleSink, upload.sink))
      assert.isTrue(yield* upload.finish(Duration.seconds(5)))
      assert.deepEqual(indicesOf(bodies).flat(), [2, 0, 1])
      assert.strictEqual(readFileSync(join(dir, "results", "samples", "t.ndjson"), "utf8"), line(0) + line(1) + line(2))
    })
  )
})

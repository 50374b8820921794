/** A log as it is written and read again: head and ring, tail, since, timestamps, follow. */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Ref, Stream } from "effect"
import type { LogQuery } from "../../../../application/ports/runtime.ts"
import { hasLog, lastLines, readLog } from "../../../../infrastructure/local/log-reader.ts"
import { openLog, segmentsIn } from "../../../../infrastructure/local/log-store.ts"
import { stripTerminalCodes } from "../../../../infrastructure/unit/terminal-codes.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-log-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const everything: LogQuery = { tailLines: 10_000, timestamps: false, follow: false }
const t0 = Date.parse("2026-08-17T10:00:00.000Z")

const read = (path: string, query: Partial<LogQuery> = {}, now = t0) =>
  Stream.runCollect(Stream.decodeText(readLog(path, { ...everything, ...query }, now, () => false))).pipe(Effect.map(Chunk.join("")))

/** writes lines, each one second after the one before */
const writeLines = (path: string, lines: ReadonlyArray<string>, maxBytes = 1_000_000) => {
  let now = t0
  const log = openLog(path, maxBytes, () => now)
  for (const line of lines) {
    log.write(`${line}\n`)
    now += 1000
  }
  log.close()
}

describe("a captured log", () => {
  it.scoped("is read whole, or its last lines", () =>
    Effect.gen(function* () {
      const path = yield* directory
      assert.isFalse(yield* Effect.promise(() => hasLog(path)))
      writeLines(path, ["a", "b", "c"])
      assert.isTrue(yield* Effect.promise(() => hasLog(path)))
      assert.strictEqual(yield* read(path), "a\nb\nc\n")
      assert.strictEqual(yield* read(path, { tailLines: 2 }), "b\nc\n")
      assert.strictEqual(yield* read(path, { tailLines: 1 }), "c\n")
      assert.strictEqual(yield* read(path, { tailLines: 3 }), "a\nb\nc\n")
      assert.deepStrictEqual(yield* Effect.promise(() => lastLines(path, 2)), ["b", "c"])
      assert.deepStrictEqual(yield* Effect.promise(() => lastLines(path, 20)), ["a", "b", "c"])
      assert.deepStrictEqual(yield* Effect.promise(() => lastLines(join(path, "absent"), 20)), [])
    })
  )

  it.scoped("knows when each line came", () =>
    Effect.gen(function* () {
      const path = yield* directory
      writeLines(path, ["a", "b\nb2", "c"])
      const lines = ["2026-08-17T10:00:00.000Z a", "2026-08-17T10:00:01.000Z b", "2026-08-17T10:00:01.000Z b2", "2026-08-17T10:00:02.000Z c", ""]
      assert.strictEqual(yield* read(path, { timestamps: true }), lines.join("\n"))
      assert.strictEqual(yield* read(path, { timestamps: true, tailLines: 2 }), lines.slice(2).join("\n"))
      assert.strictEqual(yield* read(path, { sinceSeconds: 10 }, t0 + 11_000), "b\nb2\nc\n")
      assert.strictEqual(yield* read(path, { sinceSeconds: 10, tailLines: 1 }, t0 + 11_000), "c\n")
      assert.strictEqual(yield* read(path, { sinceSeconds: 1 }, t0 + 60_000), "")
      assert.strictEqual(yield* read(path, { sinceSeconds: 3600 }, t0 + 60_000), "a\nb\nb2\nc\n")
    })
  )

  it.scoped("keeps its beginning and its newest lines within the limit, and says what is missing", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const limit = 8 * 4096
      const lines = Array.from({ length: 5000 }, (_, at) => `line ${String(at).padStart(6, "0")} ${"x".repeat(20)}`)
      writeLines(path, lines, limit)
      const size = segmentsIn(path).reduce((sum, segment) => sum + statSync(segment.path).size, 0)
      assert.isAtMost(size, limit)
      assert.isAtLeast(size, limit * 0.8)
      const text = yield* read(path)
      const [before = "", after = ""] = text.split(/…\[\d+ bytes left out here\]\n/)
      const head = before.split("\n").slice(0, -1)
      const ring = after.split("\n").slice(0, -1)
      assert.deepStrictEqual(head, lines.slice(0, head.length))
      assert.deepStrictEqual(ring, lines.slice(-ring.length))
      const missing = Number(/…\[(\d+) bytes/.exec(text)?.[1])
      assert.strictEqual(missing + Buffer.byteLength(before) + Buffer.byteLength(after), Buffer.byteLength(`${lines.join("\n")}\n`))
      assert.deepStrictEqual(yield* Effect.promise(() => lastLines(path, 2)), lines.slice(-2))
      const [first] = (yield* read(path, { timestamps: true, tailLines: ring.length })).split("\n")
      assert.strictEqual(first, `${new Date(t0 + (lines.length - ring.length) * 1000).toISOString()} ${ring[0]}`)
    })
  )

  it.scoped("is continued, not overwritten, by a second launch", () =>
    Effect.gen(function* () {
      const path = yield* directory
      writeLines(path, ["first"])
      writeLines(path, ["second"])
      assert.strictEqual(yield* read(path, { timestamps: true }), "2026-08-17T10:00:00.000Z first\n2026-08-17T10:00:00.000Z second\n")
    })
  )

  it.scopedLive("is followed until its unit ends, and what came last is not missed", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const log = openLog(path, 8 * 4096, () => t0)
      log.write("first\n")
      let live = true
      const seen = yield* Ref.make("")
      const following = readLog(path, { ...everything, follow: true }, t0, () => live).pipe(Stream.decodeText())
      const reader = yield* Effect.fork(Stream.runForEach(following, (text) => Ref.update(seen, (before) => before + text)))
      const until = (length: number) => Effect.repeat(Effect.tap(Ref.get(seen), Effect.sleep("5 millis")), { until: (text) => text.length >= length })
      yield* until(6)
      const more = Array.from({ length: 1000 }, (_, at) => `line ${at}\n`)
      for (const line of more.slice(0, 500)) log.write(line)
      yield* until(500)
      for (const line of more.slice(500)) log.write(line)
      log.write("last\n")
      live = false
      log.close()
      yield* Fiber.join(reader)
      assert.strictEqual(yield* Ref.get(seen), `first\n${more.join("")}last\n`)
    })
  )
})

describe("terminal codes", () => {
  it("are taken out: colours, cursor moves, titles, links", () => {
    const esc = String.fromCharCode(27)
    const bell = String.fromCharCode(7)
    assert.strictEqual(
      stripTerminalCodes(`${esc}[1;31mred${esc}[0m ${esc}[2K${esc}]0;title${bell}x ${esc}]8;;http://a${esc}\\link${esc}]8;;${esc}\\ ${esc}M`),
      "red x link "
    )
    assert.strictEqual(stripTerminalCodes("plain [0m"), "plain [0m")
  })
})

/** A log as it is written and read again: head and ring, tail, since, timestamps, follow. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Option, Stream, TestClock } from "effect"
import type { LogQuery } from "../../../../application/ports/runtime.ts"
import { hasLog, lastLines, readLog } from "../../../../infrastructure/local/files/log-reader.ts"
import { openLog, segmentsIn } from "../../../../infrastructure/local/files/log-store.ts"
import * as LogWatch from "../../../../infrastructure/local/files/log-watch.ts"
import { stripTerminalCodes } from "../../../../infrastructure/unit/terminal-codes.ts"
import { advancing, quiet, untilTrue, waitingUntil } from "../../../support/until.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-log-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const everything: LogQuery = { tailLines: 10_000, timestamps: false, follow: false }
const t0 = Date.parse("2026-08-17T10:00:00.000Z")

const read = (path: string, query: Partial<LogQuery> = {}, now = t0) =>
  Stream.runCollect(
    Stream.decodeText(
      readLog({ directory: path, isLive: () => false, watch: LogWatch.make() }, { ...everything, ...query }, now)
    )
  ).pipe(Effect.map(Chunk.join("")))

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
      const all = readLog(
        { directory: path, isLive: () => false, watch: LogWatch.make() },
        { timestamps: false, follow: false },
        t0
      )
      assert.strictEqual(yield* Stream.mkString(Stream.decodeText(all)), "a\nb\nc\n")
      assert.deepStrictEqual(yield* Effect.promise(() => lastLines(path, 2)), ["b", "c"])
      assert.deepStrictEqual(yield* Effect.promise(() => lastLines(path, 20)), ["a", "b", "c"])
      assert.deepStrictEqual(yield* Effect.promise(() => lastLines(join(path, "absent"), 20)), [])
    })
  )

  it.scoped("knows when each line came", () =>
    Effect.gen(function* () {
      const path = yield* directory
      writeLines(path, ["a", "b\nb2", "c"])
      const lines = [
        "2026-08-17T10:00:00.000Z a",
        "2026-08-17T10:00:01.000Z b",
        "2026-08-17T10:00:01.000Z b2",
        "2026-08-17T10:00:02.000Z c",
        ""
      ]
      assert.strictEqual(yield* read(path, { timestamps: true }), lines.join("\n"))
      assert.strictEqual(yield* read(path, { timestamps: true, tailLines: 2 }), lines.slice(2).join("\n"))
      assert.strictEqual(yield* read(path, { sinceSeconds: 10 }, t0 + 11_000), "b\nb2\nc\n")
      assert.strictEqual(yield* read(path, { sinceSeconds: 10, tailLines: 1 }, t0 + 11_000), "c\n")
      assert.strictEqual(yield* read(path, { sinceSeconds: 1 }, t0 + 60_000), "")
      assert.strictEqual(yield* read(path, { sinceSeconds: 3600 }, t0 + 60_000), "a\nb\nb2\nc\n")
    })
  )

  it.scoped(
    "is read with its times once, not with all of them for each block (a log of 2 MB read 16 MB of times)",
    () =>
      Effect.gen(function* () {
        const path = yield* directory
        const lines = Array.from({ length: 30_000 }, (_, at) => `line ${String(at).padStart(6, "0")} ${"x".repeat(52)}`)
        writeLines(path, lines, 64 * 1024 * 1024)
        const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1])
        const before = bytesRead()
        const text = yield* read(path, { timestamps: true, tailLines: lines.length })
        const bytes = bytesRead() - before
        const told = text.trimEnd().split("\n")
        assert.lengthOf(told, lines.length)
        for (const at of [0, 1, 1023, 14_999, 29_999])
          assert.strictEqual(told[at], `${new Date(t0 + at * 1000).toISOString()} ${lines[at]}`)
        // its text is looked through for the first of the last lines, and read; its times are a quarter of it
        assert.isBelow(bytes, 8_000_000)
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
      assert.strictEqual(
        missing + Buffer.byteLength(before) + Buffer.byteLength(after),
        Buffer.byteLength(`${lines.join("\n")}\n`)
      )
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
      assert.strictEqual(
        yield* read(path, { timestamps: true }),
        "2026-08-17T10:00:00.000Z first\n2026-08-17T10:00:00.000Z second\n"
      )
    })
  )

  it.scoped("is followed until its unit ends, and what came last is not missed", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const log = openLog(path, 8 * 4096, () => t0)
      const write = (text: string) => {
        log.write(text)
        watch.changed(path)
      }
      const watch = LogWatch.make()
      let live = true
      let seen = ""
      const following = readLog(
        { directory: path, isLive: () => live, watch },
        { ...everything, follow: true },
        t0
      ).pipe(Stream.decodeText())
      write("first\n")
      const reader = yield* Effect.fork(Stream.runForEach(following, (text) => Effect.sync(() => (seen += text))))
      const until = (length: number) =>
        advancing(
          "50 millis",
          Effect.sync(() => (seen.length >= length ? seen : undefined))
        )
      yield* until(6)
      const more = Array.from({ length: 1000 }, (_, at) => `line ${at}\n`)
      for (const line of more.slice(0, 500)) write(line)
      yield* until(500)
      for (const line of more.slice(500)) write(line)
      log.write("last\n")
      live = false
      log.close()
      watch.changed(path)
      yield* advancing("50 millis", Effect.map(Fiber.poll(reader), Option.getOrUndefined))
      assert.strictEqual(seen, `first\n${more.join("")}last\n`)
    })
  )

  it.scoped(
    "that is idle costs its followers nothing, however many they are (each of them looked five times a second)",
    () =>
      Effect.gen(function* () {
        const path = yield* directory
        const log = openLog(path, 8 * 4096, () => t0)
        log.write("first\n")
        const watch = LogWatch.make()
        let [live, asked, bytes] = [true, 0, 0]
        const isLive = () => {
          asked += 1
          return live
        }
        const count = 200
        const following = readLog({ directory: path, isLive, watch }, { ...everything, follow: true }, t0)
        const readers = yield* Effect.forEach(Array.from({ length: count }), () =>
          Effect.fork(Stream.runForEach(following, ({ length }) => Effect.sync(() => (bytes += length))))
        )
        const everybody = Fiber.all(readers)
        // each has read what there is and then found nothing more, and somebody looks for all of them
        yield* untilTrue(Effect.sync(() => asked === 2 * count + 1 && bytes === 6 * count))
        const before = asked
        for (let looks = 1; looks <= 12; looks++) {
          yield* waitingUntil(looks * 5000)
          yield* TestClock.adjust("5 seconds")
          yield* untilTrue(Effect.sync(() => asked === before + looks))
        }
        yield* quiet
        assert.strictEqual(asked, before + 12)
        // another server has written: the look finds it
        log.write("other\n")
        yield* advancing(
          "1 seconds",
          Effect.sync(() => (bytes === 12 * count ? true : undefined))
        )
        live = false
        watch.changed(path)
        yield* advancing("50 millis", Effect.map(Fiber.poll(everybody), Option.getOrUndefined))
      })
  )
})

describe("terminal codes", () => {
  it("are taken out: colours, cursor moves, titles, links", () => {
    const esc = String.fromCharCode(27)
    const bell = String.fromCharCode(7)
    assert.strictEqual(
      stripTerminalCodes(
        `${esc}[1;31mred${esc}[0m ${esc}[2K${esc}]0;title${bell}x ${esc}]8;;http://a${esc}\\link${esc}]8;;${esc}\\ ${esc}M`
      ),
      "red x link "
    )
    assert.strictEqual(stripTerminalCodes("plain [0m"), "plain [0m")
  })
})

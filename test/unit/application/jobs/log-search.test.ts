/** Search in a log, whatever runtime it comes from: lines, cuts, what is held of a large one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { searchLog } from "../../../../application/jobs/logs/log-search.ts"
import type { LogQuery, UnitLog } from "../../../../application/ports/runtime.ts"

const query = { tailLines: 1000, timestamps: false, follow: false }
const bytes = (text: string) => new TextEncoder().encode(text)
const logOf = (text: UnitLog["text"]) => () => Effect.succeed<UnitLog>({ source: "captured", text })
const textOf = (log: UnitLog) =>
  Effect.map(Stream.runCollect(log.text), (parts) => Buffer.concat([...parts]).toString("utf8"))

const found = (text: string, contains: string, asked: Partial<typeof query> = {}) =>
  Effect.flatMap(searchLog(logOf(Stream.make(bytes(text))), { ...query, ...asked }, contains), textOf)

describe("search in a log", () => {
  it.effect("finds a line wherever it is cut, also within a character", () =>
    Effect.gen(function* () {
      const text = "first\nzwölf Fehler €\nlast fehler"
      const whole = bytes(text)
      for (let cut = 0; cut <= whole.length; cut++)
        for (const size of [1, 3, whole.length]) {
          const end = Math.min(whole.length, cut + size)
          const pieces = [whole.subarray(0, cut), whole.subarray(cut, end), whole.subarray(end)]
          const log = yield* searchLog(logOf(Stream.fromIterable(pieces)), query, "FEHLER")
          assert.strictEqual(yield* textOf(log), "zwölf Fehler €\nlast fehler", `${cut}, ${size}`)
        }
    })
  )

  it.effect("takes the text as it is, in any case: nothing in it is a pattern", () =>
    Effect.gen(function* () {
      const signs = "^$\\.*+?()[]{}|/-#'\"`<>&%~"
      for (const sign of signs) {
        assert.strictEqual(yield* found(`a${sign}b\nab\naxb\n`, `A${sign}B`), `a${sign}b\n`, sign)
      }
      assert.strictEqual(yield* found("aaa\n", "a*"), "")
      assert.strictEqual(yield* found("ΟΔΟΣ\nοδος\nÄ\n", "οδοσ"), "ΟΔΟΣ\nοδος\n")
      assert.strictEqual(yield* found("one\n\ntwo \n", " "), "two \n")
    })
  )

  it.effect("counts the last lines after the search, and does not search the times before lines", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 100 }, (_, at) => `${at % 2 === 0 ? "even" : "odd"} ${at}\n`)
      assert.strictEqual(yield* found(lines.join(""), "EVEN", { tailLines: 2 }), "even 96\neven 98\n")
      const open = ({ timestamps }: LogQuery) =>
        logOf(
          Stream.make(
            bytes(["2026 a\n", "b\n"].map((line) => (timestamps ? `2026-01-01T00:00:00.000Z ${line}` : line)).join(""))
          )
        )()
      const log = yield* searchLog(open, { ...query, timestamps: true }, "2026")
      assert.strictEqual(yield* textOf(log), "2026-01-01T00:00:00.000Z 2026 a\n")
    })
  )

  it.effect("tells a log without such a line from one without text", () =>
    Effect.gen(function* () {
      assert.isFalse((yield* searchLog(logOf(Stream.make(bytes("a\n"))), query, "b")).isEmpty)
      assert.isTrue((yield* searchLog(logOf(Stream.make(bytes(""))), query, "b")).isEmpty)
    })
  )

  it.effect("followed: the last of what is there, then what comes", () =>
    Effect.gen(function* () {
      const there = Stream.make(bytes("hit 1\nhit 2\nmiss\n"))
      const coming = Stream.concat(
        Stream.make("hi", "t 3\nmiss\n", "hit 4\n").pipe(Stream.rechunk(1), Stream.map(bytes)),
        Stream.never
      )
      const open = ({ follow }: LogQuery) => logOf(follow ? Stream.concat(there, coming) : there)()
      const log = yield* searchLog(open, { ...query, tailLines: 1, follow: true }, "hit")
      const parts = yield* Stream.runCollect(Stream.take(log.text, 3))
      assert.deepStrictEqual(
        [...parts].map((part) => Buffer.from(part).toString()),
        ["hit 2\n", "hit 3\n", "hit 4\n"]
      )
    })
  )

  it.effect("of 50 MB is handed out as it is read, and holds no line that never ends", () =>
    Effect.gen(function* () {
      const block = bytes(`${"x".repeat(65_531)}\nhit\n`)
      let read = 0
      const log = Stream.map(Stream.rechunk(Stream.range(1, 800), 1), () => {
        read += 1
        return block
      })
      const { text } = yield* searchLog(logOf(log), query, "hit")
      const counted = read
      assert.strictEqual(counted, 800)
      const first = yield* Stream.runHead(text)
      assert.isTrue(first._tag === "Some")
      assert.isAtMost(read - counted, 2)
      // one line that goes on for 13 MB is searched in parts, each handed out before the next is read
      let ahead = 0
      let most = 0
      const endless = Stream.map(Stream.rechunk(Stream.range(1, 200), 1), () => {
        ahead += 1
        most = Math.max(most, ahead)
        return block.subarray(0, 65_000)
      })
      const parts = yield* searchLog(logOf(endless), query, "X")
      ahead = 0
      most = 0
      let length = 0
      yield* Stream.runForEach(parts.text, (part) =>
        Effect.sync(() => {
          length += part.length
          ahead = 0
        })
      )
      assert.strictEqual(length, 200 * 65_000)
      assert.isAtMost(most, 18)
    })
  )
})

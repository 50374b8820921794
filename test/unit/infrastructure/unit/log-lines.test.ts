import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { lineShaper, maxLineBytes } from "../../../../infrastructure/unit/log-lines.ts"

const secret = "sk-canary-8d2f"

/** the whole text pushed in these pieces */
const shaped = (pieces: ReadonlyArray<Buffer | string>, secrets: ReadonlyArray<string> = []): string => {
  const shaper = lineShaper(secrets)
  return pieces.map((piece) => shaper.push(Buffer.from(piece))).join("") + shaper.finish()
}

/** cut at these places */
const cutAt = (bytes: Buffer, places: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const edges = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  return edges.slice(1).map((end, at) => bytes.subarray(edges[at], end))
}

describe("lines of a log", () => {
  it("keep what was written, with a newline at the end", () => {
    assert.strictEqual(shaped(["a\nb\n", "c"]), "a\nb\nc\n")
    assert.strictEqual(shaped(["", "\n\n"]), "\n\n")
    assert.strictEqual(shaped([]), "")
  })
  it("end at a carriage return as well, so that a progress bar does not become one endless line", () => {
    assert.strictEqual(shaped([" 10%\r 20%\r", "\n", "done\r\n"]), " 10%\n 20%\ndone\n")
  })
  it("hold no NUL and are valid UTF-8, also when a character comes in two pieces", () => {
    const euro = Buffer.from("€")
    assert.strictEqual(
      shaped([Buffer.from("a\0b"), euro.subarray(0, 1), euro.subarray(1), Buffer.from([0xff, 10])]),
      "ab€\uFFFD\n"
    )
  })
  it("a NUL between a carriage return and a newline makes no second line, wherever the writes are split", () => {
    for (const pieces of [["\r\0\n"], ["\r", "\0\n"], ["\r\0", "\n"], ["\r", "\0", "\n"]])
      assert.strictEqual(shaped(pieces, []), "\n", JSON.stringify(pieces))
  })
  it("are cut at 64 KiB with the number of bytes left out", () => {
    const long = "x".repeat(maxLineBytes + 10)
    const want = `${"x".repeat(maxLineBytes)}…[+10 bytes]\nnext\n`
    assert.strictEqual(shaped([`${long}\nnext\n`]), want)
    assert.strictEqual(shaped([...long, "\nnext\n"]), want)
    assert.strictEqual(shaped([`${long}\nne`, "xt"]), want)
    assert.strictEqual(shaped([long]), `${"x".repeat(maxLineBytes)}…[+10 bytes]\n`)
  })
  it("of any length need little memory and lose no count", () => {
    const shaper = lineShaper([])
    const piece = Buffer.alloc(1024 * 1024, "y")
    let out = ""
    for (let count = 0; count < 100; count++) out += shaper.push(piece)
    assert.strictEqual(out, "")
    assert.strictEqual(
      shaper.push(Buffer.from("\n")),
      `${"y".repeat(maxLineBytes)}…[+${100 * 1024 * 1024 - maxLineBytes} bytes]\n`
    )
  })
  it("are never cut inside a character", () => {
    const [line = "", rest] = shaped([`${"a".repeat(maxLineBytes - 1)}€€\n`]).split("…")
    assert.strictEqual(line, "a".repeat(maxLineBytes - 1))
    assert.strictEqual(rest, "[+6 bytes]\n")
  })
})

describe("secrets", () => {
  it("are replaced in all their forms, every line of them, longest first", () => {
    const key = "line-one/+=\nline-two\n"
    const text = `${key} ${encodeURIComponent("line-one/+=")} {"k":"quo\\"te"}\n`
    assert.strictEqual(shaped([text], [key, 'quo"te', "line"]), `***\n***\n *** {"k":"***"}\n`)
  })
  it("shorter than four characters are no secrets", () => {
    assert.strictEqual(shaped(["abc abcd\n"], ["abc", ""]), "abc abcd\n")
  })
  it("do not survive at the edge where a long line is cut", () => {
    for (const before of [maxLineBytes - 20, maxLineBytes - 7, maxLineBytes - 1, maxLineBytes, maxLineBytes + 3]) {
      const line = `${"x".repeat(before)}${secret}${"z".repeat(200)}`
      for (const pieces of [[`${line}\n`], [line, "\n"], cutAt(Buffer.from(line), [before, before + 5])])
        assert.notInclude(shaped(pieces, [secret]), "canary")
    }
  })
  it("are found wherever the writes are split", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(
          FastCheck.oneof(
            FastCheck.constant(secret),
            FastCheck.string({ unit: "grapheme", maxLength: 8 }),
            FastCheck.constantFrom("\n", "\r", "\0", "€")
          )
        ),
        FastCheck.array(FastCheck.nat(300)),
        (words, places) => {
          const bytes = Buffer.from(words.join(""))
          const out = shaped(cutAt(bytes, places), [secret])
          assert.notInclude(out, secret)
          assert.strictEqual(out, shaped([bytes], [secret]))
        }
      ),
      { numRuns: 300 }
    )
  })
})

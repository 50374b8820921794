import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { lineReader, tailOf } from "../../../../../providers/sdk/framework/output-lines.ts"

const readIn = (chunks: ReadonlyArray<Buffer>) => {
  const states: Array<string> = []
  const lines: Array<string> = []
  const reader = lineReader(
    (line) => states.push(line),
    (line) => lines.push(line)
  )
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return { states, lines }
}

describe("output as lines", () => {
  it("a bar tells every state and leaves its last one", () => {
    const { states, lines } = readIn([Buffer.from("start\n 0%|\r 50%|\r"), Buffer.from(" 100%|\ndone")])
    assert.deepStrictEqual(states, ["start", " 0%|", " 50%|", " 100%|", "done"])
    assert.deepStrictEqual(lines, ["start", " 100%|", "done"])
  })
  it("a bar that takes long is seen every ten seconds (two hours of work left one line at the end)", () => {
    const lines: Array<string> = []
    let now = 0
    const reader = lineReader(
      () => undefined,
      (line) => lines.push(line),
      () => now
    )
    for (let step = 0; step <= 10; step++) {
      reader.push(Buffer.from(` ${step}/10\r`))
      now += 4000
    }
    reader.push(Buffer.from("\nnext\n"))
    assert.deepStrictEqual(lines, [" 3/10", " 6/10", " 9/10", " 10/10", "next"])
    lines.length = 0
    reader.push(Buffer.from("a 1\r"))
    now += 10_000
    reader.push(Buffer.from("a 2\r\n"))
    assert.deepStrictEqual(lines, ["a 2"])
  })
  it("a bar that ends with a carriage return is kept, Windows line ends are line ends", () => {
    assert.deepStrictEqual(readIn([Buffer.from("a\r\nbar 1\rbar 2\r\nbar 3\r")]).lines, ["a", "bar 2", "bar 3"])
  })
  it("lines do not depend on how the output is cut into pieces", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("é", "a", "\n", "█", " "), { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        (parts, size) => {
          const bytes = Buffer.from(parts.join(""))
          const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
            bytes.subarray(index * size, (index + 1) * size)
          )
          assert.deepStrictEqual(readIn(pieces).lines, readIn([bytes]).lines)
        }
      ),
      { numRuns: 200, seed: 1 }
    )
  })
  it("the tail holds the newest lines within its bytes, and at least one", () => {
    const tail = tailOf(10)
    for (const line of ["aaaa", "bbbb", "cccc"]) tail.add(line)
    assert.deepStrictEqual(tail.lines(), ["bbbb", "cccc"])
    tail.add("x".repeat(50))
    assert.deepStrictEqual(tail.lines(), ["x".repeat(50)])
  })
})

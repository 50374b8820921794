import { assert, describe, it } from "vitest"
import { duration, number, visible } from "../../../../interfaces/ui/format.ts"

describe("texts of others", () => {
  it("characters that control or turn text around are shown as such; lines, tabs and every script stay", () => {
    assert.strictEqual(visible("a\u202eb\u0007c\u200bd\u001b[31m"), "a\ufffdb\ufffdc\ufffdd\ufffd[31m")
    assert.strictEqual(visible("é 漢字 עברית\n\t👍"), "é 漢字 עברית\n\t👍")
  })
})

describe("numbers and times", () => {
  it("have the digits that a reader needs", () => {
    assert.deepStrictEqual([0.8, 12.345, 1234.5, 1200, 1].map(number), ["0.800", "12.3", "1235", "1,200", "1.000"])
    assert.deepStrictEqual([4200, 42_000, 185_000, 3_725_000].map(duration), [
      "4.2 s",
      "42 s",
      "3 min 05 s",
      "1 h 02 min"
    ])
  })
})

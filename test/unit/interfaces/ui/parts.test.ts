import { assert, describe, it } from "vitest"
import { partsOf } from "../../../../interfaces/ui/parts/ansi.tsx"
import { rangeOf } from "../../../../interfaces/ui/parts/score.tsx"
import { quoted } from "../../../../values/shell-word.ts"

describe("a line that a program wrote for a terminal", () => {
  it("keeps its colours as kinds, and nothing else that a terminal would obey", () => {
    assert.deepStrictEqual(partsOf("a \u001b[31mred\u001b[0m b"), [
      { kind: "", text: "a " },
      { kind: "bad", text: "red" },
      { kind: "", text: " b" }
    ])
    const obeyed = "\u001b[2J\u001b[1;1H\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007\u001b]0;title\u001b\\x"
    assert.strictEqual(
      partsOf(obeyed)
        .map(({ text }) => text)
        .join(""),
      "linkx"
    )
    assert.deepStrictEqual(partsOf("cut \u001b[3"), [{ kind: "", text: "cut \ufffd[3" }])
  })
})

describe("the room of a score's bar", () => {
  it("is 0 to 1 where all numbers lie there, else what they need", () => {
    assert.deepStrictEqual(rangeOf([{ value: 0.5, low: 0.2, high: 1, threshold: 0 }]), [0, 1])
    const [low, high] = rangeOf([{ value: 120, threshold: 200 }])
    assert.isTrue(low < 120 && high > 200 && low >= 0)
    assert.isBelow(rangeOf([{ value: -3 }])[0], -3)
  })
})

describe("a command to copy", () => {
  it("is one word to a shell, whatever stands in it", () => {
    assert.strictEqual(quoted("a'; rm -rf $HOME `x`"), `'a'\\''; rm -rf $HOME \`x\`'`)
  })
})

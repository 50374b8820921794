import { assert, describe, it } from "vitest"
import { seen, told, warning } from "../../../../interfaces/mcp/told.ts"

describe("what an agent is told", () => {
  it("shows every character that hides text, in values and in names of members", () => {
    const hiding = [
      "\u0000",
      "\u001b",
      "\u200b",
      "\u202e",
      "\u2066",
      "\ufe0f",
      "\u3164",
      "\u{e0041}",
      "\u{e0101}",
      "\ud800"
    ]
    const text = told({ [`a${hiding.join("")}`]: [hiding.join("b")] })
    assert.notMatch(text, /(?!\n)\p{Cc}|[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Surrogate}]/u)
    assert.deepStrictEqual(JSON.parse(text.slice(warning.length + 1)), {
      [`a${hiding.map(seen).join("")}`]: [hiding.map(seen).join("b")]
    })
    assert.strictEqual(seen("\u{e0041}\u200b"), "\\u{E0041}\\u{200B}")
  })
  it("keeps lines, letters of every script and plain symbols as they are", () => {
    for (const text of ["two\nlines\tand tabs", "Größe 日本語 עברית ≤ 0.5", "🙂"]) assert.strictEqual(seen(text), text)
  })
  it("is refused when an agent could not read it, with what to ask instead", () => {
    assert.throws(() => told(["x".repeat(200_001)]), /200005 characters.*limit/)
  })
})

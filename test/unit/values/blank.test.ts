import { assert, describe, it } from "vitest"
import { isBlank } from "../../../values/clean-text.ts"

describe("texts that show nothing", () => {
  it("white space and signs that nobody sees", () => {
    for (const text of [
      "",
      " \n\t\u00a0\u3000",
      "\u200b",
      "\ufeff\u2060\u00ad",
      "\u200e\u202a\u202c",
      "\u2800\u3164",
      "\u0000\ufe0f",
      "\u{e0041}"
    ])
      assert.isTrue(isBlank(text), JSON.stringify(text))
  })
  it("anything else is something", () => {
    for (const text of ["a", "\u200b0", "。", "\u0301", "😀", "\u09b0", "-"])
      assert.isFalse(isBlank(text), JSON.stringify(text))
  })
})

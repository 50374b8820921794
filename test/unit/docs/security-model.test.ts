/** The threat table names tests that are there. */
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"

const rows = readFileSync("docs/security-model.md", "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| who |"))
  .map((line) => line.split(" | "))

/** as a title stands in a file of tests: whole, between quotes */
const isTitleIn = (path: string, title: string): boolean => {
  const text = readFileSync(path, "utf8")
  return ['"', "`"].some((quote) => text.includes(`${quote}${title}${quote}`))
}

describe("the security model", () => {
  it("names for every threat a test that is there, by its whole title", () => {
    assert.isAbove(rows.length, 40)
    const missing = rows.flatMap((cells) => {
      const [, path = "", title = ""] = /^`([^`]+)` › (.+?) \|$/.exec(cells.at(-1) ?? "") ?? []
      return existsSync(path) && isTitleIn(path, title) ? [] : [cells.join(" | ")]
    })
    assert.deepStrictEqual(missing, [])
  })

  it("says in each row who, what and what stops them", () => {
    for (const cells of rows) assert.lengthOf(cells, 4, cells.join(" | "))
  })
})

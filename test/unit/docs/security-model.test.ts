/** The threat table names tests that are there. */
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"

const rows = readFileSync("docs/security-model.md", "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| who |"))
  .map((line) => line.split(" | "))

describe("the security model", () => {
  it("names for every threat a test that is there", () => {
    assert.isAbove(rows.length, 12)
    const missing = rows.flatMap((cells) => {
      const [, path = "", name = ""] = /^`([^`]+)` › (.+?) \|$/.exec(cells.at(-1) ?? "") ?? []
      return existsSync(path) && readFileSync(path, "utf8").includes(name) && name !== "" ? [] : [cells.join(" | ")]
    })
    assert.deepStrictEqual(missing, [])
  })

  it("says in each row who, what and what stops them", () => {
    for (const cells of rows) assert.lengthOf(cells, 4, cells.join(" | "))
  })
})

/** What a process reads before it does anything is most of its start. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

/** the bundles that are read with this one; those it imports when asked are not */
const readWith = (entry: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(entry)) return seen
  seen.add(entry)
  for (const [, next] of readFileSync(`dist/${entry}`, "utf8").matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) if (next !== undefined) readWith(next, seen)
  return seen
}

describe("a server that starts", () => {
  it("does not read the documentation page's script, HTTP clients and database drivers that it may never use", () => {
    const texts = [...readWith("server.mjs")].map((name) => readFileSync(`dist/${name}`, "utf8"))
    for (const unneeded of ["SwaggerUIBundle", "UndiciError", "DataRowMessage"])
      assert.isFalse(
        texts.some((text) => text.includes(unneeded)),
        unneeded
      )
    assert.isBelow(
      texts.reduce((sum, text) => sum + text.length, 0),
      3_000_000
    )
  })
})

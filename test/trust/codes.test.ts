/** Every code of a flag is planted: a fault whose name ends in it stands in one of the suites of faults. Reference: validity.md, "Flags". */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"

const read = (path: string) => readFileSync(path, "utf8")
const page = read("docs/reference/validity.md")
const codes = [
  ...page.slice(page.indexOf("## Flags")).matchAll(/^\| `([a-z_]+)` \| (?:blocking|advisory|remark) \|/gm)
].map(([, code = ""]) => code)
const suites = [
  "test/trust/planted-faults.test.ts",
  "test/trust/planted-providers.test.ts",
  "test/peers/frameworks/planted-faults.test.ts"
].map(read)

/** a generator that is late on purpose would be late by chance too: it is tried on a clock of its own */
const elsewhere = { load_generator_saturated: "test/unit/providers/evald/performance/profiles.test.ts" }

describe("codes of flags", () => {
  it("thirty of them, each once", () => {
    assert.isAtLeast(codes.length, 30)
    assert.strictEqual(new Set(codes).size, codes.length)
  })
  for (const code of codes)
    it(`${code} is planted`, () => {
      const other = elsewhere[code as keyof typeof elsewhere]
      const places = other === undefined ? suites : [read(other)]
      assert.isTrue(places.some((text) => text.includes(`"${code}"`)))
    })
  it("at least 24 faults of an endpoint are planted for the embedded provider", () => {
    assert.isAtLeast((suites[0]?.match(/^ {4}code: "|code: "[a-z_]+", (?:\.\.\.attacks, )?fault/gm) ?? []).length, 24)
  })
})

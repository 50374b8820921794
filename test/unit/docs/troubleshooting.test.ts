/** Each message code that anybody can meet has one heading in docs/troubleshooting.md, and what is said there can be done. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { settings } from "../../../config/settings.ts"
import { ownCauses } from "../../../domain/explain/explain-failures.ts"
import { adapterCodes, jobCodes, runtimeCodes, warningCodes } from "../../../domain/job/message-codes.ts"
import { commands } from "../../../interfaces/cli/commands.ts"
import { faultRemedies } from "../../../interfaces/gateway/fault-remedies.ts"
import { requestCodes } from "../../../interfaces/http/groups/request-codes.ts"

const page = readFileSync("docs/troubleshooting.md", "utf8")
const [, codes = ""] = page.split("\n## Codes\n")
const headings = [...codes.matchAll(/^### (\S+)$/gm)].map(([, code = ""]) => code)
const causes = [...codes.matchAll(/^- (.*)$/gm)].map(([, text = ""]) => text)

/** codes of the first column of a page's tables */
const tabled = (path: string, section: string): ReadonlyArray<string> => {
  const [, rest = ""] = readFileSync(path, "utf8").split(`\n## ${section}\n`)
  return [...(rest.split("\n## ")[0] ?? "").matchAll(/^\| (?:[\d, ]+\| )?((?:`\w+`(?:, )?)+) \|/gm)].flatMap(
    ([, cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].flatMap(([, code]) => code ?? [])
  )
}

describe("troubleshooting", () => {
  it("has one heading for each code: of refusals, of jobs and benchmarks, of the gateway, of flags, of explanations", () => {
    const wanted = [
      ...[requestCodes, jobCodes, runtimeCodes, adapterCodes, warningCodes, faultRemedies, ownCauses].flatMap(
        Object.keys
      ),
      ...tabled("docs/reference/errors.md", "Gateway codes"),
      ...tabled("docs/reference/validity.md", "Flags")
    ]
    assert.isAbove(new Set(wanted).size, 140)
    assert.sameMembers(headings, [...new Set(wanted)])
  })

  it("says for each a cause and what to do, in whole sentences", () => {
    assert.isAtLeast(causes.length, headings.length)
    for (const text of causes) assert.match(text, /^[A-Z][^:]+: .{10,}[^.]\. \*\*What to do:\*\* [A-Z`].{10,}\.$/, text)
  })

  it("names commands and settings that there are", () => {
    const known = new Set(commands.map(({ name }) => name))
    const named = [...page.matchAll(/`evald ([a-z-]+)/g)].map(([, name = ""]) => name)
    assert.isAbove(named.length, 15)
    assert.deepStrictEqual(
      named.filter((name) => !known.has(name)),
      []
    )
    const groups = new Set(Object.keys(settings).map((key) => key.split(".")[0]))
    const keys = [...page.matchAll(/`([a-z_]+(?:\.[a-z_0-9]+)+)`/g)]
      .map(([, key = ""]) => key)
      .filter((key) => groups.has(key.split(".")[0]) && !/^(model|runtime\.local)\b/.test(key))
    assert.isAbove(keys.length, 10)
    assert.deepStrictEqual(
      keys.filter((key) => !Object.hasOwn(settings, key)),
      []
    )
  })
})

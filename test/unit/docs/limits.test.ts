/** The numbers of docs/limits.md are those of the settings and of the code. */
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { type SettingKey, settings } from "../../../config/settings.ts"

interface Row {
  readonly what: string
  readonly number: number | undefined
  readonly setBy: string
  readonly told: string
}

const numberOf = (text: string): number | undefined =>
  text === "unset" ? undefined : Number(/^[\d,]+/.exec(text)?.[0].replaceAll(",", ""))

const rows = readFileSync("docs/limits.md", "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| what |"))
  .map((line): Row => {
    const [what = "", number = "", setBy = "", told = ""] = line.slice(2, -2).split(" | ")
    return { what, number: numberOf(number), setBy, told }
  })

const settingOf = ({ setBy }: Row): SettingKey | undefined => {
  const [, key = ""] = /^`([\w.]+)`$/.exec(setBy) ?? []
  return Object.hasOwn(settings, key) ? (key as SettingKey) : undefined
}

/** what a file gives to a name: one number, or a product of some */
const constantOf = ({ setBy }: Row): number => {
  const [, path = "", name = ""] = /^`([\w./-]+\.ts)` `(\w+)`$/.exec(setBy) ?? []
  if (!existsSync(path)) return Number.NaN
  const given = new RegExp(`\\b${name}(?: =|:) ([\\d_]+(?: \\* [\\d_]+)*)`).exec(readFileSync(path, "utf8"))?.[1] ?? ""
  return given.split(" * ").reduce((product, factor) => product * Number(factor.replaceAll("_", "") || "NaN"), 1)
}

describe("the limits", () => {
  it("have the numbers of their settings and constants", () => {
    assert.isAbove(rows.length, 90)
    const wrong = rows.filter((row) => {
      const key = settingOf(row)
      return row.number !== (key === undefined ? constantOf(row) : settings[key].initial)
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("say what happens there, once each", () => {
    assert.deepStrictEqual(
      rows.filter(({ told }) => told === ""),
      []
    )
    assert.lengthOf(new Set(rows.map(({ setBy }) => setBy)), rows.length)
  })

  it("have every setting that bounds something", () => {
    const bounds =
      /(^|[._])max_|^(tenants|rate_limit|timeouts|local\.limits|auth\.refused_tokens|runtime\.k8s\.client)\.|pool_size|workers$|concurrency$|retention|(statement|request|test_data\.)_?timeout/
    const listed = new Set(rows.map(settingOf))
    assert.deepStrictEqual(
      (Object.keys(settings) as ReadonlyArray<SettingKey>).filter((key) => bounds.test(key) && !listed.has(key)),
      []
    )
  })
})

/** The example dashboard and alert rules ask for metrics and labels that a server has. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { parse } from "yaml"
import { listMember, member } from "../../../values/json.ts"

const listed = new Map(
  [...readFileSync("docs/reference/metrics.md", "utf8").matchAll(/^\| `(evald_[\w*]+)` \| (\w+) \| ([^|]*) \|/gm)].map(
    ([, name = "", kind = "", labels = ""]) => [
      name,
      { kind, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label) }
    ]
  )
)
const histogram = /_(bucket|count|sum)$/
const known = (name: string) =>
  listed.get(name) ??
  (listed.get(name.replace(histogram, ""))?.kind === "histogram"
    ? listed.get(name.replace(histogram, ""))
    : undefined) ??
  [...listed].find(([wild]) => wild.endsWith("*") && name.startsWith(wild.slice(0, -1)))?.[1]

/** what an expression asks for that no server has */
const wrongIn = (expression: string): ReadonlyArray<string> =>
  [...expression.matchAll(/\b(evald_\w+)(?:\{([^}]*)\})?/g)].flatMap(([, name = "", selectors = ""]) => {
    const found = known(name)
    if (found === undefined) return [name]
    const labels = [...selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label)
    return labels.filter((label) => !found.labels.includes(label)).map((label) => `${name}{${label}}`)
  })

const rules = listMember(parse(readFileSync("deploy/monitoring/alerts.yaml", "utf8")), "groups").flatMap((group) =>
  listMember(group, "rules")
)
const panels = listMember(JSON.parse(readFileSync("deploy/monitoring/dashboard.json", "utf8")), "panels")
const expressions = [
  ...rules.map((rule) => String(member(rule, "expr"))),
  ...panels.flatMap((panel) => listMember(panel, "targets").map((target) => String(member(target, "expr"))))
]

describe("monitoring", () => {
  it("asks for metrics and labels that there are", () => {
    assert.isAbove(listed.size, 20)
    assert.isAbove(expressions.length, 15)
    for (const expression of expressions) {
      assert.include(expression, "evald_", expression)
      assert.deepStrictEqual(wrongIn(expression), [], expression)
    }
    assert.deepStrictEqual(wrongIn('sum(evald_absent) + evald_jobs{tenant="a"}'), [
      "evald_absent",
      "evald_jobs{tenant}"
    ])
  })

  it("every alert says how bad it is and what to do", () => {
    for (const rule of rules) {
      assert.include(["critical", "warning"], member(member(rule, "labels"), "severity"))
      assert.isAbove(
        String(member(member(rule, "annotations"), "action") ?? "").length,
        30,
        String(member(rule, "alert"))
      )
    }
  })
})

import { assert, describe, it } from "vitest"
import { exitCodeOf, type Finding, renderFindings } from "../../../../interfaces/cli/findings.ts"

describe("findings", () => {
  const warning: Finding = {
    code: "L018",
    severity: "warning",
    file: "a.yaml",
    line: 3,
    column: 5,
    path: "/x",
    message: "m"
  }
  it("warnings fail only when asked to", () => {
    assert.deepStrictEqual([exitCodeOf([], true), exitCodeOf([warning], false), exitCodeOf([warning], true)], [0, 0, 1])
    assert.strictEqual(exitCodeOf([{ ...warning, severity: "error" }], false), 1)
  })
  it("are shown as text, JSON and SARIF", () => {
    assert.strictEqual(renderFindings([warning], "text", "1"), "a.yaml:3:5: warning L018 /x: m\n0 errors, 1 warning")
    assert.deepStrictEqual(JSON.parse(renderFindings([warning], "json", "1")), {
      errors: 0,
      warnings: 1,
      findings: [warning]
    })
    const { version, runs } = JSON.parse(renderFindings([warning], "sarif", "1"))
    assert.strictEqual(version, "2.1.0")
    assert.deepStrictEqual(runs[0].tool.driver.rules, [{ id: "L018" }])
    assert.deepStrictEqual(runs[0].results[0].locations[0].physicalLocation, {
      artifactLocation: { uri: "a.yaml" },
      region: { startLine: 3, startColumn: 5 }
    })
    assert.strictEqual(runs[0].results[0].level, "warning")
  })
})

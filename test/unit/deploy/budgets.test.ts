import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { budgetOf, budgets, excessOf, sums } from "../../../deploy/budgets.mjs"

describe("time budgets", () => {
  it("a suite within its budget passes; one beyond it, or without one, fails with a sentence that says what to do", () => {
    const row = budgets["unit"] ?? Number.NaN
    assert.isUndefined(excessOf("unit", row, {}))
    assert.strictEqual(
      excessOf("unit", row + 1, {}),
      `'unit' took ${row + 1}.0 s, its budget is ${row} s (deploy/budgets.mjs): make it faster, or set EVALD_BUDGET_SCALE on a slower machine`
    )
    assert.strictEqual(excessOf("new", 0, {}), "'new' has no time budget: give it a row in deploy/budgets.mjs")
    assert.strictEqual(
      excessOf("toString", 0, {}),
      "'toString' has no time budget: give it a row in deploy/budgets.mjs"
    )
  })

  it("EVALD_BUDGET_SCALE multiplies every row, and must be a number above 0", () => {
    assert.strictEqual(
      budgetOf("unit", { EVALD_BUDGET_SCALE: "2.5" }),
      Math.round((budgets["unit"] ?? Number.NaN) * 2.5)
    )
    assert.strictEqual(budgetOf("unit", { EVALD_BUDGET_SCALE: "" }), budgets["unit"])
    for (const wrong of ["fast", "0", "-1", "Infinity"])
      assert.throws(
        () => excessOf("unit", 1, { EVALD_BUDGET_SCALE: wrong }),
        `EVALD_BUDGET_SCALE='${wrong}' must be a number above 0, for example 2`
      )
  })

  it("every folder of tests has its row, and every sum has parts with rows", () => {
    const folders = readdirSync("test", { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => name.split("/", 1)[0] ?? "")
    for (const name of [...new Set(folders), ...Object.keys(sums), ...Object.values(sums).flat()])
      assert.property(budgets, name)
  })

  it("the developer's loop stays what it was promised to be", () => {
    assert.strictEqual(budgets["unit + property"], 60)
    assert.strictEqual(budgets["npm test"], 240)
    assert.strictEqual(budgets["CI"], 35 * 60)
    assert.isAtMost((budgets["CI"] ?? Number.NaN) + (budgets["CI preparation"] ?? Number.NaN), 80 * 60)
  })
})

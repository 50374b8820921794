import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { structureSolver } from "../../../../../providers/demo-model/solvers/structure.ts"
import { jsonSchemaItems } from "../../../../../providers/evald/structure/json-schema.ts"
import { fits } from "../../../../../providers/evald/structure/schema-check.ts"
import { answerOf } from "../item-fixtures.ts"

const schemaOf = (prompt: string): object => JSON.parse(/\nSchema:\n(.*)\n/.exec(prompt)?.[1] ?? "null") as object
const promptOf = (item: { readonly messages: ReadonlyArray<{ readonly content: string }> }) =>
  item.messages[0]?.content ?? ""
const items = jsonSchemaItems({ seed: 42, difficulty: "mixed" }, fits)

describe("json_schema", () => {
  it("gives the same bytes for the same seed and other items for another", () => {
    const text = (seed: number) => JSON.stringify(jsonSchemaItems({ seed, difficulty: "mixed" }, fits))
    assert.strictEqual(text(42), text(42))
    assert.notStrictEqual(text(42), text(43))
  })

  it("has 80 different items over three levels, four kinds, and one level alone when asked", () => {
    assert.strictEqual(new Set(items.map(promptOf)).size, 80)
    assert.strictEqual(new Set(items.map(({ id }) => id)).size, 80)
    assert.strictEqual(new Set(items.map(({ stratum }) => stratum)).size, 12)
    assert.isTrue(
      jsonSchemaItems({ seed: 1, difficulty: "hard" }, fits).every(({ stratum }) => stratum.startsWith("hard/"))
    )
  })

  it("every reference fits its schema according to an independent validator", () => {
    const ajv = new Ajv2020({ strict: false, formats: { date: /^\d{4}-\d{2}-\d{2}$/ } })
    for (const item of items) assert.isTrue(ajv.validate(schemaOf(promptOf(item)), item.reference), item.id)
  })

  it.each(items.map((item) => [item.id, item] as const))(
    "%s: notes read back give the reference, an incomplete object does not fit",
    (_, item) => {
      const solution = structureSolver.solve(
        { messages: [{ role: "user", content: promptOf(item) }], tools: [] },
        () => 0
      )
      assert.deepStrictEqual(JSON.parse(solution?.right.text ?? "null"), item.reference)
      assert.deepStrictEqual(item.score(answerOf(solution?.right.text ?? "")).scores, {
        exact_match_flexible: 1,
        exact_match: 1,
        format_error_rate: 0,
        schema_valid_rate: 1
      })
      assert.deepStrictEqual(item.score(answerOf(solution?.wrong.text ?? "")).scores, {
        exact_match_flexible: 0,
        exact_match: 0,
        format_error_rate: 0,
        schema_valid_rate: 0
      })
    }
  )

  it("separates fitting the schema from saying what the notes say, and prose from JSON", () => {
    const easy = items.find(({ stratum }) => stratum === "easy/order")
    assert.isDefined(easy)
    const value = easy.reference as { readonly [name: string]: unknown }
    const other = Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        typeof member === "boolean" ? !member : typeof member === "string" ? "X" : 1
      ])
    )
    const invented = easy.score(answerOf(JSON.stringify(other)))
    assert.deepStrictEqual(invented.scores, {
      exact_match_flexible: 0,
      exact_match: 0,
      format_error_rate: 0,
      schema_valid_rate: 1
    })
    assert.strictEqual(invented.verdict, "incorrect")
    assert.strictEqual(easy.score(answerOf(`\`\`\`json\n${JSON.stringify(value)}\n\`\`\``)).scores["exact_match"], 1)
    const within = easy.score(answerOf(`Here you are: ${JSON.stringify(value)}`))
    assert.deepStrictEqual(within.scores, {
      exact_match_flexible: 1,
      exact_match: 0,
      format_error_rate: 1,
      schema_valid_rate: 1
    })
    assert.deepStrictEqual(
      [easy.score(answerOf("no")).verdict, easy.score(answerOf("no")).reason],
      ["invalid", "answer_not_found"]
    )
  })
})

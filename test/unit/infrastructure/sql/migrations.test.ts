/** What a release may do to the schema: servers of the release before it work on meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { migrations, releases, schemaVersion } from "../../../../infrastructure/sql/migrate.ts"
import type { Migration } from "../../../../infrastructure/sql/migrations/migration.ts"

/** statements that take something away from servers that do not know of them */
const takesAway = (statement: string): boolean => {
  const text = statement.replace(/\s+/g, " ").trim()
  return (
    /\b(DROP (TABLE|COLUMN|TRIGGER)|RENAME|TRUNCATE|SET NOT NULL|ALTER COLUMN \w+ TYPE|DELETE FROM)\b/i.test(text) ||
    /\bADD (CONSTRAINT|CHECK|FOREIGN KEY)\b/i.test(text) ||
    (/\bADD COLUMN\b/i.test(text) && /\bNOT NULL\b/i.test(text) && !/\bDEFAULT\b/i.test(text))
  )
}

const taken = (all: ReadonlyArray<Migration>): ReadonlyArray<string> =>
  all.flatMap(({ version, statements }) =>
    [...statements("pg"), ...statements("sqlite")].filter(takesAway).map((text) => `${version}: ${text}`)
  )

describe("migrations", () => {
  it("are numbered without a gap, and every release begins at one of them", () => {
    assert.deepStrictEqual(
      migrations.map(({ version }) => version),
      Array.from({ length: schemaVersion }, (_, number) => number + 1)
    )
    const firsts = releases.map(({ first }) => first)
    assert.strictEqual(firsts[0], 1)
    assert.deepStrictEqual(
      firsts,
      [...new Set(firsts)].toSorted((a, b) => a - b)
    )
    assert.isAtMost(firsts.at(-1) ?? 0, schemaVersion)
  })

  it("after the first release take nothing away", () => {
    const [, second] = releases
    assert.deepStrictEqual(
      taken(migrations.filter(({ version }) => second !== undefined && version >= second.first)),
      []
    )
    // and what does so is seen
    for (const text of [
      "DROP TABLE tasks",
      "ALTER TABLE jobs RENAME COLUMN name TO title",
      "ALTER TABLE jobs ADD COLUMN size INTEGER NOT NULL",
      "ALTER TABLE jobs\n  DROP COLUMN owner",
      "ALTER TABLE jobs ALTER COLUMN owner SET NOT NULL"
    ])
      assert.isTrue(takesAway(text), text)
    for (const text of [
      "ALTER TABLE jobs ADD COLUMN size INTEGER NOT NULL DEFAULT 0",
      "CREATE TABLE sizes (id INTEGER NOT NULL)",
      "DROP INDEX tasks_waiting"
    ])
      assert.isFalse(takesAway(text), text)
  })
})

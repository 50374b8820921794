/** Who asked for which write: entries that are never changed, and the end of their chain. */
import type { Dialect } from "../connection/session.ts"
import type { Migration } from "./migration.ts"

const refusal = "the audit log is only appended to"

const onlyAppended = (dialect: Dialect): ReadonlyArray<string> =>
  dialect === "pg"
    ? [
        `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '${refusal}'; END $$`,
        `CREATE TRIGGER audit_only_appended BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
          FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`
      ]
    : ["UPDATE", "DELETE"].map(
        (change) =>
          `CREATE TRIGGER audit_no_${change.toLowerCase()} BEFORE ${change} ON audit_entries BEGIN SELECT RAISE(ABORT, '${refusal}'); END`
      )

const statements = (dialect: Dialect): ReadonlyArray<string> => {
  const pg = dialect === "pg"
  const key = pg ? `TEXT COLLATE "C"` : "TEXT"
  const number = pg ? "BIGINT" : "INTEGER"
  return [
    `CREATE TABLE audit_entries (sequence ${number} PRIMARY KEY, entry TEXT NOT NULL, hash ${key} NOT NULL)`,
    `CREATE TABLE audit_head (one INTEGER PRIMARY KEY CHECK (one = 1), sequence ${number} NOT NULL, hash ${key} NOT NULL)`,
    `INSERT INTO audit_head (one, sequence, hash) VALUES (1, 0, '${"0".repeat(64)}')`,
    ...onlyAppended(dialect)
  ]
}

export const audit: Migration = { version: 8, name: "audit", statements }

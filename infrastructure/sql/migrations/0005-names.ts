/**
 * Names of jobs by their trigrams, so that a rare part of a name is found without reading every name. SQLite keeps the index itself, by
 * triggers; on PostgreSQL it is built beside the running servers (`name-index.ts`), because it needs an extension and takes its time.
 */

import type { Dialect } from "../connection/session.ts"
import type { Migration } from "./migration.ts"

const statements = (dialect: Dialect): ReadonlyArray<string> =>
  dialect === "pg"
    ? []
    : [
        // names are folded by the server already, and lie in the table of jobs
        `CREATE VIRTUAL TABLE job_names USING fts5(name_key, content='jobs', content_rowid='key', tokenize='trigram case_sensitive 1', columnsize=0)`,
        `CREATE TRIGGER job_names_insert AFTER INSERT ON jobs BEGIN
          INSERT INTO job_names (rowid, name_key) VALUES (new.key, new.name_key); END`,
        `CREATE TRIGGER job_names_delete AFTER DELETE ON jobs BEGIN
          INSERT INTO job_names (job_names, rowid, name_key) VALUES ('delete', old.key, old.name_key); END`,
        `CREATE TRIGGER job_names_update AFTER UPDATE OF name_key ON jobs BEGIN
          INSERT INTO job_names (job_names, rowid, name_key) VALUES ('delete', old.key, old.name_key);
          INSERT INTO job_names (rowid, name_key) VALUES (new.key, new.name_key); END`,
        "INSERT INTO job_names (job_names) VALUES ('rebuild')"
      ]

export const names: Migration = { version: 5, name: "names", statements }

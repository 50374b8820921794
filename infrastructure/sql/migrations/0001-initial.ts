/** The first schema. Keys compare bytewise on both databases; times are ISO text; JSON is text, because its bytes go out as they are. */

import type { Dialect } from "../connection/session.ts"
import type { Migration } from "./migration.ts"

const statements = (dialect: Dialect): ReadonlyArray<string> => {
  const pg = dialect === "pg"
  const key = pg ? `TEXT COLLATE "C"` : "TEXT"
  const identity = pg ? "INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY" : "INTEGER PRIMARY KEY"
  const sequence = pg ? "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY" : "INTEGER PRIMARY KEY AUTOINCREMENT"
  const real = pg ? "DOUBLE PRECISION" : "REAL"
  // the key is the table: no second tree for tables whose rows are little more than their key
  const clustered = pg ? "" : "WITHOUT ROWID"
  const record = (table: string) => [
    `CREATE TABLE ${table} (
      tenant ${key} NOT NULL, id ${key} NOT NULL, name ${key} NOT NULL, owner ${key}, created_at ${key} NOT NULL, updated_at ${key} NOT NULL,
      version INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (tenant, id))`,
    `CREATE INDEX ${table}_by_name ON ${table} (tenant, name, id)`
  ]
  return [
    `CREATE TABLE settings (name ${key} PRIMARY KEY, value TEXT NOT NULL)`,

    // what changes while a job runs, small on purpose: it is rewritten by every event
    `CREATE TABLE jobs (
      key ${identity}, id ${key} NOT NULL, tenant ${key} NOT NULL, owner ${key}, created_at ${key} NOT NULL, updated_at ${key} NOT NULL,
      name TEXT NOT NULL, name_key TEXT NOT NULL, state ${key} NOT NULL, version INTEGER NOT NULL,
      pending INTEGER NOT NULL, running INTEGER NOT NULL, completed INTEGER NOT NULL, failed INTEGER NOT NULL, cancelled INTEGER NOT NULL,
      message TEXT NOT NULL, model TEXT NOT NULL, threshold ${real} NOT NULL, test TEXT, tracker_experiment_id TEXT, tracker_experiment_url TEXT)`,
    "CREATE UNIQUE INDEX jobs_by_id ON jobs (id)",
    "CREATE INDEX jobs_page ON jobs (tenant, created_at DESC, id DESC, name_key)",
    "CREATE INDEX jobs_by_state ON jobs (tenant, state, created_at DESC, id DESC)",
    "CREATE INDEX jobs_live ON jobs (id) WHERE state IN ('pending', 'running')",

    // what was asked: written once. wire: its part of the record as it goes out. data: the request without its benchmarks
    "CREATE TABLE job_requests (job_key INTEGER PRIMARY KEY, wire TEXT NOT NULL, data TEXT NOT NULL)",

    // status and result: wire JSON as it goes out. data: the benchmark's changing part. entry and snapshot, written once
    `CREATE TABLE job_benchmarks (
      job_key INTEGER NOT NULL, idx INTEGER NOT NULL, state ${key} NOT NULL, benchmark_id ${key} NOT NULL, provider_id ${key} NOT NULL,
      status TEXT NOT NULL, result TEXT, data TEXT NOT NULL, spec TEXT NOT NULL, PRIMARY KEY (job_key, idx))`,
    "CREATE INDEX job_benchmarks_by_name ON job_benchmarks (job_key, benchmark_id)",

    // everything a list filters by equality: tag, model, provider, collection, experiment, owner
    `CREATE TABLE job_labels (
      tenant ${key} NOT NULL, kind ${key} NOT NULL, value ${key} NOT NULL, created_at ${key} NOT NULL, id ${key} NOT NULL, job_key INTEGER NOT NULL,
      PRIMARY KEY (tenant, kind, value, created_at, id)) ${clustered}`,

    // exact totals without counting; shards keep concurrent writers of one tenant from waiting for each other
    `CREATE TABLE job_counts (tenant ${key} NOT NULL, state ${key} NOT NULL, shard INTEGER NOT NULL, jobs INTEGER NOT NULL, PRIMARY KEY (tenant, state, shard)) ${clustered}`,

    `CREATE TABLE tombstones (job_id ${key} PRIMARY KEY, tenant ${key} NOT NULL, removed_at ${key} NOT NULL) ${clustered}`,

    `CREATE TABLE changes (sequence ${sequence}, tenant ${key} NOT NULL, job_id ${key} NOT NULL, kind ${key} NOT NULL)`,

    `CREATE TABLE tasks (
      kind ${key} NOT NULL, key ${key} NOT NULL, tenant ${key} NOT NULL, job_id ${key} NOT NULL, idx INTEGER, rank ${real} NOT NULL, due_at ${key} NOT NULL,
      lease_until ${key}, holder ${key}, term INTEGER NOT NULL, attempts INTEGER NOT NULL, reason TEXT, buried_at ${key}, PRIMARY KEY (kind, key)) ${clustered}`,
    "CREATE INDEX tasks_waiting ON tasks (kind, rank, key) WHERE buried_at IS NULL",

    // rank of the last task claimed: where the queue of a kind stands when nothing waits
    `CREATE TABLE task_clocks (kind ${key} PRIMARY KEY, rank ${real} NOT NULL) ${clustered}`,

    `CREATE TABLE unit_secrets (
      hash ${key} PRIMARY KEY, tenant ${key} NOT NULL, job_id ${key} NOT NULL, idx INTEGER NOT NULL, attempt INTEGER NOT NULL, expires_at ${key}) ${clustered}`,
    "CREATE INDEX unit_secrets_by_unit ON unit_secrets (job_id, idx, attempt)",

    ...record("providers"),
    ...record("collections"),
    `CREATE TABLE collection_providers (tenant ${key} NOT NULL, provider_id ${key} NOT NULL, collection_id ${key} NOT NULL, PRIMARY KEY (tenant, provider_id, collection_id)) ${clustered}`,

    `CREATE TABLE idempotency_keys (
      scope ${key} NOT NULL, key ${key} NOT NULL, body_digest ${key} NOT NULL, record_id ${key} NOT NULL, answer TEXT NOT NULL, expires_at ${key} NOT NULL,
      PRIMARY KEY (scope, key)) ${clustered}`,
    "CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at)"
  ]
}

export const initial: Migration = { version: 1, name: "initial", statements }

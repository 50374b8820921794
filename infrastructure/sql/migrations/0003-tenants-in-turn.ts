/** Tenants are served in turn: waiting tasks are found by their tenant, and each kind's clock knows the tenant served last. */

import type { Dialect } from "../connection/session.ts"
import type { Migration } from "./migration.ts"

const statements = (dialect: Dialect): ReadonlyArray<string> => {
  const key = dialect === "pg" ? `TEXT COLLATE "C"` : "TEXT"
  return [
    `ALTER TABLE task_clocks ADD COLUMN tenant ${key}`,
    // instead of the order over all tenants, which nobody asks for any more
    "DROP INDEX tasks_waiting",
    "CREATE INDEX tasks_by_tenant ON tasks (kind, tenant, rank, key) WHERE buried_at IS NULL"
  ]
}

export const tenantsInTurn: Migration = { version: 3, name: "tenants in turn", statements }

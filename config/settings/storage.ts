/** Where jobs are kept, and for how long. */
import { duration, flag, integer, oneOf, secret } from "./kinds.ts"

export const database = {
  "database.driver": oneOf(["sqlite", "pgx"], "sqlite", "sqlite, or pgx for PostgreSQL"),
  "database.url": secret("connection string; default an in-memory SQLite database", { variable: "DB_URL" }),
  "database.pool_size": integer(10, 1, 500, "connections to PostgreSQL"),
  "database.statement_timeout_seconds": duration(10, 1, 600, "longest time of one statement on PostgreSQL")
} as const

export const retention = {
  "retention.jobs_days": integer(
    0,
    0,
    36_500,
    "finished jobs that have not changed for so many days are removed with all they left; 0 keeps them"
  )
} as const

export const audit = {
  "audit.enabled": flag(
    false,
    "every write that callers ask for is put down in the audit log before it is done; one that can not be put down is refused"
  )
} as const

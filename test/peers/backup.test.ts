/** PostgreSQL backed up with its own tools while benchmarks run, and a server that goes on from what was restored. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type DebianPostgres, debianPostgres } from "../support/database/debian-postgres.ts"
import { backUpAndRestore } from "../support/database/restored-backup.ts"

let folder = ""
let server: DebianPostgres | undefined

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "evald-backup-"))
  server = await debianPostgres()
})
afterAll(() => {
  server?.remove()
  rmSync(folder, { recursive: true, force: true })
})

describe("a database of PostgreSQL", () => {
  it("backed up while benchmarks run: a server on the copy has all of them and ends each truthfully", async (context) => {
    const postgres = server
    if (postgres === undefined) return context.skip()
    const dump = join(folder, "evald.dump")
    postgres.tool("createdb", ["evald"])
    await backUpAndRestore(folder, "pgx", postgres.url("evald"), async () => {
      postgres.tool("pg_dump", ["--format=custom", `--file=${dump}`, "evald"])
      return async () => {
        postgres.tool("createdb", ["restored"])
        postgres.tool("pg_restore", ["--dbname=restored", "--exit-on-error", dump])
        return postgres.url("restored")
      }
    })
  })
})

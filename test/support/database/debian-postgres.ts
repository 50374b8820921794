/**
 * A PostgreSQL of this machine's packages with its own tools of the same version, which the server from npm lacks. Without them there is none:
 * `EVALD_REQUIRE_TOOLS=1` makes that a failure.
 */
import { execFileSync } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { freePort } from "../free-port.ts"

const packages = "/usr/lib/postgresql"

/** folder of the newest version that has everything */
const binaries = (): string | undefined =>
  (existsSync(packages) ? readdirSync(packages) : [])
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(packages, version, "bin"))
    .find((path) =>
      ["initdb", "pg_ctl", "pg_dump", "pg_restore", "createdb"].every((name) => existsSync(join(path, name)))
    )

export interface DebianPostgres {
  readonly url: (database: string) => string
  /** one of its tools, with connection settings in its environment; answers what it wrote */
  readonly tool: (name: string, args: ReadonlyArray<string>) => string
  readonly remove: () => void
}

/** the server needs another user than root */
const asUser = (): { readonly uid?: number; readonly gid?: number } => {
  if (userInfo().uid !== 0) return {}
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  return { uid: id("-u"), gid: id("-g") }
}

export const debianPostgres = async (): Promise<DebianPostgres | undefined> => {
  const bin = binaries()
  if (bin === undefined) {
    const why = "PostgreSQL is not installed with its tools"
    if (process.env["EVALD_REQUIRE_TOOLS"] === "1") throw new Error(`EVALD_REQUIRE_TOOLS=1, and ${why}`)
    process.stderr.write(`SKIPPED: what needs pg_dump, because ${why}\n`)
    return undefined
  }
  const user = asUser()
  const folder = mkdtempSync(join(tmpdir(), "evald-debian-pg-"))
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  const port = await freePort()
  const data = join(folder, "data")
  const password = join(folder, "password")
  writeFileSync(password, "postgres\n", { mode: 0o644 })
  const server = (name: string, args: ReadonlyArray<string>) =>
    execFileSync(join(bin, name), args, {
      ...user,
      cwd: folder,
      stdio: "ignore",
      env: { PATH: process.env["PATH"], LC_ALL: "C" }
    })
  server("initdb", [
    "-D",
    data,
    "-U",
    "postgres",
    "--pwfile",
    password,
    "-A",
    "scram-sha-256",
    "--no-sync",
    "-E",
    "UTF8"
  ])
  const flags = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`
  server("pg_ctl", ["-D", data, "-w", "-l", join(folder, "log"), "-o", flags, "start"])
  return {
    url: (database) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`,
    tool: (name, args) =>
      execFileSync(join(bin, name), args, {
        encoding: "utf8",
        env: {
          PATH: process.env["PATH"],
          PGHOST: "127.0.0.1",
          PGPORT: String(port),
          PGUSER: "postgres",
          PGPASSWORD: "postgres"
        }
      }),
    remove: () => {
      server("pg_ctl", ["-D", data, "-m", "immediate", "stop"])
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

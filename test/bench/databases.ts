/**
 * The databases a figure is measured on: a SQLite file on a real disk, and a PostgreSQL that is started from npm for the run, with its
 * default durability. Each taker gets an empty one.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { embeddedServer } from "../support/embedded-server.ts"
import { freePort } from "../support/free-port.ts"
import { atExit, newFolder, workspace } from "./workspace.ts"

export const kinds = ["sqlite", "postgres"] as const
export type Kind = (typeof kinds)[number]

export interface BenchDatabase {
  readonly kind: Kind
  /** as the table names it */
  readonly label: string
  readonly url: string
  /** line of config.yaml that chooses the driver; the address goes into DB_URL */
  readonly config: string
}

/** also when the run is interrupted, where nothing asynchronous runs any more */
const endNow = (databaseDir: string): void => {
  try {
    process.kill(Number(readFileSync(join(databaseDir, "postmaster.pid"), "utf8").split("\n", 1)[0]), "SIGQUIT")
  } catch {
    // it has ended already
  }
}

/**
 * PostgreSQL fills each file of its log with zeros and flushes it while every COMMIT waits, 16 MB in some 25 ms, until its checkpoints leave old ones to be used again.
 * One that has been in use has them; `--new-postgres` measures one that has not.
 */
let isNew = false

/** from now on */
export const newPostgres = (): void => {
  isNew = true
}

/** files that a load which goes on for hours leaves to be used again: those between two checkpoints, and those of the checkpoint under way, with `max_wal_size` as it is by default */
const logFiles = 66

/** the setting in force once every session says so */
const setLogSize = async (
  client: ReturnType<ReturnType<typeof embeddedServer>["getPgClient"]>,
  how: string,
  is: string
) => {
  await client.query(`ALTER SYSTEM ${how}`)
  await client.query("SELECT pg_reload_conf()")
  for (let look = 0; look < 200; look++) {
    const { rows } = await client.query("SHOW max_wal_size")
    if (rows[0]?.max_wal_size === is) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`max_wal_size is not ${is}`)
}

const useLog = async (server: ReturnType<typeof embeddedServer>): Promise<void> => {
  const client = server.getPgClient()
  await client.connect()
  // or a checkpoint would come after half of them, which has nothing to write here, and lasts as long as the other half takes where it has
  await setLogSize(client, "SET max_wal_size = '4GB'", "4GB")
  for (let file = 0; file < logFiles; file++) {
    await client.query("SELECT pg_logical_emit_message(true, 'bench', 'a file of the log is begun')")
    await client.query("SELECT pg_switch_wal()")
  }
  await setLogSize(client, "RESET max_wal_size", "1GB")
  await client.query("CHECKPOINT")
  await client.end()
}

const startPostgres = async () => {
  const databaseDir = join(workspace(), "postgres")
  const port = await freePort()
  const server = embeddedServer(databaseDir, port, [
    "-c",
    `unix_socket_directories=${databaseDir}`,
    "-c",
    "listen_addresses=127.0.0.1"
  ])
  atExit(() => endNow(databaseDir))
  await server.initialise()
  await server.start()
  if (!isNew) await useLog(server)
  return { server, base: `postgres://postgres:postgres@127.0.0.1:${port}` }
}

let postgres: ReturnType<typeof startPostgres> | undefined
let made = 0

/** an empty database */
export const newDatabase = async (kind: Kind): Promise<BenchDatabase> => {
  if (kind === "sqlite") {
    const url = `file:${join(newFolder("sqlite"), "evald.db")}`
    return { kind, label: "SQLite file", url, config: "database: {driver: sqlite}\n" }
  }
  postgres ??= startPostgres()
  const { server, base } = await postgres
  const name = `bench_${++made}`
  await server.createDatabase(name)
  const url = `${base}/${name}`
  return { kind, label: "PostgreSQL", url, config: "database: {driver: pgx}\n" }
}

/** ends the PostgreSQL of the run, if one was started */
export const stopDatabases = async (): Promise<void> => {
  await (await postgres)?.server.stop()
}

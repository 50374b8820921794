/**
 * A PostgreSQL from npm: started on a free port, stopped and started again on the same data. initdb refuses root; the library then switches
 * to the OS user `postgres`, who must be able to read the installed package.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { embeddedServer } from "./embedded-server.ts"
import { freePort } from "./free-port.ts"

/** fast, because nothing here outlives a power cut; a killed process loses what is not written at COMMIT */
const flags = (folder: string, atCommit: boolean) =>
  [
    "fsync=off",
    "full_page_writes=off",
    `synchronous_commit=${atCommit ? "on" : "off"}`,
    "shared_buffers=64MB",
    "max_connections=200",
    `unix_socket_directories=${folder}`,
    "listen_addresses=127.0.0.1"
  ].flatMap((setting) => ["-c", setting])

export interface OwnPostgres {
  readonly url: string
  readonly port: number
  /** ends it as an administrator does: connections are cut, data is kept */
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
  /** kill -9 of the whole server, and waits until it is gone */
  readonly kill: () => Promise<void>
  /** ends it and removes its data */
  readonly remove: () => Promise<void>
}

/** `keepsCommits`: what was acknowledged survives a kill */
export const ownPostgres = async (keepsCommits = false): Promise<OwnPostgres> => {
  const databaseDir = await mkdtemp(join(tmpdir(), "evald-pg-"))
  const port = await freePort()
  const server = embeddedServer(databaseDir, port, flags(databaseDir, keepsCommits))
  await server.initialise()
  await server.start()
  const stop = () => server.stop()
  /** the children of one that was killed may still hold its memory for a moment */
  const start = async (tries = 50): Promise<void> => {
    try {
      await server.start()
    } catch (error) {
      if (tries === 0) throw new Error("PostgreSQL does not start", { cause: error })
      await pause(100)
      await start(tries - 1)
    }
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    port,
    stop,
    start,
    kill: async () => {
      const [pid = ""] = (await readFile(join(databaseDir, "postmaster.pid"), "utf8")).split("\n")
      // waits for its exit; the polite signal has no time to be heard
      const gone = stop()
      process.kill(Number(pid), "SIGKILL")
      await gone
    },
    remove: async () => {
      await stop()
      await rm(databaseDir, { recursive: true, force: true })
    }
  }
}

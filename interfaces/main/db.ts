/** `evald db check|backup`: looks at the configured database from outside. Exit codes: 0 sound, 1 contradictions, 64 usage, 78 not usable. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { load } from "../../config/load.ts"
import type { Settings } from "../../config/settings.ts"
import { checkDatabase } from "../../infrastructure/sql/connection/check.ts"
import * as Inspect from "../../infrastructure/sql/inspect.ts"
import { defined } from "../../values/defined.ts"
import { configDirectory } from "../cli/config-directory.ts"
import { type CommandHelp, parseFlags, renderHelp, usageExit } from "../cli/flags.ts"

const help: CommandHelp = {
  usage: "evald db check | evald db backup FILE",
  summary:
    "Checks the configured database for contradictions, or writes a consistent copy of a SQLite file; a server may be running meanwhile.",
  flags: [
    { name: "configdir", value: "DIR", meaning: "configuration directory (default config)" },
    { name: "help", meaning: "show this text" }
  ],
  examples: [
    "DB_URL=file:evald.db evald db check",
    "DB_URL=file:evald.db evald db backup evald-copy.db",
    'pg_dump --format=custom --file=evald.dump "$DB_URL"   (PostgreSQL)'
  ]
}

const notUsableExit = 78

const databaseOf = (settings: Settings) => {
  const url = settings["database.url"]
  return Inspect.layer({
    driver: settings["database.driver"],
    ...defined({ url }),
    poolSize: 1,
    // a check reads everything, which takes longer than a request may
    statementTimeoutMillis: 600_000
  })
}

const check = Effect.flatMap(checkDatabase, (contradictions) =>
  contradictions.length === 0
    ? Effect.as(Console.log("the database is sound"), 0)
    : Effect.as(Console.log([...contradictions, `${contradictions.length} contradictions`].join("\n")), 1)
)

const backup = (target: string) =>
  Effect.zipRight(Inspect.backup(target), Effect.as(Console.log(`copied to ${target}`), 0))

const notUsable = ({ message }: { readonly message: string }) =>
  Effect.as(Console.error(`evald db: ${message}`), notUsableExit)

const runDb = (configDir: string, target: string | undefined) =>
  Effect.gen(function* () {
    const settings = yield* load(configDir, process.env)
    const work = Effect.gen(function* () {
      return target === undefined ? yield* check : yield* backup(target)
    })
    return yield* Effect.provide(work, databaseOf(settings))
  }).pipe(
    Effect.catchTags({
      ConfigInvalid: notUsable,
      DatabaseRefused: notUsable,
      Unavailable: () => notUsable({ message: "the database does not answer" })
    }),
    Effect.flatMap((code) =>
      Effect.sync(() => {
        process.exitCode = code
      })
    )
  )

const usageProblem = (positional: ReadonlyArray<string>): string | undefined => {
  const [command, target, ...rest] = positional
  if (command !== "check" && command !== "backup")
    return command === undefined ? "say check or backup" : `unknown command '${command}'`
  if (command === "backup" && target === undefined) return "backup needs a file to write"
  return rest.length > 0 || (command === "check" && target !== undefined)
    ? `unexpected argument '${rest[0] ?? target}'`
    : undefined
}

export const main = (args: ReadonlyArray<string>): void => {
  const { switches, values, positional, problems } = parseFlags(args, help.flags)
  const wrong = usageProblem(positional)
  if (switches.has("help")) process.stdout.write(renderHelp(help))
  else if (problems.length > 0 || wrong !== undefined) {
    process.stderr.write(
      `evald db: ${[...problems, ...(wrong === undefined ? [] : [wrong])].join("; ")}\n\n${renderHelp(help)}`
    )
    process.exitCode = usageExit
  } else
    NodeRuntime.runMain(runDb(configDirectory(values.get("configdir")?.[0]), positional[1]), {
      disablePrettyLogger: true
    })
}

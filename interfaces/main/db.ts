/** `evald db check|backup|prune`: looks at the configured database from outside, or removes what is old. Exit codes: 0 sound, 1 contradictions, 64 usage, 78 not usable. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import type { Unavailable } from "../../application/errors.ts"
import { removeExpired, removeExpiredKeys } from "../../application/runtime/retention.ts"
import { removeOldSamples } from "../../application/samples/remove-samples.ts"
import { load } from "../../config/load.ts"
import type { Settings } from "../../config/settings.ts"
import { checkDatabase } from "../../infrastructure/sql/connection/check.ts"
import type { Database } from "../../infrastructure/sql/connection/client.ts"
import type { DatabaseConfig, DatabaseRefused } from "../../infrastructure/sql/connection/location.ts"
import * as Storage from "../../infrastructure/sql/database.ts"
import * as Inspect from "../../infrastructure/sql/inspect.ts"
import { defined } from "../../values/defined.ts"
import { configDirectory } from "../cli/config-directory.ts"
import { parseFlags, renderHelp, usageExit } from "../cli/flags.ts"
import { dbHelp as help } from "../cli/own-commands.ts"
import { databaseOf, inspecting, notUsable } from "./compose/inspecting.ts"

const check = Effect.flatMap(checkDatabase, (contradictions) =>
  contradictions.length === 0
    ? Effect.as(Console.log("the database is sound"), 0)
    : Effect.as(Console.log([...contradictions, `${contradictions.length} contradictions`].join("\n")), 1)
)

const backup = (target: string) =>
  Effect.zipRight(Inspect.backup(target), Effect.as(Console.log(`copied to ${target}`), 0))

/** of another schema it is refused, because opening it as a server does would migrate it */
const prune = (config: DatabaseConfig, settings: Settings, days: number) =>
  Effect.gen(function* () {
    yield* Effect.provide(Effect.void, Inspect.layer(config))
    const samplesDays = settings["samples.retention_days"]
    const removed = yield* Effect.provide(
      Effect.gen(function* () {
        const jobs = yield* removeExpired(days, "10 millis")
        yield* removeExpiredKeys
        yield* removeOldSamples(samplesDays > 0 ? samplesDays : undefined)
        return jobs
      }),
      Storage.layer({ ...config, vendorAliases: settings["compat.vendor_aliases"] })
    )
    const freed = yield* Inspect.compact(config)
    yield* Console.log(
      `${removed} jobs removed that had not changed for ${days} days${freed > 0 ? `, ${freed} bytes given back` : ""}; the next server removes their files and pods`
    )
    return 0
  })

const runDb = (configDir: string, { command, target, days }: Call) =>
  inspecting(
    "db",
    Effect.gen(function* () {
      const settings = yield* load(configDir, process.env)
      const config = databaseOf(settings)
      if (command === "prune") {
        const kept = days ?? settings["retention.jobs_days"]
        return kept > 0
          ? yield* prune(config, settings, kept)
          : yield* notUsable("db")({
              message: "nothing says how old jobs may be: give --days, or set retention.jobs_days"
            })
      }
      const look = Effect.suspend(
        (): Effect.Effect<number, DatabaseRefused | Unavailable, Database> =>
          target === undefined ? check : backup(target)
      )
      return yield* Effect.provide(look, Inspect.layer(config))
    })
  )

interface Call {
  readonly command: "check" | "backup" | "prune"
  /** of a backup */
  readonly target?: string
  /** of a prune */
  readonly days?: number
}

const daysOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined

/** the call, or what is wrong with it */
const callOf = (positional: ReadonlyArray<string>, days: string | undefined): Call | string => {
  const [command, target, ...rest] = positional
  if (command === undefined) return "say check, backup or prune"
  if (command !== "check" && command !== "backup" && command !== "prune") return `unknown command '${command}'`
  if (days !== undefined && command !== "prune") return "--days belongs to prune"
  if (days !== undefined && daysOf(days) === undefined)
    return `--days '${days}' is no whole number of days from 1 to 99999`
  if (command === "backup" && target === undefined) return "backup needs a file to write"
  const unexpected = command === "backup" ? rest[0] : target
  if (unexpected !== undefined) return `unexpected argument '${unexpected}'`
  return { command, ...defined({ target, days: daysOf(days) }) }
}

export const main = (args: ReadonlyArray<string>): void => {
  const { switches, values, positional, problems } = parseFlags(args, help.flags)
  const call = callOf(positional, values.get("days")?.[0])
  if (switches.has("help")) process.stdout.write(renderHelp(help))
  else if (problems.length > 0 || typeof call === "string") {
    process.stderr.write(
      `evald db: ${[...problems, ...(typeof call === "string" ? [call] : [])].join("; ")}\n\n${renderHelp(help)}`
    )
    process.exitCode = usageExit
  } else
    NodeRuntime.runMain(runDb(configDirectory(values.get("configdir")?.[0]), call), {
      disablePrettyLogger: true
    })
}

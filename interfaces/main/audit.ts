/** `evald audit verify`: whether the audit log is as it was written. Exit codes: 0 it is, 1 it is not, 64 usage, 78 not usable. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer } from "effect"
import { AuditLog } from "../../application/ports/stores/audit-log.ts"
import { load } from "../../config/load.ts"
import { checkChain, type Head } from "../../infrastructure/audit/chain.ts"
import * as Inspect from "../../infrastructure/sql/inspect.ts"
import * as SqlAuditLog from "../../infrastructure/sql/records/audit-log.ts"
import { configDirectory } from "../cli/config-directory.ts"
import { parseFlags, renderHelp, usageExit } from "../cli/flags.ts"
import { auditHelp as help } from "../cli/own-commands.ts"
import { databaseOf, inspecting } from "./compose/inspecting.ts"

const verify = (noted: ReadonlyArray<Head>) =>
  Effect.gen(function* () {
    const { head, problem } = yield* checkChain(yield* AuditLog, noted)
    if (problem !== undefined) return yield* Effect.as(Console.error(`evald audit: ${problem}`), 1)
    return yield* Effect.as(
      Console.log(`the audit log is whole: ${head.sequence} entries\n${head.sequence}:${head.hash}`),
      0
    )
  })

const runVerify = (configDir: string, noted: ReadonlyArray<Head>) =>
  inspecting(
    "audit",
    Effect.flatMap(load(configDir, process.env), (settings) =>
      Effect.provide(verify(noted), SqlAuditLog.layer.pipe(Layer.provide(Inspect.layer(databaseOf(settings)))))
    )
  )

const headOf = (text: string): Head | undefined => {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? []
  return sequence === undefined || hash === undefined ? undefined : { sequence: Number(sequence), hash }
}

export const main = (args: ReadonlyArray<string>): void => {
  const { switches, values, positional, problems } = parseFlags(args, help.flags)
  const [command, ...rest] = positional
  const texts = values.get("noted") ?? []
  const noted = texts.flatMap((text) => headOf(text) ?? [])
  const wrong = [
    ...problems,
    ...(command === "verify" ? [] : [command === undefined ? "say verify" : `unknown command '${command}'`]),
    ...(rest.length > 0 ? [`unexpected argument '${rest[0]}'`] : []),
    ...(noted.length < texts.length ? ["--noted is NUMBER:HASH as it was printed"] : [])
  ]
  if (switches.has("help")) process.stdout.write(renderHelp(help))
  else if (wrong.length > 0) {
    process.stderr.write(`evald audit: ${wrong.join("; ")}\n\n${renderHelp(help)}`)
    process.exitCode = usageExit
  } else
    NodeRuntime.runMain(runVerify(configDirectory(values.get("configdir")?.[0]), noted), { disablePrettyLogger: true })
}

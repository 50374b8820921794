/** `evald doctor`: what stands in the way of a server on this machine, each with its fix. Exit codes: 0 nothing, 1 problems, 64 usage, 78 configuration. */
import { Cause, Effect } from "effect"
import { renderChecklist } from "../cli/checklist.ts"
import { configCommand } from "../cli/config-command.ts"
import { type CommandHelp, configDirFlag, helpFlag } from "../cli/flags.ts"
import { diagnose } from "./compose/diagnosis.ts"

const help: CommandHelp = {
  usage: "evald doctor [-configdir DIR] [--json]",
  summary:
    "Looks at everything a server needs here (Node.js, database driver, folders, port, cluster, evaluation frameworks) and names the fix.",
  flags: [configDirFlag, { name: "json", meaning: "print the checks as JSON" }, helpFlag]
}

export const main = configCommand("doctor", help, (configDir, switches) => {
  Effect.runCallback(diagnose(configDir, process.env), {
    onExit: (exit) => {
      if (exit._tag === "Failure") process.stderr.write(`evald doctor: ${Cause.pretty(exit.cause)}\n`)
      const checks = exit._tag === "Success" ? exit.value : []
      process.stdout.write(
        switches.has("json") ? `${JSON.stringify(checks, undefined, 2)}\n` : `${renderChecklist(checks)}\n`
      )
      process.exitCode = exit._tag === "Success" && !checks.some(({ status }) => status === "problem") ? 0 : 1
    }
  })
})

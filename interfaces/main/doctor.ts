/** `evald doctor`: what stands in the way of a server on this machine, each with its fix. Exit codes: 0 nothing, 1 problems, 64 usage, 78 configuration. */
import { Cause, Effect } from "effect"
import { renderChecklist } from "../cli/checklist.ts"
import { configCommand } from "../cli/config-command.ts"
import { doctorHelp } from "../cli/own-commands.ts"
import { diagnose } from "./compose/diagnosis.ts"

export const main = configCommand("doctor", doctorHelp, (configDir, switches) => {
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

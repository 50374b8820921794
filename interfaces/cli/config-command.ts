/**
 * Commands that read a configuration and take nothing else than flags: how they answer `--help`, wrong arguments (exit code 64) and a configuration
 * directory that is not there (78).
 */
import { existsSync } from "node:fs"
import { configDirectory } from "./config-directory.ts"
import { type CommandHelp, parseFlags, renderHelp, usageExit } from "./flags.ts"

/** `name`: of the command; `run` gets the directory that is meant and the switches that are set */
export const configCommand =
  (name: string, help: CommandHelp, run: (configDir: string, switches: ReadonlySet<string>) => void) =>
  (args: ReadonlyArray<string>): void => {
    const { switches, values, positional, problems } = parseFlags(args, help.flags)
    const configDir = values.get("configdir")?.[0]
    const wrong = [...problems, ...positional.map((text) => `unexpected argument '${text}'`)]
    if (switches.has("help")) process.stdout.write(renderHelp(help))
    else if (wrong.length > 0) {
      process.stderr.write(`evald ${name}: ${wrong.join("; ")}\n\n${renderHelp(help)}`)
      process.exitCode = usageExit
    } else if (configDir !== undefined && !existsSync(configDir)) {
      process.stderr.write(`evald ${name}: the configuration directory '${configDir}' does not exist\n`)
      process.exitCode = 78
    } else run(configDirectory(configDir), switches)
  }

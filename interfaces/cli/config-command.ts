/** Commands that read a configuration and take nothing else than flags: how they answer `--help` and wrong arguments. */
import { existsSync } from "node:fs"
import { configDirectory } from "./config-directory.ts"
import { type CommandHelp, parseFlags, renderHelp, usageExit } from "./flags.ts"

/** `name`: of the command; `run` gets the directory that is meant and the switches that are set */
export const configCommand =
  (name: string, help: CommandHelp, run: (configDir: string, switches: ReadonlySet<string>) => void) =>
  (args: ReadonlyArray<string>): void => {
    const { switches, values, positional, problems } = parseFlags(args, help.flags)
    const configDir = values.get("configdir")?.[0]
    const wrong = [
      ...problems,
      ...positional.map((text) => `unexpected argument '${text}'`),
      ...(configDir === undefined || existsSync(configDir)
        ? []
        : [`the configuration directory '${configDir}' does not exist`])
    ]
    if (switches.has("help")) process.stdout.write(renderHelp(help))
    else if (wrong.length > 0) {
      process.stderr.write(`evald ${name}: ${wrong.join("; ")}\n\n${renderHelp(help)}`)
      process.exitCode = usageExit
    } else run(configDirectory(configDir), switches)
  }

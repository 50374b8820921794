/** Flags of a command that reads a configuration directory: help, a wrong flag and a folder that is not there are answered here. */
import { existsSync } from "node:fs"
import { configDirectory } from "./config-directory.ts"
import { type CommandHelp, parseFlags, renderHelp, usageExit } from "./flags.ts"

/** `begin` is called when there is something to begin; otherwise it was told why not, and the exit code is set */
export const configuredCommand = (
  name: string,
  help: CommandHelp,
  args: ReadonlyArray<string>,
  begin: (configDir: string, switches: ReadonlySet<string>) => void
): void => {
  const { switches, values, positional, problems } = parseFlags(args, help.flags)
  const wrong = [...problems, ...positional.map((text) => `unexpected argument '${text}'`)]
  const configDir = values.get("configdir")?.[0]
  if (switches.has("help")) {
    process.stdout.write(renderHelp(help))
  } else if (wrong.length > 0) {
    process.stderr.write(`evald ${name}: ${wrong.join("; ")}\n\n${renderHelp(help)}`)
    process.exitCode = usageExit
  } else if (configDir !== undefined && !existsSync(configDir)) {
    process.stderr.write(`evald ${name}: the configuration directory '${configDir}' does not exist\n`)
    process.exitCode = 78
  } else {
    begin(configDirectory(configDir), switches)
  }
}

/** `evald adapter evald --import <format> <file>`: an original file of a public set becomes custom data. Reference: providers-and-collections.md, "Embedded benchmarks". */
import { Either } from "effect"
import { IMPORT_FORMATS, importFile } from "../../providers/evald/import/import-file.ts"
import { defined } from "../../values/defined.ts"
import { type CommandHelp, parseFlags, renderHelp, usageExit } from "../cli/flags.ts"
import { importSetHelp } from "../cli/own-commands.ts"

/** with the formats, which this command alone knows */
const command: CommandHelp = {
  ...importSetHelp,
  summary: `${importSetHelp.summary}\n\nFormats:\n${IMPORT_FORMATS.map(
    ({ id, title, licence }) => `  ${id.padEnd(12)}${title}; published under ${licence}`
  ).join("\n")}`
}

export const main = (args: ReadonlyArray<string>): void => {
  const { switches, values, positional, problems } = parseFlags(args, command.flags)
  const [format, output, licence] = ["import", "output", "licence"].map((name) => values.get(name)?.[0])
  const [file, ...further] = positional
  if (switches.has("help")) {
    process.stdout.write(renderHelp(command))
    return
  }
  const wrong =
    problems[0] ??
    (format === undefined
      ? "--import is missing"
      : file === undefined
        ? "which file?"
        : further.length > 0
          ? "one file at a time"
          : undefined)
  if (wrong !== undefined || format === undefined || file === undefined) {
    process.stderr.write(`evald adapter evald: ${wrong}\n\n${renderHelp(command)}`)
    process.exitCode = usageExit
    return
  }
  Either.match(
    importFile({
      format,
      file,
      ...defined({ output, licence })
    }),
    {
      onLeft: (problem) => {
        process.stderr.write(`evald adapter evald: ${problem}\n`)
        process.exitCode = 1
      },
      onRight: (report) => {
        const { rows, leftOut } = report.imported
        const left = leftOut.length === 0 ? "" : `; ${leftOut.length} left out, named in the record`
        process.stdout.write(
          `${rows.length} rows in ${report.output}${left}\nsource, licence and hashes in ${report.record}\n`
        )
        process.stdout.write(`parameters of custom_jsonl: ${JSON.stringify(report.format.parameters)}\n`)
        for (const note of report.format.notes) process.stdout.write(`note: ${note}\n`)
      }
    }
  )
}

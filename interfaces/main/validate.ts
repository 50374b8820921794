/** `evald validate`: checks definition files and job bodies. Exit codes: 0 clean or warnings, 1 errors, 2 unreadable, 64 usage. Reference: providers-and-collections.md, "Linter". */
import { Either } from "effect"
import collectionFile from "../../providers/contract/schemas/collection-file.schema.json" with { type: "json" }
import gatePolicy from "../../providers/contract/schemas/gate-policy.schema.json" with { type: "json" }
import jobSpec from "../../providers/contract/schemas/job-spec.schema.json" with { type: "json" }
import providerFile from "../../providers/contract/schemas/provider-file.schema.json" with { type: "json" }
import sampleRecord from "../../providers/contract/schemas/sample-record.schema.json" with { type: "json" }
import statusEvent from "../../providers/contract/schemas/status-event.schema.json" with { type: "json" }
import { configDirectory } from "../cli/config-directory.ts"
import { exitCodeOf, type Format, formats, renderFindings } from "../cli/findings.ts"
import { parseFlags, renderHelp, usageExit } from "../cli/flags.ts"
import { validateHelp as help, type schemaNames } from "../cli/own-commands.ts"
import { build } from "./build-info.ts"
import { validatePath } from "./compose/validation.ts"

const schemas: { readonly [Name in (typeof schemaNames)[number]]: object } = {
  "provider-file": providerFile,
  "collection-file": collectionFile,
  "gate-policy": gatePolicy,
  "job-spec": jobSpec,
  "status-event": statusEvent,
  "sample-record": sampleRecord
}

const unreadableExit = 2

const refuse = (reason: string) => {
  process.stderr.write(`evald validate: ${reason}\n\n${renderHelp(help)}`)
  process.exitCode = usageExit
}

const isFormat = (text: string): text is Format => formats.some((format) => format === text)

const check = (paths: ReadonlyArray<string>, configDir: string, format: Format, strict: boolean, local: boolean) => {
  const checked = paths.map((path) => validatePath(path, configDir, local))
  const findings = checked.flatMap(Either.getOrElse(() => []))
  const unreadable = checked.flatMap((one) => (Either.isLeft(one) ? [one.left] : []))
  process.stdout.write(`${renderFindings(findings, format, build.version)}\n`)
  for (const reason of unreadable) process.stderr.write(`evald validate: ${reason}\n`)
  process.exitCode = unreadable.length > 0 ? unreadableExit : exitCodeOf(findings, strict)
}

export const main = (args: ReadonlyArray<string>): void => {
  const { switches, values, positional, problems } = parseFlags(args, help.flags)
  const [format = "text"] = values.get("format") ?? []
  const [name] = values.get("schema") ?? []
  if (switches.has("help")) process.stdout.write(renderHelp(help))
  else if (problems.length > 0) refuse(problems.join("; "))
  else if (!isFormat(format)) refuse(`--format is one of ${formats.join(", ")}, not '${format}'`)
  else if (name !== undefined) {
    const schema = Object.entries(schemas).find(([known]) => known === name)?.[1]
    if (schema === undefined) refuse(`there is no schema '${name}'; there are ${Object.keys(schemas).join(", ")}`)
    else process.stdout.write(`${JSON.stringify(schema, undefined, 2)}\n`)
  } else {
    const configDir = configDirectory(values.get("configdir")?.[0])
    check(
      positional.length === 0 ? [configDir] : positional,
      configDir,
      format,
      switches.has("strict"),
      switches.has("local")
    )
  }
}

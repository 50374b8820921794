/** `evald operator manifests`: what is installed before the operator runs. Exit codes: 64 usage, 78 configuration, 1 a file can not be written. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Either } from "effect"
import { ConfigInvalid, load } from "../../../config/load.ts"
import type { Settings } from "../../../config/settings.ts"
import {
  type Files,
  type FilesInput,
  imageParts,
  installationFiles
} from "../../../infrastructure/kubernetes/installation/files.ts"
import { shippedDefinitions } from "../../../infrastructure/kubernetes/installation/shipped.ts"
import { defined } from "../../../values/defined.ts"
import { configDirectory, packagedConfig } from "../../cli/config-directory.ts"
import { parseFlags, renderHelp, usageExit } from "../../cli/flags.ts"
import { manifestsHelp as help } from "../../cli/own-commands.ts"
import { build } from "../build-info.ts"
import { platformNames } from "./platform-names.ts"

const toOutput = "-"
const defaultNamespace = "evald-system"

const inputOf = (settings: Settings): Either.Either<FilesInput, string> => {
  const image = settings["operator.image"]
  const { tag, digest } = imageParts(image ?? "")
  if (image !== undefined && tag === undefined && digest === undefined)
    return Either.left(
      new ConfigInvalid({
        problems: [`operator.image: '${image}' may be another image tomorrow: name a tag, or a digest (@sha256:…)`]
      }).message
    )
  return Either.right({
    version: build.version,
    ...defined({ image }),
    installation: {
      ...platformNames(settings),
      namespace: settings["operator.namespace"] ?? defaultNamespace,
      definitions: shippedDefinitions(packagedConfig)
    }
  })
}

/** undefined: all are written; else why not */
const write = (files: Files, folder: string): string | undefined => {
  try {
    for (const [path, text] of Object.entries(files)) {
      const target = join(folder, path)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, text)
    }
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const refuse = (message: string, code: number): void => {
  process.stderr.write(`evald operator manifests: ${message}\n`)
  process.exitCode = code
}

const put = (configDir: string, target: string): void => {
  const input = Effect.runSync(Effect.either(load(configDir, process.env))).pipe(
    Either.mapLeft(({ message }) => message),
    Either.flatMap(inputOf)
  )
  if (Either.isLeft(input)) {
    refuse(input.left, 78)
    return
  }
  const files = installationFiles(input.right)
  if (target === toOutput) {
    process.stdout.write(files["install.yaml"] ?? "")
    return
  }
  const problem = write(files, target)
  if (problem !== undefined) refuse(problem, 1)
}

export const main = (args: ReadonlyArray<string>): void => {
  const { switches, values, positional, problems } = parseFlags(args, help.flags)
  const configDir = values.get("configdir")?.[0]
  const [target = toOutput, ...more] = positional
  const wrong = [
    ...problems,
    ...more.map((text) => `unexpected argument '${text}'`),
    ...(target === "" ? ["the name of the directory is empty"] : [])
  ]
  if (switches.has("help")) process.stdout.write(renderHelp(help))
  else if (wrong.length > 0) refuse(`${wrong.join("; ")}\n\n${renderHelp(help)}`, usageExit)
  else if (configDir !== undefined && !existsSync(configDir))
    refuse(`the configuration directory '${configDir}' does not exist`, 78)
  else put(configDirectory(configDir), target)
}

/**
 * One typed configuration from three sources: `config.yaml` < environment variables < secret files. All problems are reported at once,
 * each with its key. Values of secrets never appear in a message.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Data, Effect, Either } from "effect"
import { parseDocument } from "yaml"
import { nearest } from "../values/nearest.ts"
import { settingMapOf, settingMapsIn } from "./setting-maps.ts"
import type { Setting } from "./settings/kinds.ts"
import { type SettingKey, type Settings, settings } from "./settings.ts"

/** the configuration cannot be used; exit code 78 */
export class ConfigInvalid extends Data.TaggedError("ConfigInvalid")<{ readonly problems: ReadonlyArray<string> }> {
  override get message(): string {
    return `the configuration is not usable:\n${this.problems.map((problem) => `  - ${problem}`).join("\n")}`
  }
}

/** one value and where it came from, for messages */
interface Given {
  readonly text: string
  readonly from: string
}

const flatten = (value: unknown, path = ""): ReadonlyArray<readonly [string, string]> => {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return [[path, value.map(String).join(",")]]
  if (typeof value === "object")
    return Object.entries(value).flatMap(([key, inner]) => flatten(inner, path === "" ? key : `${path}.${key}`))
  return [[path, String(value)]]
}

const hint = (key: string): string => {
  const meant = nearest(key, Object.keys(settings))
  return meant === undefined ? "" : `; did you mean ${meant}?`
}

const readYaml = (file: string, problems: Array<string>): ReadonlyArray<readonly [string, string]> => {
  if (!existsSync(file)) return []
  try {
    const document = parseDocument(readFileSync(file, "utf8"), { prettyErrors: true })
    const [error] = document.errors
    if (error !== undefined) {
      problems.push(`${file}: ${error.message.split("\n", 1)[0]}`)
      return []
    }
    const value: unknown = document.toJS({ maxAliasCount: 100 })
    if (value === null || value === undefined) return []
    if (typeof value !== "object" || Array.isArray(value)) {
      problems.push(`${file}: expected a mapping of settings`)
      return []
    }
    return flatten(value)
  } catch (error) {
    problems.push(`${file}: ${error instanceof Error ? error.message.split("\n", 1)[0] : "cannot be read"}`)
    return []
  }
}

const isSetting = (key: string): key is SettingKey => Object.hasOwn(settings, key)

export const readSecret = (file: string): Either.Either<string, string> => {
  try {
    return Either.right(readFileSync(file, "utf8").trimEnd())
  } catch {
    return Either.left(`cannot read ${file}`)
  }
}

/**
 * Reads `<configDir>/config.yaml` when it exists, then the environment (`NAME` and `NAME_FILE`), then the mapped files of `secrets.dir`.
 * An empty variable counts as unset.
 */
export const load = (
  configDir: string,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<Settings, ConfigInvalid> =>
  Effect.suspend(() => {
    const problems: Array<string> = []
    const given = new Map<string, Given>()
    const maps = new Map<string, string>()
    const files: Record<string, string> = {}
    const file = join(configDir, "config.yaml")
    /** `what`: names it where it can not be read */
    const takeFile = (what: string, key: string, path: string, from: string) => {
      const secret = readSecret(path)
      if (Either.isLeft(secret)) return void problems.push(`${what}: ${secret.left}`)
      given.set(key, { text: secret.right, from })
      files[key] = path
    }

    for (const [key, text] of readYaml(file, problems)) {
      if (isSetting(key)) given.set(key, { text, from: file })
      else if (settingMapOf(key) !== undefined) maps.set(key, text)
      else problems.push(`${key}: unknown setting in ${file}${hint(key)}`)
    }
    for (const [key, { variable }] of Object.entries<Setting<unknown>>(settings)) {
      if (variable === undefined) continue
      const value = environment[variable]
      if (value !== undefined && value !== "") given.set(key, { text: value, from: variable })
      const path = environment[`${variable}_FILE`]
      if (path === undefined || path === "") continue
      takeFile(`${variable}_FILE`, key, path, `${variable}_FILE`)
    }
    const secretsDir = given.get("secrets.dir")?.text
    for (const [key, target] of maps) {
      if (!key.startsWith("secrets.mappings.")) continue
      const name = key.slice("secrets.mappings.".length)
      if (!isSetting(target)) problems.push(`${key}: ${target} is not a setting${hint(target)}`)
      else if (secretsDir === undefined) problems.push(`${key}: secrets.dir is not set`)
      else takeFile(key, target, join(secretsDir, name), `${secretsDir}/${name}`)
    }

    const values: Record<string, unknown> = {}
    for (const [key, setting] of Object.entries<Setting<unknown>>(settings)) {
      const source = given.get(key)
      if (source === undefined) {
        values[key] = setting.initial
        continue
      }
      const value = setting.read(source.text)
      if (Either.isRight(value)) values[key] = value.right
      else
        problems.push(
          `${key}: ${value.left}${setting.secret ? "" : `, not '${source.text.slice(0, 80)}'`} (from ${source.from})`
        )
    }
    const named = settingMapsIn(maps, file, problems)
    const images = { ...named["providers.images"] }
    for (const [name, value] of Object.entries(environment)) {
      const id = /^EVALD_PROVIDER_IMAGE_(.+)$/.exec(name)?.[1]
      if (id !== undefined && value !== undefined && value !== "") images[id] = value
    }
    if (problems.length > 0) return Effect.fail(new ConfigInvalid({ problems }))
    // every key of the table was read above, so the record is complete
    return Effect.succeed({
      ...values,
      ...named,
      "providers.images": images,
      files
    } as Settings)
  })

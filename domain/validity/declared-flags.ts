/**
 * What an adapter says against its own score, in `additional_info.flags`: it can make its result look worse, never better. Lenient, because
 * foreign adapters may use the member for something else. Reference: validity.md, "Witnesses".
 */
import { isObject, type JsonObject } from "../../values/json.ts"
import { flagLevels, type ValidityFlag } from "../score/validity.ts"

const maxFlags = 50
const code = /^[a-z][a-z0-9_]{0,63}$/

const count = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0
const isLevel = (value: unknown): value is ValidityFlag["level"] =>
  (flagLevels as ReadonlyArray<unknown>).includes(value)

const flagOf = (value: unknown): ReadonlyArray<ValidityFlag> => {
  if (!isObject(value)) return []
  const { code: name, level, message, samples } = value
  if (typeof name !== "string" || !code.test(name) || !isLevel(level)) return []
  const ids = Array.isArray(samples) ? samples.filter((id): id is string => typeof id === "string").slice(0, 5) : []
  return [
    {
      ...{ code: name, level, count: count(value["count"]), of: count(value["of"]), limit: count(value["limit"]) },
      samples: ids.map((id) => id.slice(0, 512)),
      message: typeof message === "string" ? message.slice(0, 512) : name
    }
  ]
}

/** undefined: the adapter does not judge its runs. One that does is a witness also when it has nothing to say. */
export const declaredFlags = (info: JsonObject | undefined): ReadonlyArray<ValidityFlag> | undefined => {
  if (info === undefined) return undefined
  const { flags } = info
  if (Array.isArray(flags)) return flags.slice(0, maxFlags).flatMap(flagOf)
  return isObject(info["controls"]) ? [] : undefined
}

/** What a later structural schema of a custom resource no longer takes of what an earlier one took. */
import { isDeepStrictEqual } from "node:util"
import { isObject, type JsonObject } from "../../../values/json.ts"

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** bounds that may only move in one direction; absent: unbounded */
const lowerBounds = ["minimum", "minLength", "minItems", "minProperties"]
const upperBounds = ["maximum", "maxLength", "maxItems", "maxProperties"]
/** what may be taken away and not be added or changed */
const demands = ["pattern", "format", "multipleOf", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems"]

const numberOf = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise)

const own = (earlier: JsonObject, later: JsonObject): ReadonlyArray<string> => {
  const [before, now] = [listOf(earlier["enum"]), listOf(later["enum"])]
  const rules = (schema: JsonObject) => listOf(schema["x-kubernetes-validations"]).map((one) => objectOf(one)["rule"])
  const known = rules(earlier)
  return [
    ...["type", "x-kubernetes-int-or-string"].filter((name) => earlier[name] !== later[name]),
    ...demands.filter((name) => later[name] !== undefined && !isDeepStrictEqual(earlier[name], later[name])),
    ...lowerBounds.filter((name) => numberOf(later[name], -Infinity) > numberOf(earlier[name], -Infinity)),
    ...upperBounds.filter((name) => numberOf(later[name], Infinity) < numberOf(earlier[name], Infinity)),
    ...(now.length > 0 && (before.length === 0 || before.some((value) => !now.includes(value))) ? ["enum"] : []),
    ...(listOf(later["required"]).some((name) => !listOf(earlier["required"]).includes(name)) ? ["required"] : []),
    ...(earlier["nullable"] === true && later["nullable"] !== true ? ["nullable"] : []),
    ...(earlier["x-kubernetes-preserve-unknown-fields"] === true &&
    later["x-kubernetes-preserve-unknown-fields"] !== true
      ? ["x-kubernetes-preserve-unknown-fields"]
      : []),
    ...(rules(later).some((rule) => !known.includes(rule)) ? ["x-kubernetes-validations"] : [])
  ]
}

/** places and what is narrower there; a default that changed is narrower too, because it changes what a resource without the member means */
export const narrowed = (earlier: unknown, later: unknown, path = ""): ReadonlyArray<string> => {
  const [before, now] = [objectOf(earlier), objectOf(later)]
  const [members, nowMembers] = [objectOf(before["properties"]), objectOf(now["properties"])]
  return [
    ...own(before, now).map((what) => `${path}: ${what}`),
    ...(before["default"] !== undefined && !isDeepStrictEqual(before["default"], now["default"])
      ? [`${path}: default`]
      : []),
    ...Object.keys(members).flatMap((name) =>
      nowMembers[name] === undefined
        ? [`${path}.${name}: removed`]
        : narrowed(members[name], nowMembers[name], `${path}.${name}`)
    ),
    ...["items", "additionalProperties"].flatMap((name) =>
      before[name] === undefined ? [] : narrowed(before[name], now[name], `${path}[${name}]`)
    )
  ]
}

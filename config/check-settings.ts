/** Settings that somebody writes into a custom resource, judged by the table of settings before a server has to read them. */
import { Either } from "effect"
import { isObject } from "../values/json.ts"
import { nearest } from "../values/nearest.ts"
import { settingMapOf, settingMapsIn } from "./setting-maps.ts"
import type { Setting } from "./settings/kinds.ts"
import { settings } from "./settings.ts"

export interface SettingProblem {
  readonly key: string
  /** completes the sentence "<key> …" */
  readonly message: string
}

const table: { readonly [key: string]: Setting<unknown> } = settings

const textOf = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(",") : String(value))

/** a tree of settings as keys and values; lists stay whole, what is null is absent */
export const leaves = (value: unknown, path = ""): ReadonlyArray<readonly [key: string, value: unknown]> =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, inner]) => leaves(inner, path === "" ? name : `${path}.${name}`))
    : value === null || value === undefined
      ? []
      : [[path, value]]

const judge = (key: string, value: unknown): string | undefined => {
  const setting = Object.hasOwn(table, key) ? table[key] : undefined
  if (setting === undefined) {
    if (settingMapOf(key) !== undefined) return undefined
    const meant = nearest(key, Object.keys(table))
    return `is no setting${meant === undefined ? "" : `; did you mean ${meant}?`}`
  }
  if (setting.secret)
    return `is a secret, which does not belong into a resource: put it into a Secret${setting.variable === undefined ? "" : ` and name that in spec.env as ${setting.variable}`}`
  const read = setting.read(textOf(value))
  return Either.isLeft(read) ? `${read.left}, not '${textOf(value).slice(0, 80)}'` : undefined
}

/** what the loader would say of the maps */
const problemsOfMaps = (
  given: ReadonlyArray<readonly [key: string, value: unknown]>
): ReadonlyArray<SettingProblem> => {
  const found: Array<string> = []
  const maps = given.filter(([key]) => settingMapOf(key) !== undefined)
  settingMapsIn(new Map(maps.map(([key, value]) => [key, textOf(value)])), "the configuration", found)
  return found.map((sentence) => {
    const [key = "", ...rest] = sentence.split(": ")
    return { key, message: rest.join(": ") }
  })
}

/**
 * What is wrong with a tree of settings, sorted by key. `ownerOf`: what decides a setting in place of the tree, where something else does.
 * Secrets are refused, and never shown.
 */
export const settingProblems = (
  tree: unknown,
  ownerOf: (key: string) => string | undefined
): ReadonlyArray<SettingProblem> => {
  const given = leaves(tree).map(([key, value]) => ({ key, value, owner: ownerOf(key) }))
  const free = given.flatMap(({ key, value, owner }) => (owner === undefined ? [[key, value] as const] : []))
  return [
    ...given.flatMap(({ key, owner }) =>
      owner === undefined ? [] : [{ key, message: `is set by the operator, and decided by ${owner}` }]
    ),
    ...free.flatMap(([key, value]) => {
      const message = judge(key, value)
      return message === undefined ? [] : [{ key, message }]
    }),
    ...problemsOfMaps(free)
  ].sort((a, b) => (a.key < b.key ? -1 : 1))
}

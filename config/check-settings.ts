/** Settings that somebody writes into a custom resource, judged by the table of settings before a server has to read them. */
import { Either } from "effect"
import { isObject } from "../values/json.ts"
import { nearest } from "../values/nearest.ts"
import type { Setting } from "./settings/kinds.ts"
import { settingMaps, settings } from "./settings.ts"

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
    if (Object.keys(settingMaps).some((map) => key.startsWith(`${map}.`))) return undefined
    const meant = nearest(key, Object.keys(table))
    return `is no setting${meant === undefined ? "" : `; did you mean ${meant}?`}`
  }
  if (setting.secret)
    return `is a secret, which does not belong into a resource: put it into a Secret${setting.variable === undefined ? "" : ` and name that in spec.env as ${setting.variable}`}`
  const read = setting.read(textOf(value))
  return Either.isLeft(read) ? `${read.left}, not '${textOf(value).slice(0, 80)}'` : undefined
}

/**
 * What is wrong with a tree of settings, sorted by key. `isOwned`: settings that somebody else has to decide. Secrets are refused, and
 * never shown.
 */
export const settingProblems = (tree: unknown, isOwned: (key: string) => boolean): ReadonlyArray<SettingProblem> =>
  leaves(tree)
    .flatMap(([key, value]) => {
      const message = isOwned(key)
        ? "is set by the operator: use the member of spec that stands for it"
        : judge(key, value)
      return message === undefined ? [] : [{ key, message }]
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1))

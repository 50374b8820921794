/** Careful access to JSON of unknown shape. */
import { Option } from "effect"

export type JsonObject = { readonly [name: string]: unknown }

export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)

/** undefined when the text is no JSON */
export const parseJson = (text: string): unknown => Option.getOrUndefined(Option.liftThrowable((): unknown => JSON.parse(text))())

/** own member of an object, else undefined */
export const member = (value: unknown, name: string): unknown => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined)

export const textMember = (value: unknown, name: string): string | undefined => {
  const found = member(value, name)
  return typeof found === "string" ? found : undefined
}

export const numberMember = (value: unknown, name: string): number | undefined => {
  const found = member(value, name)
  return typeof found === "number" && Number.isFinite(found) ? found : undefined
}

export const listMember = (value: unknown, name: string): ReadonlyArray<unknown> => {
  const found = member(value, name)
  return Array.isArray(found) ? found : []
}

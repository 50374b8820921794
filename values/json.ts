/** JSON of unknown shape: parsing it, recognising objects, and asking for members. */

export type JsonObject = { readonly [name: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** undefined when the text is no JSON; why not, says `readJson` */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** members whose values are shown to nobody */
export const secretMember = /(api_?key|token|secret|password)$/i

/** names through which an assignment could reach a prototype */
export const prototypeNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

/** an own member; inherited ones do not count */
export const ownMember = <A>(object: { readonly [key: string]: A }, name: string): A | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** own member of an object, else undefined */
export const member = (value: unknown, name: string): unknown => (isObject(value) ? ownMember(value, name) : undefined)

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

/** Bodies just within and just beyond every limit that a schema sets, made from one body that has every member. */
import { member } from "../../values/json.ts"

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: unknown
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly deprecated?: boolean
  readonly maxLength?: number
  readonly minLength?: number
  readonly maxItems?: number
  readonly minItems?: number
  readonly pattern?: string
}

type Components = { readonly [name: string]: Schema }

export interface Place {
  readonly pointer: string
  readonly keyword: string
  /** undefined: the full body itself is within */
  readonly within?: unknown
  readonly beyond: unknown
}

type Way = ReadonlyArray<string | number>

const replaced = (value: unknown, [step, ...rest]: Way, change: (old: unknown) => unknown): unknown => {
  if (step === undefined) return change(value)
  if (Array.isArray(value)) return value.map((one, index) => (index === step ? replaced(one, rest, change) : one))
  const record = value as { readonly [name: string]: unknown }
  return { ...record, [step]: replaced(record[step], rest, change) }
}

const without = (name: string) => (value: unknown) =>
  Object.fromEntries(Object.entries(value as object).filter(([own]) => own !== name))

/** texts whose grammar is the domain's */
const grammars = /(cpu|memory)(\/|_)(request|limit)$|gpu\/name$|oci_subject$/

/** a text of that length that fits the pattern where the text before did */
const longer = (text: string, length: number): string => {
  const middle = text.length > 1 && /^[A-Za-z0-9]/.test(text) ? 1 : 0
  return (
    text.slice(0, middle) +
    (text[middle] ?? "a").replace(/[^A-Za-z0-9]/, "a").repeat(length - text.length) +
    text.slice(middle)
  )
}

/** copies of an item that differ in their names, or in their choice where there is one; many are slim, because a body has a largest size as well */
const copies = (item: unknown, count: number, choices: ReadonlyArray<unknown> | undefined): ReadonlyArray<unknown> =>
  Array.from({ length: count }, (_, index) => {
    if (choices !== undefined) return choices[index % choices.length]
    if (typeof item === "string") return `${item}${index}`
    if (typeof item !== "object" || item === null) return item
    const { id, provider_id, ...others } = item as {
      readonly id?: string
      readonly provider_id?: string
      readonly key?: string
    }
    const named: { readonly id?: string; readonly key?: string } = {
      ...(count > 100 ? {} : others),
      ...(id === undefined ? {} : { id }),
      ...(provider_id === undefined ? {} : { provider_id })
    }
    return {
      ...named,
      ...(named.id === undefined ? {} : { id: `${named.id}${index}` }),
      ...(named.key === undefined ? {} : { key: `${named.key}${index}` })
    }
  })

const resolvedIn =
  (components: Components) =>
  (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (components[schema.$ref.split("/").at(-1) ?? ""] ?? {})

/** members of the component that none of the bodies has, so that their limits are never looked at */
export const unwalkedMembers = (
  components: Components,
  component: string,
  bodies: ReadonlyArray<unknown>
): ReadonlyArray<string> => {
  const resolved = resolvedIn(components)
  const walk = (given: Schema, values: ReadonlyArray<unknown>, pointer: string): ReadonlyArray<string> => {
    const { items, properties = {} } = resolved(given)
    if (items !== undefined)
      return walk(
        items,
        values.flatMap((value) => (Array.isArray(value) ? value : [])),
        `${pointer}/0`
      )
    return Object.entries(properties).flatMap(([name, schema]) => {
      // another spelling of one of the others
      if (schema.deprecated === true && schema.$ref === undefined) return []
      const found = values.flatMap((value) => {
        const inner = member(value, name)
        return inner === undefined ? [] : [inner]
      })
      return found.length === 0 ? [`${pointer}/${name}`] : walk(schema, found, `${pointer}/${name}`)
    })
  }
  return walk(components[component] ?? {}, bodies, "")
}

/** `full` has each member of the component; a limit of a text whose grammar allows less, such as a quantity, is only broken */
export const brokenPlaces = (components: Components, component: string, full: unknown): ReadonlyArray<Place> => {
  const resolved = resolvedIn(components)
  const found: Array<Place> = []
  const walk = (given: Schema, value: unknown, way: Way): void => {
    const schema = resolved(given)
    const put = (keyword: string, beyond: (old: unknown) => unknown, within?: (old: unknown) => unknown) =>
      found.push({
        ...{ pointer: `/${way.join("/")}`, keyword, beyond: replaced(full, way, beyond) },
        ...(within === undefined ? {} : { within: replaced(full, way, within) })
      })
    const { maxLength, minLength, maxItems, minItems, minimum, maximum, exclusiveMinimum } = schema
    if (typeof value === "string") {
      if (maxLength !== undefined)
        put(
          "maxLength",
          () => longer(value, maxLength + 1),
          // texts of a grammar have bounds of their own
          (schema.pattern === undefined || schema.pattern === "\\S") && !grammars.test(way.join("/"))
            ? () => longer(value, maxLength)
            : undefined
        )
      if (minLength !== undefined && minLength > 0) put("minLength", () => "")
      if (schema.pattern === "\\S") put("pattern", () => " ")
      else if (schema.pattern !== undefined) put("pattern", () => " /,|:\\ ")
      if (schema.enum !== undefined) put("enum", () => "unheard-of")
    }
    if (typeof value === "number") {
      if (minimum !== undefined)
        put(
          "minimum",
          () => minimum - 1,
          () => minimum
        )
      if (maximum !== undefined)
        put(
          "maximum",
          () => maximum + 1,
          () => maximum
        )
      if (exclusiveMinimum !== undefined) put("exclusiveMinimum", () => exclusiveMinimum)
      if (schema.type === "integer") put("type", () => value + 0.5)
    }
    if (Array.isArray(value)) {
      const choices = resolved(schema.items ?? {}).enum
      if (maxItems !== undefined)
        put(
          "maxItems",
          () => copies(value[0], maxItems + 1, choices),
          () => copies(value[0], maxItems, choices)
        )
      if (minItems !== undefined) put("minItems", () => [])
      value.forEach((item, index) => {
        walk(schema.items ?? {}, item, [...way, index])
      })
    } else if (typeof value === "object" && value !== null && schema.properties !== undefined) {
      if (schema.additionalProperties === false)
        put("additionalProperties", (old) => ({ ...(old as object), unheard_of: 1 }))
      for (const name of schema.required ?? []) put(`required ${name}`, without(name))
      for (const [name, member] of Object.entries(value)) walk(schema.properties[name] ?? {}, member, [...way, name])
    }
  }
  walk(components[component] ?? {}, full, [])
  return found
}

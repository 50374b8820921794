/**
 * The document's bodies of requests, as strict as the server: unknown members are refused, texts have an end, old spellings are named. What requests
 * share with answers, which stay open for additions, is there twice: `ModelRef` in answers, `ModelRefInput` in requests. Reference: api.md, "Bodies".
 */
import { isDeepStrictEqual } from "node:util"
import { spellings } from "../../../config/runtime-aliases.ts"
import { isObject, type JsonObject as Json } from "../../../values/json.ts"
import { maxText } from "../dto/decode.ts"

const prefix = "#/components/schemas/"

/** names of the components that a part of the document refers to, and those that these refer to */
const reached = (schemas: Json, node: unknown, found: Set<string> = new Set()): Set<string> => {
  if (Array.isArray(node)) for (const one of node) reached(schemas, one, found)
  if (!isObject(node)) return found
  for (const [name, value] of Object.entries(node)) {
    if (name !== "$ref" || typeof value !== "string" || !value.startsWith(prefix)) reached(schemas, value, found)
    else if (!found.has(value.slice(prefix.length))) {
      found.add(value.slice(prefix.length))
      reached(schemas, schemas[value.slice(prefix.length)], found)
    }
  }
  return found
}

const strict = (node: unknown, renamed: (component: string) => string): unknown => {
  if (Array.isArray(node)) return node.map((one) => strict(one, renamed))
  if (!isObject(node)) return node
  const parts = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      name === "$ref" && typeof value === "string"
        ? `${prefix}${renamed(value.slice(prefix.length))}`
        : strict(value, renamed)
    ])
  )
  if (isObject(node["properties"]) && node["additionalProperties"] === true)
    return { ...parts, additionalProperties: false }
  const bounded = node["type"] !== "string" || node["enum"] !== undefined || node["maxLength"] !== undefined
  return bounded ? parts : { ...parts, maxLength: maxText }
}

const same = (component: string): string => component

/** members under their old spellings beside those that they stand for */
const withOldSpellings = (component: unknown): unknown => {
  if (!isObject(component)) return component
  const { runtime } = (component["properties"] ?? {}) as {
    readonly runtime?: { readonly properties: { readonly k8s: { readonly properties: Json } } }
  }
  if (runtime === undefined) return component
  const { k8s } = runtime.properties
  const old = Object.entries(spellings).map(([name, modern]) => [
    name,
    { ...(k8s.properties[modern] as Json), deprecated: true, description: `old spelling of \`${modern}\`` }
  ])
  const members = {
    ...runtime.properties,
    k8s: { ...k8s, properties: { ...k8s.properties, ...Object.fromEntries(old) } }
  }
  return {
    ...component,
    properties: { ...(component["properties"] as Json), runtime: { ...runtime, properties: members } }
  }
}

export interface Bodies {
  /** components of bodies whose unknown members are refused */
  readonly closed: ReadonlyArray<string>
  /** what else the document holds */
  readonly others: unknown
}

/** the components that are used, with those of closed bodies strict */
export const strictRequests = (schemas: Json, { closed, others }: Bodies): Json => {
  const shared = reached(schemas, others)
  const inRequests = reached(
    schemas,
    closed.map((name) => ({ $ref: `${prefix}${name}` }))
  )
  const isStricter = (name: string): boolean => !isDeepStrictEqual(strict(schemas[name], same), schemas[name])
  // a free-form object is the same everywhere
  const differs = new Set(
    [...inRequests].filter((name) => shared.has(name) && [name, ...reached(schemas, schemas[name])].some(isStricter))
  )
  const nameOf = (name: string): string => (differs.has(name) ? `${name}Input` : name)
  const added = [...inRequests].map((name) => [nameOf(name), withOldSpellings(strict(schemas[name], nameOf))])
  const needed = new Set([...shared, ...closed])
  const kept = Object.entries(schemas).filter(([name]) => needed.has(name))
  return { ...Object.fromEntries(kept), ...Object.fromEntries(added) }
}

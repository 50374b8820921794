/** Applies a patch that was read under a policy. The input document is never changed; what a patch does not name keeps its identity. */
import { Either } from "effect"
import { isJsonObject } from "../json-object.ts"
import { type Violation, violation } from "../violation.ts"
import type { Patch, PatchOperation } from "./patch-policy.ts"

const put = (object: { readonly [key: string]: unknown }, name: string, value: unknown): { readonly [key: string]: unknown } => ({ ...object, [name]: value })
const drop = (object: { readonly [key: string]: unknown }, name: string): { readonly [key: string]: unknown } =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))

/** position in an array of `length` elements; "-" is the one after the last */
const position = (part: string, length: number): number | undefined => {
  if (part === "-") return length
  return /^(0|[1-9]\d{0,8})$/.test(part) ? Number(part) : undefined
}

/** Left names what the pointer misses */
const change = (node: unknown, path: ReadonlyArray<string>, operation: PatchOperation): Either.Either<unknown, string> => {
  const [part, ...rest] = path
  if (part === undefined) return operation.op === "remove" ? Either.left("the whole record") : Either.right(operation.value)
  if (Array.isArray(node)) {
    const at = position(part, node.length)
    const inserting = rest.length === 0 && operation.op === "add"
    if (at === undefined || at > node.length || (at === node.length && !inserting)) return Either.left(`no element '${part}' in a list of ${node.length}`)
    if (inserting) return Either.right([...node.slice(0, at), operation.value, ...node.slice(at)])
    if (rest.length === 0 && operation.op === "remove") return Either.right([...node.slice(0, at), ...node.slice(at + 1)])
    return Either.map(change(node[at], rest, operation), (next) => node.map((element, index) => (index === at ? next : element)))
  }
  if (!isJsonObject(node)) return Either.left(`'${part}' lies below something that is neither object nor list`)
  const present = Object.hasOwn(node, part)
  if (rest.length === 0 && operation.op === "add") return Either.right(put(node, part, operation.value))
  if (!present) return Either.left(`no member '${part}'`)
  if (rest.length === 0 && operation.op === "remove") return Either.right(drop(node, part))
  return Either.map(change(node[part], rest, operation), (next) => put(node, part, next))
}

const merge = (node: unknown, changes: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } =>
  Object.entries(changes).reduce<{ readonly [key: string]: unknown }>(
    (object, [name, value]) => {
      if (value === null) return drop(object, name)
      return put(object, name, isJsonObject(value) ? merge(Object.hasOwn(object, name) ? object[name] : undefined, value) : value)
    },
    isJsonObject(node) ? node : {}
  )

/** `document`: the record's wire form. A pointer that does not resolve is `invalid_patch_operation`, and nothing is applied. */
export const applyPatch = (document: unknown, patch: Patch): Either.Either<unknown, ReadonlyArray<Violation>> => {
  if (patch._tag === "Merge") return Either.right(merge(document, patch.changes))
  let current = document
  for (const [index, operation] of patch.operations.entries()) {
    const next = change(current, operation.path, operation)
    if (Either.isLeft(next))
      return Either.left([violation(`/${index}/path`, `operation ${index} (${operation.op}) cannot be applied: ${next.left}`, "invalid_patch_operation")])
    current = next.right
  }
  return Either.right(current)
}

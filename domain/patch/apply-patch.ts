/** Applies a patch that was read under a policy. The input document is never changed; what a patch does not name keeps its identity. */
import { Either } from "effect"
import { isJsonObject } from "../json-object.ts"
import { type Violation, violation } from "../violation.ts"
import type { Patch, PatchOperation } from "./patch-policy.ts"

/** objects and lists that this patch has copied: they are changed in place from then on, so that many operations copy each of them once */
type Copies = WeakSet<object>

const ownObject = (object: { readonly [key: string]: unknown }, copies: Copies): { [key: string]: unknown } => {
  const copy = copies.has(object) ? object : { ...object }
  copies.add(copy)
  return copy
}

const ownList = (list: ReadonlyArray<unknown>, copies: Copies): Array<unknown> => {
  // what was copied here is a plain array
  if (copies.has(list)) return list as Array<unknown>
  const copy = [...list]
  copies.add(copy)
  return copy
}

const put = (object: { [key: string]: unknown }, name: string, value: unknown): { [key: string]: unknown } => {
  // an assignment would take it for the prototype
  if (name === "__proto__") return Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  object[name] = value
  return object
}

/** position in an array of `length` elements; "-" is the one after the last */
const position = (part: string, length: number): number | undefined => {
  if (part === "-") return length
  return /^(0|[1-9]\d{0,8})$/.test(part) ? Number(part) : undefined
}

/** Left names what the pointer misses */
const change = (node: unknown, path: ReadonlyArray<string>, operation: PatchOperation, copies: Copies): Either.Either<unknown, string> => {
  const [part, ...rest] = path
  if (part === undefined) return operation.op === "remove" ? Either.left("the whole record") : Either.right(operation.value)
  if (Array.isArray(node)) {
    const at = position(part, node.length)
    const inserting = rest.length === 0 && operation.op === "add"
    if (at === undefined || at > node.length || (at === node.length && !inserting)) return Either.left(`no element '${part}' in a list of ${node.length}`)
    const list = ownList(node, copies)
    if (inserting) list.splice(at, 0, operation.value)
    else if (rest.length === 0 && operation.op === "remove") list.splice(at, 1)
    else {
      const next = change(list[at], rest, operation, copies)
      if (Either.isLeft(next)) return next
      list[at] = next.right
    }
    return Either.right(list)
  }
  if (!isJsonObject(node)) return Either.left(`'${part}' lies below something that is neither object nor list`)
  const object = ownObject(node, copies)
  if (rest.length === 0 && operation.op === "add") return Either.right(put(object, part, operation.value))
  if (!Object.hasOwn(object, part)) return Either.left(`no member '${part}'`)
  if (rest.length === 0 && operation.op === "remove") {
    delete object[part]
    return Either.right(object)
  }
  return Either.map(change(object[part], rest, operation, copies), (next) => put(object, part, next))
}

/** one copy for each object that changes, however many of its members do */
const merge = (node: unknown, changes: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } => {
  const members: { [key: string]: unknown } = isJsonObject(node) ? { ...node } : {}
  for (const name of Object.keys(changes)) {
    const value = changes[name]
    if (value === null) delete members[name]
    else put(members, name, isJsonObject(value) ? merge(Object.hasOwn(members, name) ? members[name] : undefined, value) : value)
  }
  return members
}

/** changes nothing, whatever it is applied to */
export const isEmpty = (patch: Patch): boolean => (patch._tag === "Merge" ? Object.keys(patch.changes) : patch.operations).length === 0

/** `document`: the record's wire form. A pointer that does not resolve is `invalid_patch_operation`, and nothing is applied. */
export const applyPatch = (document: unknown, patch: Patch): Either.Either<unknown, ReadonlyArray<Violation>> => {
  if (isEmpty(patch)) return Either.right(document)
  if (patch._tag === "Merge") return Either.right(merge(document, patch.changes))
  let current = document
  const copies: Copies = new WeakSet()
  for (const [index, operation] of patch.operations.entries()) {
    const next = change(current, operation.path, operation, copies)
    if (Either.isLeft(next))
      return Either.left([violation(`/${index}/path`, `operation ${index} (${operation.op}) cannot be applied: ${next.left}`, "invalid_patch_operation")])
    current = next.right
  }
  return Either.right(current)
}

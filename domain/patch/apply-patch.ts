/**
 * Applies a patch that was read under a policy. The input document is never changed; members that a patch does not name keep their identity.
 * The library applies operations; whether a pointer leads somewhere is asked before, because it follows inherited members, takes "-" for an
 * element and puts the whole document into its errors.
 */
import { Either } from "effect"
import fastJsonPatch from "fast-json-patch"
import { isObject } from "../../values/json.ts"
import { pointer } from "../../values/json-pointer.ts"
import { given } from "../path.ts"
import { type Violation, violation } from "../violation.ts"
import type { Patch, PatchOperation } from "./patch-policy.ts"

/** position in an array of `length` elements; "-" is the one after the last */
const position = (part: string, length: number): number | undefined => {
  if (part === "-") return length
  return /^(0|[1-9]\d{0,8})$/.test(part) ? Number(part) : undefined
}

/** what the pointer of an operation misses */
const missing = (document: unknown, { op, path }: PatchOperation): string | undefined => {
  let node = document
  for (const [depth, part] of path.entries()) {
    const isNew = op === "add" && depth === path.length - 1
    if (Array.isArray(node)) {
      const at = position(part, node.length)
      if (at === undefined || at > node.length || (at === node.length && !isNew))
        return `no element '${part}' in a list of ${node.length}`
      node = node[at]
    } else if (isObject(node)) {
      if (!isNew && !Object.hasOwn(node, part)) return `no member '${part}'`
      node = node[part]
    } else return `'${part}' lies below something that is neither object nor list`
  }
  return undefined
}

/** in place; pointers were looked up before, and values stay the patch's own */
const applyOne = (document: unknown, operation: PatchOperation): unknown => {
  const path = pointer(operation.path)
  const applied: fastJsonPatch.Operation =
    operation.op === "remove"
      ? { op: "remove", path }
      : { op: operation.op, path, value: fastJsonPatch.deepClone(operation.value) }
  return fastJsonPatch.applyOperation(document, applied, false, true, true).newDocument
}

/** one copy for each object that changes, however many of its members do */
const merge = (node: unknown, changes: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } => {
  const members: { [key: string]: unknown } = isObject(node) ? { ...node } : {}
  for (const name of Object.keys(changes)) {
    const value = changes[name]
    if (value === null) delete members[name]
    else {
      const next = isObject(value) ? merge(Object.hasOwn(members, name) ? members[name] : undefined, value) : value
      // an assignment would take `__proto__` for the prototype
      Object.defineProperty(members, name, { value: next, enumerable: true, configurable: true, writable: true })
    }
  }
  return members
}

/** changes nothing, whatever it is applied to */
export const isEmpty = (patch: Patch): boolean =>
  (patch._tag === "Merge" ? Object.keys(patch.changes) : patch.operations).length === 0

/** `document`: the record's wire form. A pointer that does not resolve is `invalid_patch_operation`, and nothing is applied. */
export const applyPatch = (document: unknown, patch: Patch): Either.Either<unknown, ReadonlyArray<Violation>> => {
  if (isEmpty(patch)) return Either.right(document)
  if (patch._tag === "Merge") return Either.right(merge(document, patch.changes))
  const named = new Set(patch.operations.map(({ path }) => path[0]))
  // only what is named is copied: the rest of a record may be large
  let current: unknown = isObject(document)
    ? Object.fromEntries(
        Object.entries(document).map(([name, value]) => [
          name,
          named.has(name) ? fastJsonPatch.deepClone(value) : value
        ])
      )
    : document
  for (const [index, operation] of patch.operations.entries()) {
    const problem = missing(current, operation)
    if (problem !== undefined)
      return Either.left([
        violation(
          [index, given("path")],
          `operation ${index} (${operation.op}) cannot be applied: ${problem}`,
          "invalid_patch_operation"
        )
      ])
    current = applyOne(current, operation)
  }
  return Either.right(current)
}

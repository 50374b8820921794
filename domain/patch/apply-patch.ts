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
import { isBelow } from "./json-pointer.ts"
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

type Members = { [name: string]: unknown }

/** an assignment would take `__proto__` for the prototype */
const setMember = (members: Members, name: string, value: unknown): void => {
  Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true })
}

type Pointer = PatchOperation["path"]

/**
 * The value with copies of all that changes when something at the pointers does, as seen from `depth` segments into each; what they lead past is shared,
 * since it may be large. A list is copied whole: its elements change places.
 */
const changeable = (value: unknown, pointers: ReadonlyArray<Pointer>, depth: number): unknown => {
  if (pointers.length === 0) return value
  if (!isObject(value)) return fastJsonPatch.deepClone(value)
  const copy: Members = { ...value }
  const deeper = pointers.filter((path) => path.length > depth + 1)
  for (const name of new Set(deeper.map((path) => path[depth] ?? ""))) {
    const below = deeper.filter((path) => path[depth] === name)
    if (Object.hasOwn(copy, name)) setMember(copy, name, changeable(copy[name], below, depth + 1))
  }
  return copy
}

/** whether what the pointer names has its place in a list, or below one */
const leadsThroughList = (document: unknown, path: Pointer): boolean => {
  let node = document
  for (const part of path) {
    if (Array.isArray(node)) return true
    node = isObject(node) ? node[part] : undefined
  }
  return false
}

/** what an operation puts into the document, so that the patch stays as it is when later ones change something below it */
const put = (
  document: unknown,
  { path, value }: Extract<PatchOperation, { readonly value: unknown }>,
  later: ReadonlyArray<PatchOperation>
) =>
  leadsThroughList(document, path)
    ? fastJsonPatch.deepClone(value)
    : changeable(
        value,
        later.flatMap((one) => (one.path.length > path.length && isBelow(one.path, path) ? [one.path] : [])),
        path.length
      )

/** in place; pointers were looked up before, and values stay the patch's own. `later`: the operations that follow */
const applyOne = (document: unknown, operation: PatchOperation, later: ReadonlyArray<PatchOperation>): unknown => {
  const path = pointer(operation.path)
  const applied: fastJsonPatch.Operation =
    operation.op === "remove"
      ? { op: "remove", path }
      : { op: operation.op, path, value: put(document, operation, later) }
  return fastJsonPatch.applyOperation(document, applied, false, true, true).newDocument
}

/** one copy for each object that changes, however many of its members do */
const merge = (node: unknown, changes: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } => {
  const members: Members = isObject(node) ? { ...node } : {}
  for (const name of Object.keys(changes)) {
    const value = changes[name]
    if (value === null) delete members[name]
    else {
      const next = isObject(value) ? merge(Object.hasOwn(members, name) ? members[name] : undefined, value) : value
      setMember(members, name, next)
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
  const pointers = patch.operations.map(({ path }) => path)
  let current: unknown = changeable(document, pointers, 0)
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
    current = applyOne(current, operation, patch.operations.slice(index + 1))
  }
  return Either.right(current)
}

/**
 * Which parts of a record a PATCH may touch, and the two accepted forms: an array of operations (RFC 6902: add, remove, replace) and
 * an object (merge patch, RFC 7396), under the same policy. Reference: api.md, "Definitions", "Bodies".
 */
import { Either } from "effect"
import { isObject, type JsonObject, prototypeNames } from "../../values/json.ts"
import { given, type Path } from "../path.ts"
import { shown, type Violation, violation } from "../violation.ts"
import { isBelow, parsePointer } from "./json-pointer.ts"

export interface PatchPolicy {
  /** top-level members that may be changed, with everything below them */
  readonly members: ReadonlyArray<string>
}

export const providerPatch: PatchPolicy = {
  members: ["name", "title", "description", "tags", "agent", "runtime", "requirements", "parameters", "benchmarks"]
}
export const collectionPatch: PatchPolicy = {
  members: ["name", "category", "description", "tags", "custom", "pass_criteria", "benchmarks", "agent"]
}

export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: ReadonlyArray<string>; readonly value: unknown }
  | { readonly op: "remove"; readonly path: ReadonlyArray<string> }

export type Patch =
  | { readonly _tag: "Operations"; readonly operations: ReadonlyArray<PatchOperation> }
  | { readonly _tag: "Merge"; readonly changes: JsonObject }

export const maxOperations = 100
const invalid = (path: Path, message: string): Violation => violation(path, message, "invalid_patch_operation")
const unallowed = (path: Path, message: string): Violation => violation(path, message, "unallowed_patch")

/** why a pointer is out of bounds; undefined when the policy allows it */
const pointerProblem = (path: ReadonlyArray<string>, policy: PatchPolicy): string | undefined => {
  const illegal = path.find((part) => prototypeNames.has(part))
  if (illegal !== undefined) return `a member called '${illegal}' cannot be changed`
  if (policy.members.some((member) => isBelow(path, [member]))) return undefined
  return `${path.length === 0 ? "the whole record" : `'/${path.join("/")}'`} cannot be changed; allowed are ${policy.members.map((member) => `/${member}`).join(", ")}`
}

const readOperation = (value: unknown, at: Path, policy: PatchPolicy): Either.Either<PatchOperation, Violation> => {
  if (!isObject(value)) return Either.left(invalid(at, "a patch operation must be an object with op, path and value"))
  const {
    op,
    path,
    value: content
  } = value as { readonly op?: unknown; readonly path?: unknown; readonly value?: unknown }
  const stray = Object.keys(value).find((name) => !["op", "path", "value"].includes(name))
  if (op === undefined || op === null)
    return Either.left(invalid([...at, given("op")], "a patch operation needs 'op': add, remove or replace"))
  if (op !== "add" && op !== "remove" && op !== "replace")
    return Either.left(
      invalid([...at, given("op")], `operation ${shown(op)} is not supported; use add, remove or replace`)
    )
  if (stray !== undefined)
    return Either.left(invalid(at, `unknown member ${shown(stray)}; an operation has op, path and value`))
  if (path === undefined || path === null)
    return Either.left(invalid([...at, given("path")], "a patch operation needs 'path', a JSON Pointer text"))
  if (typeof path !== "string") return Either.left(invalid([...at, given("path")], "path must be a JSON Pointer text"))
  const pointer = parsePointer(path)
  if (Either.isLeft(pointer)) return Either.left(invalid([...at, given("path")], `path ${shown(path)} ${pointer.left}`))
  const problem = pointerProblem(pointer.right, policy)
  if (problem !== undefined) return Either.left(unallowed([...at, given("path")], problem))
  if (op === "remove") return Either.right({ op, path: pointer.right })
  if (!Object.hasOwn(value, "value"))
    return Either.left(invalid([...at, given("value")], `operation '${op}' needs a value`))
  return Either.right({ op, path: pointer.right, value: content })
}

/** problems that are looked for; more than an answer shows */
const maxProblems = 50

/** every pointer that a merge patch touches must be allowed, prototype names at any depth included */
const mergeProblems = (
  changes: JsonObject,
  path: ReadonlyArray<string>,
  policy: PatchPolicy,
  found: Array<Violation> = []
): ReadonlyArray<Violation> => {
  for (const name of Object.keys(changes)) {
    if (found.length >= maxProblems) break
    const value = changes[name]
    // below an allowed member only the name itself can be wrong
    const suspect = path.length === 0 || prototypeNames.has(name)
    const problem = suspect ? pointerProblem([...path, name], policy) : undefined
    if (problem !== undefined) found.push(unallowed([...path, name].map(given), problem))
    else if (isObject(value)) mergeProblems(value, [...path, name], policy, found)
  }
  return found
}

/** reads a PATCH body of either form; all problems at once, `path`s point into the body */
export const readPatch = (body: unknown, policy: PatchPolicy): Either.Either<Patch, ReadonlyArray<Violation>> => {
  if (isObject(body)) {
    const problems = mergeProblems(body, [], policy)
    return problems.length > 0 ? Either.left(problems) : Either.right({ _tag: "Merge", changes: body })
  }
  if (!Array.isArray(body))
    return Either.left([invalid([], "a patch must be an array of operations or, as merge patch, an object")])
  if (body.length > maxOperations)
    return Either.left([
      invalid([], `a patch has at most ${maxOperations} operations, this one ${body.length}; split it`)
    ])
  const read = body.map((operation, index) => readOperation(operation, [index], policy))
  const problems = read.flatMap((one) => (Either.isLeft(one) ? [one.left] : []))
  return problems.length > 0
    ? Either.left(problems)
    : Either.right({ _tag: "Operations", operations: read.flatMap((one) => (Either.isRight(one) ? [one.right] : [])) })
}

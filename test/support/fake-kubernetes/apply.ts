/**
 * Server-side apply as far as evald's objects need it: who owns which field, conflicts, and the removal of what a manager no longer wants.
 * Lists are taken as a whole; the real server merges some of them by a key.
 */
import { isDeepStrictEqual } from "node:util"
import type { KubeObject } from "../../../infrastructure/kubernetes/client/resources.ts"
import { isObject, type JsonObject } from "../../../values/json.ts"
import { apiVersionOf, type Kind } from "./kinds.ts"
import { Refusal } from "./status.ts"

interface Managed {
  readonly manager: string
  readonly operation: "Apply" | "Update"
  readonly subresource: string | undefined
  readonly time: string
  readonly paths: ReadonlySet<string>
}

export interface ApplyAs {
  readonly manager: string
  readonly force: boolean
  readonly subresource: string | undefined
  readonly now: string
}

const unowned = new Set([
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "generation",
  "managedFields"
])

const pathOf = (names: ReadonlyArray<string>): string => JSON.stringify(names)
const namesOf = (path: string): ReadonlyArray<string> => JSON.parse(path) as ReadonlyArray<string>

const leavesBelow = (value: unknown, at: ReadonlyArray<string>): ReadonlyArray<string> =>
  isObject(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, inner]) => leavesBelow(inner, [...at, name]))
    : [pathOf(at)]

/** the fields of a document that can be owned */
const leavesOf = (document: JsonObject): ReadonlySet<string> => {
  const { apiVersion: _, kind: __, metadata, ...rest } = document
  const owned = Object.entries(isObject(metadata) ? metadata : {}).filter(([name]) => !unowned.has(name))
  return new Set([
    ...owned.flatMap(([name, inner]) => leavesBelow(inner, ["metadata", name])),
    ...Object.entries(rest).flatMap(([name, inner]) => leavesBelow(inner, [name]))
  ])
}

const valueAt = (document: unknown, path: string): unknown => {
  let value = document
  for (const name of namesOf(path)) value = isObject(value) ? value[name] : undefined
  return value
}

const put = (target: unknown, [name = "", ...rest]: ReadonlyArray<string>, value: unknown): JsonObject => {
  const members = isObject(target) ? target : {}
  // an empty object that is wanted leaves what others put into it
  if (rest.length === 0 && isObject(value) && isObject(members[name])) return members
  return { ...members, [name]: rest.length === 0 ? value : put(members[name], rest, value) }
}
const cut = (target: unknown, [name = "", ...rest]: ReadonlyArray<string>): JsonObject => {
  const { [name]: inner, ...others } = isObject(target) ? target : {}
  if (rest.length === 0 || inner === undefined) return others
  const left = cut(inner, rest)
  return Object.keys(left).length === 0 ? others : { ...others, [name]: left }
}

const fieldsOf = (paths: Iterable<string>): JsonObject => {
  let fields: JsonObject = {}
  for (const path of [...paths].sort())
    fields = put(
      fields,
      namesOf(path).map((name) => `f:${name}`),
      {}
    )
  return fields
}
const pathsOf = (fields: unknown, at: ReadonlyArray<string> = []): ReadonlyArray<string> =>
  isObject(fields) && Object.keys(fields).length > 0
    ? Object.entries(fields).flatMap(([name, inner]) => pathsOf(inner, [...at, name.replace(/^f:/, "")]))
    : at.length === 0
      ? []
      : [pathOf(at)]

const managedOf = (object: KubeObject): ReadonlyArray<Managed> =>
  (object.metadata.managedFields ?? []).map((entry: JsonObject) => ({
    manager: String(entry["manager"]),
    operation: entry["operation"] === "Apply" ? "Apply" : "Update",
    subresource: typeof entry["subresource"] === "string" ? entry["subresource"] : undefined,
    time: String(entry["time"]),
    paths: new Set(pathsOf(entry["fieldsV1"]))
  }))
const entriesOf = (kind: Kind, managed: ReadonlyArray<Managed>) =>
  managed
    .filter(({ paths }) => paths.size > 0)
    .map(({ manager, operation, subresource, time, paths }) => ({
      manager,
      operation,
      apiVersion: apiVersionOf(kind),
      time,
      fieldsType: "FieldsV1",
      fieldsV1: fieldsOf(paths),
      ...(subresource === undefined ? {} : { subresource })
    }))

const without = (paths: ReadonlySet<string>, taken: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...paths].filter((path) => !taken.has(path)))

/** the object with who owns what; it is the same when nothing changed */
const owned = (kind: Kind, object: JsonObject, managed: ReadonlyArray<Managed>): KubeObject => {
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {}
  const managedFields = entriesOf(kind, managed)
  const { managedFields: _, ...others } = metadata
  const name = String(others["name"])
  return { ...object, metadata: { ...others, name, ...(managedFields.length === 0 ? {} : { managedFields }) } }
}

const refuseConflicts = (kind: Kind, name: string, conflicts: ReadonlyArray<readonly [string, string]>): never => {
  const causes = conflicts.map(([manager, path]) => ({
    reason: "FieldManagerConflict",
    message: `conflict with "${manager}"`,
    field: `.${namesOf(path).join(".")}`
  }))
  throw new Refusal({
    status: 409,
    reason: "Conflict",
    message: `Apply failed with ${causes.length} conflict${causes.length === 1 ? "" : "s"}: ${causes.map(({ message, field }) => `${message}: ${field}`).join(", ")}`,
    causes,
    about: { name, kind: kind.plural, ...(kind.group === "" ? {} : { group: kind.group }) }
  })
}

/** what an apply makes of an object, or of nothing */
export const applied = (kind: Kind, current: KubeObject | undefined, body: KubeObject, as: ApplyAs): KubeObject => {
  const { manager, force, subresource, now } = as
  const { status, ...main } = body
  const wanted: JsonObject = subresource === "status" ? { status } : kind.status === true ? main : body
  const before =
    current ?? ({ apiVersion: body.apiVersion, kind: body.kind, metadata: { name: body.metadata.name } } as KubeObject)
  const known = managedOf(before)
  const managed: ReadonlyArray<Managed> =
    known.length > 0 || current === undefined
      ? known
      : [
          {
            manager: "before-first-apply",
            operation: "Update",
            subresource: undefined,
            time: now,
            paths: leavesOf(current)
          }
        ]
  const isMine = (entry: Managed) =>
    entry.manager === manager && entry.operation === "Apply" && entry.subresource === subresource
  const others = managed.filter((entry) => !isMine(entry))
  const mine = managed.find(isMine)
  const paths = leavesOf(wanted)
  const disputed = [...paths].filter((path) => !isDeepStrictEqual(valueAt(before, path), valueAt(wanted, path)))
  const conflicts = others.flatMap((entry) =>
    disputed.filter((path) => entry.paths.has(path)).map((path) => [entry.manager, path] as const)
  )
  if (conflicts.length > 0 && !force) refuseConflicts(kind, body.metadata.name, conflicts)
  const lost = new Set(conflicts.map(([, path]) => path))
  const left = others.map((entry) => ({ ...entry, paths: without(entry.paths, lost) }))
  let object: JsonObject = before
  for (const path of mine?.paths ?? [])
    if (!paths.has(path) && !left.some((entry) => entry.paths.has(path))) object = cut(object, namesOf(path))
  for (const path of paths) object = put(object, namesOf(path), valueAt(wanted, path))
  const time = mine !== undefined && isDeepStrictEqual(mine.paths, paths) && disputed.length === 0 ? mine.time : now
  return owned(kind, object, [...left, { manager, operation: "Apply", subresource, time, paths }])
}

/** what was written by other means belongs to who wrote it, once there is somebody to take it from */
export const rewritten = (
  kind: Kind,
  before: KubeObject,
  after: KubeObject,
  as: Omit<ApplyAs, "force">
): KubeObject => {
  const managed = managedOf(before)
  if (managed.length === 0) return after
  const [was, is] = [leavesOf(before), leavesOf(after)]
  const changed = new Set([...is].filter((path) => !isDeepStrictEqual(valueAt(before, path), valueAt(after, path))))
  const gone = without(was, is)
  if (changed.size === 0 && gone.size === 0) return owned(kind, after, managed)
  const { manager, subresource, now } = as
  const isMine = (entry: Managed) =>
    entry.manager === manager && entry.operation === "Update" && entry.subresource === subresource
  const mine = managed.find(isMine)
  const left = managed
    .filter((entry) => !isMine(entry))
    .map((entry) => ({ ...entry, paths: without(without(entry.paths, changed), gone) }))
  const paths = new Set([...without(mine?.paths ?? new Set(), gone), ...changed])
  return owned(kind, after, [...left, { manager, operation: "Update", subresource, time: now, paths }])
}

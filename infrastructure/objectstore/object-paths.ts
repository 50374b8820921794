/** Which objects belong to a prefix and where each of them lands. Pure. Reference: gateway.md, "Test data". */
import { Either } from "effect"
import type { TestDataReason } from "../../application/ports/test-data.ts"
import type { ListedObject } from "./list-page.ts"

export interface PlannedObject extends ListedObject {
  /** `/`-separated, below the target */
  readonly path: string
}

export interface Refusal {
  readonly reason: Extract<TestDataReason, "unsafe_key" | "too_large">
  readonly message: string
}

const maxSegmentBytes = 255

/** the folder that a prefix names, should it be one */
const folderOf = (prefix: string): string => (prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`)

const isMarker = ({ key, size }: ListedObject) => size === 0 && key.endsWith("/")

const shown = (key: string): string => JSON.stringify(key.length > 200 ? `${key.slice(0, 200)}…` : key)

const segmentProblem = (segment: string): string | undefined => {
  if (segment === "") return "has an empty segment"
  if (segment === "." || segment === "..") return `has the segment '${segment}'`
  if (segment.includes("\0") || segment.includes("\\")) return "has a NUL or a backslash"
  if (Buffer.byteLength(segment) > maxSegmentBytes) return `has a segment of more than ${maxSegmentBytes} bytes`
  // a name that the file system cannot hold as it is would land under another one
  if (segment !== Buffer.from(segment, "utf8").toString("utf8")) return "is no valid text"
  return undefined
}

/** below the folder of the prefix relative to it; whatever else begins with the prefix from the last `/` of the prefix */
const pathOf = (key: string, prefix: string): string =>
  key.startsWith(folderOf(prefix)) ? key.slice(folderOf(prefix).length) : key.slice(prefix.lastIndexOf("/") + 1)

const unsafe = (message: string): Refusal => ({ reason: "unsafe_key", message })

/** two objects at one place, or a file where another object needs a folder */
const clash = (objects: ReadonlyArray<PlannedObject>): Refusal | undefined => {
  const files = new Map(objects.map((object) => [object.path, object]))
  for (const { path, key } of objects) {
    const other = files.get(path)
    if (other !== undefined && other.key !== key)
      return unsafe(
        `the objects ${shown(key)} and ${shown(other.key)} would land at the same place; rename one of them`
      )
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const file = files.get(path.slice(0, at))
      if (file !== undefined)
        return unsafe(`the object ${shown(file.key)} is a file where ${shown(key)} needs a folder; rename one of them`)
    }
  }
  return undefined
}

const gibibytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(2)} GiB`

/** every object with its place, or why none of them is downloaded; `reserved`: first segment that is kept for ourselves */
export const planObjects = (
  listed: ReadonlyArray<ListedObject>,
  prefix: string,
  limits: { readonly maxBytes: number; readonly maxObjects: number; readonly reserved: string | undefined }
): Either.Either<ReadonlyArray<PlannedObject>, Refusal> => {
  const objects = listed
    .filter((object) => !isMarker(object))
    .map((object) => ({ ...object, path: pathOf(object.key, prefix) }))
  for (const { path, key } of objects) {
    const segments = path.split("/")
    const problem = segments.map(segmentProblem).find((found) => found !== undefined)
    if (problem !== undefined)
      return Either.left(unsafe(`the object ${shown(key)} cannot become a file: its path ${problem}`))
    if (segments[0] === limits.reserved)
      return Either.left(
        unsafe(`the object ${shown(key)} cannot become a file: the name '${limits.reserved}' is reserved`)
      )
  }
  const twice = clash(objects)
  if (twice !== undefined) return Either.left(twice)
  if (objects.length > limits.maxObjects)
    return Either.left({
      reason: "too_large",
      message: `${objects.length} objects are more than the limit of ${limits.maxObjects}`
    })
  const bytes = objects.reduce((sum, { size }) => sum + size, 0)
  if (bytes > limits.maxBytes)
    return Either.left({
      reason: "too_large",
      message: `${objects.length} objects of ${gibibytes(bytes)} (${bytes} bytes) are more than test_data.max_bytes ${limits.maxBytes}; use a smaller folder or raise the limit`
    })
  return Either.right(objects)
}

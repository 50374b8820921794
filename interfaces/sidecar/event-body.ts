/**
 * The body of an event as an adapter sends it: whose event it is and whether it is the last one. Nothing is changed except that a
 * missing `benchmark_index` is written into it, and what the sidecar says beside it; the server reads the rest. Reference: gateway.md, "Event spool"; adapter-contract.md, "Events".
 */
import { Either } from "effect"
import type { CountedSpent } from "../../domain/budget/usage.ts"
import type { WireCounts } from "../../domain/validity/wire-counts.ts"
import { readLenientJson } from "../../providers/contract/lenient-json.ts"
import { wireCountsMember, wireSpentMember } from "../../providers/contract/wire-counts.ts"
import { isObject } from "../../values/json.ts"
import { Fault } from "../gateway/fault.ts"

export interface EventIdentity {
  readonly benchmarkIndex: number
  readonly providerId: string
  readonly benchmarkId: string
}

export interface EventBody {
  readonly bytes: Buffer
  /** `completed` or `failed`: must not be lost */
  readonly terminal: boolean
  readonly event: { readonly [name: string]: unknown }
  /** the adapter says itself what only the sidecar may say */
  readonly isForged: boolean
}

const member = "benchmark_status_event"
/** end of the string literal that begins at `start` */
const literalEnd = (text: string, start: number): number => {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === "\\") index += 1
    else if (text[index] === '"') return index
  }
  return text.length
}

/** position just inside the `{` of the outermost member `name`; of duplicates the last, which is the one that counts. The text is known to parse. */
const objectStart = (text: string, name: string): number => {
  let depth = 0
  let found = -1
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === "{" || character === "[") depth += 1
    else if (character === "}" || character === "]") depth -= 1
    else if (character === '"') {
      const end = literalEnd(text, index)
      const opening = depth === 1 ? /^\s*:\s*\{/.exec(text.slice(end + 1, end + 256)) : null
      if (opening !== null && JSON.parse(text.slice(index, end + 1)) === name) found = end + 1 + opening[0].length
      index = end
    }
  }
  return found
}

/** what the sidecar says beside an event */
interface BesideEvent {
  /** everything it saw, with the last event */
  readonly counts?: WireCounts
  /** absent: nothing is said, whatever the adapter wrote there */
  readonly spent?: CountedSpent
}

/** written behind everything else: of duplicates the last counts, so that an adapter cannot speak for the sidecar */
export const withBeside = (bytes: Buffer, { counts, spent: counted }: BesideEvent): Buffer => {
  const text = bytes.toString("utf8")
  const end = text.lastIndexOf("}")
  const all = counts === undefined ? "" : `,"${wireCountsMember}":${JSON.stringify(counts)}`
  const used = `,"${wireSpentMember}":${JSON.stringify(counted === undefined ? null : { by: counted.by, ...counted.spent })}`
  return Buffer.from(`${text.slice(0, end)}${all}${used}${text.slice(end)}`, "utf8")
}

const invalid = (message: string) => Either.left(new Fault(400, "event_invalid", message))
const foreign = (name: string) =>
  Either.left(new Fault(403, "forbidden", `${member}.${name} names another benchmark than this pod's`))

/** Left: the answer to the adapter */
export const readEventBody = (bytes: Buffer, identity: EventIdentity): Either.Either<EventBody, Fault> => {
  const text = bytes.toString("utf8")
  const document = readLenientJson(text)
  if (Either.isLeft(document)) return invalid(`the body is no JSON: ${document.left.slice(0, 200)}`)
  const event = isObject(document.right) ? document.right[member] : undefined
  if (!isObject(document.right) || !isObject(event)) return invalid(`the body must be an object with '${member}'`)
  const { id, provider_id: provider, benchmark_index: index, status } = event as { readonly [name: string]: unknown }
  // existing adapters write "" for what they do not know
  if (id !== undefined && id !== null && id !== "" && id !== identity.benchmarkId) return foreign("id")
  if (provider !== undefined && provider !== null && provider !== "" && provider !== identity.providerId)
    return foreign("provider_id")
  const missing = index === undefined || index === null
  if (!missing && index !== identity.benchmarkIndex) return foreign("benchmark_index")
  const terminal = status === "completed" || status === "failed"
  const isForged = Object.hasOwn(document.right, wireSpentMember)
  if (index !== undefined) return Either.right({ bytes, terminal, event, isForged })
  const at = objectStart(text, member)
  if (at < 0) return invalid(`the body must be an object with '${member}'`)
  const separator = Object.keys(event).length === 0 ? "" : ","
  const completed = `${text.slice(0, at)}"benchmark_index":${identity.benchmarkIndex}${separator}${text.slice(at)}`
  return Either.right({
    bytes: Buffer.from(completed, "utf8"),
    terminal,
    isForged,
    event: { ...event, benchmark_index: identity.benchmarkIndex }
  })
}

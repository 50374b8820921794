/**
 * Which providers and collections an instance mounts: those of the installation that its resource selects, and those that tenants bring.
 * What can not be used is left out and named; the rest is mounted. Reference: operator.md, "Definitions".
 */
import { nearest } from "../../values/nearest.ts"
import type { Finding } from "./instance-status.ts"

export type DefinitionKind = "provider" | "collection"

/** one key of a labelled ConfigMap, as the server's own schema reads it */
export interface OfferedDefinition {
  readonly kind: DefinitionKind
  /** the document's id; of a document that can not be read its key */
  readonly id: string
  readonly text: string
  readonly source: { readonly namespace: string; readonly configMap: string; readonly key: string }
  /** why it can not be used: where in the document, and what */
  readonly problem?: string
  /** providers that a collection's benchmarks name */
  readonly providers: ReadonlyArray<string>
  /** says how a benchmark runs as a process of the server, which a tenant may not */
  readonly runsLocally: boolean
}

export type DefinitionReason =
  | "UnknownProvider"
  | "UnknownCollection"
  | "CollectionProviderMissing"
  | "DefinitionInvalid"
  | "TenantDefinitionsTooLarge"

export interface DefinitionProblem {
  readonly reason: DefinitionReason
  readonly message: string
}

const reasons: ReadonlyArray<DefinitionReason> = [
  "UnknownProvider",
  "UnknownCollection",
  "CollectionProviderMissing",
  "DefinitionInvalid",
  "TenantDefinitionsTooLarge"
]

const placeOf = ({ source: { namespace, configMap, key } }: OfferedDefinition): string =>
  `${namespace}/${configMap}, ${key}`

export interface Selection {
  readonly providers: ReadonlyArray<OfferedDefinition>
  readonly collections: ReadonlyArray<OfferedDefinition>
  readonly problems: ReadonlyArray<DefinitionProblem>
}

type Known = ReadonlyMap<string, OfferedDefinition>

/** usable ones by id; a later one replaces an earlier one of the same id */
const usable = (offered: ReadonlyArray<OfferedDefinition>, kind: DefinitionKind): Known =>
  new Map(offered.filter((one) => one.kind === kind && one.problem === undefined).map((one) => [one.id, one]))

const unknown = (reason: DefinitionReason, kind: DefinitionKind, id: string, known: Known): DefinitionProblem => {
  const meant = nearest(id, [...known.keys()])
  return { reason, message: `there is no ${kind} '${id}'${meant === undefined ? "" : `; did you mean '${meant}'?`}` }
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)

/**
 * `shared`: what the operator's namespace offers; `own`: what the instance's namespace offers, which goes before it. `collections`
 * undefined: all whose providers are selected.
 */
export const selectDefinitions = (
  {
    providers,
    collections
  }: { readonly providers: ReadonlyArray<string>; readonly collections?: ReadonlyArray<string> },
  shared: ReadonlyArray<OfferedDefinition>,
  own: ReadonlyArray<OfferedDefinition>
): Selection => {
  const offered = [...shared, ...own]
  const [knownProviders, knownCollections] = [usable(offered, "provider"), usable(offered, "collection")]
  const problems: Array<DefinitionProblem> = offered.flatMap((one) =>
    one.problem === undefined
      ? []
      : [{ reason: "DefinitionInvalid" as const, message: `${placeOf(one)}: ${one.problem}` }]
  )
  const selected = providers.flatMap((id) => {
    const found = knownProviders.get(id)
    if (found === undefined) problems.push(unknown("UnknownProvider", "provider", id, knownProviders))
    return found === undefined ? [] : [found]
  })
  const active = new Set(selected.map(({ id }) => id))
  const lacking = (collection: OfferedDefinition) => collection.providers.filter((id) => !active.has(id))
  const asked = (collections ?? []).flatMap((id) => {
    const found = knownCollections.get(id)
    if (found === undefined) {
      problems.push(unknown("UnknownCollection", "collection", id, knownCollections))
      return []
    }
    const missing = lacking(found)
    if (missing.length === 0) return [found]
    problems.push({
      reason: "CollectionProviderMissing",
      message: `collection '${id}' needs ${missing.map((one) => `'${one}'`).join(", ")}, which spec.providers does not name`
    })
    return []
  })
  const chosen =
    collections === undefined ? [...knownCollections.values()].filter((one) => lacking(one).length === 0) : asked
  return { providers: selected.sort(byId), collections: chosen.sort(byId), problems }
}

export interface ShardLimits {
  readonly documents: number
  readonly tenantBytes: number
  readonly shardBytes: number
}

const shardLimits: ShardLimits = { documents: 32, tenantBytes: 256 * 1024, shardBytes: 900 * 1024 }

/** how keys are made and divided, which takes a hash */
export interface ShardNaming {
  readonly shards: number
  readonly shardOf: (tenant: string) => number
  readonly keyOf: (definition: OfferedDefinition) => string
}

export interface TenantDefinitions {
  /** of each shard: key → text */
  readonly shards: ReadonlyArray<{ readonly [key: string]: string }>
  readonly problems: ReadonlyArray<DefinitionProblem>
}

/** why a tenant may not bring this; undefined when it may */
const refusal = (one: OfferedDefinition, system: ReadonlySet<string>): string | undefined => {
  if (one.problem !== undefined) return one.problem
  if (one.runsLocally) return "'runtime.local': a tenant's provider can not run as a process of the server"
  return system.has(`${one.kind}/${one.id}`)
    ? `'id': '${one.id}' is a ${one.kind} of the installation; choose another id`
    : undefined
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** `offered`: of all tenants; the tenant is the namespace of the ConfigMap, whatever a document says. `selection`: what the system has. */
export const placeTenantDefinitions = (
  offered: ReadonlyArray<OfferedDefinition>,
  selection: Pick<Selection, "providers" | "collections">,
  naming: ShardNaming,
  limits: ShardLimits = shardLimits
): TenantDefinitions => {
  const system = new Set([...selection.providers, ...selection.collections].map(({ kind, id }) => `${kind}/${id}`))
  const shards = Array.from({ length: naming.shards }, (): Map<string, string> => new Map())
  const filled = shards.map(() => 0)
  const problems: Array<DefinitionProblem> = []
  const tenants = [...new Set(offered.map(({ source }) => source.namespace))].sort()
  for (const tenant of tenants) {
    const shard = naming.shardOf(tenant)
    const left = { documents: limits.documents, bytes: limits.tenantBytes }
    const all = offered
      .filter(({ source }) => source.namespace === tenant)
      .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
    for (const one of all) {
      const reason = refusal(one, system)
      const key = naming.keyOf(one)
      const size = bytesOf(key) + bytesOf(one.text)
      const no = (kind: DefinitionReason, message: string) =>
        problems.push({ reason: kind, message: `${placeOf(one)}: ${message}` })
      if (reason !== undefined) no("DefinitionInvalid", reason)
      else if (shards[shard]?.has(key) === true)
        no("DefinitionInvalid", `'id': '${one.id}' is already defined in ${tenant}`)
      else if (left.documents === 0)
        no("TenantDefinitionsTooLarge", `a tenant may bring ${limits.documents} definitions`)
      else if (size > left.bytes) no("TenantDefinitionsTooLarge", `a tenant may bring ${limits.tenantBytes} bytes`)
      else if (size + (filled[shard] ?? 0) > limits.shardBytes)
        no("TenantDefinitionsTooLarge", "there is no room beside the definitions of other tenants")
      else {
        shards[shard]?.set(key, one.text)
        filled[shard] = (filled[shard] ?? 0) + size
        left.documents -= 1
        left.bytes -= size
      }
    }
  }
  return { shards: shards.map((shard) => Object.fromEntries([...shard].sort())), problems }
}

/** the condition; its reason is that of the first kind of problem */
export const definitionsFinding = (problems: ReadonlyArray<DefinitionProblem>): Finding => {
  const type = "DefinitionsReady"
  const reason = reasons.find((one) => problems.some((problem) => problem.reason === one))
  return reason === undefined
    ? { type, holds: true, reason: "Resolved", message: "all selected definitions are mounted" }
    : { type, holds: false, reason, message: problems.map(({ message }) => message).join("; ") }
}

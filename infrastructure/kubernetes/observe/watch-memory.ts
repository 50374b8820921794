/**
 * What one term of leading keeps in mind, and what news mean for it: which units to look at, which scopes have been seen whole, what is
 * over. Plain memory and rules, without a clock or a cluster. Reference: cluster-objects.md, "Observing".
 */
import type { UnitId } from "../../../application/ports/runtime.ts"
import type { Notice } from "../client/follow.ts"
import type { LiveBenchmarks } from "./live-benchmarks.ts"
import { type Entry, makeUnitTable, type UnitTable } from "./unit-table.ts"

export const watchedKinds = ["jobs", "pods"] as const
export type WatchedKind = (typeof watchedKinds)[number]

/** a namespace stays watched so long after its last benchmark ended */
const idleMillis = 300_000
/** a cluster that refuses so long to show something will not show it */
const refusedMillis = 60_000

export interface WatchMemory {
  readonly table: UnitTable
  /** units to look at */
  readonly dirty: Set<Entry>
  live: LiveBenchmarks
  /** kinds that were listed in a scope: a namespace, or "" for the whole cluster */
  readonly synced: Map<string, Set<WatchedKind>>
  /** since when nobody needs a namespace */
  readonly idleSince: Map<string, number>
}

export const emptyMemory = (domain: string, queueDomain: string): WatchMemory => ({
  table: makeUnitTable(domain, queueDomain),
  dirty: new Set(),
  live: { units: new Map(), tenants: new Set() },
  synced: new Map(),
  idleSince: new Map()
})

/** everything in the scope has been seen: what is missing is gone */
export const isSynced = ({ synced }: WatchMemory, scope: string): boolean =>
  synced.get(scope)?.size === watchedKinds.length

export interface News {
  /** a unit that the store was not asked about: it is asked again */
  readonly isUnknown: boolean
  /** jobs whose signals may have changed */
  readonly jobs: ReadonlyArray<string>
  /** why the scope's objects are not shown, once it counts as lost */
  readonly refusal: string | undefined
}

/** takes a notice about objects of a kind in a scope; what it changed is marked for a look */
export const takeNotice = (
  memory: WatchMemory,
  scope: string,
  kind: WatchedKind,
  notice: Notice,
  now: number
): News => {
  const { table, dirty, live, synced } = memory
  const changed = table.take(kind, scope === "" ? undefined : scope, notice)
  if (notice._tag === "Listed") synced.set(scope, (synced.get(scope) ?? new Set()).add(kind))
  const isLost = notice._tag === "Refused" && now - notice.sinceMillis >= refusedMillis
  if (isLost) {
    synced.set(scope, new Set(watchedKinds))
    for (const entry of table.lose(scope)) dirty.add(entry)
  }
  for (const entry of changed) dirty.add(entry)
  return {
    isUnknown: changed.some(({ key, terminalSince }) => !live.units.has(key) && terminalSince === undefined),
    jobs: kind === "jobs" ? changed.filter(({ job }) => job !== undefined).map(({ unit }) => unit.jobId) : [],
    refusal: isLost ? notice.message : undefined
  }
}

/** takes what the store says is live: units that the cluster should show and does not, and those whose state changed, are marked for a look */
export const takeLive = (memory: WatchMemory, now: LiveBenchmarks, isSeen: (tenant: string) => boolean): void => {
  const { table, dirty, live: before } = memory
  memory.live = now
  const stateOf = (known: LiveBenchmarks, key: string) => known.units.get(key)?.benchmark.state
  // its Job went while nobody watched, or the watch is a moment behind, which the grace time covers
  for (const { tenant, jobId, benchmark } of now.units.values()) {
    if (benchmark.backing?.uid === undefined || !isSeen(tenant)) continue
    const missing = table.expect({ tenant, jobId, index: benchmark.index, attempt: benchmark.attempt })
    if (missing !== undefined) dirty.add(missing)
  }
  for (const entry of table.entries.values())
    if (stateOf(now, entry.key) !== stateOf(before, entry.key)) dirty.add(entry)
}

/** forgets the namespaces that nobody has needed for long, with their units, and answers with them: they need no watch */
export const dropIdle = ({ table, live, synced, idleSince }: WatchMemory, now: number): ReadonlyArray<string> => {
  const dropped: Array<string> = []
  for (const scope of new Set([...synced.keys(), ...idleSince.keys()])) {
    if (scope === "") continue
    if (live.tenants.has(scope)) {
      idleSince.delete(scope)
      continue
    }
    const since = idleSince.get(scope) ?? now
    idleSince.set(scope, since)
    if (now - since < idleMillis) continue
    for (const entry of [...table.entries.values()]) if (entry.unit.tenant === scope) table.forget(entry.key)
    idleSince.delete(scope)
    synced.delete(scope)
    dropped.push(scope)
  }
  return dropped
}

export interface Over {
  /** units found terminal just now */
  readonly ended: ReadonlyArray<UnitId>
  /** nothing of them is left */
  readonly gone: ReadonlyArray<UnitId>
  /** their Job still has a pod, or may make one */
  readonly lingering: ReadonlyArray<Entry>
}

/** a Job whose benchmark is over and whose pod goes on must not hold its node */
const lingers = ({ job, ended, terminalSince }: Entry, now: number, lingerMillis: number): boolean => {
  const isOver = job?.conditions.some(({ type }) => type === "Failed" || type === "Complete") === true
  if (job === undefined || isOver || job.isDeleting) return false
  return now - (terminalSince ?? now) >= (ended ? 0 : lingerMillis)
}

/** units whose benchmark is terminal; those of which nothing is left are forgotten */
export const takeTerminal = (
  memory: WatchMemory,
  now: number,
  lingerMillis: number,
  isSeen: (tenant: string) => boolean
): Over => {
  const ended: Array<UnitId> = []
  const gone: Array<UnitId> = []
  const lingering: Array<Entry> = []
  for (const entry of [...memory.table.entries.values()]) {
    if (memory.live.units.has(entry.key)) continue
    if (entry.terminalSince === undefined) ended.push(entry.unit)
    entry.terminalSince ??= now
    if (entry.job === undefined && entry.pods.size === 0 && isSeen(entry.unit.tenant)) {
      memory.table.forget(entry.key)
      gone.push(entry.unit)
    } else if (lingers(entry, now, lingerMillis)) lingering.push(entry)
  }
  return { ended, gone, lingering }
}

/** units to look at now, no longer marked; those of scopes that were not seen whole stay marked */
export const takeDirty = (
  { table, dirty }: WatchMemory,
  now: number,
  isSeen: (tenant: string) => boolean
): ReadonlyArray<Entry> => {
  for (const entry of table.entries.values()) if (entry.nextAt !== undefined && entry.nextAt <= now) dirty.add(entry)
  const taken = [...dirty].filter(({ key, unit }) => table.entries.has(key) && isSeen(unit.tenant))
  for (const entry of taken) dirty.delete(entry)
  return taken
}

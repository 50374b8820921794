/**
 * What the leader knows of each unit: its Job and pods as they were last seen, what was told about it, and since when its conditions
 * hold. Plain memory, filled by watches; only `noteOf` outlives this server. Reference: cluster-objects.md, "Observing".
 */
import type { UnitId } from "../../../application/ports/runtime.ts"
import { defined } from "../../../values/defined.ts"
import { isObject } from "../../../values/json.ts"
import { unitKey } from "../../unit/names.ts"
import type { Notice } from "../client/follow.ts"
import type { KubeObject } from "../client/resources.ts"
import type { FirstSeen } from "./judge/judge.ts"
import { type PodReading, type ReducedJob, type ReducedPod, reduceJob, reducePod } from "./judge/reduce.ts"
import type { ClusterNote, QueueNote } from "./judge/sight.ts"

export interface Entry {
  readonly unit: UnitId
  readonly key: string
  job: ReducedJob | undefined
  readonly pods: Map<string, ReducedPod>
  lastPod: ReducedPod | undefined
  /** last message of the sidecar that has not been looked at */
  lastWords: string | undefined
  hadPod: boolean
  firstSeen: FirstSeen
  /** code and text of the warning that is shown */
  warned: { readonly code: string; readonly message: string } | undefined
  started: boolean
  /** the logs of its ended adapter are kept, or being kept */
  captured: boolean
  /** its end is told, or being told */
  ended: boolean
  notes: ReadonlyArray<ClusterNote>
  queue: QueueNote | undefined
  /** when the cluster was asked for notes or queue conditions */
  askedAt: number | undefined
  relaunchedAt: number | undefined
  /** when its benchmark was first found terminal */
  terminalSince: number | undefined
  nextAt: number | undefined
  savedNote: string | undefined
}

const newEntry = (unit: UnitId): Entry => ({
  unit,
  key: unitKey(unit),
  job: undefined,
  pods: new Map(),
  lastPod: undefined,
  lastWords: undefined,
  hadPod: false,
  firstSeen: {},
  warned: undefined,
  started: false,
  captured: false,
  ended: false,
  notes: [],
  queue: undefined,
  askedAt: undefined,
  relaunchedAt: undefined,
  terminalSince: undefined,
  nextAt: undefined,
  savedNote: undefined
})

const isNewer = (version: string, than: string | undefined): boolean =>
  than === undefined ||
  !/^\d+$/.test(version) ||
  !/^\d+$/.test(than) ||
  version.length > than.length ||
  (version.length === than.length && version >= than)

/** the newest pod: a restarted benchmark has an old one in deletion beside it */
export const currentPod = ({ pods }: Entry): ReducedPod | undefined =>
  [...pods.values()].toSorted(
    (a, b) => Number(a.isDeleting) - Number(b.isDeleting) || ((a.createdAt ?? "") > (b.createdAt ?? "") ? -1 : 1)
  )[0]

export const noteOf = ({ firstSeen, warned, hadPod, captured }: Entry): string =>
  JSON.stringify({ v: 1, seen: firstSeen, hadPod, captured, ...defined({ warned }) })

const restored = (unit: UnitId, note: string): Entry => {
  const entry = newEntry(unit)
  const parsed: unknown = JSON.parse(note)
  if (!isObject(parsed) || parsed["v"] !== 1) return entry
  const { seen, warned, hadPod } = { seen: parsed["seen"], warned: parsed["warned"], hadPod: parsed["hadPod"] }
  if (isObject(seen))
    entry.firstSeen = Object.fromEntries(
      Object.entries(seen).filter((one): one is [string, number] => typeof one[1] === "number")
    )
  if (isObject(warned) && typeof warned["code"] === "string" && typeof warned["message"] === "string")
    entry.warned = { code: warned["code"], message: warned["message"] }
  entry.hadPod = hadPod === true
  entry.captured = parsed["captured"] === true
  entry.savedNote = note
  return entry
}

export interface UnitTable {
  readonly entries: ReadonlyMap<string, Entry>
  readonly restore: (unit: UnitId, note: string) => void
  /** a unit that was launched: when the cluster does not show it, it is gone. Answers with its entry when it was not known. */
  readonly expect: (unit: UnitId) => Entry | undefined
  readonly forget: (key: string) => void
  /** what a notice about a kind means for the units; `namespace` undefined: of the whole cluster. Answers with those it changed. */
  readonly take: (kind: "jobs" | "pods", namespace: string | undefined, notice: Notice) => ReadonlyArray<Entry>
  /** nothing can be seen in the namespace any more */
  readonly lose: (namespace: string) => ReadonlyArray<Entry>
}

interface Memory {
  readonly entries: Map<string, Entry>
  /** versions at which objects went: an older message about one of them comes too late */
  readonly gone: Map<string, string>
}

/** messages that may come too late, remembered at most */
const mostGone = 10_000

const entryOf = ({ entries }: Memory, unit: UnitId): Entry => {
  const found = entries.get(unitKey(unit)) ?? newEntry(unit)
  entries.set(found.key, found)
  return found
}

const putJob = (memory: Memory, job: ReducedJob | undefined): Entry | undefined => {
  if (job === undefined || memory.gone.has(job.uid)) return undefined
  const entry = entryOf(memory, job.unit)
  if (entry.job?.uid === job.uid && !isNewer(job.version, entry.job.version)) return undefined
  entry.job = job
  return entry
}

const putPod = (memory: Memory, reading: PodReading | undefined): Entry | undefined => {
  if (reading === undefined || memory.gone.has(reading.pod.uid)) return undefined
  const { pod, lastWords } = reading
  const entry = entryOf(memory, pod.unit)
  const before = entry.pods.get(pod.uid)
  if (before !== undefined && !isNewer(pod.version, before.version)) return undefined
  entry.pods.set(pod.uid, pod)
  entry.hadPod = true
  if (lastWords !== undefined) entry.lastWords = lastWords
  return entry
}

const dropJob = (entry: Entry, uid: string): boolean => {
  if (entry.job?.uid !== uid) return false
  entry.job = undefined
  return true
}

const dropPod = (entry: Entry, uid: string): boolean => {
  const pod = entry.pods.get(uid)
  if (pod === undefined) return false
  entry.pods.delete(uid)
  entry.lastPod = pod
  return true
}

const drop = (kind: "jobs" | "pods", entry: Entry, uid: string) =>
  kind === "jobs" ? dropJob(entry, uid) : dropPod(entry, uid)

const isIn = (namespace: string | undefined) => (entry: Entry) =>
  namespace === undefined || entry.unit.tenant === namespace

export const makeUnitTable = (domain: string, queueDomain: string): UnitTable => {
  const memory: Memory = { entries: new Map(), gone: new Map() }
  const { entries, gone } = memory
  const put = (kind: "jobs" | "pods", object: KubeObject) =>
    kind === "jobs" ? putJob(memory, reduceJob(object, domain, queueDomain)) : putPod(memory, reducePod(object, domain))

  const listed = (
    kind: "jobs" | "pods",
    namespace: string | undefined,
    objects: ReadonlyArray<KubeObject>
  ): ReadonlyArray<Entry> => {
    gone.clear()
    const uids = new Set(objects.map(({ metadata }) => metadata.uid ?? ""))
    for (const object of objects) put(kind, object)
    const inside = [...entries.values()].filter(isIn(namespace))
    for (const entry of inside) {
      const known = kind === "jobs" ? (entry.job === undefined ? [] : [entry.job.uid]) : [...entry.pods.keys()]
      for (const uid of known) if (!uids.has(uid)) drop(kind, entry, uid)
    }
    return inside
  }
  const deleted = (kind: "jobs" | "pods", object: KubeObject): ReadonlyArray<Entry> => {
    const uid = object.metadata.uid ?? ""
    // its last state may be news: the exit code of a pod that is deleted at once
    const last = put(kind, object)
    gone.set(uid, object.metadata.resourceVersion ?? "")
    if (gone.size > mostGone) gone.clear()
    const found = last ?? [...entries.values()].find(({ job, pods }) => job?.uid === uid || pods.has(uid))
    return found !== undefined && drop(kind, found, uid) ? [found] : []
  }
  return {
    entries,
    restore: (unit, note) => {
      const entry = restored(unit, note)
      entries.set(entry.key, entry)
    },
    expect: (unit) => (entries.has(unitKey(unit)) ? undefined : entryOf(memory, unit)),
    forget: (key) => void entries.delete(key),
    take: (kind, namespace, notice) => {
      switch (notice._tag) {
        case "Listed":
          return listed(kind, namespace, notice.objects)
        case "Changed": {
          const entry = put(kind, notice.object)
          return entry === undefined ? [] : [entry]
        }
        case "Deleted":
          return deleted(kind, notice.object)
        case "Refused":
          return []
      }
    },
    lose: (namespace) => {
      const lost = [...entries.values()].filter(isIn(namespace === "" ? undefined : namespace))
      for (const entry of lost) {
        entry.job = undefined
        entry.pods.clear()
      }
      return lost
    }
  }
}

/**
 * The observation of a cluster by list and watch. One server leads and tells facts; the others wait. Everything is level-triggered: what a
 * watch missed comes with the next list, what a leader left comes from its notes. Reference: cluster-objects.md, "Observing".
 */
import { Clock, Effect, FiberMap, FiberSet, Layer, Queue, Schedule, Stream } from "effect"
import { ChangeFeed } from "../../../application/ports/change-feed.ts"
import { Identifiers } from "../../../application/ports/identifiers.ts"
import { JobStore } from "../../../application/ports/job-store.ts"
import { Leases } from "../../../application/ports/leases.ts"
import type { UnitFact, UnitId } from "../../../application/ports/runtime.ts"
import { UnitRecords } from "../../../application/ports/unit-records.ts"
import { unitKey } from "../../unit/names.ts"
import { KubeClient } from "../client.ts"
import { instanceSelector } from "../identity.ts"
import { Observation } from "../observation.ts"
import { jobs, pods } from "../resources.ts"
import { whileLeading } from "./leader.ts"
import { type LiveBenchmarks, liveBenchmarks } from "./live-benchmarks.ts"
import { makeLogCapture } from "./log-capture.ts"
import { keepLogs, type Looking, look } from "./look-at-unit.ts"
import type { ObserveOptions } from "./observe-options.ts"
import { makeSignals } from "./signals.ts"
import { currentPod, type Entry, makeUnitTable, noteOf, type UnitTable } from "./unit-table.ts"
import { follow, type Notice } from "./watcher.ts"

/** a namespace stays watched so long after its last benchmark ended */
const idleMillis = 300_000
const refusedMillis = 60_000
const tickMillis = 1000
/** news of so many milliseconds are looked at together */
const gatherMillis = 20

interface Leading {
  readonly table: UnitTable
  /** scopes whose Jobs and pods have both been listed */
  readonly isSynced: (tenant: string) => boolean
}

const make = (options: ObserveOptions) =>
  Effect.gen(function* () {
    const client = yield* KubeClient
    const store = yield* JobStore
    const feed = yield* ChangeFeed
    const records = yield* UnitRecords
    const leases = yield* Leases
    const holder = yield* (yield* Identifiers).next
    const facts = yield* Queue.unbounded<UnitFact>()
    const hints = yield* Queue.sliding<string>(1000)
    const logs = makeLogCapture(client, records, options)
    let leading: Leading | undefined

    const scopeOf = (tenant: string): string => (options.watchScope === "cluster" ? "" : tenant)
    const patiently = Schedule.spaced("1 second")

    const lead: Effect.Effect<never> = Effect.scoped(
      Effect.gen(function* () {
        const table = makeUnitTable(options.domain, options.queueDomain)
        const news = yield* Queue.sliding<void>(1)
        const dirty = new Set<Entry>()
        const synced = new Map<string, Set<string>>()
        const idleSince = new Map<string, number>()
        const watches = yield* FiberMap.make<string>()
        const feeds = yield* FiberMap.make<string>()
        const beside = yield* FiberSet.make<void>()
        const refresh = yield* Queue.sliding<void>(1)
        const signals = yield* makeSignals({ client, store, options })
        let live: LiveBenchmarks = { units: new Map(), tenants: new Set() }

        const wake = () => void news.unsafeOffer(undefined)
        const again = (entry: Entry) => {
          dirty.add(entry)
          wake()
        }
        const looking: Looking = { client, logs, facts, options, beside: (effect) => Effect.asVoid(FiberSet.run(beside, effect)), again }
        const isSynced = (tenant: string) => (synced.get(scopeOf(tenant))?.size ?? 0) === 2

        const takeNotice = (scope: string, kind: "jobs" | "pods") => (notice: Notice) =>
          Effect.gen(function* () {
            const namespace = scope === "" ? undefined : scope
            const changedEntries = table.take(kind, namespace, notice)
            if (notice._tag === "Listed") synced.set(scope, (synced.get(scope) ?? new Set()).add(kind))
            if (notice._tag === "Refused" && (yield* Clock.currentTimeMillis) - notice.sinceMillis >= refusedMillis) {
              yield* Effect.logWarning(`the cluster does not show ${kind} of ${scope === "" ? "any namespace" : scope}: ${notice.message}`)
              synced.set(scope, new Set(["jobs", "pods"]))
              for (const entry of table.lose(scope)) dirty.add(entry)
            }
            for (const entry of changedEntries) {
              dirty.add(entry)
              if (!live.units.has(entry.key) && entry.terminalSince === undefined) yield* Queue.offer(refresh, undefined)
              if (kind === "jobs" && entry.job !== undefined) signals.changed(entry.unit.jobId)
            }
            wake()
          })
        const watchScope = (scope: string) =>
          Effect.forEach(
            [jobs, pods],
            (resource) => {
              const selection = { resource, lane: "observe", labelSelector: instanceSelector(options), ...(scope === "" ? {} : { namespace: scope }) } as const
              const kind = resource === jobs ? "jobs" : "pods"
              const watching = follow({ client, selection, resyncMillis: options.resyncMillis, tell: takeNotice(scope, kind) })
              return FiberMap.run(watches, `${scope}/${kind}`, watching, { onlyIfMissing: true })
            },
            { discard: true }
          )
        const followChanges = (tenant: string) => {
          // what was missed is made up for by the next signal of the same job
          const changes = Stream.runForEach(feed.subscribe({ tenant }, undefined), (change) =>
            change.kind === "missed" ? Effect.void : Effect.sync(() => signals.changed(change.jobId))
          )
          return FiberMap.run(feeds, tenant, Effect.retry(changes, patiently), { onlyIfMissing: true })
        }
        const use = (tenant: string) => Effect.zipRight(watchScope(scopeOf(tenant)), followChanges(tenant))

        const closeIdle = (now: number) =>
          Effect.forEach(
            [...new Set([...synced.keys(), ...idleSince.keys()])].filter((scope) => scope !== ""),
            (scope) =>
              Effect.gen(function* () {
                if (live.tenants.has(scope)) return idleSince.delete(scope)
                const since = idleSince.get(scope) ?? now
                idleSince.set(scope, since)
                if (now - since < idleMillis) return false
                yield* FiberMap.remove(watches, `${scope}/jobs`)
                yield* FiberMap.remove(watches, `${scope}/pods`)
                yield* FiberMap.remove(feeds, scope)
                for (const entry of [...table.entries.values()]) if (entry.unit.tenant === scope) table.forget(entry.key)
                idleSince.delete(scope)
                return synced.delete(scope)
              }),
            { discard: true }
          )

        /** a Job whose benchmark is over and whose pod goes on must not hold its node */
        const endLingering = (entry: Entry, now: number): Effect.Effect<void> => {
          const { job, unit } = entry
          const isOver = job?.conditions.some(({ type }) => type === "Failed" || type === "Complete") === true
          if (job === undefined || isOver || job.isDeleting) return Effect.void
          const linger = entry.ended ? 0 : options.lingerSeconds * 1000
          if (now - (entry.terminalSince ?? now) < linger) return Effect.void
          const target = { resource: jobs, namespace: job.namespace, name: job.name, lane: "launch" } as const
          const removal = Effect.zipRight(logs.capture(unit, currentPod(entry)?.name), client.remove(target, { uid: job.uid, propagation: "Foreground" }))
          return looking.beside(Effect.catchAll(removal, (error) => Effect.logDebug(`the Job ${job.name} was not deleted: ${error.message}`)))
        }
        const settleTerminal = (now: number) =>
          Effect.gen(function* () {
            const gone: Array<UnitId> = []
            for (const entry of [...table.entries.values()]) {
              if (live.units.has(entry.key)) continue
              if (entry.terminalSince === undefined) signals.changed(entry.unit.jobId)
              entry.terminalSince ??= now
              if (entry.job === undefined && entry.pods.size === 0 && isSynced(entry.unit.tenant)) {
                table.forget(entry.key)
                gone.push(entry.unit)
              } else yield* endLingering(entry, now)
            }
            if (gone.length > 0) yield* Effect.ignore(records.forget(gone))
          })
        const poll = Effect.gen(function* () {
          const before = live
          live = yield* Effect.provideService(liveBenchmarks, JobStore, store)
          const now = yield* Clock.currentTimeMillis
          yield* Effect.forEach(live.tenants, use, { discard: true })
          const stateOf = (known: LiveBenchmarks, key: string) => known.units.get(key)?.benchmark.state
          // its Job went while nobody watched, or the watch is a moment behind, which the grace time covers
          for (const { tenant, jobId, benchmark } of live.units.values()) {
            if (benchmark.backing?.uid === undefined || !isSynced(tenant)) continue
            const missing = table.expect({ tenant, jobId, index: benchmark.index, attempt: benchmark.attempt })
            if (missing !== undefined) dirty.add(missing)
          }
          for (const entry of table.entries.values()) if (stateOf(live, entry.key) !== stateOf(before, entry.key)) dirty.add(entry)
          yield* closeIdle(now)
          yield* settleTerminal(now)
          wake()
        })

        const save = (looked: ReadonlyArray<Entry>) =>
          Effect.gen(function* () {
            const changed = looked.map((entry) => ({ entry, note: noteOf(entry) })).filter(({ entry, note }) => entry.savedNote !== note)
            if (changed.length === 0) return
            yield* records.note(changed.map(({ entry, note }) => ({ unit: entry.unit, note })))
            for (const { entry, note } of changed) entry.savedNote = note
          })
        const lookAround = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          for (const entry of table.entries.values()) if (entry.nextAt !== undefined && entry.nextAt <= now) dirty.add(entry)
          const looked = [...dirty].filter(({ key, unit }) => table.entries.has(key) && isSynced(unit.tenant))
          for (const entry of looked) {
            dirty.delete(entry)
            yield* keepLogs(looking, entry)
            const benchmark = live.units.get(entry.key)
            if (benchmark !== undefined) yield* look(looking, entry, benchmark, now)
          }
          // conditions first seen while the store is away are saved with the next look
          yield* Effect.catchAll(save(looked), (error) => Effect.logWarning(`notes about units could not be saved: ${error.operation}`))
        })

        for (const { unit, note } of yield* Effect.orDie(Effect.retry(records.notes, patiently))) table.restore(unit, note)
        yield* Effect.forEach(new Set([...table.entries.values()].map(({ unit }) => unit.tenant)), use, { discard: true })
        leading = { table, isSynced }
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            leading = undefined
          })
        )
        const polling = Effect.zipRight(
          Effect.catchAll(poll, (error) => Effect.logWarning(`live benchmarks could not be read: ${error.operation}`)),
          Effect.zipLeft(Effect.raceFirst(Queue.take(refresh), Effect.sleep(options.pollMillis)), Effect.sleep(gatherMillis))
        )
        const hinted = Effect.flatMap(Queue.take(hints), (tenant) => Effect.zipRight(use(tenant), Queue.offer(refresh, undefined)))
        const judging = Effect.zipRight(lookAround, Effect.zipLeft(Effect.raceFirst(Queue.take(news), Effect.sleep(tickMillis)), Effect.sleep(gatherMillis)))
        yield* Effect.forkScoped(Effect.forever(polling))
        yield* Effect.forkScoped(Effect.forever(hinted))
        yield* Effect.forkScoped(signals.run(() => table.entries.values()))
        return yield* Effect.forever(judging)
      })
    )
    const guarded: Effect.Effect<never> = lead.pipe(
      Effect.catchAllDefect((defect) => Effect.zipRight(Effect.logError("observing died and starts again", defect), Effect.sleep("1 second"))),
      Effect.forever
    )
    const { leaseMillis, renewMillis } = options
    const turns = Effect.provideService(whileLeading({ role: "observe", holder, leaseMillis, renewMillis }, guarded), Leases, leases)
    yield* Effect.forkScoped(turns)

    return Observation.of({
      facts: Stream.fromQueue(facts),
      launched: ({ tenant }) => Effect.asVoid(Queue.offer(hints, tenant)),
      observe: (units) =>
        Effect.sync(() =>
          units.map((unit) => {
            // a server that does not lead, or has not seen everything yet, can not say that something is gone
            if (leading?.isSynced(unit.tenant) !== true) return { unit, status: "Queued" as const }
            // one that is known and gone is told as a fact
            return { unit, status: leading.table.entries.has(unitKey(unit)) ? ("Alive" as const) : ("Gone" as const) }
          })
        )
    })
  })

/** one of the servers on the same database observes; all of them may be asked */
export const layer = (options: ObserveOptions): Layer.Layer<Observation, never, KubeClient | JobStore | ChangeFeed | Leases | UnitRecords | Identifiers> =>
  Layer.scoped(Observation, make(options))

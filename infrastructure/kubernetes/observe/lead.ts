/**
 * One term of leading: watches fill the memory, the store says what is live, and whatever changed is looked at. Everything is
 * level-triggered: what a watch missed comes with the next list, what the leader before left comes from its notes.
 * Reference: cluster-objects.md, "Observing".
 */
import { Clock, Effect, FiberSet, Queue, Schedule, type Scope } from "effect"
import type { ChangeFeed } from "../../../application/ports/change-feed.ts"
import type { UnitFact } from "../../../application/ports/runtime.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import type { UnitRecords } from "../../../application/ports/stores/unit-records.ts"
import type { KubeClient } from "../client/client.ts"
import type { Notice } from "../client/follow.ts"
import { jobs } from "../client/resources.ts"
import { liveBenchmarks } from "./live-benchmarks.ts"
import type { LogCapture } from "./log-capture.ts"
import { keepLogs, type Looking, look } from "./look-at-unit.ts"
import type { ObserveOptions } from "./observe-options.ts"
import { makeSignals, type Signals } from "./signals.ts"
import { currentPod, type Entry, noteOf } from "./unit-table.ts"
import {
  dropIdle,
  emptyMemory,
  isSynced,
  takeDirty,
  takeLive,
  takeNotice,
  takeTerminal,
  type WatchedKind,
  type WatchMemory
} from "./watch-memory.ts"
import { makeWatches, type Watches } from "./watches.ts"

const tickMillis = 1000
/** news of so many milliseconds are looked at together */
const gatherMillis = 20
const patiently = Schedule.spaced("1 second")

export interface LeadDependencies {
  readonly client: KubeClient["Type"]
  readonly store: JobStore["Type"]
  readonly feed: ChangeFeed["Type"]
  readonly records: UnitRecords["Type"]
  readonly logs: LogCapture
  readonly facts: Queue.Enqueue<UnitFact>
  /** tenants in which something was launched just now */
  readonly hints: Queue.Dequeue<string>
  readonly options: ObserveOptions
}

/** what the leader can tell about units */
export interface Leading {
  readonly knows: (key: string) => boolean
  /** tenants whose Jobs and pods have all been seen */
  readonly isSeen: (tenant: string) => boolean
}

interface Term extends LeadDependencies, Leading {
  readonly memory: WatchMemory
  readonly looking: Looking
  readonly watches: Watches
  readonly signals: Signals
  /** something is to be looked at */
  readonly wake: () => void
  /** asks the store again */
  readonly refresh: Effect.Effect<void>
}

const scopeOf = ({ watchScope }: ObserveOptions, tenant: string): string => (watchScope === "cluster" ? "" : tenant)

/** a Job whose benchmark is over goes, its log is kept */
const endLingering = ({ client, logs, looking }: Term, entry: Entry): Effect.Effect<void> => {
  const { job, unit } = entry
  if (job === undefined) return Effect.void
  const target = { resource: jobs, namespace: job.namespace, name: job.name, lane: "launch" } as const
  const removal = Effect.zipRight(
    logs.capture(unit, currentPod(entry)?.name),
    client.remove(target, { uid: job.uid, propagation: "Foreground" })
  )
  return looking.beside(
    Effect.catchAll(removal, (error) => Effect.logDebug(`the Job ${job.name} was not deleted: ${error.message}`))
  )
}

const poll = (term: Term) =>
  Effect.gen(function* () {
    const { memory, store, watches, signals, records, options, isSeen } = term
    const live = yield* Effect.provideService(liveBenchmarks, JobStore, store)
    const now = yield* Clock.currentTimeMillis
    yield* Effect.forEach(live.tenants, watches.use, { discard: true })
    takeLive(memory, live, isSeen)
    yield* Effect.forEach(dropIdle(memory, now), watches.close, { discard: true })
    const { ended, gone, lingering } = takeTerminal(memory, now, options.lingerSeconds * 1000, isSeen)
    for (const { jobId } of ended) signals.changed(jobId)
    yield* Effect.forEach(lingering, (entry) => endLingering(term, entry), { discard: true })
    if (gone.length > 0) yield* Effect.ignore(records.forget(gone))
    term.wake()
  })

const save = ({ records }: Term, looked: ReadonlyArray<Entry>) =>
  Effect.gen(function* () {
    const changed = looked
      .map((entry) => ({ entry, note: noteOf(entry) }))
      .filter(({ entry, note }) => entry.savedNote !== note)
    if (changed.length === 0) return
    yield* records.note(changed.map(({ entry, note }) => ({ unit: entry.unit, note })))
    for (const { entry, note } of changed) entry.savedNote = note
  })

const lookAround = (term: Term) =>
  Effect.gen(function* () {
    const { memory, looking, isSeen } = term
    const now = yield* Clock.currentTimeMillis
    const looked = takeDirty(memory, now, isSeen)
    for (const entry of looked) {
      yield* keepLogs(looking, entry)
      const benchmark = memory.live.units.get(entry.key)
      if (benchmark !== undefined) yield* look(looking, entry, benchmark, now)
    }
    // conditions first seen while the store is away are saved with the next look
    yield* Effect.catchAll(save(term, looked), (error) =>
      Effect.logWarning(`notes about units could not be saved: ${error.operation}`)
    )
  })

const tell =
  (term: Pick<Term, "memory" | "signals" | "wake" | "refresh">) => (scope: string, kind: WatchedKind, notice: Notice) =>
    Effect.gen(function* () {
      const news = takeNotice(term.memory, scope, kind, notice, yield* Clock.currentTimeMillis)
      if (news.refusal !== undefined)
        yield* Effect.logWarning(
          `the cluster does not show ${kind} of ${scope === "" ? "any namespace" : scope}: ${news.refusal}`
        )
      if (news.isUnknown) yield* term.refresh
      for (const jobId of news.jobs) term.signals.changed(jobId)
      term.wake()
    })

/** restores what earlier leaders noted, then polls and looks until the scope closes; `took` hears when it can be asked, and when no longer */
export const lead = (
  dependencies: LeadDependencies,
  took: (leading: Leading | undefined) => void
): Effect.Effect<never, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { client, store, feed, records, logs, facts, hints, options } = dependencies
    const memory = emptyMemory(options.domain, options.queueDomain)
    const news = yield* Queue.sliding<void>(1)
    const due = yield* Queue.sliding<void>(1)
    const beside = yield* FiberSet.make<void>()
    const signals = yield* makeSignals({ client, store, options })
    const wake = () => void news.unsafeOffer(undefined)
    const refresh = Effect.asVoid(Queue.offer(due, undefined))
    const again = (entry: Entry) => {
      memory.dirty.add(entry)
      wake()
    }
    const looking: Looking = {
      client,
      logs,
      facts,
      options,
      beside: (effect) => Effect.asVoid(FiberSet.run(beside, effect)),
      again
    }
    const watches = yield* makeWatches({
      ...{ client, feed, options },
      scopeOf: (tenant) => scopeOf(options, tenant),
      tell: tell({ memory, signals, wake, refresh }),
      changed: signals.changed
    })
    const knows = (key: string) => memory.table.entries.has(key)
    const isSeen = (tenant: string) => isSynced(memory, scopeOf(options, tenant))
    const term: Term = { ...dependencies, memory, looking, watches, signals, wake, refresh, knows, isSeen }

    for (const { unit, note } of yield* Effect.orDie(Effect.retry(records.notes, patiently)))
      memory.table.restore(unit, note)
    yield* Effect.forEach(new Set([...memory.table.entries.values()].map(({ unit }) => unit.tenant)), watches.use, {
      discard: true
    })
    took({ knows, isSeen })
    yield* Effect.addFinalizer(() => Effect.sync(() => took(undefined)))

    const after = (signal: Queue.Dequeue<void>, millis: number) =>
      Effect.zipRight(Effect.raceFirst(Queue.take(signal), Effect.sleep(millis)), Effect.sleep(gatherMillis))
    const polling = Effect.zipRight(
      Effect.catchAll(poll(term), (error) =>
        Effect.logWarning(`live benchmarks could not be read: ${error.operation}`)
      ),
      after(due, options.pollMillis)
    )
    const hinted = Effect.flatMap(Queue.take(hints), (tenant) => Effect.zipRight(watches.use(tenant), refresh))
    yield* Effect.forkScoped(Effect.forever(polling))
    yield* Effect.forkScoped(Effect.forever(hinted))
    yield* Effect.forkScoped(signals.run(() => memory.table.entries.values()))
    return yield* Effect.forever(Effect.zipRight(lookAround(term), after(news, tickMillis)))
  })

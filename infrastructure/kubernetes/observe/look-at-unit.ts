/**
 * Looks at one unit and tells what is new: a start, events left behind, warnings that come and go, the end. What takes a call to the
 * cluster runs beside, so that one unit holds up no other. Reference: cluster-objects.md, "Observing".
 */
import { DateTime, Effect, Queue } from "effect"
import type { UnitFact } from "../../../application/ports/runtime.ts"
import type { LiveBenchmark } from "../../../application/ports/stores/job-store.ts"
import { millisOf } from "../../../domain/job/iso-time.ts"
import { defined } from "../../../values/defined.ts"
import type { KubeClient } from "../client/client.ts"
import { refName, specName } from "../unit/names.ts"
import { notesAbout } from "./judge/cluster-notes.ts"
import { type Judgement, judge } from "./judge/judge.ts"
import { leftBehind } from "./judge/left-behind.ts"
import { queueOf } from "./judge/queue-conditions.ts"
import { containerOf, hasRun, type Sight } from "./judge/sight.ts"
import type { LogCapture } from "./log-capture.ts"
import type { ObserveOptions } from "./observe-options.ts"
import { currentPod, type Entry } from "./unit-table.ts"

export interface Looking {
  readonly client: KubeClient["Type"]
  readonly logs: LogCapture
  readonly facts: Queue.Enqueue<UnitFact>
  readonly options: ObserveOptions
  /** runs beside, until this server no longer leads */
  readonly beside: (effect: Effect.Effect<void>) => Effect.Effect<void>
  /** asks for another look */
  readonly again: (entry: Entry) => void
}

const askEveryMillis = 30_000
const relaunchEveryMillis = 60_000
const explained: ReadonlyArray<string> = ["M14", "M17", "M18"]

const iso = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))
/** the cluster's times have no milliseconds; records of the domain have */
const isoOf = (text: string | undefined, otherwise: number): string => {
  const millis = text === undefined ? Number.NaN : millisOf(text)
  return Number.isFinite(millis) ? iso(millis) : iso(otherwise)
}

const sourceText = {
  profile: "the hardware profile",
  hardware_config: "hardware_config",
  provider: "the provider",
  built_in: "the built-in default"
} as const

const sightOf = (entry: Entry, { benchmark }: LiveBenchmark): Sight => {
  const { value, source } = benchmark.snapshot.resources.memoryLimit
  const name = entry.job?.name
  return {
    job: entry.job,
    pod: currentPod(entry),
    lastPod: entry.lastPod,
    hadPod: entry.hadPod,
    notes: entry.notes,
    queue: entry.queue,
    ownVolumes: name === undefined ? [] : [specName(name), refName(name)],
    memoryLimit: { value, source: sourceText[source] }
  }
}

/** asks the cluster for its reasons; whatever comes of it, the unit is looked at again */
const ask = ({ client, options, beside, again }: Looking, entry: Entry, now: number): Effect.Effect<void> => {
  const { job } = entry
  const pod = currentPod(entry)
  if (job === undefined) return Effect.void
  const about = (uid: string) => notesAbout(client, job.namespace, uid)
  const waited = now - (entry.firstSeen["M17"] ?? now)
  const asked = job.isSuspended
    ? Effect.map(queueOf(client, options.queueDomain, job, waited, about(job.uid)), (queue) => {
        entry.queue = queue
      })
    : Effect.map(about(pod?.uid ?? job.uid), (notes) => {
        entry.notes = notes
      })
  return beside(
    asked.pipe(
      Effect.catchAll((error) => Effect.logDebug(`no reasons for ${entry.key}: ${error.message}`)),
      Effect.zipRight(Effect.sync(() => again(entry)))
    )
  )
}

const tellEnd = (
  { logs, facts, beside }: Looking,
  entry: Entry,
  end: Omit<Extract<UnitFact, { readonly _tag: "Ended" }>, "_tag" | "unit" | "logTail">
) => {
  const pod = currentPod(entry)
  entry.ended = true
  const ran = pod !== undefined && hasRun(pod)
  const capture = ran ? logs.capture(entry.unit, pod.name) : Effect.void
  const adapterRan = ran && containerOf(pod, "adapter")?.state.is === "terminated"
  return beside(
    Effect.gen(function* () {
      yield* capture
      const logTail = adapterRan || entry.captured ? yield* logs.lastLines(entry.unit) : []
      yield* Queue.offer(facts, { _tag: "Ended", unit: entry.unit, ...end, logTail, waited: true })
    })
  )
}

const apply = (looking: Looking, entry: Entry, { effect, finding }: Judgement, now: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { facts } = looking
    const { unit } = entry
    if (finding === undefined || effect === "none") {
      const { warned } = entry
      if (warned === undefined) return
      entry.warned = undefined
      yield* Queue.offer(facts, { _tag: "Recovered", unit, code: warned.code })
      return
    }
    const { code, message } = finding
    if (effect === "fail") {
      const exit = {
        ...defined({ exitCode: finding.exitCode, signal: finding.signal })
      }
      return yield* tellEnd(looking, entry, { at: isoOf(finding.at, now), code, message, ...exit })
    }
    if (finding.relaunch === true && now - (entry.relaunchedAt ?? Number.NEGATIVE_INFINITY) >= relaunchEveryMillis) {
      entry.relaunchedAt = now
      yield* Queue.offer(facts, { _tag: "Incomplete", unit })
    }
    if (entry.warned?.code === code && entry.warned.message === message) return
    entry.warned = { code, message }
    yield* Queue.offer(facts, {
      _tag: "Warned",
      unit,
      code,
      message,
      ...(finding.interrupted === true ? { interrupted: true } : {})
    })
  })

const readLastWords = (looking: Looking, entry: Entry, now: number): Effect.Effect<void> => {
  const { lastWords } = entry
  if (lastWords === undefined) return Effect.void
  entry.lastWords = undefined
  const left = leftBehind(lastWords)
  switch (left._tag) {
    case "Nothing":
      return Effect.void
    case "Event":
      return Effect.asVoid(
        Queue.offer(looking.facts, { _tag: "Spooled", unit: entry.unit, event: left.event, acknowledge: Effect.void })
      )
    case "Unreadable":
      return Effect.logWarning(`the last message of ${entry.key} can not be read: ${left.reason}`)
    case "ResultLost": {
      const message =
        "The benchmark completed, and its result could not be delivered: the server was away when the pod ended, and the result is too large to be kept."
      return tellEnd(looking, entry, { at: iso(now), code: "adapter_exited_without_result", message })
    }
  }
}

/** logs outlive the pod, whatever becomes of the benchmark */
export const keepLogs = ({ logs, beside }: Looking, entry: Entry): Effect.Effect<void> => {
  const pod = currentPod(entry)
  if (entry.captured || pod === undefined || containerOf(pod, "adapter")?.state.is !== "terminated") return Effect.void
  entry.captured = true
  return beside(logs.capture(entry.unit, pod.name))
}

/** one look at a unit whose benchmark is not terminal; sets when the next one is due without any news */
export const look = (looking: Looking, entry: Entry, live: LiveBenchmark, now: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    entry.nextAt = undefined
    if (entry.ended) return
    yield* readLastWords(looking, entry, now)
    if (entry.ended) return
    const adapter = containerOf(currentPod(entry), "adapter")
    if (!entry.started && adapter !== undefined && adapter.state.is !== "waiting") {
      entry.started = true
      yield* Queue.offer(looking.facts, { _tag: "Started", unit: entry.unit, at: isoOf(adapter.state.startedAt, now) })
    }
    const { timeouts } = looking.options
    const pending =
      live.benchmark.state === "pending" && timeouts.pendingSeconds !== undefined
        ? { pendingSeconds: timeouts.pendingSeconds }
        : {}
    const judgement = judge(sightOf(entry, live), entry.firstSeen, now, { ...looking.options, ...pending })
    entry.firstSeen = judgement.firstSeen
    entry.nextAt = judgement.nextAt
    const needsReasons = explained.includes(judgement.rule) && judgement.effect !== "none"
    if (!needsReasons) {
      entry.askedAt = undefined
      entry.notes = []
      entry.queue = undefined
    } else if (judgement.effect === "warn") {
      const isFirst = entry.askedAt === undefined
      if (entry.askedAt === undefined || now - entry.askedAt >= askEveryMillis) {
        entry.askedAt = now
        yield* ask(looking, entry, now)
      }
      entry.nextAt = Math.min(entry.nextAt ?? Number.POSITIVE_INFINITY, entry.askedAt + askEveryMillis)
      // its reasons come in a moment
      if (isFirst) return
    }
    yield* apply(looking, entry, judgement, now)
  })

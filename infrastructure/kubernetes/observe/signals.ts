/**
 * What operators see of a benchmark on its backing Job: two labels, one annotation, and Events. Level-triggered and beside everything
 * else: nothing waits for a signal, and none that fails changes a state. Reference: cluster-objects.md, "Lifecycle signals".
 */
import { Clock, DateTime, Effect } from "effect"
import type { JobStore } from "../../../application/ports/stores/job-store.ts"
import type { Benchmark } from "../../../domain/job/job.ts"
import type { KubeClient } from "../client/client.ts"
import { cleanMessage, type KubeError } from "../client/kube-error.ts"
import { events, jobs } from "../client/resources.ts"
import type { ReducedJob } from "./judge/reduce.ts"
import type { ObserveOptions } from "./observe-options.ts"
import { eventsOf, labelsOf, type Signal, type SignalEvent, statusOf } from "./signal-content.ts"
import type { Entry } from "./unit-table.ts"

export interface SignalDependencies {
  readonly client: KubeClient["Type"]
  readonly store: JobStore["Type"]
  readonly options: Pick<ObserveOptions, "domain">
}

export interface Signals {
  /** something about the job may be worth a signal */
  readonly changed: (jobId: string) => void
  /** never ends */
  readonly run: (entries: () => Iterable<Entry>) => Effect.Effect<never>
}

const tickMillis = 1000
const phaseMillis = 10_000
/** more units than this are read with their job at once */
const fewUnits = 4
const atOnce = 8
const retryMillis = 5000

interface Sent {
  readonly text: string
  readonly at: number
  readonly state: string
}

/** answers that mean: there is nobody to tell any more, or it was told */
const isDone = ({ class: kind, status }: KubeError): boolean =>
  kind === "not_found" || kind === "conflict" || status === 422

const eventDocument = (job: ReducedJob, { name, type, reason, message }: SignalEvent, at: string) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: `${job.name}.${name}`, namespace: job.namespace },
  involvedObject: { apiVersion: "batch/v1", kind: "Job", name: job.name, namespace: job.namespace, uid: job.uid },
  reason,
  message: cleanMessage(message),
  type,
  source: { component: "evald" },
  firstTimestamp: at,
  lastTimestamp: at,
  count: 1
})

/** what is to be sent, and what was sent already */
interface Memory {
  /** jobs about which something may have changed */
  readonly marked: Set<string>
  /** jobs that want to be looked at again, and when */
  readonly again: Map<string, number>
  /** by the Job's uid */
  readonly sent: Map<string, Sent>
  /** `<uid>/<event>` */
  readonly told: Set<string>
}

/** the jobs to look at now, no longer marked */
const takeDue = ({ marked, again }: Memory, now: number): ReadonlyArray<string> => {
  for (const [jobId, due] of again) {
    if (due > now) continue
    again.delete(jobId)
    marked.add(jobId)
  }
  const due = [...marked]
  marked.clear()
  return due
}

const forgetGone = ({ sent, told }: Memory, present: ReadonlySet<string | undefined>): void => {
  for (const uid of [...sent.keys()]) if (!present.has(uid)) sent.delete(uid)
  for (const name of [...told]) if (!present.has(name.slice(0, name.indexOf("/")))) told.delete(name)
}

const benchmarksOf = (store: JobStore["Type"], tenant: string, jobId: string, indexes: ReadonlyArray<number>) =>
  indexes.length > fewUnits
    ? Effect.map(store.load(tenant, jobId), ({ benchmarks }) => benchmarks)
    : Effect.map(
        Effect.forEach(indexes, (index) => store.loadBenchmark(jobId, index)),
        (found) => found.map(({ benchmark }) => benchmark)
      )

/** sends what is new about one unit; answers when it wants to be looked at again, in milliseconds */
const unitSignals = (
  { client, options: { domain } }: Pick<SignalDependencies, "client" | "options">,
  { sent, told }: Memory
) => {
  const sendEvent = (job: ReducedJob, event: SignalEvent, at: string): Effect.Effect<void, KubeError> => {
    const name = `${job.uid}/${event.name}`
    if (told.has(name)) return Effect.void
    return client
      .create({ resource: events, namespace: job.namespace, lane: "signal" }, eventDocument(job, event, at))
      .pipe(
        Effect.catchIf(isDone, () => Effect.void),
        Effect.zipRight(Effect.sync(() => void told.add(name)))
      )
  }
  const patch = (job: ReducedJob, signal: Signal, at: string): Effect.Effect<void, KubeError> => {
    const metadata = {
      uid: job.uid,
      labels: labelsOf(signal, domain),
      annotations: { [`${domain}/status`]: JSON.stringify({ ...signal.status, at }) }
    }
    const target = { resource: jobs, namespace: job.namespace, name: job.name, lane: "signal" } as const
    return Effect.catchIf(Effect.asVoid(client.mergePatch(target, { metadata })), isDone, () => Effect.void)
  }
  return (job: ReducedJob, benchmark: Benchmark): Effect.Effect<number | undefined, KubeError> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const at = DateTime.formatIso(DateTime.unsafeMake(now))
      yield* Effect.forEach(eventsOf(benchmark), (event) => sendEvent(job, event, at), { discard: true })
      const signal = statusOf(job.unit, benchmark)
      const text = JSON.stringify(signal.status)
      const before = sent.get(job.uid) ?? {
        text: withoutTime(job.signal.status),
        at: Number.NEGATIVE_INFINITY,
        state: ""
      }
      if (before.text === text) return undefined
      const pause = before.state === signal.status.state ? phaseMillis : tickMillis
      if (now - before.at < pause) return before.at + pause
      sent.set(job.uid, { text, at: now, state: signal.status.state })
      yield* Effect.onError(patch(job, signal, at), () => Effect.sync(() => sent.delete(job.uid)))
      return undefined
    })
}

export const makeSignals = (dependencies: SignalDependencies): Effect.Effect<Signals> =>
  Effect.sync(() => {
    const memory: Memory = { marked: new Set(), again: new Map(), sent: new Map(), told: new Set() }
    const { again, marked } = memory
    const signalUnit = unitSignals(dependencies, memory)

    const signalJob = (jobId: string, ofJob: ReadonlyArray<Entry>): Effect.Effect<void> =>
      Effect.gen(function* () {
        const [first] = ofJob
        if (first === undefined) return
        const indexes = [...new Set(ofJob.map(({ unit }) => unit.index))]
        const benchmarks = yield* benchmarksOf(dependencies.store, first.unit.tenant, jobId, indexes)
        const next = yield* Effect.forEach(
          ofJob,
          ({ job, unit }) => {
            const benchmark = benchmarks.find(({ index, attempt }) => index === unit.index && attempt === unit.attempt)
            return job === undefined || benchmark === undefined ? Effect.succeed(undefined) : signalUnit(job, benchmark)
          },
          { concurrency: atOnce }
        )
        const due = next.filter((moment) => moment !== undefined)
        if (due.length > 0) again.set(jobId, Math.min(...due))
      }).pipe(
        Effect.catchAll((error) =>
          Effect.gen(function* () {
            if (error._tag === "NotFound") return
            yield* Effect.logDebug(`signals of job ${jobId} are sent later: ${error._tag}`)
            again.set(jobId, (yield* Clock.currentTimeMillis) + retryMillis)
          })
        )
      )

    const round = (entries: () => Iterable<Entry>) =>
      Effect.gen(function* () {
        yield* Effect.sleep(tickMillis)
        const due = takeDue(memory, yield* Clock.currentTimeMillis)
        if (due.length === 0) return
        const all = [...entries()]
        forgetGone(memory, new Set(all.map(({ job }) => job?.uid)))
        const byJob = new Map(due.map((jobId): [string, Array<Entry>] => [jobId, []]))
        for (const entry of all) byJob.get(entry.unit.jobId)?.push(entry)
        yield* Effect.forEach(byJob, ([jobId, ofJob]) => signalJob(jobId, ofJob), {
          concurrency: atOnce,
          discard: true
        })
      })
    return { changed: (jobId) => void marked.add(jobId), run: (entries) => Effect.forever(round(entries)) }
  })

/** the status of a Job as another server wrote it, without its moment */
const withoutTime = (status: string | undefined): string => {
  if (status === undefined) return ""
  try {
    const { at: _at, ...rest } = JSON.parse(status) as { readonly at?: unknown }
    return JSON.stringify(rest)
  } catch {
    return ""
  }
}

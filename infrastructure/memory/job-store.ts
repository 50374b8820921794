/** Jobs in memory, rendered by the same functions as those of a database, so that the bytes are the same. */
import { Effect, Either, Layer } from "effect"
import { NotFound, TenantFull } from "../../application/errors.ts"
import type { Change } from "../../application/ports/change-feed.ts"
import { type BenchmarkSelector, JobStore, type SelectorProblem } from "../../application/ports/stores/job-store.ts"
import type { NewTask } from "../../application/ports/task-queue.ts"
import { isTerminal } from "../../domain/job/benchmark-state.ts"
import type { Benchmark, Job, JobHead } from "../../domain/job/job.ts"
import { headOf, isTerminalJob } from "../../domain/job/job-state.ts"
import { encodeCursor, itemsOfPage } from "../../domain/paging.ts"
import { roomForBenchmarks, type TenantLimits } from "../../domain/tenant/limits.ts"
import { ChangeHub } from "../in-process/change-hub.ts"
import { TaskSignals } from "../in-process/task-signals.ts"
import type { WireOptions } from "../sql/rows/benchmark-wire.ts"
import { etagOf, recordRowOf, rendered } from "../sql/rows/job-record.ts"
import { partsOf, renderedPart, sizeOf, wholeRecord } from "../sql/rows/record-parts.ts"
import { claim } from "./idempotency.ts"
import { isBefore, matches } from "./job-matches.ts"
import { type StoredJob, step, Tables } from "./tables.ts"
import { enqueue } from "./task-queue.ts"

const select = (
  benchmarks: ReadonlyArray<Benchmark>,
  selector: BenchmarkSelector
): Either.Either<Benchmark, SelectorProblem> => {
  const found = benchmarks.filter(({ index, entry }) =>
    "index" in selector
      ? index === selector.index
      : entry.id === selector.benchmarkId &&
        (selector.providerId === undefined || entry.providerId === selector.providerId)
  )
  const [first] = found
  if (first === undefined) return Either.left({ _tag: "UnknownBenchmark" })
  return found.length > 1 ? Either.left({ _tag: "AmbiguousBenchmark" }) : Either.right(first)
}

/** the tables, and what follows from a change of them */
interface Memory {
  readonly tables: typeof Tables.Service
  readonly hub: typeof ChangeHub.Service
  readonly signals: typeof TaskSignals.Service
}

const find = ({ tables }: Memory, tenant: string | undefined, id: string): Either.Either<StoredJob, NotFound> => {
  const stored = tables.jobs.get(id)
  return stored === undefined || (tenant !== undefined && stored.job.tenant !== tenant)
    ? Either.left(new NotFound({ kind: "job", id }))
    : Either.right(stored)
}

const note = (
  { tables, hub, signals }: Memory,
  job: Pick<Job, "tenant" | "id">,
  kind: Change["kind"],
  tasks: ReadonlyArray<NewTask>,
  now: number
) => {
  enqueue(tables, signals, tasks, now)
  const change: Change = {
    sequence: (tables.changes.at(-1)?.sequence ?? 0) + 1,
    tenant: job.tenant,
    jobId: job.id,
    kind
  }
  tables.changes.push(change)
  hub.publish(change)
}

const withBenchmark = ({ benchmarks }: Job, changed: Benchmark) =>
  benchmarks.map((one) => (one.index === changed.index ? changed : one))

/** what nobody outside sees: same version, nothing in the log */
const annotate = (
  { tables, signals }: Memory,
  { job, version }: StoredJob,
  benchmark: Benchmark,
  tasks: ReadonlyArray<NewTask>,
  now: number
) => {
  tables.jobs.set(job.id, { job: { ...job, benchmarks: withBenchmark(job, benchmark) }, version })
  enqueue(tables, signals, tasks, now)
}

const replace = (
  memory: Memory,
  { job, version }: StoredJob,
  head: JobHead,
  changed: ReadonlyArray<Benchmark>,
  tasks: ReadonlyArray<NewTask>,
  now: number
) => {
  const next = new Map(changed.map((benchmark) => [benchmark.index, benchmark]))
  const benchmarks = job.benchmarks.map((benchmark) => next.get(benchmark.index) ?? benchmark)
  memory.tables.jobs.set(job.id, { job: { ...head, request: job.request, benchmarks }, version: version + 1 })
  note(memory, job, "updated", tasks, now)
}

const keepUsage = (
  { tables }: Memory,
  head: JobHead,
  { entry, index, state, usage }: Benchmark,
  endedAt: string
): void => {
  if (usage === undefined) return
  const key = `${head.id}/${index}`
  const known = tables.usage.get(key)
  const { tenant, model } = head
  const row = { tenant, endedAt, model: model.name, providerId: entry.providerId, id: entry.id, state, usage }
  tables.usage.set(key, known === undefined ? row : { ...known, usage })
}

/** nothing while it runs, nor when nothing new is known */
const writeUsage = (memory: Memory, head: JobHead, before: Benchmark | undefined, after: Benchmark): void => {
  const isNew = before?.usage !== after.usage || before?.state !== after.state
  if (isTerminal(after.state) && isNew) keepUsage(memory, head, after, head.updatedAt)
}

/** fails when the tenant has no room for the benchmarks of the job */
const requireRoom = ({ tables }: Memory, job: Job, limits: TenantLimits = {}): Effect.Effect<void, TenantFull> => {
  const unfinished = { pending: 0, running: 0 }
  for (const { job: one } of tables.jobs.values())
    if (one.tenant === job.tenant && !isTerminalJob(one.state)) {
      unfinished.pending += one.counts.pending
      unfinished.running += one.counts.running
    }
  const over = limits.maxQueued === undefined ? undefined : roomForBenchmarks(limits, unfinished, job.counts.pending)
  return over === undefined ? Effect.void : new TenantFull({ tenant: job.tenant, over })
}

const insertion = (memory: Memory, wire: WireOptions): Pick<JobStore["Type"], "insert" | "insertOnce"> => {
  const { tables } = memory
  const insert = (job: Job, tasks: ReadonlyArray<NewTask>, now: number) => {
    tables.jobs.set(job.id, { job, version: 1 })
    note(memory, job, "created", tasks, now)
    return rendered(recordRowOf(job, 1, wire), wire)
  }
  return {
    insert: (job, tasks, limits) =>
      step((now) =>
        tables.jobs.has(job.id)
          ? Effect.dieMessage(`job ${job.id} is stored already`)
          : Effect.map(requireRoom(memory, job, limits), () => insert(job, tasks, now))
      ),
    insertOnce: (job, tasks, wanted, limits) =>
      step((now) =>
        claim(
          tables,
          wanted,
          now,
          job.id,
          Effect.map(requireRoom(memory, job, limits), () => insert(job, tasks, now).json)
        )
      )
  }
}

const reading = (
  memory: Memory,
  wire: WireOptions
): Pick<JobStore["Type"], "load" | "loadBenchmark" | "indexOf" | "render" | "page" | "live"> => ({
  load: (tenant, id) => Effect.suspend(() => Either.map(find(memory, tenant, id), ({ job }) => job)),
  loadBenchmark: (id, index) =>
    Effect.suspend(() =>
      Either.flatMap(find(memory, undefined, id), ({ job }) => {
        const benchmark = job.benchmarks[index]
        return benchmark === undefined
          ? Either.left(new NotFound({ kind: "job", id }))
          : Either.right({ head: headOf(job), benchmark, job: { ...job.request, benchmarks: [benchmark.entry] } })
      })
    ),
  indexOf: (id, selector) =>
    Effect.sync(() =>
      Either.getOrUndefined(
        Either.flatMap(find(memory, undefined, id), ({ job }) =>
          Either.map(select(job.benchmarks, selector), ({ index }) => index)
        )
      )
    ),
  render: (tenant, id) =>
    Effect.suspend(() =>
      Either.map(find(memory, tenant, id), ({ job, version }) => rendered(recordRowOf(job, version, wire), wire))
    ),
  page: (tenant, query, fields) =>
    Effect.sync(() => {
      const all = [...memory.tables.jobs.values()]
        .filter(({ job }) => job.tenant === tenant && matches(job, query))
        .sort((a, b) => (isBefore(a.job, b.job) ? -1 : 1))
      const { after } = query
      const rest = after === undefined ? all.slice(query.offset) : all.filter(({ job }) => isBefore(after, job))
      const parts = fields === undefined ? wholeRecord : partsOf(fields)
      const rows = rest.slice(0, query.limit).map(({ job, version }) => recordRowOf(job, version, wire))
      const taken = itemsOfPage(rows.map((row) => sizeOf(row, parts)))
      const last = rest[taken - 1]
      const items = rows
        .slice(0, taken)
        .map((row) => (fields === undefined ? rendered(row, wire).json : renderedPart(row, fields, wire)))
      const page = { items, total: all.length, errors: [], taken }
      return rest.length > taken && last !== undefined
        ? { ...page, next: encodeCursor([last.job.createdAt, last.job.id]) }
        : page
    }),
  live: (after, limit) =>
    Effect.sync(() =>
      [...memory.tables.jobs.values()]
        .filter(({ job }) => !isTerminalJob(job.state))
        .sort((a, b) => (a.job.id < b.job.id ? -1 : 1))
        .flatMap(({ job }) =>
          job.benchmarks.map((benchmark) => ({ tenant: job.tenant, jobId: job.id, benchmark, jobState: job.state }))
        )
        .filter(
          ({ jobId, benchmark }) =>
            !isTerminal(benchmark.state) &&
            (after === undefined || jobId > after.jobId || (jobId === after.jobId && benchmark.index > after.index))
        )
        .slice(0, limit)
    )
})

const changing = (
  memory: Memory,
  wire: WireOptions
): Pick<JobStore["Type"], "changeBenchmark" | "changeJob" | "remove" | "forget"> => ({
  changeBenchmark: (target, decide, score) =>
    step((now) =>
      Effect.gen(function* () {
        const stored = yield* find(memory, target.tenant, target.jobId)
        const before = headOf(stored.job)
        const benchmark = yield* select(stored.job.benchmarks, target.select)
        const decision = yield* decide(before, benchmark)
        if (decision._tag === "Unchanged") return { applied: false, head: before, benchmark }
        if (decision._tag === "Noted") {
          annotate(memory, stored, decision.benchmark, decision.tasks, now)
          return { applied: true, head: before, benchmark: decision.benchmark }
        }
        const all = withBenchmark(stored.job, decision.benchmark)
        const test =
          isTerminalJob(decision.head.state) && !isTerminalJob(before.state) ? score(decision.head, all) : undefined
        const head = test === undefined ? decision.head : { ...decision.head, test }
        replace(memory, stored, head, [decision.benchmark], decision.tasks, now)
        writeUsage(memory, head, benchmark, decision.benchmark)
        return { applied: true, head, benchmark: decision.benchmark }
      })
    ),
  changeJob: (tenant, id, decide) =>
    step((now) =>
      Effect.gen(function* () {
        const stored = yield* find(memory, tenant, id)
        const { job } = stored
        const { head, benchmarks, tasks } = yield* decide(job, etagOf(stored, wire))
        const nothing =
          benchmarks.length === 0 && tasks.length === 0 && head.updatedAt === job.updatedAt && head.state === job.state
        if (!nothing) replace(memory, stored, head, benchmarks, tasks, now)
        for (const one of benchmarks) writeUsage(memory, head, job.benchmarks[one.index], one)
        return head
      })
    ),
  remove: (tenant, id, decide, used = (benchmark) => benchmark) =>
    step((now) =>
      Effect.gen(function* () {
        const stored = yield* find(memory, tenant, id)
        const tasks = yield* decide(stored.job, etagOf(stored, wire))
        for (const one of stored.job.benchmarks)
          if (!isTerminal(one.state)) keepUsage(memory, stored.job, used(one), new Date(now).toISOString())
        memory.tables.jobs.delete(id)
        memory.tables.tombstones.add(id)
        for (const [key, { jobId }] of memory.tables.samples) if (jobId === id) memory.tables.samples.delete(key)
        for (const [key, { jobId }] of memory.tables.deliveries) if (jobId === id) memory.tables.deliveries.delete(key)
        note(memory, stored.job, "deleted", tasks, now)
      })
    ),
  forget: (jobId) =>
    Effect.sync(() => {
      memory.tables.tombstones.delete(jobId)
      for (const [secret, { unit }] of memory.tables.secrets)
        if (unit.jobId === jobId) memory.tables.secrets.delete(secret)
    })
})

const make = (wire: WireOptions) =>
  Effect.gen(function* () {
    const memory: Memory = { tables: yield* Tables, hub: yield* ChangeHub, signals: yield* TaskSignals }
    return JobStore.of({
      ...insertion(memory, wire),
      ...reading(memory, wire),
      ...changing(memory, wire),
      ping: Effect.void
    })
  })

export const layer = (options: WireOptions): Layer.Layer<JobStore, never, Tables | ChangeHub | TaskSignals> =>
  Layer.effect(JobStore, make(options))

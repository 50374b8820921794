/**
 * Compares what the store believes with what the runtime knows, for all live benchmarks: at start, on a timer, and never on the strength
 * of a single message. A benchmark whose unit is gone fails; one that nobody will ever launch gets its launch task again; an overdue one
 * fails and is ended. Reference: states-and-scores.md, "Never stuck".
 */
import { Array as Arr, Clock, DateTime, Effect } from "effect"
import { deadlineOf, overdue, startOf, type Timeouts } from "../../domain/job/deadline.ts"
import { noted, unchanged } from "../../domain/job/job-state.ts"
import { decideFailure } from "../../domain/job/runtime-fact.ts"
import { defined } from "../../values/defined.ts"
import type { NotFound, Unavailable } from "../errors.ts"
import { Runtime, type UnitId } from "../ports/runtime.ts"
import { JobStore, type LiveBenchmark } from "../ports/stores/job-store.ts"
import { TaskQueue } from "../ports/task-queue.ts"
import { WireWitness } from "../ports/wire-witness.ts"
import { applyTo } from "./apply.ts"
import { make as makeSteadyTime, type SteadyTime, wallTime } from "./steady-time.ts"
import { reasonOf } from "./task-worker.ts"
import { launchTask, unitCleanupTask } from "./tasks.ts"

export interface ReconcileOptions {
  readonly timeouts: Timeouts
  /** longest time between two passes; a deadline that falls due earlier brings the next pass forward */
  readonly everyMillis: number
}

const pageSize = 500
const atOnce = 32
const shortestPause = 250
const storeRetryMillis = 1000

const isoOf = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))

const nameOf = ({ jobId, index, attempt }: UnitId) => `${jobId}/${index}/${attempt}`

const unitOf = ({ tenant, jobId, benchmark }: LiveBenchmark): UnitId => ({
  tenant,
  jobId,
  index: benchmark.index,
  attempt: benchmark.attempt
})

/** a job removed meanwhile needs nothing */
const ifPresent = <A, R>(effect: Effect.Effect<A, NotFound | Unavailable, R>) =>
  Effect.catchTag(effect, "NotFound", () => Effect.void)

const failLost = (unit: UnitId) =>
  Effect.gen(function* () {
    const wire = yield* (yield* WireWitness).counts(unit)
    const failure = {
      attempt: unit.attempt,
      code: "runtime_object_lost",
      message: "The process or pod of the benchmark disappeared, and its end was not seen. Submit the job again.",
      ...defined({ wire })
    }
    yield* ifPresent(applyTo(unit, (head, benchmark, now) => decideFailure(head, benchmark, failure, now)))
  })

/** `judgedAt`: steady time, see `steady-time.ts` */
const failOverdue = (unit: UnitId, timeouts: Timeouts, judgedAt: string) =>
  ifPresent(
    applyTo(
      unit,
      (head, benchmark, now) => {
        const failure = overdue(benchmark, timeouts, judgedAt)
        return failure === undefined ? unchanged : decideFailure(head, benchmark, failure, now)
      },
      (head, benchmark) => [unitCleanupTask(head, benchmark)]
    )
  )

/** stores the launch task again, unless the unit has started; harmless when it exists, since tasks are unique */
export const launchAgain = (unit: UnitId) =>
  ifPresent(
    applyTo(
      unit,
      (_head, benchmark) =>
        benchmark.state === "pending" && benchmark.spawnedAt === undefined ? noted(benchmark) : unchanged,
      (head, benchmark) => [launchTask(head, benchmark)]
    )
  )

/** what one pass found beyond what it did */
export interface Pass {
  /** benchmarks that wait for their launch while there are fewer launch tasks than such benchmarks */
  readonly forgotten: ReadonlyArray<UnitId>
  /** milliseconds since the epoch */
  readonly nextDeadline: number | undefined
}

/** with the steady time of each; another start is another name */
const judged = (page: ReadonlyArray<LiveBenchmark>, steady: SteadyTime) =>
  Effect.forEach(page, (live) =>
    Effect.map(steady.nowOf(`${nameOf(unitOf(live))} ${startOf(live.benchmark) ?? ""}`), (now) => ({ live, now }))
  )

const checkPage = (page: ReadonlyArray<LiveBenchmark>, timeouts: Timeouts, steady: SteadyTime) =>
  Effect.gen(function* () {
    const wall = yield* Clock.currentTimeMillis
    const [others, late] = Arr.partition(
      yield* judged(page, steady),
      ({ live, now }) => overdue(live.benchmark, timeouts, isoOf(now)) !== undefined
    )
    // with nothing to ask about, a runtime that is away is no problem
    const observed = others.length === 0 ? [] : yield* (yield* Runtime).observe(others.map(({ live }) => unitOf(live)))
    const gone = others.filter((_, position) => observed[position]?.status === "Gone").map(({ live }) => live)
    const launched = gone.filter(({ benchmark }) => benchmark.spawnedAt !== undefined)
    yield* Effect.forEach(late, ({ live, now }) => failOverdue(unitOf(live), timeouts, isoOf(now)), {
      concurrency: atOnce,
      discard: true
    })
    yield* Effect.forEach(launched, (live) => failLost(unitOf(live)), { concurrency: atOnce, discard: true })
    return {
      // what was launched and is gone before it started is told by the runtime as a fact, after its grace time
      waiting: gone
        .filter(
          ({ benchmark }) =>
            benchmark.spawnedAt === undefined && benchmark.backing?.uid === undefined && benchmark.state === "pending"
        )
        .map(unitOf),
      deadlines: others.flatMap(({ live, now }) => {
        const due = deadlineOf(live.benchmark, timeouts)
        return due === undefined ? [] : [due + wall - now]
      })
    }
  })

const launchTasks = Effect.flatMap(TaskQueue, (queue) => queue.count("launch"))

/** one pass over all live benchmarks, page by page */
export const reconcile = (
  timeouts: Timeouts,
  steady: SteadyTime = wallTime
): Effect.Effect<Pass, Unavailable, JobStore | Runtime | TaskQueue> =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const waiting: Array<UnitId> = []
    let nextDeadline: number | undefined
    let after: { readonly jobId: string; readonly index: number } | undefined
    yield* steady.begin
    // tasks come and go while the pages are read, so that they are counted on both sides
    const before = yield* launchTasks
    for (;;) {
      const page = yield* store.live(after, pageSize)
      const checked = yield* checkPage(page, timeouts, steady)
      waiting.push(...checked.waiting)
      for (const deadline of checked.deadlines) nextDeadline = Math.min(nextDeadline ?? deadline, deadline)
      const last = page.at(-1)
      if (last === undefined || page.length < pageSize) break
      after = { jobId: last.jobId, index: last.benchmark.index }
    }
    const tasks = waiting.length <= before ? before : Math.max(before, yield* launchTasks)
    return { forgotten: waiting.length > tasks ? waiting : [], nextDeadline }
  })

/** stores the launch tasks of these benchmarks again, unless they have started meanwhile */
const relaunch = (forgotten: ReadonlyArray<UnitId>): Effect.Effect<void, Unavailable, JobStore> =>
  Effect.logWarning(
    `of ${forgotten.length} benchmarks that wait for their launch some have no task: the tasks are stored again`
  ).pipe(
    Effect.zipRight(Effect.forEach(forgotten, launchAgain, { concurrency: atOnce, discard: true })),
    Effect.when(() => forgotten.length > 0),
    Effect.asVoid
  )

const pause = (nextDeadline: number | undefined, everyMillis: number): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    nextDeadline === undefined ? everyMillis : Math.max(shortestPause, Math.min(everyMillis, nextDeadline - now))
  )

/** never ends: the first pass at once, then on the timer; a store or runtime that is away is asked again, and named in the log once */
export const reconciler = ({
  timeouts,
  everyMillis
}: ReconcileOptions): Effect.Effect<never, never, JobStore | Runtime | TaskQueue> =>
  Effect.gen(function* () {
    const steady = yield* makeSteadyTime
    let suspects = new Set<string>()
    let away: string | undefined
    const pass = Effect.gen(function* () {
      const { forgotten, nextDeadline } = yield* reconcile(timeouts, steady)
      if (away !== undefined) yield* Effect.logInfo(`reconcile: works again after: ${away}`)
      away = undefined
      // counts taken at different moments may disagree once; a benchmark that is missed twice is really forgotten
      yield* relaunch(forgotten.filter((unit) => suspects.has(nameOf(unit))))
      suspects = new Set(forgotten.map(nameOf))
      return yield* pause(nextDeadline, everyMillis)
    })
    const told = (reason: string) =>
      Effect.suspend(() => {
        if (away === reason) return Effect.void
        away = reason
        return Effect.logWarning(`reconcile: ${reason}; trying again every second`)
      })
    const orLater = Effect.catchTag(pass, "Unavailable", (error) => Effect.as(told(reasonOf(error)), storeRetryMillis))
    return yield* Effect.forever(Effect.flatMap(orLater, Effect.sleep))
  })

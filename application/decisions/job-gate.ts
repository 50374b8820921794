/**
 * A policy that comes with a job: checked and hashed before the job is stored, and so before its first request; judged when the job has
 * ended and its samples are there. Reference: comparison-and-gates.md, "Given with a job".
 */
import { Clock, Effect, Either, Ref } from "effect"
import type { Side } from "../../domain/comparison/compare-benchmark.ts"
import { matchBenchmarks } from "../../domain/comparison/compare-jobs.ts"
import { type BaselineOf, pairedBenchmarks, planEarlyStop } from "../../domain/gate/plan-early-stop.ts"
import { millisOf } from "../../domain/job/iso-time.ts"
import type { Benchmark, Job } from "../../domain/job/job.ts"
import { isTerminalJob } from "../../domain/job/job-state.ts"
import { given, type Path } from "../../domain/path.ts"
import type { Provider } from "../../domain/provider/provider.ts"
import { limits } from "../../domain/sample/sample.ts"
import { defined } from "../../values/defined.ts"
import type { Caller } from "../access/caller.ts"
import { Invalid, type Unavailable } from "../errors.ts"
import type { Identifiers } from "../ports/identifiers.ts"
import { DecisionStore } from "../ports/stores/decision-store.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import type { SampleStore } from "../ports/stores/sample-store.ts"
import type { NewTask, TaskQueue } from "../ports/task-queue.ts"
import { done, type LeaseOptions, later, type Outcome, work } from "../runtime/task-worker.ts"
import { endedMillis } from "../samples/close-samples.ts"
import { namedJob, sideOf } from "./job-evidence.ts"
import { earlierDecisions, judge, knownOf, lookedAt, policyProblems } from "./judge-job.ts"

const at: Path = [given("gate")]

/** what a provider says its benchmark reports */
const metricsOf = ({ entry }: Benchmark, findProvider: (id: string) => Provider | undefined) => {
  const metrics = findProvider(entry.providerId)?.benchmarks.find(({ id }) => id === entry.id)?.metrics ?? []
  return metrics.length === 0 ? undefined : metrics
}

const stopping = (job: Job, look: number, baselineOf?: BaselineOf): Effect.Effect<Job, Invalid> => {
  const planned = planEarlyStop(job, look, baselineOf)
  if (Either.isRight(planned)) return Effect.succeed(planned.right)
  const [first, ...rest] = planned.left
  return first === undefined ? Effect.succeed(job) : Effect.fail(new Invalid({ violations: [first, ...rest] }))
}

/** what the baseline's items were worth, of the benchmarks that are held against it */
const baselineOfJob = (job: Job, baseline: Job) =>
  Effect.gen(function* () {
    const matched = matchBenchmarks(baseline.benchmarks, job.benchmarks)
    const sides = new Map<Benchmark, Side>()
    for (const benchmark of pairedBenchmarks(job)) {
      const before = matched.find(({ candidate }) => candidate === benchmark)?.baseline
      if (before !== undefined) sides.set(benchmark, yield* sideOf(baseline, before))
    }
    return (benchmark: Benchmark) => sides.get(benchmark)
  })

/** the job with the digest of its policy and what its benchmarks are watched for; `Invalid` with everything that is wrong with it */
export const withGate = (caller: Caller, job: Job, findProvider: (id: string) => Provider | undefined) =>
  Effect.gen(function* () {
    const { gate } = job.request
    if (gate === undefined) return yield* stopping(job, 1)
    const { policy } = gate
    const baseline =
      gate.baseline === undefined ? undefined : { id: gate.baseline, path: [...at, given("baseline"), given("job")] }
    const known = job.benchmarks.map((benchmark) => ({
      ...knownOf(benchmark),
      ...defined({ metrics: metricsOf(benchmark, findProvider) })
    }))
    const problems = policyProblems({ policy, ...defined({ baseline }) }, known)
    const [first, ...rest] = problems.map((problem) => ({ ...problem, path: [...at, ...problem.path] }))
    if (first !== undefined) return yield* new Invalid({ violations: [first, ...rest] })
    const before = baseline === undefined ? undefined : yield* namedJob(caller.tenant, baseline)
    const policyDigest = (yield* DecisionStore).digest(policy)
    const gated = { ...job, request: { ...job.request, gate: { ...gate, policyDigest } } }
    if (job.request.earlyStop === undefined) return gated
    // what it is stopped for is what it will be judged by
    const { looks } = yield* earlierDecisions(job, policyDigest, gate.baseline)
    return yield* stopping(gated, looks + 1, before === undefined ? undefined : yield* baselineOfJob(gated, before))
  })

const firstLook = 1000

/** looks at the job again and again until it has ended */
export const gateTask = ({ id, tenant }: Job): NewTask => ({
  kind: "gate",
  key: id,
  ...{ jobId: id, tenant, order: 0, delayMillis: firstLook }
})

/** a moment after the last sample was taken */
const closedMillis = limits.lateMillis + 2000

/** its samples are all there, or no more can come */
const isSettled = (benchmark: Benchmark, now: number): boolean => {
  const { test, earlyStopped, samples } = benchmark.result ?? {}
  if (benchmark.state !== "completed" || test?.interval?.source === "samples") return true
  if (earlyStopped !== undefined && samples !== undefined && samples.count >= earlyStopped.asked) return true
  return now > (endedMillis(benchmark) ?? now) + closedMillis
}

/** milliseconds until a job is looked at again: the longer it runs the seldomer */
export const pause = (job: Pick<Job, "createdAt">, now: number): number =>
  Math.round(Math.min(30_000, Math.max(firstLook, (now - millisOf(job.createdAt)) / 10)))

const judgeEnded = (tenant: string, id: string) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const job = yield* store.load(tenant, id)
    const { gate } = job.request
    if (gate === undefined) return done
    const now = yield* Clock.currentTimeMillis
    if (!isTerminalJob(job.state)) return later(pause(job, now))
    if (!lookedAt(gate.policy, job).every((benchmark) => isSettled(benchmark, now))) return later(2 * firstLook)
    const baseline =
      gate.baseline === undefined
        ? undefined
        : yield* store.load(tenant, gate.baseline).pipe(Effect.catchTag("NotFound", () => Effect.succeed(undefined)))
    yield* judge({ tenant, owner: job.owner ?? "" }, job, gate.policy, baseline)
    return done
  }).pipe(Effect.catchTag("NotFound", () => Effect.succeed<Outcome>(done)))

const atOnce = 2

/** never ends */
export const gateKeeper = (
  options: LeaseOptions
): Effect.Effect<never, never, JobStore | SampleStore | DecisionStore | Identifiers | TaskQueue> =>
  Effect.gen(function* () {
    const busy = yield* Ref.make(0)
    return yield* work({
      ...options,
      kind: "gate",
      room: Effect.map(Ref.get(busy), (count) => atOnce - count),
      awaitRoom: Effect.never,
      claimed: (count) => Ref.update(busy, (all) => all + count),
      handle: ({
        tenant,
        jobId
      }): Effect.Effect<Outcome, Unavailable, JobStore | SampleStore | DecisionStore | Identifiers> =>
        judgeEnded(tenant, jobId).pipe(Effect.ensuring(Ref.update(busy, (all) => all - 1)))
    })
  })

/**
 * A job once more: which of its benchmarks run again, what is asked of them, and what of the others is taken over. Reference: reruns.md,
 * "Asking for a rerun", "Carried results".
 */
import { Either } from "effect"
import { canonicalJson } from "../../../values/canonical-json.ts"
import { defined } from "../../../values/defined.ts"
import type { FreeForm } from "../../free-form.ts"
import { given, type Path } from "../../path.ts"
import { type Violation, violation } from "../../violation.ts"
import type { Benchmark, BenchmarkEntry, BenchmarkSnapshot, Job, JobRequest, RerunChoice } from "../job.ts"
import { aggregate, countsOf, isTerminalJob } from "../job-state.ts"

/** members of the new job's request that stand in for the old one's */
interface Overrides
  extends Partial<
    Pick<
      JobRequest,
      | "name"
      | "description"
      | "tags"
      | "model"
      | "threshold"
      | "hardware"
      | "validityLimits"
      | "custom"
      | "gate"
      | "budget"
      | "resume"
      | "earlyStop"
    >
  > {
  /** laid over the parameters of each benchmark that runs again */
  readonly parameters?: FreeForm
}

export interface RerunRequest {
  readonly which: RerunChoice
  /** the results of the benchmarks that do not run again are taken over */
  readonly reuse: boolean
  readonly overrides: Overrides
}

interface RerunPlan {
  /** of the benchmarks that run again, as if somebody had sent it */
  readonly request: JobRequest
  /** the job that this makes of the one that the request makes: with what it is taken over from the old job */
  readonly complete: (made: Job) => Job
}

type RerunRefusal =
  | { readonly _tag: "NotEnded" }
  | { readonly _tag: "Refused"; readonly violations: readonly [Violation, ...ReadonlyArray<Violation>] }

const runsAgain: { readonly [Which in RerunChoice]: (benchmark: Benchmark) => boolean } = {
  failed: ({ state }) => state === "failed" || state === "cancelled",
  invalid: ({ state, result }) => state === "completed" && result?.validity?.status === "invalid",
  all: () => true
}

const nothingTo: { readonly [Which in RerunChoice]: string } = {
  failed: "no benchmark of the job failed or was cancelled; ask for 'invalid' or 'all'",
  invalid: "no benchmark of the job has a result that is invalid; ask for 'failed' or 'all'",
  all: "the job has no benchmarks"
}

/** what makes an answer another one; credentials do not */
const sameModel = (job: Job, model: JobRequest["model"] | undefined): boolean => {
  if (model === undefined) return true
  const { auth: _before, ...before } = job.model
  const { auth: _now, ...now } = model
  return canonicalJson(before) === canonicalJson(now)
}

const mixed = (job: Job, { model, validityLimits }: Overrides): ReadonlyArray<Violation> => {
  const at = (name: "model" | "validityLimits"): Path => [given("overrides"), name]
  return [
    ...(sameModel(job, model)
      ? []
      : [violation(at("model"), "results of one model can not stand beside those of another; leave out 'reuse'")]),
    ...(validityLimits === undefined
      ? []
      : [violation(at("validityLimits"), "results that are taken over were judged by other limits; leave out 'reuse'")])
  ]
}

const withParameters = (entry: BenchmarkEntry, parameters: FreeForm | undefined): BenchmarkEntry =>
  parameters === undefined ? entry : { ...entry, parameters: { ...entry.parameters, ...parameters } }

/** judged as before, even where the provider says something else by now; a score is then compared with what it was to be */
const judgedAs = ({ snapshot }: Benchmark, fresh: BenchmarkSnapshot): BenchmarkSnapshot => {
  const { primaryScore: _metric, threshold: _limit, ...rest } = fresh
  const { primaryScore, threshold, weight } = snapshot
  return { ...rest, weight, ...defined({ primaryScore, threshold }) }
}

/** a benchmark as it ended, in a job that did not run it; one that was itself taken over keeps saying where it ran */
const carriedOver = (job: Job, benchmark: Benchmark): Benchmark => {
  const { index, entry, snapshot, state, phase, error, warning, startedAt, completedAt, endedAt, result, resumes } =
    benchmark
  return {
    ...{ index, entry, snapshot, attempt: 1, state },
    ...defined({ phase, error, warning, startedAt, completedAt, endedAt, result, resumes }),
    carried: benchmark.carried ?? { job: job.id, index }
  }
}

/** what failed goes on with the answers that it was given; what completed is asked anew */
const resumed = (job: Job, benchmark: Benchmark): Pick<Benchmark, "resumes"> =>
  runsAgain.failed(benchmark)
    ? { resumes: benchmark.resumes ?? benchmark.carried ?? { job: job.id, index: benchmark.index } }
    : {}

const completion =
  (job: Job, again: ReadonlyArray<Benchmark>, { which, reuse }: RerunRequest) =>
  (made: Job): Job => {
    const fresh = new Map(
      again.flatMap((before, at) => {
        const now = made.benchmarks[at]
        if (now === undefined) return []
        const goesOn = made.request.resume === true ? resumed(job, before) : {}
        return [[before, { ...now, snapshot: judgedAs(before, now.snapshot), ...goesOn }] as const]
      })
    )
    const benchmarks = (reuse ? job.benchmarks : again).map((before, index): Benchmark => {
      const own = fresh.get(before)
      return { ...(own ?? carriedOver(job, before)), index }
    })
    const { collection } = benchmarks.length === job.benchmarks.length ? job.request : {}
    const counts = countsOf(benchmarks)
    return {
      ...made,
      state: aggregate(counts),
      counts,
      request: {
        ...made.request,
        benchmarks: benchmarks.map(({ entry }) => entry),
        ...defined({ collection }),
        rerunOf: { job: job.id, which, reuse }
      },
      benchmarks
    }
  }

/** what to submit for a rerun of this job, or why there is nothing to run */
export const planRerun = (job: Job, asked: RerunRequest): Either.Either<RerunPlan, RerunRefusal> => {
  if (!isTerminalJob(job.state)) return Either.left({ _tag: "NotEnded" })
  const { which, reuse, overrides } = asked
  const again = job.benchmarks.filter(runsAgain[which])
  const [first, ...others] = [
    ...(again.length === 0 ? [violation([given("which")], nothingTo[which])] : []),
    ...(reuse ? mixed(job, overrides) : [])
  ]
  if (first !== undefined) return Either.left({ _tag: "Refused", violations: [first, ...others] })
  const { collection, gate, earlyStop, ...rest } = job.request
  const { traceparent: _trace, trackerWorkspace: _found, rerunOf: _origin, tenantNotifications: _told, ...kept } = rest
  const { parameters, ...members } = overrides
  const isWhole = reuse || again.length === job.benchmarks.length
  const request: JobRequest = {
    ...kept,
    // a collection's own threshold is not looked up again
    ...(collection === undefined ? {} : { threshold: job.threshold }),
    // a policy may name benchmarks that a part of the job does not have
    ...(isWhole && gate !== undefined ? { gate, ...defined({ earlyStop }) } : {}),
    ...members,
    benchmarks: again.map(({ entry }) => withParameters(entry, parameters))
  }
  return Either.right({ request, complete: completion(job, again, asked) })
}

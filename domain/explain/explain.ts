/**
 * What there is to say about a job, the cause that everything else follows from first: failures before what cannot be believed, that before what
 * holds the job up, that before verdicts, and last that all is well. Pure: the same situation is explained in the same words.
 * Reference: explain.md, "Order".
 */
import { isTerminalJob } from "../job/job-state.ts"
import { explainFailures } from "./explain-failures.ts"
import { explainFlags, explainGate, explainMissing, explainVerdicts, explainWarnings } from "./explain-results.ts"
import { explainRunning } from "./explain-running.ts"
import { explainWaiting } from "./explain-waiting.ts"
import { type Cause, type Finding, findingsOf, nameOf, placeOf, type Situation } from "./finding.ts"

const explainCancelled = ({ job }: Situation): ReadonlyArray<Cause> =>
  job.benchmarks.flatMap(
    (benchmark): ReadonlyArray<Cause> =>
      benchmark.state !== "cancelled"
        ? []
        : [
            {
              code: "cancelled",
              says: `${nameOf(benchmark)} was cancelled before it ended`,
              remedy: "Submit the job again for the benchmarks that are missing.",
              since: benchmark.completedAt ?? job.updatedAt,
              evidence: [{ kind: "message", ref: placeOf(benchmark), text: benchmark.error?.message ?? "cancelled" }]
            }
          ]
  )

const allWell = ({ job }: Situation): Cause => ({
  code: "nothing_wrong",
  says: `the job is ${job.state}, and nothing speaks against its results`,
  remedy: "Nothing is to be done.",
  since: job.updatedAt,
  evidence:
    job.test === undefined
      ? []
      : [
          {
            kind: "verdict",
            ref: "job",
            text: `score ${Number(job.test.score.toPrecision(4))}, ${job.test.decided ?? "not decided"}`
          }
        ]
})

/** at least one finding; the first is what to look at first */
export const explain = (situation: Situation): ReadonlyArray<Finding> => {
  const { job, now, gate } = situation
  const sights = new Map(situation.units.map((unit) => [unit.index, unit]))
  const failures = explainFailures(job.benchmarks, sights, now)
  const waiting = explainWaiting(situation, sights)
  const running = explainRunning(situation, sights)
  const ended = isTerminalJob(job.state)
  const groups: ReadonlyArray<ReadonlyArray<Cause>> = [
    failures.certain,
    failures.unclear,
    explainFlags(job, "blocking"),
    [...running.held, ...waiting.held],
    explainGate(gate),
    explainMissing(job),
    explainVerdicts(job).filter(() => ended),
    explainCancelled(situation),
    explainWarnings(job),
    explainFlags(job, "advisory"),
    [...running.calm, ...waiting.calm]
  ]
  // of verdicts the order is their own: all of them are of one moment
  const found = groups.flatMap(findingsOf)
  return found.length > 0 ? found : findingsOf([allWell(situation)])
}

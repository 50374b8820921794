/** How running benchmarks get on: what slows them down, what they warn of, when they may end. Reference: explain.md, "Slow". */
import { defined } from "../../values/defined.ts"
import type { Benchmark } from "../job/job.ts"
import { cut } from "../job/message.ts"
import { elapsedOf, knownCause, trafficEvidence } from "./explain-failures.ts"
import { type Cause, type Evidence, nameOf, placeOf, type Situation, type UnitSight } from "./finding.ts"
import { endOf, slownessOf } from "./pace.ts"

const progressEvidence = (benchmark: Benchmark): ReadonlyArray<Evidence> => {
  const { phase, progress } = benchmark
  const steps =
    progress?.completed === undefined ? undefined : `${progress.completed} of ${progress.total ?? "unknown"} steps`
  const said = [phase, steps, progress?.message].filter((part) => part !== undefined).join(", ")
  return said === "" ? [] : [{ kind: "progress", ref: placeOf(benchmark), text: cut(said, 400) }]
}

const causesOf = (benchmark: Benchmark, sight: UnitSight | undefined, now: string): ReadonlyArray<Cause> => {
  const since = benchmark.startedAt ?? benchmark.spawnedAt ?? now
  const eta = defined({ eta: endOf(benchmark, now) })
  const progress = progressEvidence(benchmark)
  const { warning } = benchmark
  const warned: ReadonlyArray<Cause> =
    warning === undefined
      ? []
      : [
          {
            code: warning.code,
            says: `${nameOf(benchmark)} warns: ${knownCause(warning.code).says}`,
            remedy: knownCause(warning.code).remedy,
            since,
            ...eta,
            evidence: [{ kind: "message", ref: placeOf(benchmark), text: cut(warning.message, 400) }, ...progress]
          }
        ]
  const slow = sight?.traffic === undefined ? undefined : slownessOf(sight.traffic, elapsedOf(benchmark, now))
  if (slow !== undefined) {
    const { says, remedy } = knownCause(slow.code)
    const evidence = [trafficEvidence(benchmark, slow), ...progress]
    return [
      { code: slow.code, says: `${nameOf(benchmark)} is slow: ${says}`, remedy, since, ...eta, evidence },
      ...warned
    ]
  }
  if (sight?.status === "Gone")
    return [
      {
        code: "runtime_object_lost",
        says: `${nameOf(benchmark)} is said to run, and ${knownCause("runtime_object_lost").says}`,
        remedy: "Wait: it fails in a moment unless its last event still comes. Then submit again.",
        since,
        evidence: [{ kind: "runtime", ref: placeOf(benchmark), text: "its unit is gone" }, ...progress]
      },
      ...warned
    ]
  return warned
}

/** of running benchmarks: what stands in their way, and that the others get on */
export const explainRunning = (
  { job, now }: Situation,
  sights: ReadonlyMap<number, UnitSight>
): { readonly held: ReadonlyArray<Cause>; readonly calm: ReadonlyArray<Cause> } => {
  const held: Array<Cause> = []
  const calm: Array<Cause> = []
  for (const benchmark of job.benchmarks) {
    if (benchmark.state !== "running" || benchmark.interruptedAt !== undefined) continue
    const found = causesOf(benchmark, sights.get(benchmark.index), now)
    held.push(...found)
    if (found.length === 0)
      calm.push({
        code: "running",
        says: `${nameOf(benchmark)} runs, and nothing holds it up`,
        remedy: "Wait for its end.",
        since: benchmark.startedAt ?? now,
        ...defined({ eta: endOf(benchmark, now) }),
        evidence: progressEvidence(benchmark)
      })
  }
  return { held, calm }
}

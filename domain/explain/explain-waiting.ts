/** Why benchmarks do not run yet, or no more: queue, node, image, places of this machine. Reference: explain.md, "Queued". */
import type { Benchmark, Message } from "../job/job.ts"
import { cut } from "../job/message.ts"
import { type Sentence, say, unquoted } from "../sentence.ts"
import { knownCause } from "./explain-failures.ts"
import { type Cause, type Evidence, nameOf, placeOf, type Situation, type UnitSight } from "./finding.ts"
import { remedyOfCode } from "./remedies.ts"

interface Told {
  readonly code: string
  readonly says: string
  readonly remedy: Sentence
}

const position = /\bposition:? (\d+)|\b(\d+) (?:workloads?|jobs?) (?:ahead|before)/i

/** the cluster has one code for what only its words tell apart */
const unschedulable = (message: string): Told => {
  if (/exceeded quota/i.test(message))
    return {
      code: "quota_exceeded",
      says: "the quota of the namespace is used up",
      remedy: say`Wait for other work of the namespace to end, ask for less (${unquoted(["hardware"])}), or have the quota raised.`
    }
  if (/^queue /i.test(message)) {
    const found = position.exec(message)
    const [, place, ahead] = found ?? []
    const where = place !== undefined ? `, at place ${place}` : ahead !== undefined ? `, ${ahead} before it` : ""
    return {
      code: "queue_waiting",
      says: `it waits in its queue${where}`,
      remedy: say`Wait for work before it to end, name another queue (${unquoted(["hardware", "queue"])}), or ask for less (${unquoted(["hardware"])}).`
    }
  }
  if (/untolerated taint|node affinity|node selector|didn't match/i.test(message) && !/insufficient/i.test(message))
    return {
      code: "no_node_matches",
      says: "no node has the labels, or is free of the taints, that it asks for",
      remedy: "Correct node selector and tolerations of the hardware profile, and submit again."
    }
  if (/insufficient/i.test(message))
    return {
      code: "no_node_fits",
      says: "no node has as much free as it asks for",
      remedy: say`Wait, ask for less CPU, memory or accelerators (${unquoted(["hardware"])}), or add a node.`
    }
  return { code: "unschedulable", says: knownCause("unschedulable").says, remedy: remedyOfCode("unschedulable") }
}

const toldBy = ({ code, message }: Message): Told =>
  code === "unschedulable" ? unschedulable(message) : { code, ...knownCause(code) }

const shownBytes = 400

const byWarning = (benchmark: Benchmark, warning: Message, since: string): Cause => {
  const { code, says, remedy } = toldBy(warning)
  return {
    ...{ code, remedy, since },
    says: `${nameOf(benchmark)} has not started: ${says}`,
    evidence: [
      {
        kind: warning.origin === "runtime" ? "condition" : "message",
        ref: placeOf(benchmark),
        text: `${warning.code}: ${cut(warning.message, shownBytes)}`
      }
    ]
  }
}

const interrupted = (benchmark: Benchmark, since: string): Cause => ({
  code: "interrupted",
  says: `${nameOf(benchmark)} was taken off its node and starts again from its beginning`,
  remedy: "Wait; ask for a higher priority or a queue that is not preempted if it repeats.",
  since,
  evidence:
    benchmark.warning === undefined
      ? [{ kind: "condition", ref: placeOf(benchmark), text: `off its node since ${since}` }]
      : [{ kind: "condition", ref: placeOf(benchmark), text: cut(benchmark.warning.message, shownBytes) }]
})

const silent = (benchmark: Benchmark, since: string): Cause => ({
  code: "adapter_silent",
  says: `${nameOf(benchmark)} was started and its adapter has reported nothing yet`,
  remedy: "Read the benchmark's log; timeouts.pending_seconds ends it when it stays silent.",
  since,
  evidence: [{ kind: "runtime", ref: `${placeOf(benchmark)}/logs`, text: `started at ${since}, no event since` }]
})

const noSlot = (benchmark: Benchmark, since: string, holders: ReadonlyArray<Evidence>): Cause => ({
  code: "waiting_for_slot",
  says: `${nameOf(benchmark)} waits for a place: as many benchmarks run as may run at once`,
  remedy: "Wait for another benchmark to end, cancel one, or raise local.workers.",
  since,
  evidence: [{ kind: "runtime", ref: placeOf(benchmark), text: "0 places are free" }, ...holders]
})

/** who has the places: whoever waits wants to look there next */
const holdersOf = ({ job, runtime }: Situation): ReadonlyArray<Evidence> => {
  const holders = runtime.holders ?? []
  const jobs = new Map(holders.map((holder) => [holder.job?.id, holder.job?.name]))
  return [...jobs].map(([id, name = ""]): Evidence => {
    const count = holders.filter((holder) => holder.job?.id === id).length
    const has = `has ${count} ${count === 1 ? "place" : "places"}`
    const [ref, who] =
      id === undefined
        ? ["job", "another tenant"]
        : id === job.id
          ? ["job", "this job"]
          : [`jobs/${id}`, `'${cut(name, shownBytes)}'`]
    return { kind: "runtime", ref, text: `${who} ${has}` }
  })
}

const launching = (benchmark: Benchmark, sight: UnitSight | undefined, since: string): Cause => ({
  code: "launching",
  says: `${nameOf(benchmark)} is about to be started`,
  remedy: "Wait a moment.",
  since,
  evidence: [
    { kind: "runtime", ref: placeOf(benchmark), text: `its unit is ${(sight?.status ?? "not made yet").toLowerCase()}` }
  ]
})

/** of those that are pending, or were taken off their node; the ones that merely follow their launch stand in `calm` */
export const explainWaiting = (
  situation: Situation,
  sights: ReadonlyMap<number, UnitSight>
): { readonly held: ReadonlyArray<Cause>; readonly calm: ReadonlyArray<Cause> } => {
  const { job, runtime } = situation
  const held: Array<Cause> = []
  const calm: Array<Cause> = []
  // told once, whatever number of benchmarks waits
  let holders = holdersOf(situation)
  for (const benchmark of job.benchmarks) {
    const { state, warning, spawnedAt, interruptedAt } = benchmark
    if (state !== "pending" && interruptedAt === undefined) continue
    const sight = sights.get(benchmark.index)
    if (interruptedAt !== undefined && state !== "completed" && state !== "failed" && state !== "cancelled")
      held.push(interrupted(benchmark, interruptedAt))
    else if (state !== "pending") continue
    else if (warning !== undefined) held.push(byWarning(benchmark, warning, job.createdAt))
    else if (spawnedAt !== undefined) calm.push(silent(benchmark, spawnedAt))
    else if (runtime.kind === "local" && runtime.freeSlots === 0 && sight?.status !== "Alive") {
      held.push(noSlot(benchmark, job.createdAt, holders))
      holders = []
    } else calm.push(launching(benchmark, sight, job.createdAt))
  }
  return { held, calm }
}

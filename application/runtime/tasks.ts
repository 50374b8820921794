/** The tasks that jobs cause: launching a benchmark, and cleaning up after one or after a whole job. */
import type { Benchmark } from "../../domain/job/job.ts"
import type { NewTask } from "../ports/task-queue.ts"

interface JobRef {
  readonly id: string
  readonly tenant: string
}

const unitTaskKey = (jobId: string, benchmark: Pick<Benchmark, "index" | "attempt">) =>
  `${jobId}/${benchmark.index}/${benchmark.attempt}`

/** which launch of its benchmark a launch task is about */
export const attemptOf = ({ key }: Pick<NewTask, "key">): number => Number(key.slice(key.lastIndexOf("/") + 1))

/** one per benchmark, stored with the job; the order within the job is that of the benchmarks */
export const launchTask = (job: JobRef, benchmark: Pick<Benchmark, "index" | "attempt">): NewTask => ({
  kind: "launch",
  key: unitTaskKey(job.id, benchmark),
  jobId: job.id,
  tenant: job.tenant,
  index: benchmark.index,
  order: benchmark.index
})

/** ends the unit of one benchmark that became terminal while it may still run; its logs stay */
export const unitCleanupTask = (job: JobRef, benchmark: Pick<Benchmark, "index" | "attempt">): NewTask => ({
  kind: "cleanup",
  key: unitTaskKey(job.id, benchmark),
  jobId: job.id,
  tenant: job.tenant,
  index: benchmark.index,
  order: 0
})

/** ends every unit of a cancelled job; logs stay */
export const cancelCleanupTask = (job: JobRef): NewTask => ({
  kind: "cleanup",
  key: job.id,
  jobId: job.id,
  tenant: job.tenant,
  order: 0
})

/**
 * Removes everything of a job that was deleted for good, then its tombstone. A key of its own: the clean-up of an earlier cancel may be
 * under way and does not know of the deletion.
 */
export const removalCleanupTask = (job: JobRef): NewTask => ({ ...cancelCleanupTask(job), key: `${job.id}/removed` })

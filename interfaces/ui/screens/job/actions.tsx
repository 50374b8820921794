/** What can be done with a job. What cannot be taken back asks once more. */
import { useSignal } from "@preact/signals"
import { useLocation } from "preact-iso/router"
import { ask } from "../../data/answer.ts"
import { isOver, type Job } from "../../data/job.ts"
import type { Problem } from "../../data/problem.ts"
import { ProblemNote } from "../../parts/problem.tsx"

type Which = "failed" | "invalid" | "all"

/** those that have something to run again */
const rerunsOf = ({ status, results }: Job): ReadonlyArray<readonly [which: Which, label: string]> => [
  ...(status.benchmarks.some((one) => one.status === "failed" || one.status === "cancelled")
    ? ([["failed", "Run again what failed"]] as const)
    : []),
  ...(results.benchmarks.some(({ validity }) => validity?.status === "invalid")
    ? ([["invalid", "Run again what is invalid"]] as const)
    : []),
  ["all", "Run again"]
]

export const Actions = ({ job }: { readonly job: Job }) => {
  const { route } = useLocation()
  const problem = useSignal<Problem | undefined>(undefined)
  const isBusy = useSignal(false)
  const isSure = useSignal(false)
  const path = { id: job.resource.id }
  const cancel = async () => {
    if (!isSure.value) {
      isSure.value = true
      return
    }
    isSure.value = false
    isBusy.value = true
    const asked = await ask("cancelJob", { path })
    isBusy.value = false
    problem.value = asked.ok ? undefined : asked.problem
  }
  const rerun = async (which: Which) => {
    isBusy.value = true
    const asked = await ask("rerunJob", { path, payload: { which, reuse: which !== "all" } })
    isBusy.value = false
    problem.value = asked.ok ? undefined : asked.problem
    if (asked.ok) route(`/jobs/${encodeURIComponent(asked.value.resource.id)}`)
  }
  return (
    <>
      {problem.value !== undefined && <ProblemNote problem={problem.value} />}
      <p class="actions">
        {isOver(job) ? (
          rerunsOf(job).map(([which, label]) => (
            <button key={which} type="button" disabled={isBusy.value} onClick={() => rerun(which)}>
              {label}
            </button>
          ))
        ) : (
          <button type="button" disabled={isBusy.value} onClick={cancel}>
            {isSure.value ? "Really cancel the job?" : "Cancel the job"}
          </button>
        )}
        <a class="button" href={`/compare?jobs=${encodeURIComponent(job.resource.id)}`}>
          Compare with …
        </a>
      </p>
    </>
  )
}

/** Whether a candidate may be let through: a policy, its decision, and what was decided before. */
import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { ask, useAnswer } from "../../data/answer.ts"
import type { Problem } from "../../data/problem.ts"
import { visible } from "../../format.ts"
import { Filling, focusProblem } from "../../parts/fields.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { Decision } from "./decision.tsx"
import type { Candidate, Comparison } from "./differences.ts"
import { type Asked, Criteria, firstCriterion } from "./policy.tsx"

/** as many as are of use; the command line and the API list all of them */
const shownDecisions = 5

const Decisions = ({ job, baseline }: { readonly job: string; readonly baseline: string }) => {
  const { value, problem, reload } = useAnswer("listJobGates", { path: { id: job }, urlParams: { limit: 20 } })
  // a job's list has those as well that it was the baseline of
  const decided = value?.items.filter((gate) => gate.job.job === job && gate.baseline?.job === baseline) ?? []
  return (
    <>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {decided.slice(0, shownDecisions).map((gate) => (
        <Decision key={gate.resource.id} gate={gate} />
      ))}
      {value !== undefined && decided.length === 0 && (
        <p class="muted">No policy has judged this candidate against this baseline yet.</p>
      )}
    </>
  )
}

const Judge = ({
  candidate,
  baseline,
  onDecided
}: {
  readonly candidate: Candidate
  readonly baseline: string
  readonly onDecided: () => void
}) => {
  const form = useRef<HTMLFormElement>(null)
  const draft = useSignal<Asked>({ policy: { criteria: [firstCriterion(candidate)] } })
  const problem = useSignal<Problem | undefined>(undefined)
  const isBusy = useSignal(false)
  const judge = async () => {
    isBusy.value = true
    const asked = await ask("createGate", {
      path: { id: candidate.job },
      payload: { ...draft.value, baseline: { job: baseline } }
    })
    isBusy.value = false
    problem.value = asked.ok ? undefined : asked.problem
    if (asked.ok) onDecided()
    else focusProblem(form.current)
  }
  return (
    <Filling.Provider value={{ draft, problem }}>
      <form
        ref={form}
        aria-label="Policy"
        onSubmit={(event) => {
          event.preventDefault()
          void judge()
        }}
      >
        <Criteria draft={draft} benchmarks={candidate.benchmarks} />
        {problem.value !== undefined && <ProblemNote problem={problem.value} />}
        <p class="actions">
          <button type="submit" class="primary" disabled={isBusy.value}>
            Judge by this policy
          </button>
        </p>
        <p class="remark">
          The decision is kept. Every further look at the same model and baseline with the same policy has less of alpha
          left.
        </p>
      </form>
    </Filling.Provider>
  )
}

export const Gate = ({ comparison: { baseline, candidates } }: { readonly comparison: Comparison }) => {
  const chosen = useSignal<string | undefined>(undefined)
  /** counts the decisions that were made here, each of which makes the list a new one */
  const round = useSignal(0)
  const candidate = candidates.find(({ job }) => job === chosen.value) ?? candidates[0]
  if (candidate === undefined) return null
  return (
    <section aria-labelledby="gate">
      <h2 id="gate">Gate: may it be let through</h2>
      {candidates.length > 1 && (
        <div class="filters">
          <label>
            Candidate
            <select
              value={candidate.job}
              onInput={({ currentTarget }) => {
                chosen.value = currentTarget.value
              }}
            >
              {candidates.map(({ job, name }) => (
                <option key={job} value={job}>
                  {visible(name)}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      <Decisions key={`${candidate.job} ${baseline.job} ${round.value}`} job={candidate.job} baseline={baseline.job} />
      <details class="part">
        <summary>
          <h3>Judge by a policy</h3>
        </summary>
        <Judge
          key={candidate.job}
          candidate={candidate}
          baseline={baseline.job}
          onDecided={() => {
            round.value++
          }}
        />
      </details>
    </section>
  )
}

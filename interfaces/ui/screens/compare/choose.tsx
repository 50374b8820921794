/** Which jobs: those that were chosen, the baseline first, and recent ones that have ended to choose from. */
import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { useAnswer } from "../../data/answer.ts"
import { scoreOf } from "../../data/job.ts"
import { visible } from "../../format.ts"
import { ProblemNote } from "../../parts/problem.tsx"
import { Rows } from "../../parts/rows.tsx"
import { ScoreCell } from "../../parts/score.tsx"
import { Time } from "../../parts/time.tsx"
import { mostJobs } from "./selection.ts"

/** milliseconds after the last key */
const typingPause = 350

interface Choice {
  readonly jobs: ReadonlyArray<string>
  readonly onChange: (jobs: ReadonlyArray<string>) => void
}

/** `names`: those that are known by now; `onChange` absent: nothing can be changed */
export const Chosen = ({
  jobs,
  names,
  onChange
}: Pick<Choice, "jobs"> & Partial<Choice> & { readonly names: { readonly [id: string]: string } }) => (
  <ol class="chosen" aria-label="Chosen jobs">
    {jobs.map((id, at) => {
      const name = visible(names[id] ?? id)
      return (
        <li key={id}>
          <span class="muted">{at === 0 ? "Baseline" : "Candidate"}</span>{" "}
          <a href={`/jobs/${encodeURIComponent(id)}`}>
            <bdi>{name}</bdi>
          </a>{" "}
          {onChange !== undefined && at > 0 && (
            <button
              type="button"
              class="plain"
              aria-label={`Make it the baseline: ${name}`}
              onClick={() => onChange([id, ...jobs.filter((one) => one !== id)])}
            >
              Make it the baseline
            </button>
          )}
          {onChange !== undefined && (
            <button
              type="button"
              class="plain"
              aria-label={`Leave out ${name}`}
              onClick={() => onChange(jobs.filter((one) => one !== id))}
            >
              Leave out
            </button>
          )}
        </li>
      )
    })}
  </ol>
)

const Candidates = ({ jobs, onChange, name }: Choice & { readonly name: string }) => {
  const { value, problem, isLoading, reload } = useAnswer("listJobs", {
    urlParams: {
      status: "completed|partially_failed",
      limit: 20,
      fields: "resource,name,model,status,results",
      ...(name === "" ? {} : { name })
    }
  })
  if (value === undefined)
    return problem === undefined ? <p class="empty">Loading …</p> : <ProblemNote problem={problem} onRetry={reload} />
  return (
    <>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      <Rows titles={["Job", "Model", "Score", "Created"]} isBusy={isLoading}>
        {value.items.map((job) => {
          if (!("status" in job)) return undefined
          const { id, created_at } = job.resource
          const isChosen = jobs.includes(id)
          return (
            <tr key={id}>
              <th scope="row">
                <label class="check">
                  <input
                    type="checkbox"
                    checked={isChosen}
                    disabled={!isChosen && jobs.length >= mostJobs}
                    onInput={() => onChange(isChosen ? jobs.filter((one) => one !== id) : [...jobs, id])}
                  />{" "}
                  <bdi>{visible(job.name)}</bdi>
                </label>
              </th>
              <td data-label="Model">
                <bdi>{visible(job.model.name)}</bdi>
              </td>
              <td data-label="Score">
                <ScoreCell score={scoreOf(job)} />
              </td>
              <td data-label="Created">
                <Time at={created_at} />
              </td>
            </tr>
          )
        })}
      </Rows>
      {value.items.length === 0 && <p class="empty">No job that has ended has this in its name.</p>}
    </>
  )
}

export const Choose = ({ jobs, onChange }: Choice) => {
  const name = useSignal("")
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  return (
    <>
      <div class="filters">
        <label>
          Name
          <input
            type="search"
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget: { value } }) => {
              clearTimeout(timer.current)
              timer.current = setTimeout(() => {
                name.value = value.trim()
              }, typingPause)
            }}
          />
        </label>
      </div>
      <Candidates jobs={jobs} onChange={onChange} name={name.value} />
    </>
  )
}

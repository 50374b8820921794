/** Why a job is where it is, with the evidence and what to do, as the service explains it. */
import { useEffect } from "preact/hooks"
import { useAnswer } from "../../data/answer.ts"
import { visible } from "../../format.ts"
import { ProblemNote } from "../../parts/problem.tsx"
import { Time } from "../../parts/time.tsx"

/** what is said of another job leads to it */
const Evidence = ({ at, text }: { readonly at: string; readonly text: string }) =>
  at.startsWith("jobs/") ? (
    <a href={`/jobs/${encodeURIComponent(at.slice("jobs/".length))}`}>{visible(text)}</a>
  ) : (
    <>
      <span class="muted">{visible(at)}</span> {visible(text)}
    </>
  )

export const Findings = ({ id, state }: { readonly id: string; readonly state: string }) => {
  const { value, problem, reload } = useAnswer("explainJob", { path: { id } })
  // another state has other reasons
  useEffect(reload, [state])
  return (
    <section aria-labelledby="why">
      <h2 id="why">Why</h2>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      <ol class="findings">
        {value?.findings.map(({ code, says, remedy, since, eta, evidence }, at) => (
          <li key={`${code} ${says}`}>
            <p>
              <strong>{visible(says)}</strong> <code>{visible(code)}</code>{" "}
              <span class="muted">
                since <Time at={since} />
                {eta !== undefined && (
                  <>
                    , may end <Time at={eta} />
                  </>
                )}
              </span>
            </p>
            <p>{visible(remedy)}</p>
            {evidence.length > 0 && (
              // of the first, which is to be looked at first, at once
              <details open={at === 0}>
                <summary>Evidence ({evidence.length})</summary>
                <ul>
                  {evidence.map((one) => (
                    <li key={`${one.ref} ${one.text}`}>
                      <Evidence at={one.ref} text={one.text} />
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

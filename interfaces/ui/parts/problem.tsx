/** What went wrong, why, and what to do; announced to those who do not see it. */
import type { Problem } from "../data/problem.ts"
import { visible } from "../format.ts"

export const ProblemNote = ({
  problem: { message, code, remedy, errors = [] },
  onRetry
}: {
  readonly problem: Problem
  readonly onRetry?: () => void
}) => (
  <div class="note bad" role="alert">
    <p>
      <strong>{visible(message)}</strong> {code !== undefined && <code>{visible(code)}</code>}
    </p>
    {errors.length > 1 && (
      <ul>
        {errors.map((error) => (
          <li key={`${error.path} ${error.message}`}>
            <code>{visible(error.path)}</code> {visible(error.message)}
          </li>
        ))}
      </ul>
    )}
    {remedy !== undefined && <p>{remedy}</p>}
    {onRetry !== undefined && (
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    )}
  </div>
)

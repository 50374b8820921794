/** A decision: the outcome, and each criterion with what it was judged by. */
import type { RecordOf } from "../../data/answer.ts"
import { chance, count, number, visible } from "../../format.ts"
import { Badge } from "../../parts/badge.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { Rows } from "../../parts/rows.tsx"
import { Time } from "../../parts/time.tsx"
import { signed } from "./forest.tsx"

type Gate = RecordOf<"createGate">
type Judged = Gate["criteria"][number]

/** what had to hold */
const wantedOf = ({ kind, threshold, tolerance, direction }: Judged): string => {
  if (kind === "absolute")
    return threshold === undefined
      ? "a value"
      : `${direction === "lower" ? "at most" : "at least"} ${number(threshold)}`
  const loss = tolerance === undefined ? "" : ` ${number(tolerance)}`
  return kind === "relative_fraction" ? `loses at most the share${loss} of the baseline` : `loses at most${loss}`
}

const Shown = ({ judged }: { readonly judged: Judged }) => {
  const { value, loss, bounds } = judged
  const shown = judged.kind === "absolute" ? value : loss
  if (shown === undefined) return <Nothing />
  const text = judged.kind === "absolute" ? number : signed
  return (
    <span class="number">
      <strong>
        {judged.kind === "absolute" ? "" : "loss "}
        {text(shown)}
      </strong>
      {bounds !== undefined && (
        <span class="muted">
          {" "}
          {text(bounds.low)} to {text(bounds.high)}
        </span>
      )}
    </span>
  )
}

const titles = ["Benchmark", "Must hold", "Outcome", "Shown", "Items", "p", "Why"]

export const Decision = ({ gate }: { readonly gate: Gate }) => {
  const { outcome, look, policy, policy_sha256: digest, criteria, resource } = gate
  return (
    <div class="part">
      <p>
        <Badge word={outcome} />{" "}
        <strong>
          <bdi>{visible(policy.name ?? "policy without a name")}</bdi>
        </strong>{" "}
        <span class="muted">
          look {look}, policy <code>{digest.slice(0, 12)}</code>, <Time at={resource.created_at} /> by{" "}
          {visible(resource.owner)}
        </span>
      </p>
      <Rows titles={titles}>
        {criteria.map((judged, at) => (
          // criteria are a list, and a decision never changes
          <tr key={at}>
            <th scope="row">
              <bdi>{visible(judged.benchmark)}</bdi>{" "}
              <span class="muted">
                {visible(judged.metric ?? "")}
                {judged.tier === "advisory" && " advisory"}
              </span>
            </th>
            <td data-label="Must hold">{wantedOf(judged)}</td>
            <td data-label="Outcome">
              <Badge word={judged.outcome} />
            </td>
            <td data-label="Shown">
              <Shown judged={judged} />
            </td>
            <td data-label="Items">
              {judged.n === undefined ? <Nothing /> : <span class="number">{count(judged.n)}</span>}
            </td>
            <td data-label="p">
              {judged.p_holm === undefined && judged.p === undefined ? (
                <Nothing />
              ) : (
                <span class="number">{chance(judged.p_holm ?? judged.p ?? 0)}</span>
              )}
            </td>
            <td data-label="Why">
              {(judged.message ?? judged.reason) === undefined ? (
                <Nothing />
              ) : (
                visible(judged.message ?? judged.reason ?? "")
              )}
            </td>
          </tr>
        ))}
      </Rows>
    </div>
  )
}

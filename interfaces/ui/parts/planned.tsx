/** What a plan says of one benchmark, of a job that would run and of one that was stored alike: each value with where it comes from. */
import type { RecordOf } from "../data/answer.ts"
import { visible } from "../format.ts"
import { From, NumberFrom } from "./from.tsx"
import { Nothing } from "./nothing.tsx"

export type Plan = RecordOf<"getJobPlan">
export type Planned = Plan["benchmarks"][number]

/** what is started for it: a command, or a container, whose image a provider need not name */
export const Started = ({ benchmark: { image, entrypoint, command } }: { readonly benchmark: Planned }) => (
  <>
    {image === undefined && command === undefined && <p class="remark">the server's own image</p>}
    {[image, entrypoint?.join(" "), command].map(
      (text) =>
        text !== undefined && (
          <p key={text} class="remark">
            <code>{visible(text)}</code>
          </p>
        )
    )}
  </>
)

/** the cells of what it is judged by: its metric, and its threshold */
export const JudgedBy = ({ benchmark: { primary_score: score, threshold } }: { readonly benchmark: Planned }) => (
  <>
    <td data-label="Metric">
      {score === undefined ? (
        <Nothing />
      ) : (
        <span>
          {visible(score.metric)}
          {score.lower_is_better && ", lower is better"}
          <From source={score.source} />
        </span>
      )}
    </td>
    <td data-label="Threshold">
      {threshold === undefined ? <Nothing /> : <NumberFrom value={threshold.value} source={threshold.source} />}
    </td>
  </>
)

export const ResourcesOf = ({ benchmark: { resources, queue } }: { readonly benchmark: Planned }) => (
  <div>
    {(["cpu", "memory"] as const).map((kind) => {
      const [least, most] = [resources[`${kind}_request`], resources[`${kind}_limit`]]
      return (
        <p key={kind} class="remark">
          {kind} {visible(least.value)}
          {least.source !== most.source && <From source={least.source} />} to {visible(most.value)}
          <From source={most.source} />
        </p>
      )
    })}
    {resources.extended?.map(({ name, limit, source }) => (
      <p key={name} class="remark">
        {visible(name)} {visible(limit)}
        <From source={source} />
      </p>
    ))}
    {queue !== undefined && (
      <p class="remark">
        queue {visible(queue.name)}
        <From source={queue.source} />
      </p>
    )}
  </div>
)

/** where the benchmarks of a plan run */
export const placeOf = (runtime: Plan["runtime"]): string =>
  runtime === "local" ? "on the server's machine" : "in the cluster"

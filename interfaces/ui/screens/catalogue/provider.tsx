/** One provider: what it is for, how it runs, and which parameters its benchmarks take. */
import { useRoute } from "preact-iso/router"
import { type RecordOf, useAnswer } from "../../data/answer.ts"
import { count, visible } from "../../format.ts"
import { Nothing } from "../../parts/nothing.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { Rows } from "../../parts/rows.tsx"
import { useTitle } from "../../parts/title.ts"
import { About, Fact, Tags } from "./about.tsx"
import { Tabs } from "./tabs.tsx"

type Provider = RecordOf<"getProvider">

const shown = (value: unknown): string | undefined =>
  value === undefined ? undefined : visible(typeof value === "string" ? value : JSON.stringify(value))

const Parameters = ({ parameters }: { readonly parameters: NonNullable<Provider["parameters"]> }) => (
  <section aria-labelledby="parameters">
    <h2 id="parameters">Parameters</h2>
    <Rows titles={["Parameter", "Type", "Default", "Allowed"]}>
      {parameters.map(({ name, type, description, default: initial, enum: values, minimum, maximum, required }) => {
        const allowed = [
          ...(values === undefined ? [] : [values.map(shown).join(", ")]),
          ...(minimum === undefined ? [] : [`at least ${minimum}`]),
          ...(maximum === undefined ? [] : [`at most ${maximum}`])
        ]
        return (
          <tr key={name}>
            <th scope="row">
              <code>{visible(name)}</code>
              {description !== undefined && <p class="remark">{visible(description)}</p>}
            </th>
            <td data-label="Type">{type}</td>
            <td data-label="Default">
              {shown(initial) ?? <Nothing says={required === true ? "must be given" : "–"} />}
            </td>
            <td data-label="Allowed">{allowed.length === 0 ? <Nothing /> : allowed.join(", ")}</td>
          </tr>
        )
      })}
    </Rows>
  </section>
)

export const ProviderScreen = () => {
  const id = useRoute().params["id"] ?? ""
  const { value, problem, reload } = useAnswer("getProvider", { path: { id } })
  useTitle(value === undefined ? "Provider" : visible(value.title ?? value.name))
  if (value === undefined)
    return (
      <>
        <h1>Provider</h1>
        <Tabs />
        {problem === undefined ? <p class="empty">Loading …</p> : <ProblemNote problem={problem} onRetry={reload} />}
      </>
    )
  const { title, name, description, tags, agent, runtime, benchmarks, parameters = [], resource } = value
  return (
    <>
      <div class="title">
        <h1>
          <bdi>{visible(title ?? name)}</bdi>
        </h1>
        <span class="muted">{visible(resource.id)}</span>
      </div>
      <Tabs />
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {description !== undefined && <p>{visible(description)}</p>}
      <dl class="facts">
        <Fact name="Benchmarks">
          <a href={`/catalogue?${new URLSearchParams({ provider_id: resource.id })}`}>
            Show {count(benchmarks.length)} of them
          </a>
        </Fact>
        {runtime.local !== undefined && (
          <Fact name="Runs on this machine as">
            <code>{visible(runtime.local.command)}</code>
          </Fact>
        )}
        {runtime.k8s !== undefined && (
          <Fact name="Runs in a cluster from">
            <code>{visible(runtime.k8s.image ?? "the image of the service")}</code>
          </Fact>
        )}
        {tags !== undefined && tags.length > 0 && (
          <Fact name="Tags">
            <Tags tags={tags} />
          </Fact>
        )}
        <About about={agent} />
      </dl>
      {parameters.length > 0 && <Parameters parameters={parameters} />}
    </>
  )
}

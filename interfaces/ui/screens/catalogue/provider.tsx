/** One provider: what it is for, how it runs, and which parameters its benchmarks take. */
import { useRoute } from "preact-iso/router"
import { type RecordOf, useAnswer } from "../../data/answer.ts"
import { count, visible } from "../../format.ts"
import { Fact } from "../../parts/fact.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { Rows } from "../../parts/rows.tsx"
import { Definition } from "./definition.tsx"

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
  const answer = useAnswer("getProvider", { path: { id } })
  return (
    <Definition
      kind="Provider"
      answer={answer}
      facts={({ benchmarks, resource, runtime: { local, k8s } }) => (
        <>
          <Fact name="Benchmarks">
            <a href={`/catalogue?${new URLSearchParams({ provider_id: resource.id })}`}>
              Show {count(benchmarks.length)} of them
            </a>
          </Fact>
          {local !== undefined && (
            <Fact name="Runs on this machine as">
              <code>{visible(local.command)}</code>
            </Fact>
          )}
          {k8s !== undefined && (
            <Fact name="Runs in a cluster from">
              <code>{visible(k8s.image ?? "the image of the service")}</code>
            </Fact>
          )}
        </>
      )}
    >
      {({ parameters = [] }) => parameters.length > 0 && <Parameters parameters={parameters} />}
    </Definition>
  )
}

/** The frameworks whose benchmarks can be run. */
import { type RecordOf, useAnswer } from "../../data/answer.ts"
import { givenIn, useQuery } from "../../data/query.ts"
import { visible } from "../../format.ts"
import { ChoiceFilter, TextFilter } from "../../parts/filter-form.tsx"
import { Tags } from "./about.tsx"
import { Listing } from "./listing.tsx"
import { offsetOf } from "./paging.tsx"
import { scopes } from "./scopes.ts"

const filterNames = ["name", "tags", "scope"] as const

type Provider = RecordOf<"getProvider">

const Row = ({ provider }: { readonly provider: Omit<Provider, "benchmarks"> }) => {
  const { resource, name, title, description, tags, agent } = provider
  return (
    <tr>
      <th scope="row">
        <a href={`/catalogue/providers/${encodeURIComponent(resource.id)}`}>
          <bdi>{visible(title ?? name)}</bdi>
        </a>{" "}
        <span class="muted">{visible(resource.id)}</span>
        {(agent?.summary ?? description) !== undefined && (
          <p class="remark">{visible(agent?.summary ?? description ?? "")}</p>
        )}
      </th>
      <td data-label="Evaluates">
        <Tags tags={agent?.evaluates} />
      </td>
      <td data-label="Tags">
        <Tags tags={tags} />
      </td>
      <td data-label="Benchmarks">
        <a
          class="number"
          href={`/catalogue?${new URLSearchParams({ provider_id: resource.id })}`}
          aria-label={`Show benchmarks of ${visible(name)}`}
        >
          Show
        </a>
      </td>
    </tr>
  )
}

export const ProvidersScreen = () => {
  const query = useQuery()
  const answer = useAnswer("listProviders", {
    urlParams: { ...givenIn(query, filterNames), benchmarks: false, limit: 50, offset: offsetOf(query) }
  })
  return (
    <Listing
      kind={["provider", "providers"]}
      address="/catalogue/providers"
      answer={answer}
      query={query}
      filters={
        <>
          <TextFilter name="name" label="Name" query={query} />
          <TextFilter name="tags" label="Tags" query={query} />
          <ChoiceFilter name="scope" label="Made" query={query} choices={scopes} />
        </>
      }
      titles={["Provider", "Evaluates", "Tags", "Benchmarks"]}
      // without `fields` every record is whole but for its benchmarks
      row={(provider) => "runtime" in provider && <Row key={provider.resource.id} provider={provider} />}
    />
  )
}

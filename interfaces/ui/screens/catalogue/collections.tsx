/** Named sets of benchmarks. */
import { type RecordOf, useAnswer } from "../../data/answer.ts"
import { givenIn, useQuery } from "../../data/query.ts"
import { count, visible } from "../../format.ts"
import { TextFilter } from "../../parts/filter-form.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { Tags, thresholdText } from "./about.tsx"
import { FacetFilters } from "./facets.tsx"
import { Listing } from "./listing.tsx"
import { offsetOf } from "./paging.tsx"

const facets = [
  ["category", "Category"],
  ["tags", "Tag"],
  ["scope", "Made"]
] as const

const filterNames = ["name", ...facets.map(([name]) => name)] as const

const titles = ["Collection", "Category", "Tags", "Benchmarks", "Threshold", "Run"]

type Collection = RecordOf<"getCollection">

const Row = ({ collection }: { readonly collection: Collection }) => {
  const { resource, name, category, tags, description, benchmarks, pass_criteria } = collection
  const threshold = thresholdText(pass_criteria?.threshold, false)
  return (
    <tr>
      <th scope="row">
        <a href={`/catalogue/collections/${encodeURIComponent(resource.id)}`}>
          <bdi>{visible(name)}</bdi>
        </a>
        {description !== undefined && <p class="remark">{visible(description)}</p>}
      </th>
      <td data-label="Category">{visible(category)}</td>
      <td data-label="Tags">
        <Tags tags={tags} />
      </td>
      <td data-label="Benchmarks">
        <span class="number">{count(benchmarks.length)}</span>
      </td>
      <td data-label="Threshold">{threshold === undefined ? <Nothing /> : <span class="number">{threshold}</span>}</td>
      <td data-label="Run">
        <a
          class="number"
          href={`/new?${new URLSearchParams({ collection: resource.id })}`}
          aria-label={`Run ${visible(name)}`}
        >
          Run
        </a>
      </td>
    </tr>
  )
}

export const CollectionsScreen = () => {
  const query = useQuery()
  const given = givenIn(query, filterNames)
  const answer = useAnswer("listCollections", { urlParams: { ...given, limit: 50, offset: offsetOf(query) } })
  const { value: counts } = useAnswer("getCollectionFacets", { urlParams: given })
  return (
    <Listing
      kind={["collection", "collections"]}
      address="/catalogue/collections"
      answer={answer}
      query={query}
      filters={
        <>
          <TextFilter name="name" label="Name" query={query} />
          <FacetFilters facets={facets} counts={counts} query={query} />
        </>
      }
      titles={titles}
      // without `fields` every record is whole
      row={(collection) => "benchmarks" in collection && <Row key={collection.resource.id} collection={collection} />}
    />
  )
}

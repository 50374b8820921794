/** Benchmarks of all providers as one list: filters, facets and order. Reference: api.md, "Lists", "Facets". */
import { type FacetValue, facet } from "../facets.ts"
import { matchesName, matchesTags, type TagFilter } from "../list-filter.ts"
import { inListOrder, type Scope } from "./definition-page.ts"
import type { Provider, ProviderBenchmark } from "./provider.ts"

export interface OfferedBenchmark {
  readonly provider: Provider
  readonly benchmark: ProviderBenchmark
}

export interface BenchmarkFilter {
  /** part of the identifier, name or description, in any case */
  readonly text?: string
  /** exact */
  readonly providerId?: string
  /** exact */
  readonly category?: string
  readonly tags?: TagFilter
  /** what the provider says that it evaluates */
  readonly evaluates?: TagFilter
  /** absent: all */
  readonly scope?: Scope
}

const matches =
  (filter: BenchmarkFilter) =>
  ({ provider, benchmark }: OfferedBenchmark): boolean =>
    (filter.scope === undefined || provider.scope === filter.scope) &&
    (filter.providerId === undefined || provider.id === filter.providerId) &&
    (filter.category === undefined || benchmark.category === filter.category) &&
    [benchmark.id, benchmark.name, benchmark.description ?? ""].some((one) => matchesName(one, filter.text)) &&
    matchesTags(benchmark.tags, filter.tags) &&
    matchesTags(provider.agent?.evaluates, filter.evaluates)

/** those that match: providers in the order of their list, the benchmarks of each in its own */
export const offeredBenchmarks = (
  providers: ReadonlyArray<Provider>,
  filter: BenchmarkFilter
): ReadonlyArray<OfferedBenchmark> =>
  inListOrder(providers)
    .flatMap((provider) => provider.benchmarks.map((benchmark) => ({ provider, benchmark })))
    .filter(matches(filter))

export interface BenchmarkFacets {
  readonly providerId: ReadonlyArray<FacetValue>
  readonly category: ReadonlyArray<FacetValue>
  readonly tags: ReadonlyArray<FacetValue>
  readonly evaluates: ReadonlyArray<FacetValue>
}

export const benchmarkFacets = (offered: ReadonlyArray<OfferedBenchmark>): BenchmarkFacets => ({
  providerId: facet(offered.map(({ provider }) => [provider.id])),
  category: facet(offered.map(({ benchmark }) => [benchmark.category])),
  tags: facet(offered.map(({ benchmark }) => benchmark.tags ?? [])),
  evaluates: facet(offered.map(({ provider }) => provider.agent?.evaluates ?? []))
})

/** Provider and collection records as they go out. Reference: providers-and-collections.md, "Provider file", "Collection file"; the bodies are `config/definition-schemas.ts`. */
import { Schema } from "effect"
import { CollectionBody, ProviderBenchmark, ProviderBody } from "../../../config/definition-schemas.ts"
import { listWithErrors } from "./lists.ts"
import { dateTime, given, integer, Texts, text } from "./shapes.ts"

const Resource = Schema.Struct({
  id: text("identifier of the record"),
  tenant: given(text("tenant namespace; absent on built-in records")),
  created_at: dateTime("when the record was created"),
  updated_at: dateTime("when the record last changed"),
  owner: given(text("identity that created the record; `system` for built-in records"))
}).annotations({ identifier: "Resource" })

export const Provider = Schema.Struct({ resource: Resource, ...ProviderBody.fields }).annotations({
  identifier: "Provider",
  description: "An evaluation framework: how it runs and which benchmarks it offers."
})

export const Collection = Schema.Struct({ resource: Resource, ...CollectionBody.fields }).annotations({
  identifier: "Collection",
  description: "A named, reusable set of benchmarks with weights and pass criteria."
})

const OfferedBenchmark = Schema.Struct({
  provider_id: text("provider that offers it"),
  scope: Schema.Literal("system", "tenant"),
  evaluates: given(Texts.annotations({ description: "what its provider says that it evaluates" })),
  ...ProviderBenchmark.fields
}).annotations({ identifier: "OfferedBenchmark", description: "A benchmark with the provider that offers it." })

const Facet = Schema.Array(
  Schema.Struct({ value: Schema.String, count: integer("records that match and have the value") })
).annotations({ identifier: "Facet", description: "at most 100 values, most frequent first" })

const BenchmarkFacets = Schema.Struct({
  provider_id: Facet,
  category: Facet,
  tags: Facet,
  evaluates: Facet
}).annotations({ identifier: "BenchmarkFacets" })

export const BenchmarkList = Schema.Struct({
  ...listWithErrors("BenchmarkPage", OfferedBenchmark).fields,
  facets: given(BenchmarkFacets)
}).annotations({ identifier: "BenchmarkList" })

export const CollectionFacets = Schema.Struct({
  total_count: integer("collections that match"),
  scope: Facet,
  category: Facet,
  tags: Facet,
  evaluates: Facet
}).annotations({ identifier: "CollectionFacets", description: "What the list of collections can be narrowed by." })

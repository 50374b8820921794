/** From the decoded wire form to the shape the domain uses: `pass_criteria.threshold` is flattened and benchmark defaults are applied. */
import type { CollectionBody, ProviderBody } from "./definition-schemas.ts"

const threshold = (criteria: { readonly threshold?: number } | undefined) =>
  criteria?.threshold === undefined ? {} : { threshold: criteria.threshold }

/** a benchmark needs only `id`: `name` defaults to it, `category` to `other`, `metrics` to none (api.md, "Bodies") */
export const definitionOfProvider = ({
  name,
  title,
  description,
  tags,
  agent,
  runtime,
  parameters,
  requirements,
  benchmarks
}: ProviderBody) => ({
  name,
  ...(title === undefined ? {} : { title }),
  ...(description === undefined ? {} : { description }),
  ...(tags === undefined ? {} : { tags }),
  ...(agent === undefined ? {} : { agent }),
  runtime,
  ...(parameters === undefined ? {} : { parameters }),
  ...(requirements === undefined ? {} : { requirements }),
  benchmarks: benchmarks.map(({ passCriteria, ...benchmark }) => ({
    ...benchmark,
    name: benchmark.name ?? benchmark.id,
    category: benchmark.category ?? "other",
    metrics: benchmark.metrics ?? [],
    ...threshold(passCriteria)
  }))
})

export const definitionOfCollection = ({
  name,
  category,
  description,
  tags,
  custom,
  agent,
  passCriteria,
  benchmarks
}: CollectionBody) => ({
  name,
  category,
  ...(description === undefined ? {} : { description }),
  ...(tags === undefined ? {} : { tags }),
  ...(custom === undefined ? {} : { custom }),
  ...threshold(passCriteria),
  ...(agent === undefined ? {} : { agent }),
  benchmarks: benchmarks.map(({ passCriteria, testDataRef, ...entry }) => ({
    ...entry,
    ...threshold(passCriteria),
    ...(testDataRef === undefined ? {} : { testData: testDataRef })
  }))
})

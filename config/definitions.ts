/** From the decoded wire form to the shape the domain uses: `pass_criteria.threshold` is flattened and benchmark defaults are applied. */

import { defined } from "../values/defined.ts"
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
  ...defined({ title, description, tags, agent }),
  runtime,
  ...defined({ parameters, requirements }),
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
  ...defined({ description, tags, custom }),
  ...threshold(passCriteria),
  ...defined({ agent }),
  benchmarks: benchmarks.map(({ passCriteria, testDataRef, ...entry }) => ({
    ...entry,
    ...threshold(passCriteria),
    ...defined({ testData: testDataRef })
  }))
})

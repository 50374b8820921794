/** Provider and collection records as wire objects and texts. Optional members are absent, never null. Reference: providers-and-collections.md, "Provider file", "Collection file". */
import type { Collection, CollectionEntry } from "../../../domain/collection/collection.ts"
import { facet } from "../../../domain/facets.ts"
import type { OfferedBenchmark } from "../../../domain/provider/benchmark-query.ts"
import type {
  AgentMetadata,
  ParameterDeclaration,
  Provider,
  ProviderBenchmark
} from "../../../domain/provider/provider.ts"
import type { KubernetesRuntime, Requirements } from "../../../domain/provider/runtime.ts"
import { defined } from "../../../values/defined.ts"
import { isObject } from "../../../values/json.ts"
import { tagOf } from "../middleware/conditional.ts"

type Members = { readonly [name: string]: unknown }

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === "" || (isObject(value) && Object.keys(value).length === 0)

/** leaves out absent members, empty texts and empty objects: existing clients fail on them (api.md, "Answers") */
const present = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)))

const criteria = (threshold: number | undefined) => (threshold === undefined ? undefined : { threshold })

const primaryScore = (score: ProviderBenchmark["primaryScore"]) =>
  score === undefined
    ? undefined
    : present({ metric: score.metric, lower_is_better: score.lowerIsBetter, scale: score.scale })

const requirements = (value: Requirements | undefined) =>
  value === undefined
    ? undefined
    : present({
        endpoint: value.endpoint,
        framework_task: value.frameworkTask,
        framework_min: value.frameworkMin,
        flags: value.flags,
        percent_metrics: value.percentMetrics,
        calls: value.calls
      })

const agent = (value: AgentMetadata | undefined) =>
  value === undefined
    ? undefined
    : present({
        evaluates: value.evaluates,
        recommended_when: value.recommendedWhen,
        target_type: value.targetType,
        summary: value.summary,
        complements: value.complements,
        hints: value.hints,
        result_interpretation: value.resultInterpretation
      })

const kubernetes = (value: KubernetesRuntime | undefined) =>
  value === undefined
    ? undefined
    : present({
        image: value.image,
        entrypoint: value.entrypoint,
        cpu_request: value.cpuRequest,
        memory_request: value.memoryRequest,
        cpu_limit: value.cpuLimit,
        memory_limit: value.memoryLimit,
        env: value.env,
        image_pull_policy: value.imagePullPolicy
      })

const benchmark = (value: ProviderBenchmark) =>
  present({
    id: value.id,
    url: value.url,
    name: value.name,
    description: value.description,
    category: value.category,
    metrics: value.metrics,
    num_few_shot: value.numFewShot,
    dataset_size: value.datasetSize,
    tags: value.tags,
    primary_score: primaryScore(value.primaryScore),
    pass_criteria: criteria(value.threshold),
    agent:
      value.agent === undefined
        ? undefined
        : present({ result_interpretation: value.agent.resultInterpretation, score_ranges: value.agent.scoreRanges }),
    requirements: requirements(value.requirements)
  })

// an empty text is a default like any other
const parameter = ({ default: initial, ...value }: ParameterDeclaration) => ({
  ...present(value),
  ...defined({ default: initial })
})

const entry = (value: CollectionEntry) =>
  present({
    id: value.id,
    provider_id: value.providerId,
    url: value.url,
    weight: value.weight,
    primary_score: primaryScore(value.primaryScore),
    pass_criteria: criteria(value.threshold),
    parameters: value.parameters,
    test_data_ref:
      value.testData === undefined
        ? undefined
        : {
            // an empty key is the whole bucket
            s3: {
              bucket: value.testData.s3.bucket,
              key: value.testData.s3.key,
              ...present({ secret_ref: value.testData.s3.secretRef })
            }
          }
  })

const resource = ({ id, tenant, createdAt, updatedAt, owner }: Provider | Collection) =>
  present({ id, tenant, created_at: createdAt, updated_at: updatedAt, owner })

/** the record without `resource`: what a PUT takes and a PATCH works on */
export const providerBodyWire = (provider: Provider): Members =>
  present({
    name: provider.name,
    title: provider.title,
    description: provider.description,
    tags: provider.tags,
    agent: agent(provider.agent),
    runtime: present({ k8s: kubernetes(provider.runtime.k8s), local: provider.runtime.local }),
    parameters: provider.parameters?.map(parameter),
    requirements: provider.requirements,
    benchmarks: provider.benchmarks.map(benchmark)
  })

export const collectionBodyWire = (collection: Collection): Members =>
  present({
    name: collection.name,
    category: collection.category,
    description: collection.description,
    tags: collection.tags,
    custom: collection.custom,
    pass_criteria: criteria(collection.threshold),
    agent: agent(collection.agent),
    benchmarks: collection.benchmarks.map(entry)
  })

/** a benchmark with its provider, as the flat list has it */
export const offeredBenchmarkWire = ({ provider, benchmark: offered }: OfferedBenchmark): Members => ({
  provider_id: provider.id,
  scope: provider.scope,
  ...defined({ evaluates: provider.agent?.evaluates }),
  ...benchmark(offered)
})

export const collectionFacetsWire = (matching: ReadonlyArray<Collection>) => ({
  total_count: matching.length,
  scope: facet(matching.map(({ scope }) => [scope])),
  category: facet(matching.map(({ category }) => [category])),
  tags: facet(matching.map(({ tags = [] }) => tags)),
  evaluates: facet(matching.map((one) => one.agent?.evaluates ?? []))
})

export interface RecordText {
  readonly json: string
  readonly etag: string
}

export interface ProviderText extends RecordText {
  /** the record with no benchmarks in its list */
  readonly brief: string
}

// built-in records live as long as the catalogue that holds them, so their texts are made once
const providerTexts = new WeakMap<Provider, ProviderText>()
const collectionTexts = new WeakMap<Collection, RecordText>()

export const providerText = (provider: Provider): ProviderText => {
  const known = providerTexts.get(provider)
  if (known !== undefined) return known
  const { benchmarks, ...rest } = { resource: resource(provider), ...providerBodyWire(provider) } as Members
  const json = JSON.stringify({ ...rest, benchmarks })
  const text = { json, etag: tagOf(json), brief: JSON.stringify({ ...rest, benchmarks: [] }) }
  providerTexts.set(provider, text)
  return text
}

export const collectionText = (collection: Collection): RecordText => {
  const known = collectionTexts.get(collection)
  if (known !== undefined) return known
  const json = JSON.stringify({ resource: resource(collection), ...collectionBodyWire(collection) })
  const text = { json, etag: tagOf(json) }
  collectionTexts.set(collection, text)
  return text
}

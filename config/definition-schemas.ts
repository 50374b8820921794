/**
 * The wire form of provider and collection definitions, in files and in request bodies alike, decoded to the domain's camelCase. Shapes
 * only; the rules (unique ids, quantities, thresholds) are the domain's. Reference: providers-and-collections.md, "Provider file".
 */
import { Schema } from "effect"

// of files only: an annotation goes before what a decoder is told, and of requests a setting decides what unknown members are
const strict = { onExcessProperty: "error", errors: "all" } as const

/** optional on input, `null` counts as absent, never produced on output */
const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true, nullable: true })
const renamed = <A, I, const K extends string>(schema: Schema.Schema<A, I>, key: K) => maybe(schema).pipe(Schema.fromKey(key))

/** taken and given back as it is, never rebuilt member by member */
const FreeForm = Schema.declare(
  (value: unknown): value is { readonly [key: string]: unknown } => typeof value === "object" && value !== null && !Array.isArray(value)
).annotations({ identifier: "FreeForm", description: "free-form object", jsonSchema: { type: "object", additionalProperties: true } })
const Texts = Schema.Array(Schema.String)
const finite = Schema.Number.pipe(Schema.filter(Number.isFinite, { message: () => "expected a finite number" }))
const count = Schema.Number.pipe(Schema.int(), Schema.nonNegative())

const Scale = Schema.Union(Schema.Literal("unit", "percent", "unbounded"), Schema.Struct({ min: finite, max: finite }))

const PrimaryScore = Schema.Struct({
  metric: Schema.String,
  scale: maybe(Scale),
  lowerIsBetter: Schema.optionalWith(Schema.Boolean, { nullable: true, default: () => false }).pipe(Schema.fromKey("lower_is_better"))
})
const PassCriteria = Schema.Struct({ threshold: maybe(finite) })

const EnvVar = Schema.Struct({ name: Schema.String, value: maybe(Schema.String) })

const KubernetesRuntime = Schema.Struct({
  image: maybe(Schema.String),
  entrypoint: maybe(Texts),
  cpuRequest: renamed(Schema.String, "cpu_request"),
  memoryRequest: renamed(Schema.String, "memory_request"),
  cpuLimit: renamed(Schema.String, "cpu_limit"),
  memoryLimit: renamed(Schema.String, "memory_limit"),
  env: maybe(Schema.Array(EnvVar)),
  imagePullPolicy: renamed(Schema.Literal("if_not_present", "always"), "image_pull_policy")
})

const LocalRuntime = Schema.Struct({ command: Schema.String, env: maybe(Schema.Array(EnvVar)) })

const Requirements = Schema.Struct({
  endpoint: maybe(Schema.Literal("generate", "chat", "chat_stream", "chat_tools", "chat_logprobs", "completions_echo", "none")),
  frameworkTask: renamed(Schema.String, "framework_task"),
  frameworkMin: renamed(Schema.String, "framework_min"),
  flags: maybe(Schema.Array(Schema.Literal("code_execution", "trust_remote_code", "needs_judge", "needs_logprobs", "unavailable"))),
  percentMetrics: renamed(Texts, "percent_metrics")
})

const BenchmarkAgent = Schema.Struct({
  resultInterpretation: renamed(Schema.String, "result_interpretation"),
  scoreRanges: renamed(Schema.Array(Schema.Struct({ range: Schema.String, meaning: Schema.String })), "score_ranges")
})

/** `name`, `category` and `metrics` have defaults on the API (api.md, "Bodies"); files must give them, which the linter checks */
const ProviderBenchmark = Schema.Struct({
  id: Schema.String,
  name: maybe(Schema.String),
  category: maybe(Schema.String),
  metrics: maybe(Texts),
  url: maybe(Schema.String),
  description: maybe(Schema.String),
  numFewShot: renamed(count, "num_few_shot"),
  datasetSize: renamed(count, "dataset_size"),
  tags: maybe(Texts),
  primaryScore: renamed(PrimaryScore, "primary_score"),
  passCriteria: renamed(PassCriteria, "pass_criteria"),
  agent: maybe(BenchmarkAgent),
  requirements: maybe(Requirements)
})

const ParameterDeclaration = Schema.Struct({
  name: Schema.String,
  type: Schema.Literal("string", "integer", "number", "boolean", "array", "object", "any"),
  default: maybe(Schema.Unknown),
  enum: maybe(Schema.Array(Schema.Unknown)),
  minimum: maybe(finite),
  maximum: maybe(finite),
  required: maybe(Schema.Boolean),
  aliases: maybe(Texts),
  description: maybe(Schema.String)
})

const agentFields = {
  evaluates: maybe(Texts),
  recommendedWhen: renamed(Texts, "recommended_when"),
  summary: maybe(Schema.String),
  complements: maybe(Texts),
  hints: maybe(Texts),
  resultInterpretation: renamed(Texts, "result_interpretation")
}

const providerFields = {
  name: Schema.String,
  title: maybe(Schema.String),
  description: maybe(Schema.String),
  tags: maybe(Texts),
  agent: maybe(Schema.Struct({ ...agentFields, targetType: renamed(Schema.Literal("model", "agent", "inference_server"), "target_type") })),
  runtime: Schema.Struct({ k8s: maybe(KubernetesRuntime), local: maybe(LocalRuntime) }),
  parameters: maybe(Schema.Array(ParameterDeclaration)),
  requirements: maybe(FreeForm),
  benchmarks: Schema.Array(ProviderBenchmark)
}

const S3Reference = Schema.Struct({
  bucket: Schema.String,
  key: Schema.String,
  secretRef: renamed(Schema.String, "secret_ref")
})

const CollectionBenchmark = Schema.Struct({
  id: Schema.String,
  providerId: Schema.String.pipe(Schema.propertySignature, Schema.fromKey("provider_id")),
  url: maybe(Schema.String),
  weight: maybe(finite),
  primaryScore: renamed(PrimaryScore, "primary_score"),
  passCriteria: renamed(PassCriteria, "pass_criteria"),
  parameters: maybe(FreeForm),
  testDataRef: renamed(Schema.Struct({ s3: S3Reference }), "test_data_ref")
})

const collectionFields = {
  name: Schema.String,
  category: Schema.String,
  description: maybe(Schema.String),
  tags: maybe(Texts),
  custom: maybe(FreeForm),
  passCriteria: renamed(PassCriteria, "pass_criteria"),
  agent: maybe(Schema.Struct(agentFields)),
  benchmarks: Schema.Array(CollectionBenchmark)
}

const fileFields = { id: Schema.String, type: maybe(Schema.Literal("builtin")), tenant: maybe(Schema.String) }

/** body of POST and PUT on providers */
export const ProviderBody = Schema.Struct(providerFields).annotations({ identifier: "ProviderBody" })
export type ProviderBody = typeof ProviderBody.Type
/** body of POST and PUT on collections */
export const CollectionBody = Schema.Struct(collectionFields).annotations({ identifier: "CollectionBody" })
export type CollectionBody = typeof CollectionBody.Type
/** one file of `config/providers` */
export const ProviderFile = Schema.Struct({ ...fileFields, ...providerFields }).annotations({ identifier: "ProviderFile", parseOptions: strict })
/** one file of `config/collections` */
export const CollectionFile = Schema.Struct({ ...fileFields, ...collectionFields }).annotations({ identifier: "CollectionFile", parseOptions: strict })

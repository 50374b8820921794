/**
 * The wire form of provider and collection definitions, in files and in request bodies alike, decoded to the domain's camelCase. Shapes
 * only; the rules (unique ids, quantities, thresholds) are the domain's. Reference: providers-and-collections.md, "Provider file".
 */
import { Schema } from "effect"
import { mostCalls } from "../values/benchmark/calls.ts"
import { endpointKinds } from "../values/benchmark/endpoint-kinds.ts"
import { FreeForm } from "./free-form.ts"

// of files only: an annotation goes before what a decoder is told, and of requests a setting decides what unknown members are
const strict = { onExcessProperty: "error", errors: "all" } as const

/** optional on input, `null` counts as absent, never produced on output */
const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true, nullable: true })
const renamed = <A, I, const K extends string>(schema: Schema.Schema<A, I>, key: K) =>
  maybe(schema).pipe(Schema.fromKey(key))

// limits are published here and judged by the rules behind the shape: a test holds the two together
interface TextLimits {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}
const text = (limits: TextLimits) => Schema.String.annotations({ jsonSchema: { type: "string", ...limits } })
const upTo = (maxLength: number) => text({ maxLength })
/** not blank; blanks around it are not counted */
const named = (maxLength: number) => text({ minLength: 1, maxLength, pattern: "\\S" })
const listOf = <A, I>(items: Schema.Schema<A, I>, limits: { readonly minItems?: number; readonly maxItems?: number }) =>
  Schema.Array(items).annotations({ jsonSchema: limits })
const label = "[a-z0-9]([a-z0-9-]*[a-z0-9])?"
const secretName = text({ minLength: 1, maxLength: 253, pattern: `^${label}(\\.${label})*$` })
const Tags = listOf(text({ minLength: 1, maxLength: 128, pattern: "^[^,|]*[^,|\\s][^,|]*$" }), { maxItems: 50 })
const Texts = Schema.Array(Schema.String)
const finite = Schema.Number.pipe(Schema.filter(Number.isFinite, { message: () => "expected a finite number" }))
const count = Schema.Number.pipe(Schema.int(), Schema.nonNegative())

const Scale = Schema.Union(Schema.Literal("unit", "percent", "unbounded"), Schema.Struct({ min: finite, max: finite }))

const PrimaryScore = Schema.Struct({
  metric: named(256),
  scale: maybe(Scale),
  lowerIsBetter: Schema.optionalWith(Schema.Boolean, { nullable: true, default: () => false }).pipe(
    Schema.fromKey("lower_is_better")
  )
})
const PassCriteria = Schema.Struct({ threshold: maybe(finite) })

const EnvVar = Schema.Struct({ name: text({ pattern: "^[A-Za-z_][A-Za-z0-9_]*$" }), value: maybe(Schema.String) })

const KubernetesRuntime = Schema.Struct({
  image: maybe(text({ minLength: 1, maxLength: 512, pattern: "^\\S+$" })),
  entrypoint: maybe(Texts),
  cpuRequest: renamed(Schema.String, "cpu_request"),
  memoryRequest: renamed(Schema.String, "memory_request"),
  cpuLimit: renamed(Schema.String, "cpu_limit"),
  memoryLimit: renamed(Schema.String, "memory_limit"),
  env: maybe(Schema.Array(EnvVar)),
  imagePullPolicy: renamed(Schema.Literal("if_not_present", "always"), "image_pull_policy")
})

const LocalRuntime = Schema.Struct({ command: named(32_768), env: maybe(Schema.Array(EnvVar)) })

const Requirements = Schema.Struct({
  endpoint: maybe(Schema.Literal(...endpointKinds)),
  frameworkTask: renamed(Schema.String, "framework_task"),
  frameworkMin: renamed(Schema.String, "framework_min"),
  flags: maybe(
    Schema.Array(
      Schema.Literal("code_execution", "trust_remote_code", "needs_judge", "needs_logprobs", "stoppable", "unavailable")
    )
  ),
  percentMetrics: renamed(Texts, "percent_metrics"),
  calls: maybe(
    Schema.Union(
      Schema.Literal("choices"),
      count.annotations({ jsonSchema: { type: "integer", minimum: 0, maximum: mostCalls } })
    )
  )
})

const scoreRange =
  "^\\s*(-?\\d+(\\.\\d+)?\\s*-\\s*-?\\d+(\\.\\d+)?|(<=?|>=?)\\s*-?\\d+(\\.\\d+)?|-?\\d+(\\.\\d+)?\\+?)\\s*$"

const BenchmarkAgent = Schema.Struct({
  resultInterpretation: renamed(upTo(4096), "result_interpretation"),
  scoreRanges: renamed(
    Schema.Array(Schema.Struct({ range: text({ pattern: scoreRange }), meaning: named(4096) })),
    "score_ranges"
  )
})

/** `name`, `category` and `metrics` have defaults on the API (api.md, "Bodies"); files must give them, which the linter checks */
export const ProviderBenchmark = Schema.Struct({
  id: named(256),
  name: maybe(named(256)),
  category: maybe(named(128)),
  metrics: maybe(Schema.Array(named(256))),
  url: maybe(upTo(2048)),
  description: maybe(upTo(4096)),
  numFewShot: renamed(count, "num_few_shot"),
  datasetSize: renamed(count, "dataset_size"),
  tags: maybe(Tags),
  primaryScore: renamed(PrimaryScore, "primary_score"),
  passCriteria: renamed(PassCriteria, "pass_criteria"),
  agent: maybe(BenchmarkAgent),
  requirements: maybe(Requirements)
})

const parameterName = text({ pattern: "^[A-Za-z][A-Za-z0-9_]*$" })

const ParameterDeclaration = Schema.Struct({
  name: parameterName,
  type: Schema.Literal("string", "integer", "number", "boolean", "array", "object", "any"),
  default: maybe(Schema.Unknown),
  enum: maybe(listOf(Schema.Unknown, { minItems: 1 })),
  minimum: maybe(finite),
  maximum: maybe(finite),
  required: maybe(Schema.Boolean),
  aliases: maybe(Schema.Array(parameterName)),
  description: maybe(upTo(4096))
})

const Hints = Schema.Array(upTo(4096))

const agentFields = {
  evaluates: maybe(Hints),
  recommendedWhen: renamed(Hints, "recommended_when"),
  summary: maybe(upTo(200)),
  complements: maybe(Hints),
  hints: maybe(Hints),
  resultInterpretation: renamed(Hints, "result_interpretation")
}

const providerFields = {
  name: named(256),
  title: maybe(upTo(256)),
  description: maybe(upTo(4096)),
  tags: maybe(Tags),
  agent: maybe(
    Schema.Struct({
      ...agentFields,
      targetType: renamed(Schema.Literal("model", "agent", "inference_server"), "target_type")
    })
  ),
  runtime: Schema.Struct({ k8s: maybe(KubernetesRuntime), local: maybe(LocalRuntime) }).annotations({
    jsonSchema: { minProperties: 1 }
  }),
  parameters: maybe(Schema.Array(ParameterDeclaration)),
  requirements: maybe(FreeForm),
  benchmarks: listOf(ProviderBenchmark, { minItems: 1, maxItems: 2000 })
}

const S3Reference = Schema.Struct({
  bucket: text({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$" }),
  key: upTo(1024),
  secretRef: renamed(secretName, "secret_ref")
})

const CollectionBenchmark = Schema.Struct({
  id: named(256),
  providerId: named(256).pipe(Schema.propertySignature, Schema.fromKey("provider_id")),
  url: maybe(upTo(2048)),
  weight: maybe(finite.annotations({ jsonSchema: { minimum: 0 } })),
  primaryScore: renamed(PrimaryScore, "primary_score"),
  passCriteria: renamed(PassCriteria, "pass_criteria"),
  parameters: maybe(FreeForm),
  testDataRef: renamed(Schema.Struct({ s3: S3Reference }), "test_data_ref")
})

const collectionFields = {
  name: named(256),
  category: named(128),
  description: maybe(upTo(4096)),
  tags: maybe(Tags),
  custom: maybe(FreeForm),
  passCriteria: renamed(PassCriteria, "pass_criteria"),
  agent: maybe(Schema.Struct(agentFields)),
  benchmarks: listOf(CollectionBenchmark, { minItems: 1, maxItems: 1000 })
}

const fileFields = { id: Schema.String, type: maybe(Schema.Literal("builtin")), tenant: maybe(Schema.String) }

/** body of POST and PUT on providers */
export const ProviderBody = Schema.Struct(providerFields).annotations({ identifier: "ProviderBody" })
export type ProviderBody = typeof ProviderBody.Type
/** body of POST and PUT on collections */
export const CollectionBody = Schema.Struct(collectionFields).annotations({ identifier: "CollectionBody" })
export type CollectionBody = typeof CollectionBody.Type
/** one file of `config/providers` */
export const ProviderFile = Schema.Struct({ ...fileFields, ...providerFields }).annotations({
  identifier: "ProviderFile",
  parseOptions: strict
})
/** one file of `config/collections` */
export const CollectionFile = Schema.Struct({ ...fileFields, ...collectionFields }).annotations({
  identifier: "CollectionFile",
  parseOptions: strict
})

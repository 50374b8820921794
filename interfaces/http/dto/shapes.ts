/** Wire shapes shared by jobs, providers and collections, with the domain's names on the inner side. Reference: api.md, "Answers". */
import { Schema } from "effect"
import { defined } from "../../../values/defined.ts"

/** optional on input, `null` counts as absent, never produced on output */
export const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true, nullable: true })

/** the same under its wire name */
export const maybeAs = <A, I, const K extends string>(name: K, schema: Schema.Schema<A, I>) =>
  maybe(schema).pipe(Schema.fromKey(name))

/** required under its wire name */
export const as = <A, I, const K extends string>(name: K, schema: Schema.Schema<A, I>) =>
  Schema.propertySignature(schema).pipe(Schema.fromKey(name))

/** present or absent in an answer */
export const given = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** documentation of a string whose rules the domain checks, so that a client's generator knows them too */
export const text = (
  description: string,
  limits: { readonly minLength?: number; readonly maxLength?: number; readonly pattern?: string } = {}
) => Schema.String.annotations({ description, jsonSchema: { type: "string", description, ...limits } })

/** a name that is not blank; blanks around it are not counted */
export const named = (description: string, maxLength = 256) =>
  text(description, { minLength: 1, maxLength, pattern: "\\S" })

const label = "[a-z0-9]([a-z0-9-]*[a-z0-9])?"

/** the name of a secret, or another RFC 1123 subdomain */
export const subdomain = (description: string, maxLength = 253) =>
  text(description, { minLength: 1, maxLength, pattern: `^${label}(\\.${label})*$` })

export const listOf = <A, I>(
  items: Schema.Schema<A, I>,
  limits: { readonly minItems?: number; readonly maxItems?: number }
) => Schema.Array(items).annotations({ jsonSchema: limits })

export const number = (
  description: string,
  limits: { readonly minimum?: number; readonly maximum?: number; readonly exclusiveMinimum?: number } = {}
) => Schema.Number.annotations({ description, jsonSchema: { type: "number", description, ...limits } })

export const integer = (description: string, limits: { readonly minimum?: number; readonly maximum?: number } = {}) =>
  Schema.Number.annotations({ description, jsonSchema: { type: "integer", description, ...limits } })

export const dateTime = (description: string) =>
  Schema.String.annotations({ description, jsonSchema: { type: "string", format: "date-time", description } })

export const Texts = Schema.Array(Schema.String)

export const Tags = Schema.Array(Schema.String).annotations({
  description: "at most 50 tags of 1 to 128 characters without ',' and '|'",
  jsonSchema: {
    type: "array",
    maxItems: 50,
    items: { type: "string", minLength: 1, maxLength: 128, pattern: "^[^,|]*[^,|\\s][^,|]*$" }
  }
})

const Range = Schema.Struct({ min: Schema.Number, max: Schema.Number })

/** on which scale a metric's values lie */
export const Scale = Schema.Union(Schema.Literal("unit", "percent", "unbounded"), Range).annotations({
  identifier: "Scale",
  description:
    "unit: 0 to 1, percent: 0 to 100, a range of its own, or unbounded; absent: unbounded when the threshold lies outside 0 to 1, else unit"
})

export const PrimaryScore = Schema.Struct({
  metric: named("name of the metric that decides"),
  scale: maybe(Scale),
  lowerIsBetter: Schema.optionalWith(Schema.Boolean, { exact: true, nullable: true, default: () => false }).pipe(
    Schema.fromKey("lower_is_better")
  )
}).annotations({ identifier: "PrimaryScore" })

const Criteria = Schema.Struct({
  threshold: maybe(number("value the score has to reach (or stay below, when lower is better)"))
}).annotations({
  identifier: "PassCriteria"
})

/** `pass_criteria: {threshold}` on the wire, a number inside; without one it is as if it were absent (`withoutEmptyCriteria`) */
export const Threshold = Schema.transform(Criteria, Schema.UndefinedOr(Schema.Number), {
  strict: true,
  decode: ({ threshold }) => threshold,
  encode: (threshold) => (threshold === undefined ? {} : { threshold })
})

/** leaves out a threshold that was not given */
export const withoutEmptyCriteria = <A extends { readonly threshold?: number | undefined }>({
  threshold,
  ...rest
}: A) => ({
  ...rest,
  ...defined({ threshold })
})

const S3Reference = Schema.Struct({
  bucket: text("bucket name", { pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$" }),
  key: text(
    "object-key prefix: every object whose key begins with it is downloaded, below `<key>/` relative to it, otherwise from the last `/` of the key",
    {
      maxLength: 1024
    }
  ),
  secretRef: maybeAs(
    "secret_ref",
    subdomain(
      "secret with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_DEFAULT_REGION and AWS_S3_ENDPOINT; not needed where a folder stands for the bucket"
    )
  )
})

export const TestData = Schema.Struct({ s3: S3Reference }).annotations({ identifier: "TestDataRef" })

const queue = Schema.Struct({
  kind: maybe(
    Schema.String.annotations({
      jsonSchema: { type: "string", description: "queue system; default queuesys", enum: ["queuesys", "kueue"] }
    })
  ),
  name: maybe(subdomain("name of the queue, which is required", 63))
})

const Queue = queue.annotations({ identifier: "QueueConfig", jsonSchema: { required: ["name"] } })

/** the job's own member, in the place of which `hardware_config.queue` stands */
export const JobQueue = queue.annotations({
  identifier: "JobQueueConfig",
  jsonSchema: { required: ["name"], description: "deprecated: use `hardware_config.queue`", deprecated: true }
})

const Amounts = (resource: string) =>
  Schema.Struct({ request: maybe(text(`${resource} request`)), limit: maybe(text(`${resource} limit`)) })

export const HardwareConfig = Schema.Struct({
  profileName: maybeAs(
    "hardware_profile_name",
    text("RFC 1123 label; excludes all other members", { minLength: 1, maxLength: 63, pattern: `^${label}$` })
  ),
  cpu: maybe(Amounts("CPU, such as 500m or 2:")),
  memory: maybe(Amounts("memory, such as 4Gi:")),
  gpu: maybe(
    Schema.Struct({
      name: maybe(text("extended resource, such as example.com/gpu")),
      count: maybe(integer("sets request and limit", { minimum: 0 }))
    }).annotations({
      jsonSchema: { required: ["count"] }
    })
  ),
  queue: maybe(Queue)
}).annotations({ identifier: "HardwareConfig" })

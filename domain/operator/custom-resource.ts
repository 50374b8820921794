/** The custom resource `EvaluationService` as the operator reads it. Reference: operator.md, "Custom resource". */
import { Either, ParseResult, Schema } from "effect"
import { InstanceSpec } from "./instance-spec.ts"
import { type InstanceStatus, StoredStatus } from "./instance-status.ts"

export const resourceNames = {
  kind: "EvaluationService",
  plural: "evaluationservices",
  singular: "evaluationservice",
  shortName: "evs",
  category: "evald",
  version: "v1alpha1"
} as const

const Metadata = Schema.Struct({
  name: Schema.String,
  namespace: Schema.String,
  uid: Schema.String,
  generation: Schema.optionalWith(Schema.Number, { exact: true, default: () => 0 }),
  creationTimestamp: Schema.optionalWith(Schema.String, { exact: true, default: () => "" }),
  deletionTimestamp: Schema.optionalWith(Schema.String, { exact: true }),
  finalizers: Schema.optionalWith(Schema.Array(Schema.String), { exact: true, default: () => [] })
})

const Resource = Schema.Struct({
  metadata: Metadata,
  spec: InstanceSpec,
  status: Schema.optionalWith(StoredStatus, { exact: true, nullable: true, default: () => ({}) })
})

/** one instance: what its resource asks for, and what was last said about it */
export interface Instance {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly generation: number
  /** RFC 3339 */
  readonly createdAt: string
  readonly deleting: boolean
  readonly finalizers: ReadonlyArray<string>
  readonly spec: InstanceSpec
  readonly status: InstanceStatus
}

/**
 * Reads an object of the cluster. Members that this version does not know are passed over. Left: one sentence for each member that can
 * not be read, with its path, such as `spec.replicas: …`; the API server lets none of these in.
 */
export const decodeInstance = (object: unknown): Either.Either<Instance, ReadonlyArray<string>> =>
  Schema.decodeUnknownEither(Resource, { errors: "all" })(object).pipe(
    Either.map(({ metadata, spec, status }) => ({
      name: metadata.name,
      namespace: metadata.namespace,
      uid: metadata.uid,
      generation: metadata.generation,
      createdAt: metadata.creationTimestamp,
      deleting: metadata.deletionTimestamp !== undefined,
      finalizers: metadata.finalizers,
      spec,
      status
    })),
    Either.mapLeft((error) =>
      ParseResult.ArrayFormatter.formatErrorSync(error).map(({ path, message }) => `${path.join(".")}: ${message}`)
    )
  )

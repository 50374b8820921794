/**
 * Members of the custom resource, each stated once: what decodes it, its bounds and default, its words for `kubectl explain`, and the
 * rules that the API server judges. The definition of the resource is made from these annotations. Reference: operator.md, "Custom resource".
 */
import { Schema } from "effect"

/** where a schema keeps what only the definition of the resource shows */
export const crdId = Symbol.for("evald/crd")

/** a CEL rule that the API server judges, and what to write instead */
export interface Rule {
  readonly rule: string
  readonly message: string
}

export interface CrdExtra {
  readonly description?: string
  readonly default?: unknown
  readonly "x-kubernetes-validations"?: ReadonlyArray<Rule>
  readonly "x-kubernetes-list-type"?: "set" | "map" | "atomic"
  readonly "x-kubernetes-list-map-keys"?: ReadonlyArray<string>
  readonly "x-kubernetes-int-or-string"?: true
  readonly "x-kubernetes-preserve-unknown-fields"?: true
  readonly [name: string]: unknown
}

const extraOf = (schema: { readonly ast: { readonly annotations: object } }): CrdExtra =>
  (schema.ast.annotations as { readonly [crdId]?: CrdExtra })[crdId] ?? {}

/** the schema with more for the definition of the resource */
export const shown = <A, I>(schema: Schema.Schema<A, I>, extra: CrdExtra): Schema.Schema<A, I> =>
  schema.annotations({ [crdId]: { ...extraOf(schema), ...extra } })

/** may be absent */
export const optional = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(shown(schema, { description }), { exact: true })

/** absent counts as `value`, which the API server fills in as well */
export const byDefault = <A, I>(schema: Schema.Schema<A, I>, value: NoInfer<A> & NoInfer<I>, description: string) =>
  Schema.optionalWith(shown(schema, { description, default: value }), { exact: true, default: () => value })

/** an object that is always there, with the defaults of its members */
export const always = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(shown(schema, { description, default: {} }), {
    exact: true,
    default: () => Schema.decodeUnknownSync(schema)({})
  })

export const required = <A, I>(schema: Schema.Schema<A, I>, description: string): Schema.Schema<A, I> =>
  shown(schema, { description })

export const text = (maxLength = 253, pattern?: RegExp): Schema.Schema<string> =>
  pattern === undefined
    ? Schema.String.pipe(Schema.maxLength(maxLength))
    : Schema.String.pipe(Schema.maxLength(maxLength), Schema.pattern(pattern))

/** a name that may not be empty */
export const name = (maxLength = 253): Schema.Schema<string> =>
  Schema.String.pipe(Schema.minLength(1), Schema.maxLength(maxLength))

export const whole = (minimum: number, maximum: number): Schema.Schema<number> =>
  Schema.Number.pipe(Schema.int(), Schema.between(minimum, maximum))

export const listOf = <A, I>(
  items: Schema.Schema<A, I>,
  maxItems: number,
  extra: CrdExtra = { "x-kubernetes-list-type": "atomic" }
): Schema.Schema<ReadonlyArray<A>, ReadonlyArray<I>> =>
  shown(Schema.Array(items).pipe(Schema.maxItems(maxItems)) as Schema.Schema<ReadonlyArray<A>, ReadonlyArray<I>>, extra)

/** a list whose items are told apart by one member */
export const mapBy = (key: string): CrdExtra => ({
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": [key]
})

/** free names, at most 32 */
export const mapOf = <A, I>(value: Schema.Schema<A, I>, maxProperties = 32) =>
  shown(Schema.Record({ key: Schema.String, value }), { maxProperties })

/** a Kubernetes quantity, written as a text or a number */
export const quantity = shown(Schema.Union(Schema.String, Schema.Number), {
  "x-kubernetes-int-or-string": true,
  pattern:
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
  maxLength: 64
})

/** rules of the API server; a schema that decodes does not judge them */
export const judged = <A, I>(schema: Schema.Schema<A, I>, ...rules: ReadonlyArray<Rule>): Schema.Schema<A, I> =>
  shown(schema, { "x-kubernetes-validations": rules })

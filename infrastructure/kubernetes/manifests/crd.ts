/** The definition of the custom resource, made from the schema that reads it. Reference: operator.md, "Custom resource". */
import { type Schema, SchemaAST } from "effect"
import { type CrdExtra, crdId } from "../../../domain/operator/crd-field.ts"
import { resourceNames } from "../../../domain/operator/custom-resource.ts"
import { InstanceSpec } from "../../../domain/operator/instance-spec.ts"
import { StoredStatus } from "../../../domain/operator/instance-status.ts"

type Json = { readonly [name: string]: unknown }

const ownAnnotations = (ast: SchemaAST.AST): Json => {
  const { annotations } = ast as { readonly annotations: { readonly [crdId]?: CrdExtra } }
  return annotations[crdId] ?? {}
}

/** bounds of a refinement in words of JSON Schema */
const bounds = (ast: SchemaAST.AST): Json => {
  const found = ast.annotations[SchemaAST.JSONSchemaAnnotationId]
  return typeof found === "object" && found !== null ? { ...found } : {}
}

const unionOf = ({ types }: SchemaAST.Union): Json => {
  const literals = types.flatMap((type) => (SchemaAST.isLiteral(type) ? [type.literal] : []))
  if (literals.length === types.length) return { type: "string", enum: literals }
  // a quantity: text or number, which the API server has a member of its own for
  return {}
}

const objectOf = ({ propertySignatures, indexSignatures }: SchemaAST.TypeLiteral): Json => {
  const [free] = indexSignatures
  if (free !== undefined) return { type: "object", additionalProperties: structural(free.type) }
  const required = propertySignatures.filter(({ isOptional }) => !isOptional).map(({ name }) => String(name))
  return {
    type: "object",
    ...(required.length === 0 ? {} : { required: required.sort() }),
    properties: Object.fromEntries(propertySignatures.map(({ name, type }) => [String(name), structural(type)]))
  }
}

const shapeOf = (ast: SchemaAST.AST): Json => {
  if (SchemaAST.isRefinement(ast)) return { ...structural(ast.from), ...bounds(ast) }
  if (SchemaAST.isTransformation(ast)) return structural(ast.from)
  if (SchemaAST.isStringKeyword(ast)) return { type: "string" }
  if (SchemaAST.isNumberKeyword(ast)) return { type: "number" }
  if (SchemaAST.isBooleanKeyword(ast)) return { type: "boolean" }
  if (SchemaAST.isLiteral(ast)) return { type: "string", enum: [ast.literal] }
  if (SchemaAST.isUnion(ast)) return unionOf(ast)
  if (SchemaAST.isTypeLiteral(ast)) return objectOf(ast)
  if (SchemaAST.isTupleType(ast)) {
    const [item] = ast.rest
    return { type: "array", items: item === undefined ? {} : structural(item.type) }
  }
  return {}
}

/** the OpenAPI schema of one part; `$schema` and references have no place in a definition */
const structural = (ast: SchemaAST.AST): Json => ({ ...shapeOf(ast), ...ownAnnotations(ast) })

const schemaOf = (schema: Schema.Schema.Any, description: string): Json => ({ ...structural(schema.ast), description })

const column = (name: string, type: string, jsonPath: string, description: string, priority = 0) => ({
  name,
  type,
  jsonPath,
  description,
  ...(priority === 0 ? {} : { priority })
})

const printerColumns = [
  column("Phase", "string", ".status.phase", "the conditions in one word"),
  column("Ready", "string", '.status.conditions[?(@.type=="Ready")].status', "whether it is ready"),
  column("Replicas", "integer", ".status.readyReplicas", "pods that answer"),
  column("Tenants", "integer", ".status.tenants.ready", "namespaces that are served"),
  column("Age", "date", ".metadata.creationTimestamp", "since it was created"),
  column("Database", "string", ".spec.database.type", "kind of database", 1),
  column("URL", "string", ".status.url", "address inside the cluster", 1),
  column("Reason", "string", '.status.conditions[?(@.type=="Ready")].reason', "why it is ready or not", 1)
]

const rootRules = [
  {
    rule: "self.metadata.name.matches('^[a-z][-a-z0-9]{0,39}$')",
    message: "the name needs 1 to 40 of a-z, 0-9 and -, beginning with a letter"
  },
  {
    rule: "!self.metadata.name.endsWith('-metrics')",
    message: "a name that ends in -metrics would meet the metrics Service of another instance: choose another one"
  }
]

/** the whole object; `group`: `api_groups.service` */
export const customResourceDefinition = (group: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${resourceNames.plural}.${group}` },
  spec: {
    group,
    names: {
      kind: resourceNames.kind,
      listKind: `${resourceNames.kind}List`,
      plural: resourceNames.plural,
      singular: resourceNames.singular,
      shortNames: [resourceNames.shortName],
      categories: [resourceNames.category]
    },
    scope: "Namespaced",
    versions: [
      {
        name: resourceNames.version,
        served: true,
        storage: true,
        additionalPrinterColumns: printerColumns,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.selector"
          }
        },
        schema: {
          openAPIV3Schema: {
            type: "object",
            description:
              "One installation of evald: a service that evaluates language models for the tenants of a cluster.",
            required: ["spec"],
            properties: {
              apiVersion: { type: "string", description: "group and version of this resource" },
              kind: { type: "string", description: "kind of this resource" },
              metadata: { type: "object" },
              spec: schemaOf(InstanceSpec, "what is asked for"),
              status: schemaOf(StoredStatus, "what the operator found")
            },
            "x-kubernetes-validations": rootRules
          }
        }
      }
    ]
  }
})

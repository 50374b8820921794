/** The OpenAPI 3.1.0 document, made from the contract once, when it is first asked for. Reference: api.md, "Service routes". */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { stringify } from "yaml"
import { defined } from "../../../values/defined.ts"
import { Api, apiRoutes } from "../api.ts"
import { ErrorBody } from "../dto/errors.ts"
import { tagOf } from "../middleware/conditional.ts"
import { bodiesOf, componentsOf, described, headerComponents } from "./describe-operation.ts"
import { strictRequests } from "./strict-requests.ts"

type Json = { [name: string]: unknown }

/** the generator names its stand-ins for "anything" and "any object", each time with the same identifier */
const named = ({ $id, ...schema }: Json): Json =>
  typeof $id === "string" && $id.startsWith("/schemas/")
    ? Object.fromEntries(Object.entries(schema).filter(([name]) => name !== "title"))
    : { ...defined({ $id }), ...schema }

/** what a component says of itself is said of the member that refers to it as well: readers look there */
const marked = (schema: Json): Json =>
  "$ref" in schema && String(schema["description"]).startsWith("deprecated") ? { ...schema, deprecated: true } : schema

/** "or null" is accepted on input and never advertised */
const withoutNull = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(withoutNull)
  if (typeof node !== "object" || node === null) return node
  const { anyOf, ...rest } = named(node as Json)
  const kept = Array.isArray(anyOf)
    ? anyOf.filter((one: { readonly type?: unknown }) => one.type !== "null")
    : undefined
  if (kept?.length === 1) return marked({ ...(withoutNull(kept[0]) as Json), ...rest })
  return Object.fromEntries(Object.entries(named(node as Json)).map(([name, value]) => [name, withoutNull(value)]))
}

const completed = (raw: Json): Json => {
  const document = withoutNull(raw) as Json
  const { schemas, securitySchemes } = document["components"] as {
    readonly schemas: Json
    readonly securitySchemes: Json
  }
  const generated = document["paths"] as { readonly [path: string]: { readonly [method: string]: Json } }
  const paths: { [path: string]: Json } = {}
  for (const route of apiRoutes()) {
    const [path, method] = [route.path.replaceAll(/:(\w+)/g, "{$1}"), route.method.toLowerCase()]
    paths[path] = { ...paths[path], [method]: described(generated[path]?.[method] ?? {}, route) }
  }
  return {
    ...document,
    paths,
    components: { schemas: strictRequests(schemas, bodiesOf(apiRoutes())), headers: headerComponents, securitySchemes },
    security: []
  }
}

const make = (version: string) => {
  const api = Api.annotateContext(
    OpenApi.annotations({
      title: "evald",
      version,
      description: "Orchestrates evaluations of language-model endpoints.",
      servers: [{ url: "/" }],
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      transform: completed
    })
  ).annotate(HttpApi.AdditionalSchemas, [
    ErrorBody,
    ...apiRoutes()
      .flatMap(componentsOf)
      .map((ast) => Schema.make(ast))
  ])
  const document = OpenApi.fromApi(api, { additionalPropertiesStrategy: "allow" })
  const jsonText = JSON.stringify(document)
  const yamlText = stringify(document, { aliasDuplicateObjects: false })
  return {
    api,
    document,
    jsonText,
    yamlText,
    bytes: { json: Buffer.from(jsonText), yaml: Buffer.from(yamlText) },
    etag: { json: tagOf(jsonText), yaml: tagOf(yamlText) }
  }
}

let made: ReturnType<typeof make> | undefined

/** the same document on every call */
export const openApi = (): ReturnType<typeof make> => {
  made ??= make("1.0.0")
  return made
}

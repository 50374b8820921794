/** What the served OpenAPI document says of a request, read as a gateway in front of the server would read it. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { apiRoutes } from "../../interfaces/http/api.ts"
import { openApi } from "../../interfaces/http/openapi/openapi.ts"
import { makeRouter } from "../../interfaces/http/routing.ts"

interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly schema: { readonly type: string }
}

interface Documented {
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: { readonly [type: string]: { readonly schema: object } } }
}

export interface SentRequest {
  readonly method: string
  readonly path: string
  /** names in lower case */
  readonly headers: { readonly [name: string]: string }
  readonly body: string | undefined
}

const document = openApi().document as unknown as {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Documented } }
  readonly components: object
}
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { "date-time": true } })
const compiled = new Map<object, ValidateFunction>()

const problems = (schema: object, value: unknown): ReadonlyArray<string> => {
  const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components: document.components })
  compiled.set(schema, validate)
  return validate(value)
    ? []
    : (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`
      )
}

/** a parameter's text as the type of its schema has it, where it can be that */
const typed = ({ schema }: Parameter, text: string): unknown => {
  if (schema.type === "integer" && /^-?\d+$/.test(text)) return Number(text)
  return schema.type === "boolean" && (text === "true" || text === "false") ? text === "true" : text
}

const queryProblems = (parameters: ReadonlyArray<Parameter>, path: string): ReadonlyArray<string> =>
  [...new URL(path, "http://x").searchParams].flatMap(([name, text]) => {
    const parameter = parameters.find((one) => one.in === "query" && one.name === name)
    return parameter === undefined
      ? [`query ${name} is not documented`]
      : problems(parameter.schema, typed(parameter, text)).map((problem) => `query ${name}${problem}`)
  })

const headerProblems = (parameters: ReadonlyArray<Parameter>, headers: SentRequest["headers"]): ReadonlyArray<string> =>
  parameters.flatMap((parameter) => {
    const value = parameter.in === "header" ? headers[parameter.name.toLowerCase()] : undefined
    return value === undefined
      ? []
      : problems(parameter.schema, value).map((problem) => `header ${parameter.name}${problem}`)
  })

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const bodyProblems = (body: Documented["requestBody"], { headers, body: text }: SentRequest): ReadonlyArray<string> => {
  if (body === undefined) return []
  const [type = ""] = (headers["content-type"] ?? "application/json").split(";")
  const media = body.content[type]
  if (media === undefined) return [`media type ${type} is not documented`]
  const document = text === undefined ? undefined : parsed(text)
  return document === undefined ? ["the body is no JSON"] : problems(media.schema, document.value)
}

const router = makeRouter(apiRoutes())

/** every way in which the request does not fit the document; undefined when it has no such operation */
export const requestProblems = (request: SentRequest): ReadonlyArray<string> | undefined => {
  const routed = router(request.method, request.path.split("?", 1)[0] ?? "")
  if (routed._tag !== "Found") return undefined
  const operation = document.paths[routed.route.path.replaceAll(/:(\w+)/g, "{$1}")]?.[routed.route.method.toLowerCase()]
  if (operation === undefined) return undefined
  return [
    ...queryProblems(operation.parameters, request.path),
    ...headerProblems(operation.parameters, request.headers),
    ...bodyProblems(operation.requestBody, request)
  ]
}

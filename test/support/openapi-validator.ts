/** Holds every answer of the HTTP tests to the served OpenAPI document: status, media type, headers and body. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { apiRoutes } from "../../interfaces/http/api.ts"
import { openApi } from "../../interfaces/http/openapi/openapi.ts"
import { makeRouter } from "../../interfaces/http/routing.ts"

interface Media {
  readonly schema?: object
}
interface Documented {
  readonly responses: {
    readonly [status: string]: {
      readonly description: string
      readonly content?: { readonly [type: string]: Media }
      readonly headers: { readonly [name: string]: unknown }
    }
  }
}

export interface Received {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  readonly text: string
}

const document = () =>
  openApi().document as unknown as {
    readonly paths: { readonly [path: string]: { readonly [method: string]: Documented } }
    readonly components: object
  }

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { "date-time": (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) }
})
const compiled = new Map<string, ValidateFunction>()

const documentId = "evald:openapi"
/** a schema that is read by itself; what it refers to stays in the document, so that each component is compiled once for all bodies */
const byItself = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${documentId}#/`))

const validatorOf = (key: string, schema: object): ValidateFunction => {
  const known = compiled.get(key)
  if (known !== undefined) return known
  if (ajv.getSchema(documentId) === undefined)
    ajv.addSchema({ $id: documentId, components: document().components }, documentId)
  const made = ajv.compile(byItself(schema))
  compiled.set(key, made)
  return made
}

const router = makeRouter(apiRoutes())
const errorSchema = { $ref: "#/components/schemas/Error" }

const bodyProblems = (key: string, schema: object, text: string): ReadonlyArray<string> => {
  const validate = validatorOf(key, schema)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return [`${key}: the body is not JSON: ${text.slice(0, 200)}`]
  }
  return validate(value)
    ? []
    : (validate.errors ?? []).map(
        (error) => `${key}: ${error.instancePath} ${error.message ?? ""} ${JSON.stringify(error.params)}`
      )
}

const typeOf = ({ headers }: Received) => String(headers["content-type"] ?? "").split(";", 1)[0] ?? ""

/** of the transport, and what OpenAPI says elsewhere */
const undocumented = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding"
])

const headerProblems = (
  key: string,
  { headers }: Received,
  documented: { readonly [name: string]: unknown }
): ReadonlyArray<string> => {
  const known = new Set(Object.keys(documented).map((name) => name.toLowerCase()))
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || known.has(name) || undocumented.has(name)
      ? []
      : [`${key}: the header ${name} is not documented`]
  )
}

/** a refusal has a code that the operation declares under its status */
const codeProblems = (key: string, { status, text }: Received, description: string): ReadonlyArray<string> => {
  const code = status < 400 ? undefined : /"message_code":"(\w+)"/.exec(text)?.[1]
  return code === undefined || description.includes(`\`${code}\`:`)
    ? []
    : [`${key}: the code ${code} is not documented`]
}

/** every way in which the answer differs from the document; empty when it fits */
export const problemsOf = (received: Received): ReadonlyArray<string> => {
  const { method, path, status, headers, text } = received
  const traced = headers["x-request-id"] === undefined ? [`${method} ${path} ${status}: no X-Request-Id`] : []
  // below a callback address the same route answers
  const plain = (path.split("?", 1)[0] ?? path).replace(
    /^\/cb\/[^/]+(?=\/api\/v1\/evaluations\/jobs\/[^/]+\/(events|benchmarks\/\d+\/samples)$)/,
    status === 404 ? "$&" : ""
  )
  const routed = router(method, plain)
  // what node refuses before a route is known, unknown routes and other methods: always the error body
  if (routed._tag !== "Found" || status === 431 || (status === 400 && text.includes("not valid HTTP/1.1")))
    return [...traced, ...(method === "HEAD" ? [] : bodyProblems("Error", errorSchema, text))]
  const { route } = routed
  const key = `${route.method} ${route.path} ${status}`
  const operation = document().paths[route.path.replaceAll(/:(\w+)/g, "{$1}")]?.[route.method.toLowerCase()]
  if (operation === undefined) return [`${key}: the route is not documented`]
  const answer = operation.responses[String(status)]
  if (answer === undefined) return [...traced, `${key}: the status is not documented; body ${text.slice(0, 300)}`]
  const head = [...traced, ...headerProblems(key, received, answer.headers)]
  if (answer.content === undefined)
    return [...head, ...(text === "" ? [] : [`${key}: a body where none is documented`])]
  if (method === "HEAD") return head
  const media = answer.content[typeOf(received)]
  if (media === undefined) return [...head, `${key}: media type ${typeOf(received)} is not documented`]
  return [
    ...head,
    ...codeProblems(key, received, answer.description),
    ...(typeOf(received) === "application/json" && media.schema !== undefined
      ? bodyProblems(key, media.schema, text)
      : [])
  ]
}

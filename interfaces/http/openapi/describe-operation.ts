/** One operation of the document, with what the generator has no words for: headers of answers, codes of refusals, media types and examples. */
import { SchemaAST as AST, Option } from "effect"
import type { ApiAnswer, ApiRoute } from "../api.ts"
import { bodyOf, everyAnswersHeaders, headerTexts, saidOf } from "../groups/operation.ts"
import { headerOf, type RequestCode, requestCodes } from "../groups/request-codes.ts"

type Json = { readonly [name: string]: unknown }

/** every header that an answer may have, for `components.headers` */
export const headerComponents: Json = Object.fromEntries(
  Object.entries(headerTexts).map(([name, description]) => [name, { description, schema: { type: "string" } }])
)

const headersOf = (names: ReadonlyArray<string>): Json =>
  Object.fromEntries([...everyAnswersHeaders, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const referenceTo = (component: AST.AST | undefined): Json =>
  Option.match(Option.flatMap(Option.fromNullable(component), AST.getIdentifierAnnotation), {
    onNone: () => ({ type: "object" }),
    onSome: (name) => ({ $ref: `#/components/schemas/${name}` })
  })

const schemaOf = ({ mediaType, ast }: ApiAnswer): Json =>
  mediaType === "application/json" ? referenceTo(saidOf(ast)?.component) : { type: "string" }

/** answers of one status differ in their media types alone */
const success = (answers: ReadonlyArray<ApiAnswer>): Json => {
  const told = answers.flatMap(({ ast }) => saidOf(ast) ?? [])
  const content = Object.fromEntries(
    answers.flatMap((answer) =>
      answer.mediaType === undefined ? [] : [[answer.mediaType, { schema: schemaOf(answer) }]]
    )
  )
  return {
    description: told[0]?.description ?? "",
    headers: headersOf([...new Set(told.flatMap(({ headers }) => headers))]),
    ...(Object.keys(content).length === 0 ? {} : { content })
  }
}

const refusal = (codes: ReadonlyArray<RequestCode>): Json => ({
  description: codes.map((code) => `- \`${code}\`: ${requestCodes[code].meaning}`).join("\n"),
  headers: headersOf(["Cache-Control", ...new Set(codes.flatMap((code) => headerOf(code) ?? []))]),
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } }
})

const grouped = <A>(
  items: ReadonlyArray<A>,
  statusOfItem: (item: A) => number
): ReadonlyArray<readonly [number, ReadonlyArray<A>]> => {
  const groups = new Map<number, Array<A>>()
  for (const item of items) groups.set(statusOfItem(item), [...(groups.get(statusOfItem(item)) ?? []), item])
  return [...groups].sort(([a], [b]) => a - b)
}

const responses = ({ answers, codes }: ApiRoute): Json => ({
  ...Object.fromEntries(grouped(answers, ({ status }) => status).map(([status, group]) => [status, success(group)])),
  ...Object.fromEntries(
    grouped(codes, (code) => requestCodes[code].status).map(([status, group]) => [status, refusal(group)])
  )
})

/** taken of every request */
const everyRequestsHeaders = ["X-Request-Id", "X-Global-Transaction-Id"].map((name) => ({
  name,
  in: "header",
  required: false,
  description: `identifier of the exchange, answered again; without one of ${"`X-Request-Id`"} and ${"`X-Global-Transaction-Id`"} one is made`,
  schema: { type: "string" }
}))

const requestBody = ({ endpoint }: ApiRoute): Json => {
  const body = endpoint.payloadSchema._tag === "Some" ? bodyOf(endpoint.payloadSchema.value.ast) : undefined
  if (body === undefined) return {}
  const { mediaTypes, component, example } = body
  const content = mediaTypes.map((type, position) => [
    type,
    { schema: referenceTo(component), ...(position === 0 ? { example } : {}) }
  ])
  return { requestBody: { content: Object.fromEntries(content), required: true } }
}

/** the generated operation, completed from the contract */
export const described = (operation: Json, route: ApiRoute): Json => ({
  ...operation,
  operationId: route.name,
  parameters: [...(operation["parameters"] as ReadonlyArray<Json>), ...everyRequestsHeaders],
  ...requestBody(route),
  responses: responses(route)
})

/** components of bodies whose unknown members are refused, and all other parts that refer to components */
export const bodiesOf = (
  routes: ReadonlyArray<ApiRoute>
): { readonly closed: ReadonlyArray<string>; readonly others: ReadonlyArray<Json> } => {
  const bodies = routes.flatMap(({ endpoint }) =>
    endpoint.payloadSchema._tag === "Some" ? (bodyOf(endpoint.payloadSchema.value.ast) ?? []) : []
  )
  const nameOf = (component: AST.AST) => Option.toArray(AST.getIdentifierAnnotation(component))
  return {
    closed: bodies.flatMap(({ closed, component }) => (closed ? nameOf(component) : [])),
    others: [
      ...bodies.flatMap(({ closed, component }) => (closed ? [] : [referenceTo(component)])),
      ...routes.map(responses)
    ]
  }
}

/** the components that a route's bodies and answers are made of */
export const componentsOf = ({ endpoint, answers }: ApiRoute): ReadonlyArray<AST.AST> => [
  ...(endpoint.payloadSchema._tag === "Some" ? [bodyOf(endpoint.payloadSchema.value.ast)?.component ?? []].flat() : []),
  ...answers.flatMap(({ ast }) => saidOf(ast)?.component ?? [])
]

/**
 * The HTTP contract: every operation with its path, query, headers, body, answers and refusals. Routing, handlers' types, the OpenAPI document,
 * both clients and the check of the authorisation table come from here; no handler is imported.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import { SchemaAST as AST, type Schema } from "effect"
import { Attestations } from "./groups/attestations.ts"
import { Collections } from "./groups/collections.ts"
import { Comparisons } from "./groups/comparisons.ts"
import { Gates } from "./groups/gates.ts"
import { About } from "./groups/info.ts"
import { Jobs } from "./groups/jobs.ts"
import { Notifications } from "./groups/notifications.ts"
import { codesOf, Guarded, refusedAnywhere } from "./groups/operation.ts"
import { Providers } from "./groups/providers.ts"
import type { RequestCode } from "./groups/request-codes.ts"
import { Samples } from "./groups/samples.ts"
import { Service } from "./groups/service.ts"
import { Usage } from "./groups/usage.ts"

export const Api = HttpApi.make("evald")
  .add(Jobs)
  .add(Samples)
  .add(Comparisons)
  .add(Gates)
  .add(Usage)
  .add(Attestations)
  .add(Notifications)
  .add(Providers)
  .add(Collections)
  .add(About)
  .add(Service)
  .addError(refusedAnywhere)

type Groups =
  | typeof Jobs
  | typeof Samples
  | typeof Comparisons
  | typeof Gates
  | typeof Usage
  | typeof Attestations
  | typeof Notifications
  | typeof Providers
  | typeof Collections
  | typeof About
  | typeof Service
type Endpoint = HttpApiGroup.HttpApiGroup.Endpoints<Groups>

export type EndpointName = HttpApiEndpoint.HttpApiEndpoint.Name<Endpoint>
export type OpenName = HttpApiEndpoint.HttpApiEndpoint.Name<HttpApiGroup.HttpApiGroup.Endpoints<typeof Service>>

type CodeIn<Refusal> = Extract<Refusal extends { readonly message_code: infer Code } ? Code : never, RequestCode>

/** codes of every operation, and of every one that needs a caller */
type SharedCode<Name extends EndpointName> =
  | CodeIn<Schema.Schema.Type<typeof refusedAnywhere>>
  | (Name extends OpenName ? never : CodeIn<HttpApiGroup.HttpApiGroup.Error<typeof Jobs>>)

/** what travels in each operation, by its name */
export type Operation<Name extends EndpointName> =
  Extract<Endpoint, { readonly name: Name }> extends HttpApiEndpoint.HttpApiEndpoint<
    Name,
    infer Method,
    infer Path,
    infer Query,
    infer Payload,
    infer Headers,
    infer Success,
    infer Refusal
  >
    ? {
        readonly method: Method
        readonly path: Path
        readonly query: Query
        readonly payload: Payload
        readonly headers: Headers
        readonly success: Success
        /** those of this operation alone */
        readonly codes: CodeIn<Refusal>
        readonly anyCode: CodeIn<Refusal> | SharedCode<Name>
      }
    : never

/** one answer of an operation; none of them has a body of its own when `mediaType` is absent */
export interface ApiAnswer {
  readonly status: number
  readonly mediaType?: string
  readonly ast: AST.AST
}

export interface ApiRoute {
  readonly name: EndpointName
  readonly method: string
  /** `/a/:id/b` */
  readonly path: string
  /** needs a caller */
  readonly guarded: boolean
  readonly endpoint: HttpApiEndpoint.HttpApiEndpoint<string, HttpMethod>
  readonly answers: ReadonlyArray<ApiAnswer>
  /** names of the query's parameters */
  readonly query: ReadonlyArray<string>
  /** usual media type of the body */
  readonly bodyType: string | undefined
  /** of every refusal, those that all routes of the group or of the service share included */
  readonly codes: ReadonlyArray<RequestCode>
}

const membersOf = (ast: AST.AST): ReadonlyArray<AST.AST> =>
  ast._tag === "Union" ? ast.types.flatMap(membersOf) : [ast]

const isEmpty = (ast: AST.AST): boolean => ast._tag === "VoidKeyword"

const answerOf = (ast: AST.AST): ApiAnswer => ({
  status: HttpApiSchema.getStatus(ast, isEmpty(ast) ? 204 : 200),
  ...(isEmpty(ast) ? {} : { mediaType: HttpApiSchema.getEncoding(ast).contentType }),
  ...{ ast }
})

let codes: ReadonlyMap<string, ReadonlyArray<RequestCode>> | undefined

/** the codes of each operation; only documents ask for them, and reading all schemas of the contract would be a part of every start */
const codesByName = (): ReadonlyMap<string, ReadonlyArray<RequestCode>> => {
  if (codes !== undefined) return codes
  const found = new Map<string, ReadonlyArray<RequestCode>>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { name }, errors }) => {
      found.set(
        name,
        [...errors.values()].flatMap(({ ast }) => (ast._tag === "Some" ? membersOf(ast.value).flatMap(codesOf) : []))
      )
    }
  })
  codes = found
  return found
}

const routeOf = (group: HttpApiGroup.HttpApiGroup.AnyWithProps, endpoint: ApiRoute["endpoint"]): ApiRoute => {
  const { name, method, path, urlParamsSchema, payloadSchema } = endpoint
  return {
    // the record of endpoints widens the literal names that the types above list
    name: name as EndpointName,
    method,
    path,
    guarded: [...group.middlewares, ...endpoint.middlewares].some(({ key }) => key === Guarded.key),
    endpoint,
    answers: membersOf(endpoint.successSchema.ast).map(answerOf),
    get query() {
      return urlParamsSchema._tag === "Some"
        ? AST.getPropertySignatures(urlParamsSchema.value.ast).map(({ name: one }) => String(one))
        : []
    },
    bodyType:
      payloadSchema._tag === "Some" ? HttpApiSchema.getEncoding(payloadSchema.value.ast).contentType : undefined,
    get codes() {
      return codesByName().get(name) ?? []
    }
  }
}

// the types of the contract's parts are widened as its own reflection widens them
const reflected = (): ReadonlyArray<ApiRoute> =>
  (
    Object.values(Api.groups) as ReadonlyArray<unknown> as ReadonlyArray<HttpApiGroup.HttpApiGroup.AnyWithProps>
  ).flatMap((group) =>
    (Object.values(group.endpoints) as ReadonlyArray<unknown> as ReadonlyArray<ApiRoute["endpoint"]>).map((endpoint) =>
      routeOf(group, endpoint)
    )
  )

let routes: ReadonlyArray<ApiRoute> | undefined

/** every route of the contract, in its order */
export const apiRoutes = (): ReadonlyArray<ApiRoute> => {
  routes ??= reflected()
  return routes
}

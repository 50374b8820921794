/**
 * The words in which an endpoint is declared where `HttpApiEndpoint` has none of its own: what an answer means and which headers it has, which
 * codes are refused with, what a body is read as. Handlers, document, router, both clients and the check of the authorisation table read them
 * from the endpoint; nothing about an operation is said a second time. What travels is typed as it is on the wire. Reference: api.md, "Answers".
 */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as OpenApi from "@effect/platform/OpenApi"
import { SchemaAST as AST, type Context, Schema } from "effect"
import { defined } from "../../../values/defined.ts"
import type { BodyReader } from "../dto/decode.ts"
import { ErrorBody } from "../dto/errors.ts"
import type { ReadAs } from "../dto/read-as.ts"
import { given, text as wireText } from "../dto/shapes.ts"
import { type RequestCode, requestCodes } from "./request-codes.ts"

/** of every answer */
const everywhere = {
  "X-Request-Id": "identifier of the exchange",
  "X-Global-Transaction-Id": "as the caller sent it",
  "X-Content-Type-Options": "`nosniff`",
  "Cross-Origin-Resource-Policy": "`same-origin`",
  Vary: "headers of the request that the answer depends on"
} as const

const ofSome = {
  ETag: "version of the answer",
  "Cache-Control": "`no-cache` where the entity tag tells whether a copy is still good, else `no-store`",
  Location: "path of the new record",
  Link: "first, next and prev page",
  Warning: "members that were ignored, or settings that have no effect here",
  "X-Log-Source": "`live` or `captured`",
  "Idempotent-Replayed": "`true` when the answer was stored by an earlier request with the same key",
  "X-Accel-Buffering": "`no`: proxies pass the stream on as it comes",
  "Content-Security-Policy": "what the page may load",
  "WWW-Authenticate": "how to authenticate",
  "Retry-After": "seconds after which to try again"
} as const
type AnswerHeader = keyof typeof ofSome

/** every header that an answer may have, with what it says */
export const headerTexts = { ...everywhere, ...ofSome } as const
export const everyAnswersHeaders = Object.keys(everywhere)

/** what the document says of an answer */
export interface Said {
  readonly description: string
  /** besides those of every answer */
  readonly headers: ReadonlyArray<AnswerHeader>
  /** JSON answers: the schema whose wire form it is, a component of the document */
  readonly component?: AST.AST
}

const said = Symbol.for("evald/contract/said")
const refusedCodes = Symbol.for("evald/contract/codes")
const bodyReader = Symbol.for("evald/contract/body")

export const saidOf = ({ annotations }: AST.AST): Said | undefined => annotations[said] as Said | undefined
export const codesOf = ({ annotations }: AST.AST): ReadonlyArray<RequestCode> =>
  (annotations[refusedCodes] ?? []) as ReadonlyArray<RequestCode>
export const bodyOf = ({ annotations }: AST.AST): Body<unknown> | undefined =>
  annotations[bodyReader] as Body<unknown> | undefined

/** a type as it is answered: optional members are absent, never null */
export type Present<I> = I extends null
  ? never
  : I extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Present<Item>>
    : I extends object
      ? { readonly [K in keyof I]: Present<I[K]> }
      : I

type Telling = { readonly headers?: ReadonlyArray<AnswerHeader>; readonly status?: number }

const annotated = <A>(description: string, { headers = [], status }: Telling, component?: AST.AST) =>
  HttpApiSchema.annotations<A>({
    ...defined({ status }),
    [said]: { description, headers, ...defined({ component }) } satisfies Said
  })

/** a success with a record of JSON, in its wire form; the status is 200 unless it is given */
export const json = <A, I>(
  schema: Schema.Schema<A, I>,
  description: string,
  telling: Telling = {}
): Schema.Schema<Present<I>> =>
  Schema.encodedBoundSchema(schema).annotations(annotated(description, telling, schema.ast)) as Schema.Schema<
    Present<I>
  >

/** a success with text of another media type, whole or as a stream */
export const plain = (contentType: string, description: string, telling: Telling = {}) =>
  Schema.String.annotations(annotated(description, telling)).pipe(
    HttpApiSchema.withEncoding({ kind: "Text", contentType })
  )

/** a success without a body */
export const nothing = (status: 204 | 304, description: string, telling: Telling = {}) =>
  Schema.Void.annotations(annotated(description, { ...telling, status }))

/** a code as a client gets it: servers that are newer may answer others */
type CodeText<Code extends RequestCode> = Code | (string & {})

export interface ErrorOf<Code extends RequestCode> extends Omit<typeof ErrorBody.Type, "message_code"> {
  readonly message_code: CodeText<Code>
}

/** made once: a struct for each status of each operation would be a part of every start */
const anyRefusal = Schema.Struct(ErrorBody.fields)

/** the refusals of an operation: for each status of these codes the error body */
export const refusals = <const Codes extends ReadonlyArray<RequestCode>>(
  ...codes: Codes
): Schema.Schema<ErrorOf<Codes[number]>, typeof ErrorBody.Encoded> => {
  const byStatus = new Map<number, Array<RequestCode>>()
  for (const code of codes)
    byStatus.set(requestCodes[code].status, [...(byStatus.get(requestCodes[code].status) ?? []), code])
  const members = [...byStatus].map(([status, group]) =>
    Schema.make(AST.annotations(anyRefusal.ast, HttpApiSchema.annotations({ status, [refusedCodes]: group })))
  )
  // any text is taken for a code, which the type says
  return Schema.Union(...members) as unknown as Schema.Schema<ErrorOf<Codes[number]>, typeof ErrorBody.Encoded>
}

/** of every answer, whichever route */
export const refusedAnywhere = refusals(
  "not_acceptable",
  "expectation_failed",
  "request_head_too_large",
  "internal_error"
)

/** of operations that read a body */
export const refusedBodies = [
  "invalid_json_request",
  "request_body_too_large",
  "unsupported_media_type",
  "request_timeout"
] as const satisfies ReadonlyArray<RequestCode>

/** needs a caller and a tenant: groups of endpoints that carry this are authenticated and reviewed, all others are public */
export class Guarded extends HttpApiMiddleware.Tag<Guarded>()("evald/interfaces/http/Guarded", {
  failure: refusals(
    "unauthorized",
    "forbidden",
    "missing_tenant_header",
    "invalid_value",
    "query_bad_parameter",
    "too_many_requests",
    "database_unavailable",
    "review_unavailable",
    "too_many_connections"
  ),
  security: {
    bearer: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "service-account or user token; not needed in local mode")
    )
  }
}) {}

const requestHeaders = {
  "If-None-Match": wireText("answer 304 when the record still has this entity tag"),
  "If-Match": wireText("refuse with 412 unless the record has this entity tag"),
  "Idempotency-Key": wireText(
    "1 to 255 visible ASCII characters; the same key and body within 24 hours answers the stored result again",
    {
      pattern: "^[!-~]{1,255}$"
    }
  ),
  "Plan-Token": wireText(
    "token of a dry run with `plan_token=true`; stores just the job that was planned, once, and is refused with any other body",
    { pattern: "^[A-Za-z0-9_.-]{1,1024}$" }
  ),
  "Last-Event-ID": wireText("position after which the stream continues"),
  "X-Tenant": wireText("tenant namespace; required except in local mode, where it defaults to `default`", {
    pattern: "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"
  })
}
type RequestHeader = keyof typeof requestHeaders

/** request headers that an operation looks at */
export const headers = <const Names extends ReadonlyArray<RequestHeader>>(
  ...names: Names
): Schema.Schema<{ readonly [Name in Names[number]]?: string }> =>
  Schema.Struct(
    Object.fromEntries(names.map((name) => [name, given(requestHeaders[name])]))
  ) as unknown as Schema.Schema<{
    readonly [Name in Names[number]]?: string
  }>

/** how a body is read, and what the document says of it */
export interface Body<A> {
  readonly read: BodyReader<A>
  /** the first is the usual one */
  readonly mediaTypes: readonly [string, ...ReadonlyArray<string>]
  readonly example: unknown
  /** unknown members are refused, unless a setting says otherwise */
  readonly closed: boolean
  /** the schema whose wire form it is, a component of the document */
  readonly component: AST.AST
}

/** a JSON body in its wire form, which handlers get as what `read` makes of it */
export const body = <A, I, D>(
  schema: Schema.Schema<A, I>,
  {
    read,
    example,
    mediaTypes = ["application/json"],
    closed = true
  }: {
    readonly read: BodyReader<D>
    readonly example: I
    readonly mediaTypes?: Body<D>["mediaTypes"]
    readonly closed?: boolean
  }
): Schema.Schema<I & ReadAs<D>, I> =>
  Schema.encodedBoundSchema(schema)
    .annotations({ [bodyReader]: { read, example, mediaTypes, closed, component: schema.ast } satisfies Body<D> })
    .pipe(HttpApiSchema.withEncoding({ kind: "Json", contentType: mediaTypes[0] })) as unknown as Schema.Schema<
    I & ReadAs<D>,
    I
  >

/** summary and description of an operation */
export const texts = (summary: string, description = summary): Context.Context<never> =>
  OpenApi.annotations({ summary, description })

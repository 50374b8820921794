/**
 * What the published contract says about an operation beyond its shapes: texts, headers and every message code it can answer, grouped by
 * status. The codes come from the same catalogue that the error answers use, so neither can name a code the other does not know.
 */
import * as OpenApi from "@effect/platform/OpenApi"
import type { Context } from "effect"
import { type RequestCode, requestCodes } from "../../../domain/job/message-codes.ts"
import { statusOf } from "../error-response.ts"

type Json = { [name: string]: unknown }

export interface Texts {
  readonly summary: string
  readonly description?: string
  /** codes besides those that every guarded operation shares */
  readonly codes?: ReadonlyArray<RequestCode>
  /** needs authentication and a tenant */
  readonly guarded?: boolean
  /** reads a body; the media types it takes */
  readonly body?: ReadonlyArray<"application/json" | "application/json-patch+json" | "application/merge-patch+json">
  /** request headers the operation looks at */
  readonly requestHeaders?: ReadonlyArray<keyof typeof requestHeaders>
  /** answer headers of the success besides X-Request-Id */
  readonly headers?: ReadonlyArray<keyof typeof answerHeaders>
  /** what each answer with a body means, and the component that describes the body (the generator repeats it where it carries a status) */
  readonly answers: { readonly [status: number]: readonly [description: string, component?: string] }
  /** further media types of the 200 */
  readonly also?: { readonly [contentType: string]: Json }
  /** answers of other statuses that carry a body of the route's own */
  readonly statusesWithBody?: ReadonlyArray<number>
  /** further success answers without a body */
  readonly statuses?: { readonly [status: number]: string }
  readonly example?: unknown
}

const requestHeaders = {
  "If-None-Match": "answer 304 when the record still has this entity tag",
  "If-Match": "refuse with 412 unless the record has this entity tag",
  "Idempotency-Key": "1 to 255 visible ASCII characters; the same key and body within 24 hours answers the stored result again",
  "Last-Event-ID": "position after which the stream continues"
} as const

const answerHeaders = {
  ETag: "version of the answer",
  Location: "path of the new record",
  Link: "first, next and prev page",
  Warning: "members that were ignored, or settings that have no effect here",
  "X-Log-Source": "`live` or `captured`",
  "Idempotent-Replayed": "`true` when the answer was stored by an earlier request with the same key"
} as const

const shared: ReadonlyArray<RequestCode> = [
  "unauthorized",
  "forbidden",
  "missing_tenant_header",
  "invalid_value",
  "query_bad_parameter",
  "too_many_requests",
  "database_unavailable",
  "review_unavailable"
]
const ofBodies: ReadonlyArray<RequestCode> = ["invalid_json_request", "request_body_too_large", "unsupported_media_type", "request_timeout"]
const always: ReadonlyArray<RequestCode> = ["not_acceptable", "expectation_failed", "request_head_too_large", "internal_error"]

const header = (name: string) => [name, { $ref: `#/components/headers/${name}` }] as const
const headersOf = (names: ReadonlyArray<string> = []) => Object.fromEntries(["X-Request-Id", ...names].map(header))

const failureHeaders = {
  "X-Request-Id": "identifier of the exchange",
  "WWW-Authenticate": "how to authenticate",
  "Retry-After": "seconds after which to try again"
} as const

/** every header that an answer may carry, for `components.headers` */
export const headerComponents: Json = Object.fromEntries(
  Object.entries({ ...answerHeaders, ...failureHeaders }).map(([name, description]) => [name, { description, schema: { type: "string" } }])
)

const extraHeaders: { readonly [Code in RequestCode]?: string } = {
  unauthorized: "WWW-Authenticate",
  too_many_requests: "Retry-After",
  database_unavailable: "Retry-After",
  cluster_unavailable: "Retry-After",
  machine_unavailable: "Retry-After",
  review_unavailable: "Retry-After"
}

const errorAnswer = (codes: ReadonlyArray<RequestCode>) => {
  const extra = codes.map((code) => extraHeaders[code]).filter((name) => name !== undefined)
  return {
    description: codes.map((code) => `- \`${code}\`: ${requestCodes[code]}`).join("\n"),
    headers: headersOf([...new Set(extra)]),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } }
  }
}

const errorAnswers = (codes: ReadonlyArray<RequestCode>): Json => {
  const byStatus = new Map<number, Array<RequestCode>>()
  for (const code of new Set(codes)) byStatus.set(statusOf[code], [...(byStatus.get(statusOf[code]) ?? []), code])
  return Object.fromEntries([...byStatus].sort(([a], [b]) => a - b).map(([status, group]) => [String(status), errorAnswer(group)]))
}

const tenantHeader = {
  name: "X-Tenant",
  in: "header",
  required: false,
  description: "tenant namespace; required except in local mode, where it defaults to `default`",
  schema: { type: "string", pattern: "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" }
}

interface Operation {
  parameters: Array<Json>
  responses: { [status: string]: Json & { content?: Json } }
  requestBody?: { content: Json }
}

const describe = (texts: Texts) => (raw: Json) => {
  const operation = raw as unknown as Operation
  const codes = [...(texts.guarded === false ? [] : shared), ...(texts.body === undefined ? [] : ofBodies), ...(texts.codes ?? []), ...always]
  const responses: Operation["responses"] = {}
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (!status.startsWith("2") && texts.statusesWithBody?.includes(Number(status)) !== true) continue
    const [description, component] = texts.answers[Number(status)] ?? ["no content"]
    const content =
      answer.content === undefined
        ? {}
        : {
            content: {
              ...(component === undefined ? answer.content : { "application/json": { schema: { $ref: `#/components/schemas/${component}` } } }),
              ...texts.also
            }
          }
    responses[status] = { description, headers: headersOf(texts.headers), ...content }
  }
  for (const [status, description] of Object.entries(texts.statuses ?? {})) responses[status] = { description, headers: headersOf(texts.headers) }
  const parameters = [
    ...operation.parameters,
    ...(texts.requestHeaders ?? []).map((name) => ({ name, in: "header", required: false, description: requestHeaders[name], schema: { type: "string" } })),
    ...(texts.guarded === false ? [] : [tenantHeader])
  ]
  const json = operation.requestBody?.content["application/json"]
  const requestBody =
    texts.body === undefined || json === undefined
      ? {}
      : {
          requestBody: {
            ...operation.requestBody,
            content: Object.fromEntries(
              texts.body.map((type) => [
                type,
                { ...(json as Json), ...(texts.example === undefined || type !== "application/json" ? {} : { example: texts.example }) }
              ])
            )
          }
        }
  return {
    ...raw,
    ...requestBody,
    parameters,
    security: texts.guarded === false ? [] : [{ bearer: [] }],
    responses: { ...responses, ...errorAnswers(codes) }
  }
}

/** annotations of one endpoint: `endpoint.annotateContext(documented({ … }))` */
export const documented = (texts: Texts): Context.Context<never> =>
  OpenApi.annotations({ summary: texts.summary, description: texts.description ?? texts.summary, transform: describe(texts) })

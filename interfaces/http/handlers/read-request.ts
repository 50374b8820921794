/** The steps that handlers share, in their order: media type of the answer, query, body. What each looks for comes from the contract. */
import { Effect, Either } from "effect"
import type { ApiRoute } from "../api.ts"
import { readNothing } from "../dto/list-queries.ts"
import { readerOf } from "../dto/query.ts"
import type { Refused } from "../error-response.ts"
import type { Exchange } from "../exchange.ts"
import { bodyOf } from "../groups/operation.ts"
import type { OpenRequest, Readers } from "../handler.ts"
import { largeBytes, turn } from "../listener/turn.ts"
import * as Accept from "../middleware/accept.ts"
import * as Body from "../middleware/body.ts"
import * as JsonDocument from "../middleware/json-document.ts"
import { HttpSettings } from "../services.ts"

/** 406 unless the caller takes JSON */
export const acceptsJson = ({ headers }: Exchange): Either.Either<"application/json", Refused> =>
  Accept.choose(headers.accept, ["application/json"])

const jsonOnly = ["application/json"]

const bytes = (exchange: Exchange, accepted: ReadonlyArray<string>) =>
  Effect.flatMap(HttpSettings, ({ maxBodyBytes, stallMillis }) =>
    Body.read(exchange, { maxBytes: maxBodyBytes, stallMillis }, accepted)
  )

/** stands between the steps of judging what a body said; nothing when the body was small */
export const breathe = ({ headers }: Exchange): Effect.Effect<void> =>
  Number(headers["content-length"] ?? Number.NaN) <= largeBytes ? Effect.void : turn

/** the parsed body of the events route */
export const readLenientDocument = (exchange: Exchange) =>
  Effect.flatMap(bytes(exchange, jsonOnly), JsonDocument.parseLenient)

const payloadReader = (schema: ApiRoute["endpoint"]["payloadSchema"]): Readers<unknown, unknown>["payload"] => {
  const body = schema._tag === "Some" ? bodyOf(schema.value.ast) : undefined
  if (body === undefined) return () => Effect.dieMessage("the operation has no body in the contract")
  return (exchange) =>
    Effect.gen(function* () {
      const { value: document, notes } = yield* Effect.flatMap(bytes(exchange, body.mediaTypes), JsonDocument.parse)
      const { value, ignored } = yield* body.read(document, yield* HttpSettings)
      yield* breathe(exchange)
      return { value, ignored, notes, document }
    })
}

/** the readers of an operation. Where an answer has several media types, the handler chooses among them itself. */
export const readersOf = ({ endpoint, answers }: ApiRoute): Readers<unknown, unknown> => {
  const types = [...new Set(answers.flatMap(({ mediaType }) => mediaType ?? []))]
  const [only] = types
  const offered = only === undefined || types.length > 1 ? undefined : ([only] as const)
  const table: (search: string) => Either.Either<unknown, Refused> =
    (endpoint.urlParamsSchema._tag === "Some" ? readerOf(endpoint.urlParamsSchema.value.ast) : undefined) ?? readNothing
  return {
    query:
      offered === undefined
        ? ({ search }) => table(search)
        : ({ headers, search }) => Either.flatMap(Accept.choose(headers.accept, offered), () => table(search)),
    payload: payloadReader(endpoint.payloadSchema)
  }
}

/** 406 unless the caller takes what the operation answers, and the query as the contract has it */
export const readQuery = <Query>(request: OpenRequest<unknown, Query>): Either.Either<Query, Refused> =>
  request.read.query(request)

/** the body as the contract has it */
export const readPayload = <Payload>(request: OpenRequest<unknown, unknown, Payload>) => request.read.payload(request)

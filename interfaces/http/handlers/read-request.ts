/** The steps that handlers share, in their order: media type of the answer, query, body. */
import { Effect, type Either } from "effect"
import type { Refused } from "../error-response.ts"
import type { Exchange } from "../exchange.ts"
import * as Accept from "../middleware/accept.ts"
import * as Body from "../middleware/body.ts"
import * as JsonDocument from "../middleware/json-document.ts"
import { HttpSettings } from "../services.ts"
import { largeBytes, turn } from "../turn.ts"

/** 406 unless the caller takes JSON */
export const acceptsJson = ({ headers }: Exchange): Either.Either<"application/json", Refused> => Accept.choose(headers.accept, ["application/json"])

const jsonOnly = ["application/json"]

const bytes = (exchange: Exchange, accepted: ReadonlyArray<string>) =>
  Effect.flatMap(HttpSettings, ({ maxBodyBytes, stallMillis }) => Body.read(exchange, { maxBytes: maxBodyBytes, stallMillis }, accepted))

/** the parsed body, not decoded yet, and what of it is not as it was written */
export const readDocument = (exchange: Exchange, accepted: ReadonlyArray<string> = jsonOnly) => Effect.flatMap(bytes(exchange, accepted), JsonDocument.parse)

/** stands between the steps of judging what a body said; nothing when the body was small */
export const breathe = ({ headers }: Exchange): Effect.Effect<void> => (Number(headers["content-length"] ?? Number.NaN) <= largeBytes ? Effect.void : turn)

/** the parsed body of the events route */
export const readLenientDocument = (exchange: Exchange) => Effect.flatMap(bytes(exchange, jsonOnly), JsonDocument.parseLenient)

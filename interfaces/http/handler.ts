/**
 * What a handler is, derived from its operation in the contract: path, query and body come in as the contract's readers make them, a success
 * goes out as a value of the declared shape, as rendered text or as a stream, and it may fail only with what the contract declares.
 */
import type { Effect, Either } from "effect"
import type {
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  PreconditionFailed,
  ReadOnly,
  TenantFull,
  Unauthenticated,
  Unavailable
} from "../../application/errors.ts"
import type { EndpointName, OpenName, Operation } from "./api.ts"
import type { Read } from "./dto/read-as.ts"
import type { Refused } from "./error-response.ts"
import type { Answer, Exchange } from "./exchange.ts"
import type { RequestCode } from "./groups/request-codes.ts"
import type { AuthenticatedCaller } from "./middleware/authentication.ts"
import type { HttpSettings, Services } from "./services.ts"

/** a body as it was read */
export interface Received<A> {
  readonly value: A
  /** unknown members that were ignored */
  readonly ignored: ReadonlyArray<string>
  /** what of the text the document does not hold as it was written, a sentence each */
  readonly notes: ReadonlyArray<string>
  /** the parsed body */
  readonly document: unknown
}

/** the readers of one operation, made once from the contract; each looks at the media type that the caller takes first, then at its part */
export interface Readers<Query, Payload> {
  readonly query: (exchange: Exchange) => Either.Either<Query, Refused>
  /** after the query */
  readonly payload: (exchange: Exchange) => Effect.Effect<Received<Payload>, Refused | Invalid, HttpSettings>
}

export interface OpenRequest<Params = unknown, Query = unknown, Payload = unknown> extends Exchange {
  readonly params: Params
  readonly read: Readers<Query, Payload>
}

export interface GuardedRequest<Params = unknown, Query = unknown, Payload = unknown>
  extends OpenRequest<Params, Query, Payload> {
  readonly caller: AuthenticatedCaller
}

/** the codes of a conflict */
type ConflictCode = Conflict["code"]

/** a failure that stands for codes which the operation has to declare */
type Declared<Failure, Needed extends RequestCode, Codes extends RequestCode> = [Extract<Needed, Codes>] extends [never]
  ? never
  : Failure

/** what every operation of the service, or every one with a caller, may fail with */
type Shared = Refused | Invalid | Unavailable | Unauthenticated | Forbidden

/** the failures that stand for the declared codes */
export type FailureOf<Codes extends RequestCode> =
  | Shared
  | Declared<NotFound, "resource_not_found", Codes>
  | Declared<Conflict, ConflictCode, Codes>
  | Declared<TenantFull, "tenant_limit_reached", Codes>
  | Declared<ReadOnly, "read_only_provider" | "read_only_collection", Codes>
  | Declared<PreconditionFailed, "precondition_failed", Codes>

/** an operation without a query is read all the same: any member of it is refused, and nothing comes of it */
type QueryOf<Name extends EndpointName> = [Operation<Name>["query"]] extends [never]
  ? { readonly [member: string]: never }
  : Read<Operation<Name>["query"]>

type RequestOf<Name extends EndpointName> = Name extends OpenName
  ? OpenRequest<Operation<Name>["path"], QueryOf<Name>, Read<Operation<Name>["payload"]>>
  : GuardedRequest<Operation<Name>["path"], QueryOf<Name>, Read<Operation<Name>["payload"]>>

/** what answers the operation of that name */
export type Handler<Name extends EndpointName> = (
  request: RequestOf<Name>
) => Effect.Effect<Answer<Extract<Operation<Name>["success"], object>>, FailureOf<Operation<Name>["codes"]>, Services>

/** a new operation does not compile until something answers it */
export type Handlers<Names extends EndpointName = EndpointName> = { readonly [Name in Names]: Handler<Name> }

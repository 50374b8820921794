/**
 * The order of things for one request: site check, route, authentication and review, handler; and the one place where whatever went
 * wrong becomes an answer. Handlers decode and act, nothing else. Reference: api.md, "Requests".
 */
import { Cause, Effect } from "effect"
import type { Forbidden } from "../../application/errors.ts"
import type { AccessRule, Method } from "./access/access-table.ts"
import type { ApiRoute } from "./api.ts"
import { contentOf, errorAnswer, type Failure, internalError, Refused, routeNotFound } from "./error-response.ts"
import type { Answer, Exchange, Outcome, Params } from "./exchange.ts"
import type { GuardedRequest, OpenRequest, Readers } from "./handler.ts"
import type { Audited } from "./middleware/audit.ts"
import type { Authentication, Credentials } from "./middleware/authentication.ts"
import { callbackPrefix } from "./middleware/same-site.ts"
import type { Pages } from "./pages.ts"
import { withRequestSpan } from "./request-span.ts"
import type { makeRouter } from "./routing.ts"
import type { Services } from "./services.ts"

/** a handler whose request fits its operation */
export type AnyHandler = (request: GuardedRequest | OpenRequest) => Effect.Effect<Answer, Failure, Services>

/** a route bound to what answers it */
export type BoundRoute = Pick<ApiRoute, "method" | "path"> & {
  readonly handle: AnyHandler
  readonly read: Readers<unknown, unknown>
} & (
    | { readonly _tag: "Open" }
    | { readonly _tag: "Guarded"; readonly rule: AccessRule; readonly limited: boolean; readonly audited: boolean }
  )

export interface DispatchOptions {
  readonly router: ReturnType<typeof makeRouter<BoundRoute>>
  readonly authenticate: Authentication["Type"]["authenticate"]
  /** undefined: no limit */
  readonly limit: ((tenant: string) => Effect.Effect<void, Refused>) | undefined
  /** undefined: nothing is written down */
  readonly audit: Audited | undefined
  /** why a request may come from another site's web page; asked on every request */
  readonly siteRefusal: (exchange: Exchange) => Forbidden | undefined
  /** routes below `/cb/`, which authorise by the secret in their path; undefined answers like an unknown route */
  readonly callbacks: ((exchange: Exchange) => Effect.Effect<Answer | "answered", Failure, Services>) | undefined
  /** agents' programs, whose questions become requests of their own; undefined answers like an unknown route */
  readonly mcp: ((exchange: Exchange, ask: Dispatch) => Effect.Effect<Answer, Failure, Services>) | undefined
  /** what is at paths that no operation has; undefined: nothing */
  readonly pages: Pages | undefined
}

/** never fails; interruption (the caller hung up) passes through */
export type Dispatch = (exchange: Exchange) => Effect.Effect<Outcome, never, Services>

const callbackRoute = "/cb/:secret/*"
const mcpPath = "/mcp"
const pageRoute = "pages"

/** what did not answer, for the log */
const subjectOf = (failure: Failure) =>
  failure._tag === "Unavailable" ? { peer: failure.peer, operation: failure.operation } : {}

const failed = (cause: Cause.Cause<Failure>, trace: string, route: string, method: string): Effect.Effect<Answer> => {
  const failure = Cause.failureOption(cause)
  if (failure._tag === "Some") {
    const answer = errorAnswer(contentOf(failure.value), trace)
    return answer.status < 500
      ? Effect.succeed(answer)
      : Effect.as(
          Effect.logWarning("request failed", cause).pipe(
            Effect.annotateLogs({ trace, route, method, status: answer.status, ...subjectOf(failure.value) })
          ),
          answer
        )
  }
  return Effect.logError("request failed unexpectedly", cause).pipe(
    Effect.annotateLogs({ trace, route, method, status: 500 }),
    Effect.as(errorAnswer(internalError, trace))
  )
}

const otherMethod = (method: string, allow: ReadonlyArray<string>): Refused =>
  new Refused({
    code: "method_not_allowed",
    message: `${method.slice(0, 20)} is not possible here; use ${allow.join(", ")}`,
    headers: { allow: allow.join(", ") }
  })

const credentialsOf = ({ headers, method, source }: Exchange): Credentials => ({
  headers,
  rawHeaders: source.rawHeaders,
  method: method as Method,
  remoteAddress: source.socket.remoteAddress
})

/** what proves the caller's identity is not handed on */
const withoutAuthorization = (headers: Exchange["headers"]): Exchange["headers"] => {
  if (headers.authorization === undefined) return headers
  const { authorization: _, ...rest } = headers
  return rest
}

/** whoever is known is answered: what it may read, each of its questions finds out */
const knownAgents =
  ({ authenticate, limit }: Pick<DispatchOptions, "authenticate" | "limit">) =>
  (exchange: Exchange, work: Effect.Effect<Answer, Failure, Services>): Effect.Effect<Answer, Failure, Services> =>
    exchange.method !== "POST"
      ? Effect.fail(otherMethod(exchange.method, ["POST"]))
      : Effect.flatMap(
          authenticate(credentialsOf(exchange), { path: mcpPath, methods: ["POST"], reviews: [] }),
          ({ tenant }) => (limit === undefined ? work : Effect.zipRight(limit(tenant), work))
        )

/** a page or an asset */
const paged = (exchange: Exchange, { answer }: Pages): Effect.Effect<Answer, Refused> =>
  exchange.method === "GET" || exchange.method === "HEAD"
    ? Effect.sync(() => answer(exchange) ?? errorAnswer(routeNotFound, exchange.trace))
    : Effect.fail(otherMethod(exchange.method, ["GET", "HEAD"]))

export const makeDispatch = ({
  router,
  authenticate,
  limit,
  audit,
  siteRefusal,
  callbacks,
  mcp,
  pages
}: DispatchOptions): Dispatch => {
  const asAgent = knownAgents({ authenticate, limit })
  const guarded = (
    exchange: Exchange,
    route: Extract<BoundRoute, { readonly _tag: "Guarded" }>,
    params: Params
  ): Effect.Effect<Answer, Failure, Services> =>
    Effect.flatMap(authenticate(credentialsOf(exchange), route.rule), (caller) => {
      // member by member: a spread that gets more members after it costs a microsecond
      const handled = route.handle({
        method: exchange.method,
        path: exchange.path,
        search: exchange.search,
        headers: withoutAuthorization(exchange.headers),
        trace: exchange.trace,
        source: exchange.source,
        sink: exchange.sink,
        expectsContinue: exchange.expectsContinue,
        params,
        read: route.read,
        caller
      })
      const work = audit === undefined || !route.audited ? handled : audit(exchange, caller, handled)
      return limit === undefined || !route.limited ? work : Effect.zipRight(limit(caller.tenant), work)
    })

  const dispatch: Dispatch = (exchange) => {
    const { method, path, trace } = exchange
    const answered = (
      route: string,
      work: Effect.Effect<Answer | "answered", Failure, Services>
    ): Effect.Effect<Outcome, never, Services> =>
      withRequestSpan(
        exchange,
        route,
        Effect.map(
          Effect.catchAllCause(work, (cause) =>
            Cause.isInterruptedOnly(cause)
              ? Effect.failCause(cause as Cause.Cause<never>)
              : failed(cause, trace, route, method)
          ),
          (answer) => ({ route, answer })
        )
      )
    const refusal = siteRefusal(exchange)
    if (refusal !== undefined) return answered("refused", Effect.fail(refusal))
    if (callbacks !== undefined && path.startsWith(callbackPrefix)) return answered(callbackRoute, callbacks(exchange))
    if (mcp !== undefined && path === mcpPath) return answered(mcpPath, asAgent(exchange, mcp(exchange, dispatch)))
    const routed = router(method, path)
    switch (routed._tag) {
      case "Unknown":
        if (pages?.owns(path) === true) return answered(pageRoute, paged(exchange, pages))
        return Effect.succeed({ route: "unmatched", answer: errorAnswer(routeNotFound, trace) })
      case "OtherMethod":
        return answered("other_method", Effect.fail(otherMethod(method, routed.allow)))
      case "Found": {
        const { route, params } = routed
        return answered(
          route.path,
          route._tag === "Open"
            ? route.handle({ ...exchange, params, read: route.read })
            : guarded(exchange, route, params)
        )
      }
    }
  }
  return dispatch
}

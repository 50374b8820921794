/**
 * Who calls, for which tenant, and may it: in this order on every guarded route, before anything else of the request is looked at.
 * Three ways of knowing the caller, chosen by `auth.mode`. Reference: api.md, "Authentication".
 */

import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { Context, Effect, Either, Layer, Redacted } from "effect"
import type { Caller } from "../../../application/access/caller.ts"
import { Forbidden, Invalid, type Throttled, Unauthenticated, type Unavailable } from "../../../application/errors.ts"
import { AccessReview } from "../../../application/ports/access-review.ts"
import { type Review, type Right, reviewOf } from "../../../domain/access/review.ts"
import { dnsLabelProblem } from "../../../domain/dns-name.ts"
import { accountIdentity, boundPodOf, type Identity, localIdentity } from "../../../domain/identity.ts"
import { isLoopback } from "../../../domain/loopback.ts"
import { shown, violation } from "../../../domain/violation.ts"
import { defined } from "../../../values/defined.ts"
import { type AccessRule, type Method, reviewsOf } from "../access/access-table.ts"
import { Refused } from "../error-response.ts"
import { makeCallerSource } from "./caller-source.ts"

/** the part of an exchange that authentication may look at */
export interface Credentials {
  readonly headers: IncomingHttpHeaders
  /** names and values in turn, as they came: the parsed headers hide that one was sent twice */
  readonly rawHeaders: ReadonlyArray<string>
  readonly method: Method
  readonly remoteAddress: string | undefined
}

/** a caller whose tenant was assumed because the request named none (local mode only) */
export interface AuthenticatedCaller extends Caller {
  readonly tenantAssumed: boolean
  readonly groups?: ReadonlyArray<string>
  /** whether the caller has the right in its tenant; absent where nothing is reviewed */
  readonly may?: (right: Right) => Effect.Effect<boolean, Unavailable>
  /** pod that the caller's token is bound to, when the cluster says so */
  readonly boundPod?: string
  /** the reviews once more, for answers that go on for long; absent where nothing is reviewed */
  readonly again?: { readonly everySeconds: number; readonly check: Effect.Effect<void, Refusal> }
}

export type Refusal = Unauthenticated | Forbidden | Unavailable | Refused | Invalid

export class Authentication extends Context.Tag("evald/interfaces/http/Authentication")<
  Authentication,
  { readonly authenticate: (credentials: Credentials, rule: AccessRule) => Effect.Effect<AuthenticatedCaller, Refusal> }
>() {}

const localTenant = "default"

const timesSent = (rawHeaders: ReadonlyArray<string>, name: string): number => {
  let times = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? ""
    if (sent === name || (sent.length === name.length && sent.toLowerCase() === name)) times += 1
  }
  return times
}

const maxAuthorizationLength = 16_384

/** undefined: absent, malformed, too long, or sent more than once */
const bearerOf = ({ headers, rawHeaders }: Pick<Credentials, "headers" | "rawHeaders">): string | undefined => {
  const { authorization = "" } = headers
  if (authorization.length > maxAuthorizationLength || timesSent(rawHeaders, "authorization") > 1) return undefined
  return /^bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1]
}

const checkedTenant = (value: string): Either.Either<string, Invalid> => {
  const problem = dnsLabelProblem(value)
  return problem === undefined
    ? Either.right(value)
    : Either.left(new Invalid({ violations: [violation([], `header X-Tenant ${shown(value)} ${problem}`)] }))
}

const givenTenant = (headers: IncomingHttpHeaders): string | undefined => {
  const value = headers["x-tenant"]
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined
}

const requiredTenant = ({
  headers,
  rawHeaders
}: Pick<Credentials, "headers" | "rawHeaders">): Either.Either<string, Invalid | Refused> => {
  const value = givenTenant(headers)
  if (timesSent(rawHeaders, "x-tenant") > 1)
    return Either.left(new Invalid({ violations: [violation([], "header X-Tenant is sent more than once")] }))
  return value === undefined
    ? Either.left(
        new Refused({
          code: "missing_tenant_header",
          message: "header X-Tenant is missing; it names the tenant's namespace"
        })
      )
    : checkedTenant(value)
}

const digest = (text: string) => createHash("sha256").update(text).digest()

/** local mode: everybody is the local user, unless a token is set, which then every call needs */
export const layerNone = (options: { readonly token?: Redacted.Redacted }): Layer.Layer<Authentication> => {
  const wanted = options.token === undefined ? undefined : digest(Redacted.value(options.token))
  const refused = new Unauthenticated({ message: "send the token of local.token as bearer token" })
  return Layer.succeed(Authentication, {
    authenticate: ({ headers, rawHeaders }) => {
      if (wanted !== undefined) {
        const given = bearerOf({ headers, rawHeaders })
        if (given === undefined || !timingSafeEqual(digest(given), wanted)) return Effect.fail(refused)
      }
      const named = givenTenant(headers)
      const tenant = named === undefined ? Either.right(localTenant) : checkedTenant(named)
      return Either.map(tenant, (name) => ({
        tenant: name,
        owner: localIdentity.username,
        tenantAssumed: named === undefined
      }))
    }
  })
}

/** a fronting proxy has authenticated and authorised the caller and says who it is; nobody else is believed */
export const layerTrustedHeaders = (options: {
  readonly trustedProxies: ReadonlyArray<string>
}): Layer.Layer<Authentication> => {
  const trusted = new Set(options.trustedProxies)
  const believes = (address: string | undefined) => {
    const plain = address?.replace(/^::ffff:/, "") ?? ""
    return trusted.size === 0 ? isLoopback(plain) : trusted.has(plain)
  }
  return Layer.succeed(Authentication, {
    authenticate: ({ headers, rawHeaders, remoteAddress }) => {
      const user = headers["x-user"]
      if (!believes(remoteAddress))
        return Either.left(new Unauthenticated({ message: "requests are taken from the configured proxy only" }))
      if (typeof user !== "string" || !/^[\x21-\x7e]{1,256}$/.test(user))
        return Either.left(new Unauthenticated({ message: "the proxy did not say who calls (X-User)" }))
      return Either.map(requiredTenant({ headers, rawHeaders }), (tenant) => ({
        tenant,
        owner: user,
        tenantAssumed: false
      }))
    }
  })
}

export interface ReviewedOptions {
  /** the table's aliases to the configured API groups */
  readonly groups: { readonly [alias: string]: string }
  /** `auth.cache.allow_seconds`: answers that go on for long are reviewed again this often */
  readonly allowSeconds: number
  /** `auth.trusted_proxies`: who may say where a request comes from */
  readonly trustedProxies?: ReadonlyArray<string>
  /** service account of jobs: a namespace is a tenant while the one there may report events; absent: every namespace is one */
  readonly jobAccount?: string
}

const tooManyTokens = ({ scope, retryAfterSeconds }: Throttled) =>
  new Refused({
    code: "too_many_requests",
    message: `too many invalid tokens arrive ${scope === "source" ? "from your address" : "at this server"}; try again in ${retryAfterSeconds} s`,
    headers: { "retry-after": String(retryAfterSeconds) }
  })

/** a refusal of any review counts before a reviewer that does not answer; all of them are asked at once */
const allAllow = (
  access: AccessReview["Type"],
  identity: Identity,
  reviews: ReadonlyArray<Review>
): Effect.Effect<void, Forbidden | Unavailable> =>
  Effect.gen(function* () {
    const answers = yield* Effect.forEach(reviews, (review) => Effect.either(access.allows(identity, review)), {
      concurrency: "unbounded"
    })
    const refused = reviews.find((_, position) => {
      const answer = answers[position]
      return answer !== undefined && Either.isRight(answer) && !answer.right
    })
    if (refused !== undefined)
      return yield* new Forbidden({
        message: `'${identity.username}' may not ${refused.verb} ${refused.resource}.${refused.group} in tenant '${refused.namespace}'`
      })
    yield* Effect.all(answers, { discard: true })
  })

/** bearer token and access reviews */
export const layerReviewed = ({
  groups,
  allowSeconds,
  trustedProxies = [],
  jobAccount
}: ReviewedOptions): Layer.Layer<Authentication, never, AccessReview> =>
  Layer.effect(
    Authentication,
    Effect.map(AccessReview, (access) => {
      const sourceOf = makeCallerSource(trustedProxies)
      const identified = (token: string, source: string) =>
        access.identify(Redacted.make(token), source).pipe(
          Effect.catchTag("Throttled", (error) => Effect.fail(tooManyTokens(error))),
          Effect.flatMap((identity) =>
            identity === undefined
              ? Effect.fail(new Unauthenticated({ message: "the bearer token is not valid" }))
              : Effect.succeed(identity)
          )
        )
      /** whoever takes a namespace out of the service takes this right away, and with it everything that is stored of the tenant */
      const isTenant = (tenant: string): Effect.Effect<boolean, Unavailable> =>
        jobAccount === undefined
          ? Effect.succeed(true)
          : access.allows(
              accountIdentity(tenant, jobAccount),
              reviewOf({ group: "service", resource: "status-events", verb: "create" }, "create", tenant, groups)
            )
      const servedTenant = (tenant: string) =>
        Effect.filterOrFail(
          isTenant(tenant),
          (is) => is,
          () =>
            new Forbidden({
              message: `namespace '${tenant}' is no tenant of this service: jobs have no rights there; ask who runs the service to let it in`
            })
        )
      return {
        authenticate: (credentials: Credentials, rule: AccessRule) =>
          Effect.gen(function* () {
            const token = bearerOf(credentials)
            if (token === undefined)
              return yield* new Unauthenticated({ message: "send one bearer token in the Authorization header" })
            const source = sourceOf(credentials)
            const identity = yield* identified(token, source)
            const tenant = yield* requiredTenant(credentials)
            const reviews = reviewsOf(rule, credentials.method, tenant, groups)
            const mayIn = (who: Identity) =>
              Effect.zipRight(
                allAllow(access, who, reviews),
                // who has no right anywhere is not told which namespaces are tenants
                reviews.length === 0 ? Effect.void : servedTenant(tenant)
              )
            yield* mayIn(identity)
            const boundPod = boundPodOf(identity)
            const check = Effect.suspend(() => Effect.flatMap(identified(token, source), mayIn))
            return {
              tenant,
              owner: identity.username,
              tenantAssumed: false,
              groups: identity.groups,
              may: (right: Right) =>
                Effect.flatMap(access.allows(identity, reviewOf(right, right.verb, tenant, groups)), (allowed) =>
                  allowed ? isTenant(tenant) : Effect.succeed(false)
                ),
              ...defined({ boundPod }),
              again: { everySeconds: Math.max(1, allowSeconds), check }
            }
          })
      }
    })
  )

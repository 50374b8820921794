/**
 * Who calls, for which tenant, and may it: in this order on every guarded route, before anything else of the request is looked at.
 * Three ways of knowing the caller, chosen by `auth.mode`. Spec: "Authentication"; decisions 1, "Tenancy and permissions".
 */
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { Context, Effect, Either, Layer, Redacted } from "effect"
import type { Caller } from "../../../application/access/caller.ts"
import { Forbidden, Invalid, Unauthenticated, type Unavailable } from "../../../application/errors.ts"
import { AccessReview } from "../../../application/ports/access-review.ts"
import { type AccessRule, type Method, reviewsOf } from "../../../domain/access/permissions.ts"
import { dnsLabelProblem } from "../../../domain/dns-name.ts"
import { localIdentity } from "../../../domain/identity.ts"
import { shown, violation } from "../../../domain/violation.ts"
import { Refused } from "../error-response.ts"

/** the part of an exchange that authentication may look at */
export interface Credentials {
  readonly headers: IncomingHttpHeaders
  readonly method: Method
  readonly remoteAddress: string | undefined
}

/** a caller whose tenant was assumed because the request named none (local mode only) */
export interface AuthenticatedCaller extends Caller {
  readonly tenantAssumed: boolean
}

type Refusal = Unauthenticated | Forbidden | Unavailable | Refused | Invalid

export class Authentication extends Context.Tag("evald/interfaces/http/Authentication")<
  Authentication,
  { readonly authenticate: (credentials: Credentials, rule: AccessRule) => Effect.Effect<AuthenticatedCaller, Refusal> }
>() {}

const localTenant = "default"

const bearerOf = ({ authorization }: IncomingHttpHeaders): string | undefined => /^bearer +([\x21-\x7e]+)$/i.exec(authorization ?? "")?.[1]

const checkedTenant = (value: string): Either.Either<string, Invalid> => {
  const problem = dnsLabelProblem(value)
  return problem === undefined ? Either.right(value) : Either.left(new Invalid({ violations: [violation("", `header X-Tenant ${shown(value)} ${problem}`)] }))
}

const givenTenant = (headers: IncomingHttpHeaders): string | undefined => {
  const value = headers["x-tenant"]
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined
}

const requiredTenant = (headers: IncomingHttpHeaders): Either.Either<string, Invalid | Refused> => {
  const value = givenTenant(headers)
  return value === undefined
    ? Either.left(new Refused({ code: "missing_tenant_header", message: "header X-Tenant is missing; it names the tenant's namespace" }))
    : checkedTenant(value)
}

const digest = (text: string) => createHash("sha256").update(text).digest()

/** local mode: everybody is the local user, unless a token is set, which then every call needs */
export const layerNone = (options: { readonly token?: Redacted.Redacted }): Layer.Layer<Authentication> => {
  const wanted = options.token === undefined ? undefined : digest(Redacted.value(options.token))
  const refused = new Unauthenticated({ message: "send the token of local.token as bearer token" })
  return Layer.succeed(Authentication, {
    authenticate: ({ headers }) => {
      if (wanted !== undefined) {
        const given = bearerOf(headers)
        if (given === undefined || !timingSafeEqual(digest(given), wanted)) return Effect.fail(refused)
      }
      const named = givenTenant(headers)
      const tenant = named === undefined ? Either.right(localTenant) : checkedTenant(named)
      return Either.map(tenant, (name) => ({ tenant: name, owner: localIdentity.username, tenantAssumed: named === undefined }))
    }
  })
}

const loopback = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/

/** a fronting proxy has authenticated and authorised the caller and says who it is; nobody else is believed */
export const layerTrustedHeaders = (options: { readonly trustedProxies: ReadonlyArray<string> }): Layer.Layer<Authentication> => {
  const trusted = new Set(options.trustedProxies)
  const believes = (address: string | undefined) => {
    const plain = address?.replace(/^::ffff:/, "") ?? ""
    return trusted.size === 0 ? loopback.test(plain) : trusted.has(plain)
  }
  return Layer.succeed(Authentication, {
    authenticate: ({ headers, remoteAddress }) =>
      Effect.gen(function* () {
        const user = headers["x-user"]
        if (!believes(remoteAddress)) return yield* new Unauthenticated({ message: "requests are taken from the configured proxy only" })
        if (typeof user !== "string" || !/^[\x21-\x7e]{1,256}$/.test(user))
          return yield* new Unauthenticated({ message: "the proxy did not say who calls (X-User)" })
        return { tenant: yield* requiredTenant(headers), owner: user, tenantAssumed: false }
      })
  })
}

/** bearer token and access reviews; `groups` maps the table's aliases to the configured API groups */
export const layerReviewed = (options: { readonly groups: { readonly [alias: string]: string } }): Layer.Layer<Authentication, never, AccessReview> =>
  Layer.effect(
    Authentication,
    Effect.map(AccessReview, (access) => ({
      authenticate: ({ headers, method }: Credentials, rule: AccessRule) =>
        Effect.gen(function* () {
          const token = bearerOf(headers)
          if (token === undefined) return yield* new Unauthenticated({ message: "send a bearer token in the Authorization header" })
          const identity = yield* access.identify(Redacted.make(token))
          if (identity === undefined) return yield* new Unauthenticated({ message: "the bearer token is not valid" })
          const tenant = yield* requiredTenant(headers)
          for (const review of reviewsOf(rule, method, tenant, options.groups)) {
            if (!(yield* access.allows(identity, review)))
              return yield* new Forbidden({ message: `'${identity.username}' may not ${review.verb} ${review.resource}.${review.group} in tenant '${tenant}'` })
          }
          return { tenant, owner: identity.username, tenantAssumed: false }
        })
    }))
  )

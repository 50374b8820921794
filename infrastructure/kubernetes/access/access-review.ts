/**
 * Callers identified by TokenReview and authorised by SubjectAccessReview. Only a clear "yes" lets anybody in; a reviewer that does not
 * answer properly within 5 s is `Unavailable`, never a yes or a no. Tokens are kept nowhere: caches are keyed by an HMAC whose key lives
 * in this process. Reference: cluster-objects.md, "Reviews".
 */

import { createHmac, randomBytes } from "node:crypto"
import { Clock, Duration, Effect, Layer, Redacted, type Scope } from "effect"
import { type Throttled, Unavailable } from "../../../application/errors.ts"
import { AccessReview, type ResourceAction } from "../../../application/ports/access-review.ts"
import type { Identity } from "../../../domain/identity.ts"
import { defined } from "../../../values/defined.ts"
import { isObject, type JsonObject, numberMember, parseJson } from "../../../values/json.ts"
import { KubeClient } from "../client/client.ts"
import { textOf } from "../client/kube-error.ts"
import { makeReviewCache } from "./review-cache.ts"
import { type GateLimits, makeReviewGate } from "./review-gate.ts"

export interface AccessReviewOptions {
  /** `auth.audiences`: a token must be meant for one of them; empty: for the API server */
  readonly audiences: ReadonlyArray<string>
  /** `auth.cache.allow_seconds`: how long an allowed action is remembered; 0: not at all */
  readonly allowSeconds: number
  /** `auth.refused_tokens.*` */
  readonly refusedTokens: GateLimits
  /** answers that are remembered at most, as many refusals apart; default 10,000 and 50,000 */
  readonly remembered?: { readonly identities: number; readonly decisions: number }
}

const reviewLimit = Duration.seconds(5)
const identifiedMillis = 60_000
const refusedMillis = 10_000
const standardRemembered = { identities: 10_000, decisions: 50_000 }

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item: unknown) => typeof item === "string") : []

/** when the token itself ends, in milliseconds; undefined for tokens that do not say so in the clear */
const expiryOf = (token: string): number | undefined => {
  const [, payload, signature] = token.split(".")
  if (payload === undefined || signature === undefined) return undefined
  const seconds = numberMember(parseJson(Buffer.from(payload, "base64url").toString("utf8")), "exp")
  return seconds === undefined ? undefined : seconds * 1000
}

const identityOf = (user: JsonObject): Identity | undefined => {
  const username = textOf(user, "username")
  if (username === "") return undefined
  const uid = textOf(user, "uid")
  const extra = isObject(user["extra"])
    ? Object.entries(user["extra"]).map(([key, values]) => [key, texts(values)] as const)
    : []
  return {
    username,
    ...(uid === "" ? {} : { uid }),
    groups: texts(user["groups"]),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) })
  }
}

const intersects = (given: ReadonlyArray<string>, wanted: ReadonlyArray<string>): boolean =>
  wanted.length === 0 || wanted.some((one) => given.includes(one))

/** undefined: the answer can not be understood */
const readTokenReview = (
  status: JsonObject,
  audiences: ReadonlyArray<string>
): { readonly identity: Identity | undefined } | undefined => {
  const authenticated = status["authenticated"] ?? false
  if (typeof authenticated !== "boolean") return undefined
  if (!authenticated || !intersects(texts(status["audiences"]), audiences)) return { identity: undefined }
  return isObject(status["user"]) ? { identity: identityOf(status["user"]) } : undefined
}

interface Decision {
  readonly allowed: boolean
  /** the reviewer could not evaluate everything: asked again next time */
  readonly doubtful: boolean
}

const readAccessReview = (status: JsonObject): Decision | undefined => {
  const [allowed, denied] = [status["allowed"] ?? false, status["denied"] ?? false]
  if (typeof allowed !== "boolean" || typeof denied !== "boolean") return undefined
  return { allowed: allowed && !denied, doubtful: textOf(status, "evaluationError") !== "" }
}

/** who, as part of a cache key: the order of groups and of extra members has no meaning */
const subjectKey = ({ username, uid, groups, extra = {} }: Identity): ReadonlyArray<unknown> => [
  username,
  uid ?? "",
  [...groups].sort(),
  Object.keys(extra)
    .sort()
    .map((key) => [key, extra[key]])
]

const accessSpec = (
  { username, uid, groups, extra }: Identity,
  { namespace, verb, group, resource }: ResourceAction
) => ({
  user: username,
  ...defined({ uid }),
  groups,
  ...defined({ extra }),
  resourceAttributes: { namespace, verb, group, version: "*", resource }
})

const unavailable = (operation: string, cause?: unknown) =>
  new Unavailable({ peer: "review", operation, ...defined({ cause }) })

interface Known {
  readonly identity: Identity | undefined
  /** when the token itself ends, where it says so */
  readonly expiry: number | undefined
}

export const make = ({
  audiences,
  allowSeconds,
  refusedTokens,
  remembered = standardRemembered
}: AccessReviewOptions): Effect.Effect<AccessReview["Type"], never, KubeClient | Scope.Scope> =>
  Effect.gen(function* () {
    const client = yield* KubeClient
    const key = randomBytes(32)
    const hmac = (text: string) => createHmac("sha256", key).update(text).digest("base64")

    /** sends one review and reads its status */
    const review = <A>(
      kind: string,
      group: string,
      spec: unknown,
      read: (status: JsonObject) => A | undefined
    ): Effect.Effect<A, Unavailable> => {
      const body = { apiVersion: `${group}/v1`, kind, spec }
      return client.send({ method: "POST", path: `/apis/${group}/v1/${kind.toLowerCase()}s`, body }, "review").pipe(
        Effect.timeoutFail({ duration: reviewLimit, onTimeout: () => unavailable(kind) }),
        Effect.mapError((cause) => (cause._tag === "Unavailable" ? cause : unavailable(kind, cause))),
        Effect.flatMap((answer) => {
          const status = isObject(answer) ? answer["status"] : undefined
          const found = isObject(status) ? read(status) : undefined
          return found === undefined
            ? Effect.fail(unavailable(`${kind}: the answer can not be understood`))
            : Effect.succeed(found)
        })
      )
    }

    const gate = makeReviewGate(refusedTokens)
    const known = yield* makeReviewCache<Known, Unavailable | Throttled>({
      capacity: remembered.identities,
      isRefusal: ({ identity }) => identity === undefined,
      validUntil: ({ identity, expiry }, now) =>
        identity === undefined
          ? now + refusedMillis
          : Math.min(now + identifiedMillis, expiry ?? Number.POSITIVE_INFINITY)
    })
    const decided = yield* makeReviewCache<Decision, Unavailable>({
      capacity: remembered.decisions,
      isRefusal: ({ allowed }) => !allowed,
      validUntil: ({ allowed, doubtful }, now) => now + (allowed ? allowSeconds * 1000 : doubtful ? 0 : refusedMillis)
    })

    return {
      identify: (redacted, source) => {
        const token = Redacted.value(redacted)
        const spec = { token, ...(audiences.length === 0 ? {} : { audiences }) }
        const ask = Effect.map(
          review("TokenReview", "authentication.k8s.io", spec, (status) => readTokenReview(status, audiences)),
          ({ identity }): Known => ({ identity, expiry: expiryOf(token) })
        )
        const asStranger = gate.pass(source, ask, ({ identity }) => identity !== undefined)
        // whoever was let in before is no stranger, unless its token must have ended since
        const answer = known.get(hmac(token), (before) =>
          before === undefined
            ? asStranger
            : Effect.flatMap(Clock.currentTimeMillis, (now) =>
                now < (before.expiry ?? Number.POSITIVE_INFINITY) ? ask : asStranger
              )
        )
        return Effect.map(answer, ({ identity }) => identity)
      },
      allows: (identity, action) => {
        const { namespace, verb, group, resource } = action
        // an empty namespace would mean "in all of them"
        if (namespace === "") return Effect.succeed(false)
        const question = hmac(JSON.stringify([...subjectKey(identity), namespace, verb, group, resource]))
        return Effect.map(
          decided.get(question, () =>
            review("SubjectAccessReview", "authorization.k8s.io", accessSpec(identity, action), readAccessReview)
          ),
          ({ allowed }) => allowed
        )
      }
    }
  })

export const layer = (options: AccessReviewOptions): Layer.Layer<AccessReview, never, KubeClient> =>
  Layer.scoped(AccessReview, make(options))

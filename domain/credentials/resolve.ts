/**
 * The gateway's whole decision about the credentials of one model request, as a total pure function: the sidecar in a pod and the
 * local gateway differ only in the policy. It never sees a body, and no refusal ever holds a secret value.
 * Reference: gateway.md, "Model credentials", "Outbound policy"; adapter-contract.md, "Credential helpers".
 */
import { Either, Redacted } from "effect"
import { classifyKey, isReferenceKey } from "./secret-keys.ts"
import { isClusterHost, prefixUpstream, type Upstream } from "./upstream.ts"

/** keys and values of the mounted secret; undefined when none is mounted */
export type ModelSecret = ReadonlyMap<string, Redacted.Redacted>

export interface CredentialPolicy {
  /** who gets the pod's service account token: everyone (as specified), only hosts of the cluster, nobody; `absent`: there is no pod (local) */
  readonly podToken: "always" | "in_cluster" | "never" | "absent"
  /** further hosts (lower case) that count as in the cluster */
  readonly podTokenHosts: ReadonlyArray<string>
  /** DNS domain of the cluster; default cluster.local */
  readonly clusterDomain?: string
  /** lower-case names of headers that may hold `<key>:ref` without a scheme */
  readonly refHeaders: ReadonlyArray<string>
  /** refuses to send a key or token over plain http outside the cluster */
  readonly requireTls: boolean
  /** replaces a missing or foreign credential by `api-key` when the secret has one (local: adapters send dummies there) */
  readonly replaceForeign: boolean
}

/** a pod: the specified behaviour without options */
export const sidecarPolicy: CredentialPolicy = {
  podToken: "always",
  podTokenHosts: [],
  refHeaders: [],
  requireTls: false,
  replaceForeign: false
}
/** the local gateway */
export const localPolicy: CredentialPolicy = {
  podToken: "absent",
  podTokenHosts: [],
  refHeaders: [],
  requireTls: false,
  replaceForeign: true
}

export interface CredentialRequest {
  /** every Authorization header value as received */
  readonly authorization: ReadonlyArray<string>
  /** name (lower case) and value of the headers listed in `refHeaders` */
  readonly named?: ReadonlyArray<readonly [name: string, value: string]>
}

export type Authorization =
  | { readonly _tag: "Omit" }
  | { readonly _tag: "PodToken" }
  /** the whole header value */
  | { readonly _tag: "Inject"; readonly value: Redacted.Redacted }
  | { readonly _tag: "Keep"; readonly value: string }

export type RefusalCode =
  | "authorization_ambiguous"
  | "credential_empty"
  | "credential_invalid"
  | "credential_ref_not_allowed"
  | "credential_ref_unknown"
  | "upstream_blocked"
  | "upstream_invalid"

export interface Refuse {
  readonly _tag: "Refuse"
  readonly code: RefusalCode
  readonly message: string
}

export interface Forward {
  readonly _tag: "Forward"
  readonly upstream: Upstream
  readonly authorization: Authorization
  /** replaced values of named headers */
  readonly named: ReadonlyArray<readonly [name: string, value: Redacted.Redacted]>
  /** a key or token of ours leaves the cluster over plain http */
  readonly exposed: boolean
}

export type CredentialDecision = Forward | Refuse

const refuse = (code: RefusalCode, message: string): Refuse => ({ _tag: "Refuse", code, message })

const bearerReference = /^[Bb][Ee][Aa][Rr][Ee][Rr][ \t]+([A-Za-z0-9._-]+):ref$/
const bareReference = /^([A-Za-z0-9._-]+):ref$/
const emptyBearer = /^[Bb][Ee][Aa][Rr][Ee][Rr][ \t]*$/

const trimmed = (secret: ModelSecret | undefined, key: string): string | undefined => {
  const value = secret?.get(key)
  return value === undefined ? undefined : Redacted.value(value).replace(/[\r\n \t]+$/, "")
}

/** what one reference stands for; `value` undefined: the pod's own token */
interface Resolved {
  readonly value: string | undefined
  readonly prefix: string | undefined
}

const unknownReference = (key: string, secret: ModelSecret | undefined): Refuse => {
  const known = [...(secret?.keys() ?? [])].filter(isReferenceKey).sort()
  const hint =
    secret === undefined
      ? "no model secret is mounted"
      : known.length === 0
        ? "the model secret has no such keys"
        : `known are ${known.map((name) => `'${name}:ref'`).join(", ")}`
  return refuse("credential_ref_unknown", `'${key}:ref' names no credential of the model secret; ${hint}`)
}

const resolveReference = (key: string, secret: ModelSecret | undefined): Either.Either<Resolved, Refuse> => {
  const meaning = classifyKey(key)
  if (meaning.kind === "url")
    return Either.left(
      refuse(
        "credential_ref_not_allowed",
        `'${key}:ref' is an address, no credential; only api-key, <prefix>_api-key and <prefix>_sa_token can be referenced`
      )
    )
  if (meaning.kind !== "api_key" && meaning.kind !== "sa_token") return Either.left(unknownReference(key, secret))
  const value = trimmed(secret, key)
  if (value === undefined) return Either.left(unknownReference(key, secret))
  if (value === "")
    return meaning.kind === "sa_token"
      ? Either.right({ value: undefined, prefix: meaning.prefix })
      : Either.left(refuse("credential_empty", `key '${key}' of the model secret is empty; put the model's key there`))
  // anything outside printable ASCII cannot travel in a header unchanged
  if (!/^[\x20-\x7e]+$/.test(value))
    return Either.left(
      refuse("credential_invalid", `key '${key}' of the model secret holds characters that a header cannot carry`)
    )
  return Either.right({ value, prefix: meaning.prefix })
}

const podToken = (upstream: Upstream, policy: CredentialPolicy): Authorization => {
  const inCluster =
    isClusterHost(upstream.hostname, policy.clusterDomain) ||
    policy.podTokenHosts.includes(upstream.hostname.toLowerCase())
  return policy.podToken === "always" || (policy.podToken === "in_cluster" && inCluster)
    ? { _tag: "PodToken" }
    : { _tag: "Omit" }
}

/** what the Authorization header becomes, before the upstream is known */
type Wish =
  | { readonly _tag: "Reference"; readonly resolved: Resolved }
  | { readonly _tag: "Blank" }
  | { readonly _tag: "Foreign"; readonly value: string }
  | { readonly _tag: "Omit" }

const readAuthorization = (
  authorization: ReadonlyArray<string>,
  secret: ModelSecret | undefined,
  policy: CredentialPolicy,
  hasNamed: boolean
): Either.Either<Wish, Refuse> => {
  const [received = "", ...more] = authorization
  if (more.length > 0)
    return Either.left(refuse("authorization_ambiguous", "the request has more than one Authorization header"))
  const value = received.replace(/^[ \t]+/, "").replace(/[ \t]+$/, "")
  const reference = (key: string) =>
    Either.flatMap(
      resolveReference(key, secret),
      (resolved): Either.Either<Wish, Refuse> =>
        resolved.value === undefined && policy.podToken === "absent"
          ? Either.left(
              refuse(
                "credential_empty",
                `key '${key}' of the model secret is empty; without a cluster there is no service account token, so give its value`
              )
            )
          : Either.right({ _tag: "Reference", resolved })
    )
  const key = bearerReference.exec(value)?.[1]
  if (key !== undefined) return reference(key)
  const blank = value === "" || emptyBearer.test(value)
  if (hasNamed) return Either.right(blank ? { _tag: "Omit" } : { _tag: "Foreign", value })
  if (policy.replaceForeign && secret?.has("api-key") === true) return reference("api-key")
  return Either.right(blank ? { _tag: "Blank" } : { _tag: "Foreign", value })
}

interface NamedReference {
  readonly name: string
  readonly resolved: Resolved
}

/** headers of `refHeaders`: only keys that carry a value can stand there (no service account tokens) */
const readNamed = (
  request: CredentialRequest,
  secret: ModelSecret | undefined,
  policy: CredentialPolicy
): Either.Either<ReadonlyArray<NamedReference>, Refuse> => {
  const found: Array<NamedReference> = []
  for (const [name, value] of request.named ?? []) {
    const key = policy.refHeaders.includes(name) ? bareReference.exec(value.trim())?.[1] : undefined
    if (key === undefined) continue
    if (classifyKey(key).kind === "sa_token") return Either.left(unknownReference(key, secret))
    const resolved = resolveReference(key, secret)
    if (Either.isLeft(resolved)) return Either.left(resolved.left)
    found.push({ name, resolved: resolved.right })
  }
  return Either.right(found)
}

const upstreamOf = (
  prefix: string | undefined,
  secret: ModelSecret | undefined,
  model: Upstream
): Either.Either<Upstream, Refuse> => {
  const url = prefix === undefined ? undefined : trimmed(secret, `${prefix}_url`)
  if (url === undefined) return Either.right(model)
  return Either.mapLeft(prefixUpstream(url), (problem) =>
    refuse("upstream_invalid", `key '${prefix}_url' of the model secret ${problem}`)
  )
}

const authorizationFor = (wish: Wish, upstream: Upstream, policy: CredentialPolicy): Authorization => {
  switch (wish._tag) {
    case "Omit":
      return { _tag: "Omit" }
    case "Foreign":
      return { _tag: "Keep", value: wish.value }
    case "Blank":
      return podToken(upstream, policy)
    case "Reference":
      return wish.resolved.value === undefined
        ? podToken(upstream, policy)
        : { _tag: "Inject", value: Redacted.make(`Bearer ${wish.resolved.value}`) }
  }
}

/** `model`: upstream of the job's `model.url` (`modelUpstream`) */
export const resolveRequest = (
  request: CredentialRequest,
  secret: ModelSecret | undefined,
  model: Upstream,
  policy: CredentialPolicy
): CredentialDecision => {
  const named = readNamed(request, secret, policy)
  if (Either.isLeft(named)) return named.left
  const wish = readAuthorization(request.authorization, secret, policy, named.right.length > 0)
  if (Either.isLeft(wish)) return wish.left

  const references = [
    ...named.right.map(({ resolved }) => resolved),
    ...(wish.right._tag === "Reference" ? [wish.right.resolved] : [])
  ]
  const prefixes = new Set(references.map(({ prefix }) => prefix))
  if (prefixes.size > 1)
    return refuse("authorization_ambiguous", "the request references credentials of different models")
  const upstream = upstreamOf(references[0]?.prefix, secret, model)
  if (Either.isLeft(upstream)) return upstream.left

  const authorization = authorizationFor(wish.right, upstream.right, policy)
  const carriesSecret = named.right.length > 0 || authorization._tag === "Inject" || authorization._tag === "PodToken"
  const hostname = upstream.right.hostname.toLowerCase()
  const exposed =
    carriesSecret &&
    upstream.right.protocol === "http:" &&
    !isClusterHost(hostname, policy.clusterDomain) &&
    !policy.podTokenHosts.includes(hostname)
  if (policy.requireTls && exposed)
    return refuse("upstream_blocked", `a credential is not sent to '${upstream.right.host}' over plain http; use https`)
  return {
    _tag: "Forward",
    upstream: upstream.right,
    authorization,
    exposed,
    named: named.right.flatMap(({ name, resolved }) =>
      resolved.value === undefined ? [] : [[name, Redacted.make(resolved.value)] as const]
    )
  }
}

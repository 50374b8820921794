/**
 * The authority of certificates in TLS mode Issued, kept in a Secret of the operator's namespace. Its successor is published for 30 days
 * before it signs, so that whoever checks a certificate knows both: no moment is without a chain. Reference: operator.md, "TLS".
 */
import { createPrivateKey, X509Certificate } from "node:crypto"
import { Clock, Effect } from "effect"
import { defined } from "../../../values/defined.ts"
import { textMember } from "../../../values/json.ts"
import type { KubeClient } from "../client/client.ts"
import type { KubeError } from "../client/kube-error.ts"
import { type KubeObject, secrets } from "../client/resources.ts"
import { type Authority, makeAuthority } from "./x509.ts"

const authoritySecret = "evald-operator-ca"
const lane = "launch" as const
const dayMillis = 86_400_000
/** how long a successor is published before it signs */
export const overlapDays = 30
/** a successor is made so long before the authority ends; certificates that it signs last are good for 90 days */
export const successorDays = 365

export interface Authorities {
  readonly signing: Authority
  readonly next?: Authority & { readonly since: number }
  /** certificates that signed before and are still good, PEM */
  readonly previous?: string
}

/** everything that a certificate may be checked with, PEM */
export const bundleOf = ({ signing, next, previous }: Authorities): string =>
  [signing.certificate, next?.certificate, previous].filter((one) => one !== undefined).join("")

/** milliseconds since 1970; 0 for what is no certificate */
const endOf = (certificate: string): number => {
  try {
    return Date.parse(new X509Certificate(certificate).validTo)
  } catch {
    return 0
  }
}

/** a certificate that may sign, with its own key */
const isUsable = ({ certificate, key }: Authority, now: number): boolean => {
  try {
    const read = new X509Certificate(certificate)
    return read.ca && read.checkPrivateKey(createPrivateKey(key)) && Date.parse(read.validTo) > now
  } catch {
    return false
  }
}

const pemPattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g

/** the ones of these that are still good */
const stillGood = (certificates: string, now: number): string | undefined => {
  const kept = (certificates.match(pemPattern) ?? []).filter((one) => endOf(one) > now).join("")
  return kept === "" ? undefined : kept
}

/** as they should be at this moment; the same value when nothing is to change */
export const rotated = (stored: Authorities, now: number, make: (now: number) => Authority): Authorities => {
  const { signing, next } = stored
  const previous = stored.previous === undefined ? undefined : stillGood(stored.previous, now)
  const isOver = !isUsable(signing, now)
  if (next !== undefined && (now - next.since >= overlapDays * dayMillis || isOver))
    return {
      signing: { certificate: next.certificate, key: next.key },
      ...defined({ previous: stillGood(`${signing.certificate}${previous ?? ""}`, now) })
    }
  if (isOver) return { signing: make(now), ...defined({ previous }) }
  if (next === undefined && endOf(signing.certificate) - now < successorDays * dayMillis)
    return { signing, next: { ...make(now), since: now }, ...defined({ previous }) }
  return previous === stored.previous ? stored : { signing, ...defined({ next, previous }) }
}

const encoded = (text: string): string => Buffer.from(text, "utf8").toString("base64")

export const textOf = (secret: KubeObject | undefined, key: string): string | undefined => {
  const value = textMember(secret?.["data"], key)
  return value === undefined ? undefined : Buffer.from(value, "base64").toString("utf8")
}

export const pairData = ({ certificate, key }: Authority, name = "tls") => ({
  [`${name}.crt`]: encoded(certificate),
  [`${name}.key`]: encoded(key)
})

const pairOf = (secret: KubeObject | undefined, name: string): Authority | undefined => {
  const [certificate, key] = [textOf(secret, `${name}.crt`), textOf(secret, `${name}.key`)]
  return certificate === undefined || key === undefined ? undefined : { certificate, key }
}

/** a successor that somebody put there counts from the moment it is first seen; one that can not sign is none */
const authoritiesOf = (secret: KubeObject | undefined, now: number): Authorities | undefined => {
  const [signing, next] = [pairOf(secret, "tls"), pairOf(secret, "next")]
  if (signing === undefined) return undefined
  const since = Date.parse(textOf(secret, "next.since") ?? "")
  return {
    signing,
    ...defined({
      next:
        next !== undefined && isUsable(next, now)
          ? { ...next, since: Number.isFinite(since) ? since : now }
          : undefined,
      previous: textOf(secret, "previous.crt")
    })
  }
}

const dataOf = ({ signing, next, previous }: Authorities) => ({
  ...pairData(signing),
  ...(next === undefined
    ? {}
    : { ...pairData(next, "next"), "next.since": encoded(new Date(next.since).toISOString()) }),
  ...(previous === undefined ? {} : { "previous.crt": encoded(previous) })
})

const read = (client: KubeClient["Type"], namespace: string) =>
  Effect.catchIf(
    client.get({ resource: secrets, namespace, name: authoritySecret, lane }),
    (error) => error.class === "not_found",
    () => Effect.succeed(undefined)
  )

/** an apply carries the name, by which the right to create it is limited; refused when somebody else was first */
const create = (client: KubeClient["Type"], namespace: string, data: object) => {
  const body = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: authoritySecret, namespace },
    type: "kubernetes.io/tls",
    data
  }
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${authoritySecret}?fieldManager=evald-operator&force=false`
  return client.send({ method: "PATCH", path, body, contentType: "application/apply-patch+yaml" }, lane)
}

const keys = ["next.crt", "next.key", "next.since", "previous.crt"]

/** names what goes: what somebody else put there would outlive an apply that leaves it out */
const change = (client: KubeClient["Type"], namespace: string, data: object, { metadata }: KubeObject) =>
  client.mergePatch(
    { resource: secrets, namespace, name: authoritySecret, lane },
    {
      metadata: { uid: metadata.uid, resourceVersion: metadata.resourceVersion },
      data: { ...Object.fromEntries(keys.map((key) => [key, null])), ...data }
    }
  )

/** reads the authorities, or makes the first, and lets the successor take its turn */
export const readAuthorities = (client: KubeClient["Type"], namespace: string): Effect.Effect<Authorities, KubeError> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const secret = yield* read(client, namespace)
    const stored = authoritiesOf(secret, now)
    const wanted = stored === undefined ? { signing: makeAuthority(now) } : rotated(stored, now, makeAuthority)
    const isDated = wanted.next === undefined || textOf(secret, "next.since") !== undefined
    if (wanted === stored && isDated) return wanted
    const data = dataOf(wanted)
    yield* Effect.catchIf(
      Effect.asVoid(secret === undefined ? create(client, namespace, data) : change(client, namespace, data, secret)),
      (error) => error.class === "conflict",
      () => Effect.void
    )
    // another operator may have been first
    return authoritiesOf(yield* read(client, namespace), now) ?? wanted
  })

/**
 * The registry's challenge, answered on behalf of the adapter, which holds no registry credential: Basic, or a token from the realm the
 * registry names. Reference: gateway.md, "Registry".
 */
import { Either } from "effect"
import { modelUpstream, type Upstream } from "../../domain/credentials/upstream.ts"
import { ask } from "../../infrastructure/outbound/ask.ts"
import type { Connections } from "../../infrastructure/outbound/connections.ts"
import { defined } from "../../values/defined.ts"
import { isObject, parseJson } from "../../values/json.ts"
import { Fault } from "./fault.ts"
import type { MountedFile } from "./mounted-files.ts"
import { loginFor, type RegistryLogin } from "./registry-login.ts"

export interface RegistryAuthOptions {
  readonly connections: Connections
  readonly registry: Upstream
  /** as the job names it, `host[:port]` */
  readonly host: string
  readonly repository: string
  /** tokens may be fetched over plain http */
  readonly plainHttp: boolean
  /** docker-config-json; a missing file means no credentials */
  readonly config: MountedFile
  /** monotonic milliseconds */
  readonly clock?: () => number
}

export interface RegistryAuth {
  /** value of the Authorization header; undefined: none is needed or none is known. Rejects with a `Fault` or an `OutboundError`. */
  readonly authorization: () => Promise<string | undefined>
  /** the registry refused: forget the token, and follow this challenge when it sent one */
  readonly refused: (challenge: string | undefined) => void
}

type Challenge =
  | { readonly scheme: "none" }
  | { readonly scheme: "basic" }
  | { readonly scheme: "bearer"; readonly realm: string; readonly service: string | undefined }
interface Token {
  readonly header: string
  readonly validUntil: number
}

const timeoutMillis = 30_000
const maxAnswer = 1024 * 1024
/** a token is given up this long before the registry would */
const marginSeconds = 30
const defaultSeconds = 60
const renewEarlyMillis = 30_000

const basic = ({ user, password }: RegistryLogin): string =>
  `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`

interface TokenRequest {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: Buffer
}

type Wanted = { readonly [parameter: string]: string }

const withQuery = (path: string, query: URLSearchParams): string =>
  query.size === 0 ? path : `${path}?${query.toString()}`

const byPassword = (
  path: string,
  query: URLSearchParams,
  wanted: Wanted,
  login: RegistryLogin | undefined
): TokenRequest => {
  for (const [name, value] of Object.entries(wanted)) query.set(name, value)
  return {
    method: "GET",
    path: withQuery(path, query),
    headers: { accept: "application/json", ...(login === undefined ? {} : { authorization: basic(login) }) }
  }
}

/** the registry's OAuth 2 way: a refresh token in a form */
const byIdentity = (path: string, query: URLSearchParams, wanted: Wanted, identityToken: string): TokenRequest => ({
  method: "POST",
  path: withQuery(path, query),
  headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
  body: Buffer.from(
    new URLSearchParams({
      grant_type: "refresh_token",
      client_id: "evald",
      ...wanted,
      refresh_token: identityToken
    }).toString(),
    "utf8"
  )
})

/** reads `WWW-Authenticate`; of several offers Bearer is taken first */
const readChallenge = (header: string | undefined): Challenge => {
  const text = header ?? ""
  const bearer = /(?:^|,)\s*bearer\s+(.*)$/is.exec(text)?.[1]
  if (bearer !== undefined) {
    const members = new Map(
      [...bearer.matchAll(/([a-z_]+)\s*=\s*"([^"]*)"/gi)].map(([, name = "", value = ""]) => [
        name.toLowerCase(),
        value
      ])
    )
    const realm = members.get("realm")
    if (realm !== undefined) return { scheme: "bearer", realm, service: members.get("service") }
  }
  return /(?:^|,)\s*basic\b/i.test(text) ? { scheme: "basic" } : { scheme: "none" }
}

const single = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  value === undefined || typeof value === "string" ? value : value.join(", ")

/** what the registry asks of whoever comes without a token */
const discover = async ({ connections, registry }: RegistryAuthOptions): Promise<Challenge> => {
  const answer = await ask({
    connections,
    upstream: registry,
    method: "GET",
    path: "/v2/",
    headers: {},
    timeoutMillis,
    maxBytes: maxAnswer
  })
  return answer.status === 401 ? readChallenge(single(answer.headers["www-authenticate"])) : { scheme: "none" }
}

/** asks the realm for a token; `validUntil` counts from `now`, which is read when the token is there */
const fetchToken = async (
  options: RegistryAuthOptions,
  { realm, service }: Extract<Challenge, { readonly scheme: "bearer" }>,
  login: RegistryLogin | undefined,
  now: () => number
): Promise<Token> => {
  const unavailable = (reason: string) =>
    new Fault(502, "registry_unavailable", `no token for registry '${options.host}': ${reason}`)
  const upstream = modelUpstream(realm)
  if (Either.isLeft(upstream)) throw unavailable(`its realm ${upstream.left}`)
  if (upstream.right.protocol !== "https:" && !options.plainHttp) throw unavailable("its realm is not https")
  const wanted = {
    ...defined({ service }),
    scope: `repository:${options.repository}:pull,push`
  }
  const { pathname, searchParams } = new URL(realm)
  const request =
    login?.identityToken === undefined
      ? byPassword(pathname, searchParams, wanted, login)
      : byIdentity(pathname, searchParams, wanted, login.identityToken)
  const answer = await ask({
    connections: options.connections,
    upstream: upstream.right,
    ...request,
    timeoutMillis,
    maxBytes: maxAnswer
  })
  if (answer.status === 401 || answer.status === 403)
    throw unavailable("the credentials were refused; check the secret named by exports.oci.k8s.connection")
  const document = parseJson(answer.body)
  const fields: { readonly token?: unknown; readonly access_token?: unknown; readonly expires_in?: unknown } =
    answer.status === 200 && isObject(document) ? document : {}
  const value = typeof fields.token === "string" ? fields.token : fields.access_token
  if (typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value))
    throw unavailable(`the realm answered ${answer.status} without a token`)
  const seconds =
    typeof fields.expires_in === "number" && fields.expires_in > marginSeconds
      ? fields.expires_in - marginSeconds
      : defaultSeconds
  return { header: `Bearer ${value}`, validUntil: now() + seconds * 1000 }
}

export const makeRegistryAuth = (options: RegistryAuthOptions): RegistryAuth => {
  const clock = options.clock ?? (() => performance.now())
  let challenge: Challenge | undefined
  let token: Token | undefined
  let pending: Promise<Token | undefined> | undefined

  const renew = (): Promise<Token | undefined> => {
    pending ??= (async () => {
      challenge ??= await discover(options)
      const login = loginFor(options.host, options.repository, options.config.current())
      if (challenge.scheme === "bearer") return fetchToken(options, challenge, login, clock)
      // Basic has no end of its own; the configuration may rotate
      if (challenge.scheme === "basic" && login !== undefined && login.password !== "")
        return { header: basic(login), validUntil: clock() + defaultSeconds * 1000 }
      return undefined
    })()
      .then((made) => {
        token = made
        return made
      })
      .finally(() => {
        pending = undefined
      })
    return pending
  }

  return {
    authorization: async () => {
      if (challenge?.scheme === "none") return undefined
      const left = (token?.validUntil ?? Number.NEGATIVE_INFINITY) - clock()
      if (token !== undefined && left > 0) {
        // a failed early renewal is tried again when the token is really needed
        if (left < renewEarlyMillis) void renew().catch(() => {})
        return token.header
      }
      return (await renew())?.header
    },
    refused: (header) => {
      token = undefined
      options.config.expire()
      if (header !== undefined) challenge = readChallenge(header)
    }
  }
}

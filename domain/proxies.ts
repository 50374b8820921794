/**
 * Which way a request leaves: through a proxy or straight, from the variables that other programs read as well. Names are not resolved for
 * it: through a proxy the proxy resolves them. Reference: gateway.md, "Proxies".
 */
import { Either, Redacted } from "effect"
import { contains, parseAddress, parseCidr } from "./egress.ts"
import { isLoopback } from "./loopback.ts"

export interface HttpProxy {
  readonly protocol: "http:" | "https:"
  /** without brackets */
  readonly hostname: string
  readonly port: number
  /** `user:password`; undefined: none was given */
  readonly credentials: Redacted.Redacted | undefined
}

interface HostRule {
  readonly covers: (hostname: string) => boolean
  /** undefined: every port */
  readonly port: number | undefined
}

export interface Proxies {
  readonly http: HttpProxy | undefined
  readonly https: HttpProxy | undefined
  /** asked without a proxy (`NO_PROXY`) */
  readonly exempt: ReadonlyArray<HostRule>
  /** asked through the proxy although they are loopback, evald itself or the cluster's API (`egress.proxied_hosts`) */
  readonly named: ReadonlyArray<HostRule>
}

/** the texts that proxies are made of; empty ones count as absent */
export interface ProxyTexts {
  readonly http: string | undefined
  readonly https: string | undefined
  readonly exempt: string | undefined
  readonly named: ReadonlyArray<string>
}

export interface Destination {
  readonly protocol: "http:" | "https:"
  /** without brackets */
  readonly hostname: string
  readonly port: number
}

/** where an http address leads */
export const destinationOf = ({ protocol, hostname, port }: URL): Destination => {
  const scheme = protocol === "https:" ? "https:" : "http:"
  const usual = scheme === "https:" ? 443 : 80
  return { protocol: scheme, hostname: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) || usual }
}

const bare = (hostname: string): string => hostname.toLowerCase().replace(/\.$/, "")

const unspecified: ReadonlySet<bigint | undefined> = new Set(["0.0.0.0", "::"].map(parseAddress))

/** what a connection to it ends at: the unspecified addresses, and names below `localhost`, lead here as loopback does */
const leadsHere = (hostname: string): boolean => {
  const name = bare(hostname)
  const address = parseAddress(name)
  return isLoopback(name) || (address === undefined ? name.endsWith(".localhost") : unspecified.has(address))
}

/** `[v6]:port`, `name:port` and `range:port` have one; a bare IPv6 address has colons and none */
const splitPort = (entry: string): readonly [host: string, port: string | undefined] => {
  const bracketed = /^\[([^\]]*)\](\/\d+)?(?::(\d+))?$/.exec(entry)
  if (bracketed !== null) return [`${bracketed[1] ?? ""}${bracketed[2] ?? ""}`, bracketed[3]]
  const named = /^([^:]*):(\d+)$/.exec(entry)
  return named === null ? [entry, undefined] : [named[1] ?? "", named[2]]
}

const coverOf = (host: string): HostRule["covers"] | undefined => {
  if (host === "*") return () => true
  const range = parseCidr(host)
  if (Either.isRight(range))
    return (hostname) => {
      const address = parseAddress(hostname)
      return address !== undefined && contains(range.right, address)
    }
  const name = bare(host.replace(/^\*(?=\.)/, ""))
  if (!/^\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name)) return undefined
  if (name.startsWith(".")) return (hostname) => bare(hostname).endsWith(name)
  return (hostname) => bare(hostname) === name || bare(hostname).endsWith(`.${name}`)
}

/** Left: the entry that is none */
const readRule = (entry: string): Either.Either<HostRule, string> => {
  const [host, port] = splitPort(entry)
  const covers = coverOf(host)
  if (covers === undefined || Number(port ?? 1) > 65_535) return Either.left(entry)
  return Either.right({ covers, port: port === undefined ? undefined : Number(port) })
}

const readRules = (entries: ReadonlyArray<string>, name: string): Either.Either<ReadonlyArray<HostRule>, string> =>
  Either.mapLeft(
    Either.all(entries.filter((entry) => entry !== "").map(readRule)),
    (entry) => `${name}: '${entry}' is no name, suffix such as .example.com, address range or *`
  )

/** the message never repeats the text, which may hold a password */
const readProxy = (text: string | undefined, name: string): Either.Either<HttpProxy | undefined, string> => {
  const trimmed = (text ?? "").trim()
  if (trimmed === "") return Either.right(undefined)
  const problem = Either.left(
    `${name}: expected the address of a proxy such as http://proxy.example:3128; http and https proxies are known`
  )
  const whole = trimmed.includes("://") ? trimmed : `http://${trimmed}`
  if (!URL.canParse(whole)) return problem
  const url = new URL(whole)
  const { protocol, hostname, username, password, pathname, search, hash } = url
  if (
    (protocol !== "http:" && protocol !== "https:") ||
    hostname === "" ||
    (pathname !== "/" && pathname !== "") ||
    `${search}${hash}` !== ""
  )
    return problem
  return Either.try({
    try: () => ({
      ...destinationOf(url),
      credentials:
        username === "" && password === ""
          ? undefined
          : Redacted.make(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
    }),
    catch: () => `${name}: user and password of the proxy hold a broken percent sign`
  })
}

/** `names`: what the texts are called, for messages. Left: one sentence, without any secret. */
export const readProxies = (
  texts: ProxyTexts,
  names: { readonly [K in keyof ProxyTexts]: string }
): Either.Either<Proxies, string> =>
  Either.all({
    http: readProxy(texts.http, names.http),
    https: readProxy(texts.https, names.https),
    exempt: readRules((texts.exempt ?? "").split(/[\s,]+/), names.exempt),
    named: readRules(texts.named, names.named)
  })

const noProxies: Proxies = { http: undefined, https: undefined, exempt: [], named: [] }

/** the proxies of this process as they are now, and by what https proxies are trusted */
export interface WayOut {
  readonly proxies: () => Proxies
  /** roots in PEM beside the system's */
  readonly proxyCa: () => string | undefined
}

/** no proxy is known */
export const straight: WayOut = { proxies: () => noProxies, proxyCa: () => undefined }

/** lower case first, as most programs do */
export const proxyVariables = (environment: {
  readonly [name: string]: string | undefined
}): Omit<ProxyTexts, "named"> => {
  const variable = (name: string) => environment[name.toLowerCase()] ?? environment[name]
  return { http: variable("HTTP_PROXY"), https: variable("HTTPS_PROXY"), exempt: variable("NO_PROXY") }
}

/** the proxy's address alone: fit for messages, configuration maps and adapters */
export const proxyAddress = ({ protocol, hostname, port }: HttpProxy): string =>
  `${protocol}//${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`

/** the text of a variable without user and password, also where it is no address of a proxy */
export const withoutCredentials = (text: string): string => text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/i, "$1")

/** value of `Proxy-Authorization` */
export const proxyAuthorization = ({ credentials }: HttpProxy): string | undefined =>
  credentials === undefined ? undefined : `Basic ${Buffer.from(Redacted.value(credentials), "utf8").toString("base64")}`

/** undefined: straight. `own`: evald itself or the cluster's API, which like loopback are asked straight unless named. */
export const proxyFor = (
  proxies: Proxies,
  { protocol, hostname, port }: Destination,
  own = false
): HttpProxy | undefined => {
  const proxy = protocol === "https:" ? proxies.https : proxies.http
  if (proxy === undefined) return undefined
  const among = (rules: ReadonlyArray<HostRule>) =>
    rules.some((rule) => (rule.port === undefined || rule.port === port) && rule.covers(hostname))
  if (among(proxies.exempt)) return undefined
  return (own || leadsHere(hostname)) && !among(proxies.named) ? undefined : proxy
}

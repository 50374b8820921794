/**
 * Which login of a docker configuration counts for a repository: the entry with the longest matching path, else that of the host, else one
 * that old clients wrote as an address. Rules of containers-auth.json(5); Docker Hub has several names and is one registry.
 */
import { isObject, member, parseJson } from "../../values/json.ts"

export interface RegistryLogin {
  readonly user: string
  readonly password: string
  /** a refresh token: exchanged for access tokens, in place of the password */
  readonly identityToken?: string
}

const hub = "docker.io"
/** names under which people, docker and its own API know Docker Hub */
const hubNames: ReadonlySet<string> = new Set([hub, "index.docker.io", "registry-1.docker.io"])

/** where the API of a registry is; the name of Docker Hub leads to its web pages */
export const registryAddress = (host: string): string =>
  hubNames.has(host.toLowerCase()) ? "registry-1.docker.io" : host

const canonicalHost = (host: string): string => (hubNames.has(host) ? hub : host)

const entriesOf = (config: string | undefined): ReadonlyArray<readonly [name: string, entry: unknown]> => {
  const logins = member(parseJson(config ?? ""), "auths")
  return isObject(logins) ? Object.entries(logins) : []
}

interface Place {
  /** host and path that the entry is for */
  readonly name: string
  /** written as an address, which stands for the whole host */
  readonly isAddress: boolean
}

const placeOf = (key: string): Place => {
  const withoutScheme = key.replace(/^https?:\/\//, "")
  const [host = "", ...path] = withoutScheme.replace(/\/+$/, "").split("/")
  const isAddress = withoutScheme !== key
  return { name: [canonicalHost(host.toLowerCase()), ...(isAddress ? [] : path)].join("/"), isAddress }
}

const textOf = (entry: { readonly [name: string]: unknown }, name: string): string => {
  const value = entry[name]
  return typeof value === "string" ? value : ""
}

const pairOf = (entry: {
  readonly [name: string]: unknown
}): { readonly user: string; readonly password: string } | undefined => {
  const encoded = textOf(entry, "auth")
  if (encoded !== "") {
    const pair = Buffer.from(encoded, "base64").toString("utf8")
    const colon = pair.indexOf(":")
    return colon < 0 ? undefined : { user: pair.slice(0, colon), password: pair.slice(colon + 1).replace(/\0+$/, "") }
  }
  const { username, password } = entry
  return typeof username === "string" && typeof password === "string" ? { user: username, password } : undefined
}

const readLogin = (entry: unknown): RegistryLogin | undefined => {
  if (!isObject(entry)) return undefined
  const pair = pairOf(entry)
  const identityToken = textOf(entry, "identitytoken")
  return identityToken === "" ? pair : { ...(pair ?? { user: "", password: "" }), identityToken }
}

/** `host` as `host[:port]`; `config`: text of a docker configuration. Undefined: it has no login for this repository. */
export const loginFor = (host: string, repository: string, config: string | undefined): RegistryLogin | undefined => {
  const entries = entriesOf(config).map(([key, entry]) => ({ ...placeOf(key), entry }))
  const segments = [canonicalHost(host.toLowerCase()), ...repository.split("/")]
  for (let length = segments.length; length > 0; length--) {
    const name = segments.slice(0, length).join("/")
    const matching = entries.filter((one) => one.name === name)
    const found = matching.find(({ isAddress }) => !isAddress) ?? matching[0]
    if (found !== undefined) return readLogin(found.entry)
  }
  return undefined
}

/** Where a model request goes: scheme, authority and base path of a URL given by a user. Reference: gateway.md, "Model credentials", "Rewriting". */
import { Either } from "effect"
import { type Destination, destinationOf } from "../proxies.ts"

export interface Upstream extends Destination {
  /** what goes into `Host` */
  readonly host: string
  /** path of a `<prefix>_url` without trailing slash, put before paths that do not have it; "" for `model.url` */
  readonly basePath: string
}

/** reads an http(s) URL without credentials, query and fragment (a query of `keepQuery` URLs reaches the adapter by other ways) */
const readUpstream = (text: string, keepQuery: boolean): Either.Either<Upstream, string> => {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return Either.left("is no absolute URL")
  }
  const { protocol } = url
  if (protocol !== "http:" && protocol !== "https:") return Either.left("must begin with http:// or https://")
  if (url.username !== "" || url.password !== "") return Either.left("must not contain credentials")
  if (url.hash !== "") return Either.left("must not contain a fragment")
  if (url.search !== "" && !keepQuery) return Either.left("must not contain a query")
  return Either.right({ ...destinationOf(url), host: url.host, basePath: url.pathname.replace(/\/+$/, "") })
}

/** upstream of `model.url`: the adapter was given its path, so only scheme and authority count */
export const modelUpstream = (url: string): Either.Either<Upstream, string> =>
  Either.map(readUpstream(url, true), (upstream) => ({ ...upstream, basePath: "" }))

/** upstream of a `<prefix>_url`: the adapter sees only the gateway's address for it, so its path comes back here */
export const prefixUpstream = (url: string): Either.Either<Upstream, string> => readUpstream(url, false)

/** request target for the upstream; `path` is the raw path and query as received. The base path is not doubled when the adapter already sent it. */
export const upstreamPath = ({ basePath }: Upstream, path: string): string => {
  if (basePath === "") return path
  const end = path.indexOf("?")
  const bare = end < 0 ? path : path.slice(0, end)
  return bare === basePath || bare.startsWith(`${basePath}/`) ? path : `${basePath}${path}`
}

/** a service of the cluster itself: `<name>.<namespace>.svc`, with or without the cluster domain */
export const isClusterHost = (hostname: string, clusterDomain = "cluster.local"): boolean => {
  const name = hostname.toLowerCase().replace(/\.$/, "")
  return name.endsWith(".svc") || name.endsWith(`.svc.${clusterDomain}`)
}

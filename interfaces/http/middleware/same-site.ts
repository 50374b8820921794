/**
 * Requests that web pages of other sites make. Browsers say so in `Sec-Fetch-Site`, which no page can change: such requests are refused
 * wherever the server is, because a proxy before it may know its users by a cookie. Local mode has no authentication, so a web page must not be able to reach it: a page from anywhere can send requests to a loopback
 * port, and a DNS name can be pointed at it. Both carry a foreign `Origin` or `Host`. Reference: adapter-contract.md, "Local processes".
 */
import type { IncomingHttpHeaders } from "node:http"
import { Forbidden } from "../../../application/errors.ts"
import { isLoopback } from "../../../domain/loopback.ts"
import type { Exchange } from "../exchange.ts"

const originHost = (origin: string): string | undefined => /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]

export interface SiteOptions {
  /** the server is meant to be reached under other names, because every call needs a token */
  readonly anyHost: boolean
}

const noOrigins: ReadonlySet<string> = new Set()

const isOwnOrigin = (origin: string, host: string | undefined, origins: ReadonlySet<string>): boolean =>
  origins.has(origin) || (host !== undefined && originHost(origin)?.toLowerCase() === host.toLowerCase())

/** why a request to a server in local mode may come from a web page of another site; undefined when it does not */
export const refusalOf = (
  { host, origin }: IncomingHttpHeaders,
  { anyHost }: SiteOptions,
  origins = noOrigins
): Forbidden | undefined => {
  if (host === undefined || !(anyHost || isLoopback(host)))
    return new Forbidden({ message: "in local mode the Host header must name a loopback address" })
  return origin === undefined || isOwnOrigin(origin, host, origins)
    ? undefined
    : new Forbidden({ message: "in local mode requests of another site's web pages are refused" })
}

/** what a browser says about the page that made the request; anything else than these two is foreign, two values in one header too */
const isOwn = (site: string): boolean => site === "same-origin" || site === "none"

/** somebody followed a link: the answer is shown as a page of its own, and the page with the link never sees it */
const isNavigation = (method: string, headers: IncomingHttpHeaders): boolean =>
  method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document"

const foreignPage = new Forbidden({ message: "requests of other sites' web pages are refused (Sec-Fetch-Site)" })

/** routes of adapters, which authorise by the secret in their path; what they send may carry cookies of a model */
export const callbackPrefix = "/cb/"

/** the header that own pages send with whatever changes something: no form has it, and no page of another site may add it */
const clientHeader = "x-evald-client"

/** node's own `fetch` sends `Sec-Fetch-Mode`, only browsers say from which site */
const isBrowsers = ({ origin, cookie, "sec-fetch-site": site }: IncomingHttpHeaders): boolean =>
  origin !== undefined || cookie !== undefined || site !== undefined

const changeRefusal = (headers: IncomingHttpHeaders, origins: ReadonlySet<string>): Forbidden | undefined => {
  const { origin, host } = headers
  if (origin !== undefined && !isOwnOrigin(origin, host, origins))
    return new Forbidden({
      message: "requests of other sites' web pages are refused (Origin); ui.origins lists further origins of own pages"
    })
  return headers[clientHeader] === undefined
    ? new Forbidden({ message: "a browser's request that changes something needs the header X-Evald-Client" })
    : undefined
}

export interface PageOptions {
  /** paths that every page may ask for */
  readonly everybodys: ReadonlySet<string>
  /** of own pages, where a proxy changes `Host` */
  readonly origins?: ReadonlySet<string>
  /** in local mode `Host` and `Origin` are looked at as well */
  readonly local?: SiteOptions
}

/** why a request is refused that another site's page made, or may have made */
export const make =
  ({ everybodys, local, origins = noOrigins }: PageOptions) =>
  ({ method, path, headers }: Pick<Exchange, "method" | "path" | "headers">): Forbidden | undefined => {
    const site = headers["sec-fetch-site"]
    if (typeof site === "string" && !isOwn(site) && !everybodys.has(path) && !isNavigation(method, headers))
      return foreignPage
    const refusal = local === undefined ? undefined : refusalOf(headers, local, origins)
    const isChange = method !== "GET" && method !== "HEAD" && !path.startsWith(callbackPrefix)
    return refusal === undefined && isChange && isBrowsers(headers) ? changeRefusal(headers, origins) : refusal
  }

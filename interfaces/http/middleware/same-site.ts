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

/** why a request to a server in local mode may come from a web page of another site; undefined when it does not */
export const refusalOf = ({ host, origin }: IncomingHttpHeaders, { anyHost }: SiteOptions): Forbidden | undefined => {
  if (host === undefined || !(anyHost || isLoopback(host)))
    return new Forbidden({ message: "in local mode the Host header must name a loopback address" })
  if (origin === undefined) return undefined
  return originHost(origin)?.toLowerCase() === host.toLowerCase()
    ? undefined
    : new Forbidden({ message: "in local mode requests of another site's web pages are refused" })
}

/** what a browser says about the page that made the request; anything else than these two is foreign, two values in one header too */
const isOwn = (site: string): boolean => site === "same-origin" || site === "none"

/** somebody followed a link: the answer is shown as a page of its own, and the page with the link never sees it */
const isNavigation = (method: string, headers: IncomingHttpHeaders): boolean =>
  method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document"

const foreignPage = new Forbidden({ message: "requests of other sites' web pages are refused (Sec-Fetch-Site)" })

export interface PageOptions {
  /** paths that every page may ask for */
  readonly everybodys: ReadonlySet<string>
  /** in local mode `Host` and `Origin` are looked at as well */
  readonly local?: SiteOptions
}

/** why a request is refused that another site's page made, or may have made */
export const make =
  ({ everybodys, local }: PageOptions) =>
  ({ method, path, headers }: Pick<Exchange, "method" | "path" | "headers">): Forbidden | undefined => {
    const site = headers["sec-fetch-site"]
    if (typeof site === "string" && !isOwn(site) && !everybodys.has(path) && !isNavigation(method, headers))
      return foreignPage
    return local === undefined ? undefined : refusalOf(headers, local)
  }

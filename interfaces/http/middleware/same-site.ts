/**
 * Local mode has no authentication, so a web page must not be able to reach it: a page from anywhere can send requests to a loopback
 * port, and a DNS name can be pointed at it. Both carry a foreign `Origin` or `Host`. Decisions 3, "Local mode".
 */
import type { IncomingHttpHeaders } from "node:http"
import { Forbidden } from "../../../application/errors.ts"

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

const originHost = (origin: string): string | undefined => /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]

export interface SiteOptions {
  /** the server is meant to be reached under other names, because every call needs a token */
  readonly anyHost: boolean
}

/** why the request may come from a web page of another site; undefined when it does not */
export const refusalOf = ({ host, origin }: IncomingHttpHeaders, { anyHost }: SiteOptions): Forbidden | undefined => {
  if (host === undefined || !(anyHost || loopback.test(host))) return new Forbidden({ message: "in local mode the Host header must name a loopback address" })
  if (origin === undefined) return undefined
  return originHost(origin)?.toLowerCase() === host.toLowerCase()
    ? undefined
    : new Forbidden({ message: "in local mode requests of another site's web pages are refused" })
}

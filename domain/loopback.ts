/** Whether an address is this machine's own. */
import { contains, loopbackRanges, parseAddress } from "./egress.ts"

/** a name or a literal address; as it stands in a URL or a Host header also in brackets and with a port */
export const isLoopback = (host: string): boolean => {
  // what nearly all callers are, and servers look at every request's
  if (host === "127.0.0.1" || host === "::1") return true
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(host) ?? []
  // more than one colon without brackets is an IPv6 address, whose last part is no port
  const bare = bracketed ?? (/^[^:]*:\d{1,5}$/.test(host) ? host.replace(/:\d+$/, "") : host)
  if (bare.toLowerCase() === "localhost") return true
  const address = parseAddress(bare)
  return address !== undefined && loopbackRanges.some((range) => contains(range, address))
}

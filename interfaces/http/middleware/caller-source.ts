/**
 * Where a request comes from, for limits: the peer's address, and behind a trusted proxy the address that it names in `X-Forwarded-For`.
 * Nobody else's word counts, or every request could come from somewhere else.
 */
import type { IncomingHttpHeaders } from "node:http"
import { parseAddress } from "../../../domain/egress.ts"

interface Peer {
  readonly headers: IncomingHttpHeaders
  readonly remoteAddress: string | undefined
}

/** `1.2.3.4:5678` and `[2001:db8::1]:443` without the port */
const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text

const isIpv4 = (address: bigint): boolean => address >> 32n === 0xffffn

/** an IPv4 address, or the network of an IPv6 one: whoever has one of its addresses has them all */
const nameOf = (address: bigint): string => {
  if (isIpv4(address)) return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join(".")
  return `${[112n, 96n, 80n, 64n].map((shift) => ((address >> shift) & 0xffffn).toString(16)).join(":")}::/64`
}

/** `trustedProxies`: addresses whose `X-Forwarded-For` is believed */
export const makeCallerSource = (trustedProxies: ReadonlyArray<string>): ((peer: Peer) => string) => {
  const trusted = new Set(trustedProxies.map(parseAddress))
  return ({ headers, remoteAddress }) => {
    let source = parseAddress(remoteAddress ?? "")
    if (source === undefined) return "unknown"
    const forwarded = headers["x-forwarded-for"]
    // each proxy appends the address it was asked from
    const hops = typeof forwarded === "string" && trusted.has(source) ? forwarded.split(",").reverse() : []
    for (const hop of hops) {
      const address = parseAddress(withoutPort(hop.trim()))
      if (address === undefined) break
      source = address
      if (!trusted.has(address)) break
    }
    return nameOf(source)
  }
}

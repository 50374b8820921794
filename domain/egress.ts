/**
 * Which network addresses a request on behalf of a user may reach. Judged on the address actually connected, so that a name cannot lead
 * around it. Private ranges are allowed: models in the cluster live there. Reference: gateway.md, "Outbound policy".
 */
import { Either } from "effect"

export interface Cidr {
  /** IPv4 addresses count as IPv4-mapped IPv6 addresses */
  readonly base: bigint
  /** leading bits that must agree, of 128 */
  readonly bits: number
}

export interface EgressPolicy {
  readonly denied: ReadonlyArray<Cidr>
  readonly allowed: ReadonlyArray<Cidr>
  /** lower case; not empty: only these hosts */
  readonly hosts: ReadonlyArray<string>
  /** names that a proxy resolves are let through, because the proxy keeps them out of the denied ranges (`egress.trust_proxy`) */
  readonly trustProxy?: boolean
}

const mapped = 0xffffn << 32n

const ipv4 = (text: string): bigint | undefined => {
  const parts = text.split(".")
  if (parts.length !== 4 || parts.some((part) => !/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255))
    return undefined
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

const groupsOf = (text: string): ReadonlyArray<bigint> | undefined => {
  if (text === "") return []
  const parts = text.split(":")
  const last = parts.at(-1) ?? ""
  const tail = last.includes(".") ? ipv4(last) : undefined
  if (last.includes(".") && tail === undefined) return undefined
  const plain = tail === undefined ? parts : parts.slice(0, -1)
  if (plain.some((part) => !/^[0-9a-fA-F]{1,4}$/.test(part))) return undefined
  const groups = plain.map((part) => BigInt(`0x${part}`))
  return tail === undefined ? groups : [...groups, tail >> 16n, tail & 0xffffn]
}

const ipv6 = (text: string): bigint | undefined => {
  const halves = text.split("::")
  if (halves.length > 2) return undefined
  const [head, tail] = [groupsOf(halves[0] ?? ""), groupsOf(halves[1] ?? "")]
  if (head === undefined || tail === undefined) return undefined
  const missing = 8 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  return [...head, ...Array.from({ length: missing }, () => 0n), ...tail].reduce(
    (value, group) => (value << 16n) | group,
    0n
  )
}

/** a literal IPv4 or IPv6 address (a zone is cut off) as 128 bits; undefined for anything else, names included */
export const parseAddress = (text: string): bigint | undefined => {
  const four = ipv4(text)
  if (four !== undefined) return mapped | four
  return text.includes(":") ? ipv6(text.split("%", 1)[0] ?? "") : undefined
}

/** `10.0.0.0/8`, `fd00::/8`, or one address */
export const parseCidr = (text: string): Either.Either<Cidr, string> => {
  const [address = "", length, ...rest] = text.split("/")
  const base = parseAddress(address)
  const width = ipv4(address) === undefined ? 128 : 32
  const bits = length === undefined ? width : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN
  if (base === undefined || rest.length > 0 || !(bits <= width))
    return Either.left(`'${text}' is no address range such as 10.0.0.0/8 or fd00::/8`)
  return Either.right({ base, bits: bits + 128 - width })
}

export const contains = ({ base, bits }: Cidr, address: bigint): boolean =>
  base >> BigInt(128 - bits) === address >> BigInt(128 - bits)

const always = (text: string): Cidr => Either.getOrElse(parseCidr(text), () => ({ base: 0n, bits: 128 }))

/** this machine's own addresses */
export const loopbackRanges: ReadonlyArray<Cidr> = ["127.0.0.0/8", "::1"].map(always)

/** link-local, loopback, unspecified, multicast, and the metadata services of cloud providers */
const alwaysDenied: ReadonlyArray<Cidr> = [
  "169.254.0.0/16",
  "0.0.0.0/8",
  "224.0.0.0/4",
  "255.255.255.255",
  "100.100.100.200",
  "fe80::/10",
  "::",
  "ff00::/8",
  "fd00:ec2::254"
]
  .map(always)
  .concat(loopbackRanges)

/** IPv4 addresses inside IPv6 ones (mapped, compatible, NAT64, 6to4) are judged as the IPv4 address they reach */
const embedded = (address: bigint): ReadonlyArray<bigint> => {
  const low = mapped | (address & 0xffffffffn)
  if (address >> 32n === 0xffffn) return [address]
  if (address >> 32n === 0n && address > 1n) return [address, low]
  if (address >> 32n === 0x0064ff9b0000000000000000n) return [address, low]
  if (address >> 112n === 0x2002n) return [address, mapped | ((address >> 80n) & 0xffffffffn)]
  return [address]
}

/** whether a connection to this literal address may be made; what is no address is refused */
export const mayReach = (policy: EgressPolicy, text: string): boolean => {
  const address = parseAddress(text)
  if (address === undefined) return false
  const forms = embedded(address)
  const within = (ranges: ReadonlyArray<Cidr>) => forms.some((form) => ranges.some((range) => contains(range, form)))
  return within(policy.allowed) || !within([...alwaysDenied, ...policy.denied])
}

/** whether this host name may be asked at all */
export const mayAsk = (policy: EgressPolicy, hostname: string): boolean =>
  policy.hosts.length === 0 || policy.hosts.includes(hostname.toLowerCase().replace(/\.$/, ""))

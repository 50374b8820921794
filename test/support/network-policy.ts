/**
 * What network policies let through, as the API's documentation says: a pod that no policy of a direction selects is open in it; one that
 * some select gets what any of them allows. Says nothing of a network plug-in, which may do otherwise.
 */

import { BlockList, isIPv6 } from "node:net"
import { isObject, listMember, member, numberMember, textMember } from "../../values/json.ts"

type Labels = { readonly [name: string]: string }

/** one end of a connection: a pod, or an address outside of the cluster's pods */
export interface PodEnd {
  readonly namespace: string
  readonly labels: Labels
  readonly address: string
}
export interface OutsideEnd {
  readonly address: string
}
export type End = PodEnd | OutsideEnd

export interface Connection {
  readonly from: End
  readonly to: End
  readonly port: number
  readonly protocol?: "TCP" | "UDP"
}

interface Policy {
  readonly kind: string
  readonly metadata: { readonly namespace?: string }
  readonly [member: string]: unknown
}

/** a cluster: its policies, and the labels of its namespaces */
export interface Network {
  readonly policies: ReadonlyArray<Policy>
  readonly namespaces: { readonly [name: string]: Labels }
}

const isPod = (end: End): end is PodEnd => "namespace" in end

/** an empty selector selects everything */
const selects = (selector: unknown, labels: Labels): boolean => {
  const wanted = member(selector, "matchLabels")
  const holds = Object.entries(isObject(wanted) ? wanted : {}).every(([name, value]) => labels[name] === value)
  return (
    holds &&
    listMember(selector, "matchExpressions").every((expression) => {
      const value = labels[textMember(expression, "key") ?? ""]
      const values = listMember(expression, "values")
      switch (textMember(expression, "operator")) {
        case "In":
          return value !== undefined && values.includes(value)
        case "NotIn":
          return value === undefined || !values.includes(value)
        case "Exists":
          return value !== undefined
        case "DoesNotExist":
          return value === undefined
        default:
          throw new Error(`unknown operator in ${JSON.stringify(expression)}`)
      }
    })
  )
}

const contains = (cidr: string, address: string): boolean => {
  const [base = "", bits = ""] = cidr.split("/")
  if (isIPv6(base) !== isIPv6(address)) return false
  const family = isIPv6(base) ? "ipv6" : "ipv4"
  const list = new BlockList()
  list.addSubnet(base, Number(bits), family)
  return list.check(address, family)
}

/** is the other end one of a rule's peers? `home`: namespace of the policy */
const isPeer = ({ namespaces }: Network, peer: unknown, other: End, home: string): boolean => {
  const block = member(peer, "ipBlock")
  if (block !== undefined) {
    const except = listMember(block, "except").filter((one) => typeof one === "string")
    return (
      contains(textMember(block, "cidr") ?? "", other.address) && !except.some((one) => contains(one, other.address))
    )
  }
  if (!isPod(other)) return false
  const inNamespace =
    member(peer, "namespaceSelector") === undefined
      ? other.namespace === home
      : selects(member(peer, "namespaceSelector"), namespaces[other.namespace] ?? {})
  return inNamespace && selects(member(peer, "podSelector"), other.labels)
}

const allows = (
  network: Network,
  rule: unknown,
  peers: "from" | "to",
  other: End,
  { port, protocol = "TCP" }: Connection,
  home: string
): boolean => {
  const [ports, listed] = [listMember(rule, "ports"), listMember(rule, peers)]
  const atPort =
    ports.length === 0 ||
    ports.some((one) => (textMember(one, "protocol") ?? "TCP") === protocol && numberMember(one, "port") === port)
  return atPort && (listed.length === 0 || listed.some((peer) => isPeer(network, peer, other, home)))
}

const passes = (
  network: Network,
  direction: "Ingress" | "Egress",
  pod: End,
  other: End,
  connection: Connection
): boolean => {
  if (!isPod(pod)) return true
  const applying = network.policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.namespace &&
      listMember(spec, "policyTypes").includes(direction) &&
      selects(member(spec, "podSelector"), pod.labels)
  )
  if (applying.length === 0) return true
  const [rules, peers] = direction === "Ingress" ? (["ingress", "from"] as const) : (["egress", "to"] as const)
  return applying.some(({ metadata, spec }) =>
    listMember(spec, rules).some((rule) => allows(network, rule, peers, other, connection, metadata.namespace ?? ""))
  )
}

/** both ends must let it through */
export const isLetThrough = (network: Network, connection: Connection): boolean =>
  passes(network, "Egress", connection.from, connection.to, connection) &&
  passes(network, "Ingress", connection.to, connection.from, connection)

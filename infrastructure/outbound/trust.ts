/**
 * Whom a TLS connection believes: the system's roots, and a CA file beside them. node:tls is loaded when the first https peer is asked: a
 * sidecar in front of a plain in-cluster model never needs it. Reference: gateway.md, "Files that change".
 */
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import type { Duplex } from "node:stream"
import type { ConnectionOptions, SecureContext, TLSSocket } from "node:tls"

/** PEM throughout */
export interface Trust {
  /** roots beside the system's; "" or undefined: the system's alone */
  readonly ca?: string | undefined
  /** `ca`, where there is one, replaces the system's: a cluster vouches for itself */
  readonly onlyCa?: boolean
  readonly cert?: string | undefined
  readonly key?: string | undefined
  /** name on the certificate; default the host's */
  readonly serverName?: string | undefined
  /** certificates are not verified: only where the operator said so for a server of their own */
  readonly unverified?: boolean
}

export const sameTrust = (left: Trust, right: Trust): boolean =>
  left === right ||
  ((left.ca ?? "") === (right.ca ?? "") &&
    left.onlyCa === right.onlyCa &&
    left.cert === right.cert &&
    left.key === right.key &&
    left.serverName === right.serverName &&
    left.unverified === right.unverified)

/** node reads this file for its own contexts and leaves it out where roots are given */
const furtherRoots = (): ReadonlyArray<string> => {
  const path = process.env["NODE_EXTRA_CA_CERTS"]
  if (path === undefined || path === "") return []
  try {
    return [readFileSync(path, "utf8")]
  } catch {
    return []
  }
}

export interface Target {
  readonly host: string
  readonly port: number
  /** a way that is open already */
  readonly socket?: Duplex
}

const rootsOf = ({ ca, onlyCa }: Trust, system: ReadonlyArray<string>) => {
  if (ca === undefined || ca === "") return {}
  return { ca: onlyCa === true ? ca : [...system, ...furtherRoots(), ca] }
}

/** opens TLS connections of this trust; rejects when its certificates can not be read */
export const tlsTo = (trust: Trust): ((target: Target & ConnectionOptions) => Promise<TLSSocket>) => {
  let context: SecureContext | undefined
  const { cert, key, serverName, unverified } = trust
  return async (target) => {
    const { connect, createSecureContext, rootCertificates } = await import("node:tls")
    context ??= createSecureContext({
      ...rootsOf(trust, rootCertificates),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key })
    })
    const servername = serverName ?? (isIP(target.host) === 0 ? target.host : undefined)
    return connect({
      ...target,
      ...(servername === undefined ? {} : { servername }),
      secureContext: context,
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: unverified !== true
    })
  }
}

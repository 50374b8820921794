/**
 * Kept-alive connections to upstreams. Addresses are checked after the name look-up and connected as checked, so that a name cannot point
 * elsewhere the second time. Reference: gateway.md, "Streams and limits", "Outbound policy", "Files that change".
 */
import { lookup as dnsLookup, type LookupAddress } from "node:dns"
import { Agent, type ClientRequestArgs } from "node:http"
import { isIP, type LookupFunction, connect as netConnect, Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { SecureContext, connect as tlsConnect } from "node:tls"
import type { Upstream } from "../../domain/credentials/upstream.ts"
import { type EgressPolicy, mayAsk, mayReach } from "../../domain/egress.ts"
import { Fault } from "./fault.ts"

/** whose certificates are verified, for the message of a handshake that failed */
export interface TlsPeer {
  /** such as `the tracking server` */
  readonly name: string
  /** where its private CA belongs, as the end of a sentence */
  readonly remedy: string
}

/** the model of a job, whose CA comes with the job's secret */
export const modelPeer: TlsPeer = { name: "the model", remedy: "if its certificate is private, put the CA into key 'ca_cert' of the model secret" }

/** there is no setting for a CA of its own */
export const registryPeer: TlsPeer = { name: "the registry", remedy: "its certificate must come from an authority that the system trusts" }

export interface ConnectionOptions {
  readonly peer: TlsPeer
  /** connect and TLS handshake together */
  readonly connectMillis: number
  /** additional roots in PEM, read for each new connection; "" or undefined: the system's only */
  readonly ca: () => string | undefined
  /** undefined: the operator configured this upstream, or it is the user's own machine */
  readonly egress: EgressPolicy | undefined
  readonly maxPerOrigin: number
  readonly maxQueued: number
  /** certificates are not verified: only where the operator said so for a server of their own */
  readonly unverified?: boolean
}

/** upstreams with a usual keep-alive time of 5 s close idle connections under us; leaving earlier avoids that race */
const idleConnectionMillis = 4_000

const blocked = (host: string, address: string) => new Fault(403, "upstream_blocked", `'${host}' leads to ${address}, which the outbound policy forbids`)

const checkedLookup =
  (policy: EgressPolicy): LookupFunction =>
  (hostname, options, done) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses: ReadonlyArray<LookupAddress>) => {
      if (error !== null) return done(error, [])
      const allowed = addresses.filter(({ address }) => mayReach(policy, address))
      const [first] = allowed
      if (first === undefined) return done(blocked(hostname, addresses.map(({ address }) => address).join(", ") || "no address"), [])
      return options.all === true ? done(null, [...allowed]) : done(null, first.address, first.family)
    })
  }

interface SecureContexts {
  readonly connect: typeof tlsConnect
  readonly contextFor: (ca: string) => SecureContext
}

/** node:tls is loaded when the first https upstream is asked: a sidecar in front of a plain in-cluster model never needs it */
const loadTls = async (): Promise<SecureContexts> => {
  const { connect, createSecureContext, rootCertificates } = await import("node:tls")
  let current: { readonly ca: string; readonly context: SecureContext } | undefined
  const contextFor = (ca: string) => {
    if (current?.ca !== ca) current = { ca, context: createSecureContext(ca === "" ? {} : { ca: [...rootCertificates, ca] }) }
    return current.context
  }
  return { connect, contextFor }
}

interface Address {
  readonly host: string
  readonly port: number
}
type OnSocket = (error: Error | null, socket: Duplex) => void
/** returns the socket, or hands it to the callback later */
type Open = (address: Address, done: OnSocket) => Socket | undefined

/** an agent for one scheme that makes its sockets itself */
class OriginAgent extends Agent {
  readonly #open: Open
  readonly protocol: string
  constructor(protocol: string, maxSockets: number, open: Open) {
    super({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets, timeout: idleConnectionMillis, scheduling: "lifo" })
    this.protocol = protocol
    this.#open = open
  }
  override createConnection(options: ClientRequestArgs, done: OnSocket = () => {}): Socket | undefined {
    return this.#open({ host: options.host ?? "", port: Number(options.port) }, done)
  }
}

export interface Connections {
  /** a `Fault` when the upstream must not be asked or has too many requests waiting */
  readonly agentFor: (upstream: Upstream) => Agent | Fault
  /** idle connections are closed; open exchanges go on */
  readonly close: () => void
}

export const makeConnections = (options: ConnectionOptions): Connections => {
  const { egress } = options
  let tls: Promise<SecureContexts> | undefined

  const guarded = (socket: Socket, host: string, ready: "connect" | "secureConnect") => {
    const timer = setTimeout(
      () => socket.destroy(new Fault(504, "upstream_timeout", `no connection to '${host}' within ${options.connectMillis} ms`)),
      options.connectMillis
    )
    let connected = false
    socket.once("connect", () => {
      connected = true
    })
    const failed = (error: Error) => {
      clearTimeout(timer)
      if (ready === "secureConnect" && connected && !(error instanceof Fault)) tlsFailures.set(error, options.peer)
    }
    socket.once(ready, () => {
      clearTimeout(timer)
      socket.off("error", failed)
    })
    socket.once("close", () => clearTimeout(timer))
    // first in line, so that the mark is there when the request hears of the error
    socket.prependListener("error", failed)
    return socket
  }

  const target = ({ host, port }: Address) => ({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    ...(egress === undefined ? {} : { lookup: checkedLookup(egress) })
  })

  const plain = new OriginAgent("http:", options.maxPerOrigin, (address) => guarded(netConnect(target(address)), address.host, "connect"))
  let secure: { readonly ca: string; readonly agent: OriginAgent } | undefined
  const openSecure =
    (ca: string): Open =>
    (address, done) => {
      tls ??= loadTls()
      tls
        .then(({ connect, contextFor }) => {
          const servername = isIP(address.host) === 0 ? { servername: address.host } : {}
          return connect({
            ...target(address),
            ...servername,
            secureContext: contextFor(ca),
            ALPNProtocols: ["http/1.1"],
            rejectUnauthorized: options.unverified !== true
          })
        })
        .then(
          (socket) => done(null, guarded(socket, address.host, "secureConnect")),
          // an unreadable CA bundle shows when the context is made; the socket is not looked at beside an error
          (error: Error) => {
            tlsFailures.set(error, options.peer)
            done(error, new Socket())
          }
        )
      return undefined
    }

  const secureAgent = (): OriginAgent => {
    const ca = options.ca() ?? ""
    if (secure?.ca === ca) return secure.agent
    // the old agent's open exchanges end by themselves; its idle connections time out
    secure = { ca, agent: new OriginAgent("https:", options.maxPerOrigin, openSecure(ca)) }
    return secure.agent
  }

  return {
    agentFor: ({ protocol, hostname, port }) => {
      if (egress !== undefined && !mayAsk(egress, hostname)) return new Fault(403, "upstream_blocked", `'${hostname}' is not among the allowed hosts`)
      if (egress !== undefined && isIP(hostname) !== 0 && !mayReach(egress, hostname)) return blocked(hostname, hostname)
      const agent = protocol === "https:" ? secureAgent() : plain
      const waiting = agent.requests[`${hostname}:${port}:`]?.length ?? 0
      if (waiting >= options.maxQueued) return new Fault(503, "overloaded", `${waiting} requests are already waiting for '${hostname}'`, { "retry-after": "1" })
      return agent
    },
    close: () => {
      plain.destroy()
      secure?.agent.destroy()
    }
  }
}

/** errors of the handshake, told apart from those of the network */
const tlsFailures = new WeakMap<Error, TlsPeer>()

/** the answer for a failed upstream request */
export const faultOf = (error: Error, host: string): Fault => {
  if (error instanceof Fault) return error
  const code = (error as NodeJS.ErrnoException).code ?? error.message
  const peer = tlsFailures.get(error)
  if (peer !== undefined) return new Fault(502, "upstream_tls_failed", `TLS to ${peer.name} '${host}' failed: ${code}; ${peer.remedy}`)
  return new Fault(502, "upstream_unreachable", `no answer from '${host}': ${code}`)
}

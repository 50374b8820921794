/**
 * The one way out: kept-alive connections to other servers, with the outbound policy, the trust in certificates, proxies and the limits of
 * each pool. Addresses are checked after the name look-up and connected as checked, so that a name cannot point elsewhere the second time.
 * Reference: gateway.md, "Streams and limits", "Outbound policy", "Proxies", "Files that change".
 */
import { lookup as dnsLookup, type LookupAddress } from "node:dns"
import { Agent, type ClientRequest, type ClientRequestArgs } from "node:http"
import { isIP, type LookupFunction, connect as netConnect, Socket } from "node:net"
import type { Duplex } from "node:stream"
import { type EgressPolicy, mayAsk, mayReach } from "../../domain/egress.ts"
import { type Destination, type HttpProxy, proxyFor, type WayOut } from "../../domain/proxies.ts"
import { markTlsFailure, OutboundError, type Peer } from "./outbound-error.ts"
import { sameTrust, type Target, type Trust, tlsTo } from "./trust.ts"
import { tunnel } from "./tunnel.ts"

export interface ConnectionOptions {
  readonly peer: Peer
  /** connect, way through a proxy and TLS handshake, each */
  readonly connectMillis: number
  /** looked at for each new connection */
  readonly trust: () => Trust
  /** undefined: the operator configured this upstream, or it is the user's own machine */
  readonly egress: EgressPolicy | undefined
  readonly way: WayOut
  /** evald itself or the cluster's API: no proxy unless `egress.proxied_hosts` names it */
  readonly own?: boolean
  readonly maxPerOrigin: number
  /** default as many as there may be in all */
  readonly maxIdle?: number
  readonly maxQueued: number
  /** an idle connection is closed after this time; default 4,000; 0 leaves that to the other side */
  readonly idleMillis?: number
}

/** upstreams with a usual keep-alive time of 5 s close idle connections under us; leaving earlier avoids that race */
const usualIdleMillis = 4_000

const blocked = (host: string, address: string) =>
  new OutboundError("blocked", `'${host}' leads to ${address}, which the outbound policy forbids`)

const checkedLookup =
  (policy: EgressPolicy): LookupFunction =>
  (hostname, options, done) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses: ReadonlyArray<LookupAddress>) => {
      if (error !== null) return done(error, [])
      const allowed = addresses.filter(({ address }) => mayReach(policy, address))
      const [first] = allowed
      if (first === undefined)
        return done(blocked(hostname, addresses.map(({ address }) => address).join(", ") || "no address"), [])
      return options.all === true ? done(null, [...allowed]) : done(null, first.address, first.family)
    })
  }

type OnSocket = (error: Error | null, socket: Duplex) => void
/** returns the socket, or hands it to the callback later */
type Open = (target: Target, done: OnSocket) => Socket | undefined

declare module "node:http" {
  // what requests and agents of node call of one another; its documentation does not name them
  interface Agent {
    addRequest(request: ClientRequest, options: ClientRequestArgs): void
  }
  interface ClientRequest {
    readonly timeout?: number
    onSocket(socket: Duplex): void
  }
}

/**
 * An agent for one scheme that makes its sockets itself. Node copies all options of a request before it looks for a free socket, a tenth of what
 * a request through the gateway takes; a free socket needs none of them.
 */
class OriginAgent extends Agent {
  readonly #open: Open
  readonly #idleMillis: number
  readonly protocol: string
  declare readonly sockets: { [name: string]: Array<Socket> | undefined }
  declare readonly freeSockets: { [name: string]: Array<Socket> | undefined }
  constructor(
    protocol: string,
    { maxPerOrigin, maxIdle = maxPerOrigin, idleMillis = usualIdleMillis }: ConnectionOptions,
    open: Open
  ) {
    super({
      keepAlive: true,
      maxSockets: maxPerOrigin,
      maxFreeSockets: maxIdle,
      ...(idleMillis === 0 ? {} : { timeout: idleMillis }),
      scheduling: "lifo"
    })
    this.protocol = protocol
    this.#idleMillis = idleMillis
    this.#open = open
  }
  override addRequest(request: ClientRequest, options: ClientRequestArgs): void {
    const name = this.getName(options)
    const free = this.freeSockets[name]
    const socket = free?.at(-1)
    if (free === undefined || socket === undefined || socket.destroyed) {
      super.addRequest(request, options)
      return
    }
    free.pop()
    if (free.length === 0) delete this.freeSockets[name]
    this.reuseSocket(socket, request)
    request.onSocket(socket)
    if (request.timeout !== undefined && request.timeout !== this.#idleMillis) socket.setTimeout(request.timeout)
    const used = this.sockets[name]
    if (used === undefined) this.sockets[name] = [socket]
    else used.push(socket)
  }
  override createConnection(options: ClientRequestArgs, done: OnSocket = () => {}): Socket | undefined {
    return this.#open({ host: options.host ?? "", port: Number(options.port) }, done)
  }
}

/** why a policy keeps a destination from being asked at all; names are judged again when they are resolved */
const refusal = (
  egress: EgressPolicy,
  { hostname }: Destination,
  proxy: () => HttpProxy | undefined
): OutboundError | undefined => {
  if (!mayAsk(egress, hostname)) return new OutboundError("blocked", `'${hostname}' is not among the allowed hosts`)
  if (isIP(hostname) !== 0) return mayReach(egress, hostname) ? undefined : blocked(hostname, hostname)
  if (egress.trustProxy === true || proxy() === undefined) return undefined
  return new OutboundError(
    "blocked",
    `the proxy would resolve '${hostname}', so that the outbound policy could not judge its address; set egress.trust_proxy when the proxy keeps to the policy`
  )
}

export interface Connections {
  /** an `OutboundError` when the destination must not be asked or has too many requests waiting; `trust` in place of the usual one */
  readonly agentFor: (destination: Destination, trust?: Trust) => Agent | OutboundError
  /** idle connections are closed; open exchanges go on */
  readonly close: () => void
}

const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 }

/** ends a socket that is not ready in time, and marks a failure of TLS as one */
const guarded = (
  socket: Socket,
  { peer, connectMillis }: Pick<ConnectionOptions, "peer" | "connectMillis">,
  {
    host,
    ready,
    connected
  }: { readonly host: string; readonly ready: "connect" | "secureConnect"; readonly connected: boolean }
) => {
  const timer = setTimeout(
    () => socket.destroy(new OutboundError("timeout", `no connection to '${host}' within ${connectMillis} ms`)),
    connectMillis
  )
  let inHandshake = connected
  socket.once("connect", () => {
    inHandshake = true
  })
  const failed = (error: Error) => {
    clearTimeout(timer)
    if (ready === "secureConnect" && inHandshake && !(error instanceof OutboundError)) markTlsFailure(error, peer)
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

const hand = (opening: Promise<Socket>, done: OnSocket): undefined => {
  opening.then(
    (socket) => done(null, socket),
    // the socket is not looked at beside an error
    (error: Error) => done(error, new Socket())
  )
  return undefined
}

export const makeConnections = (options: ConnectionOptions): Connections => {
  const { egress, way, own } = options
  const proxyOf = (destination: Destination) => proxyFor(way.proxies(), destination, own)

  const straightTo = (target: Target) => ({
    ...target,
    ...socketOptions,
    ...(egress === undefined ? {} : { lookup: checkedLookup(egress) })
  })
  const throughProxy = (proxy: HttpProxy, target: Target): Promise<Socket> =>
    tunnel(proxy, target, { trust: { ca: way.proxyCa() }, millis: options.connectMillis, socket: socketOptions })

  const plain = new OriginAgent("http:", options, (target, done) => {
    const proxy = proxyOf({ protocol: "http:", hostname: target.host, port: target.port })
    return proxy === undefined
      ? guarded(netConnect(straightTo(target)), options, { host: target.host, ready: "connect", connected: false })
      : hand(throughProxy(proxy, target), done)
  })

  const secured = async (target: Target, open: ReturnType<typeof tlsTo>): Promise<Socket> => {
    const proxy = proxyOf({ protocol: "https:", hostname: target.host, port: target.port })
    const socket = proxy === undefined ? undefined : await throughProxy(proxy, target)
    try {
      const opened = await open(socket === undefined ? straightTo(target) : { ...target, socket })
      return guarded(opened, options, { host: target.host, ready: "secureConnect", connected: socket !== undefined })
    } catch (error) {
      socket?.destroy()
      // an unreadable CA bundle shows when the context is made
      if (error instanceof Error) markTlsFailure(error, options.peer)
      throw error
    }
  }

  let secure: { readonly trust: Trust; readonly agent: OriginAgent } | undefined
  const secureAgent = (trust: Trust): OriginAgent => {
    if (secure !== undefined && sameTrust(secure.trust, trust)) return secure.agent
    // the old agent's open exchanges end by themselves; its idle connections time out
    const open = tlsTo(trust)
    secure = { trust, agent: new OriginAgent("https:", options, (target, done) => hand(secured(target, open), done)) }
    return secure.agent
  }

  // an address leads to itself and the policy stays as it is, so that the verdict on it does as well
  let allowed: string | undefined
  const refusedBy = (policy: EgressPolicy, destination: Destination): OutboundError | undefined => {
    if (destination.hostname === allowed) return undefined
    const refused = refusal(policy, destination, () => proxyOf(destination))
    if (refused === undefined && isIP(destination.hostname) !== 0) allowed = destination.hostname
    return refused
  }

  return {
    agentFor: (destination, trust) => {
      const refused = egress === undefined ? undefined : refusedBy(egress, destination)
      if (refused !== undefined) return refused
      const { protocol, hostname, port } = destination
      const agent = protocol === "https:" ? secureAgent(trust ?? options.trust()) : plain
      const waiting = agent.requests[`${hostname}:${port}:`]?.length ?? 0
      return waiting >= options.maxQueued
        ? new OutboundError("overloaded", `${waiting} requests are already waiting for '${hostname}'`)
        : agent
    },
    close: () => {
      plain.destroy()
      secure?.agent.destroy()
    }
  }
}

/**
 * A way through a proxy: CONNECT for http and https alike, so that the proxy's credentials are part of no request and one connection is one
 * peer's. Reference: gateway.md, "Proxies".
 */
import { request } from "node:http"
import { connect, type Socket } from "node:net"
import { type HttpProxy, proxyAddress, proxyAuthorization } from "../../domain/proxies.ts"
import { codeOf, markTlsFailure, OutboundError, type Peer } from "./outbound-error.ts"
import { type Target, type Trust, tlsTo } from "./trust.ts"

const proxyPeer: Peer = {
  name: "the proxy",
  remedy: "if its certificate is private, its CA belongs into the file of setting egress.proxy_ca_path"
}

const toProxy = async ({ protocol, hostname, port }: HttpProxy, trust: Trust, settings: object): Promise<Socket> => {
  const target = { host: hostname, port, ...settings }
  if (protocol === "http:") return connect(target)
  return tlsTo(trust)(target)
}

const meaning = (status: number | undefined): string =>
  status === 407
    ? "407, it wants other credentials"
    : status === 403
      ? "403, its rules forbid it"
      : `${status ?? "nothing"}`

export interface TunnelOptions {
  /** of the proxy itself, where it is asked over TLS */
  readonly trust: Trust
  readonly millis: number
  /** of the connection to the proxy */
  readonly socket: object
}

/** the socket behind the proxy; rejects with an `OutboundError` that names the proxy without its credentials */
export const tunnel = async (proxy: HttpProxy, target: Target, options: TunnelOptions): Promise<Socket> => {
  const authority = `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`
  const by = `the proxy ${proxyAddress(proxy)}`
  const failed = (error: Error): Error =>
    error instanceof OutboundError
      ? error
      : new OutboundError("unreachable", `no answer from '${authority}': ${by}: ${codeOf(error)}`, codeOf(error))
  const socket = await toProxy(proxy, options.trust, options.socket).catch((error: Error) => {
    markTlsFailure(error, proxyPeer)
    throw error
  })
  return new Promise((resolve, reject) => {
    const credentials = proxyAuthorization(proxy)
    let connected = proxy.protocol === "http:"
    let reached = false
    socket.once("connect", () => {
      reached = true
    })
    socket.once("secureConnect", () => {
      connected = true
    })
    const asking = request({
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...(credentials === undefined ? {} : { "proxy-authorization": credentials }) },
      createConnection: () => socket
    })
    const timer = setTimeout(
      () =>
        asking.destroy(
          new OutboundError("timeout", `${by} opened no way to '${authority}' within ${options.millis} ms`)
        ),
      options.millis
    )
    asking.once("connect", (answer, opened: Socket, head) => {
      clearTimeout(timer)
      if (answer.statusCode !== 200) {
        opened.destroy()
        reject(
          new OutboundError(
            "unreachable",
            `${by} opens no way to '${authority}': it answers ${meaning(answer.statusCode)}`
          )
        )
        return
      }
      if (head.length > 0) opened.unshift(head)
      resolve(opened)
    })
    asking.on("error", (error) => {
      clearTimeout(timer)
      const untrusted = reached && !connected && !(error instanceof OutboundError)
      reject(
        untrusted
          ? new OutboundError("tls", `TLS to ${by} failed: ${codeOf(error)}; ${proxyPeer.remedy}`, codeOf(error))
          : failed(error)
      )
    })
    asking.end()
  })
}

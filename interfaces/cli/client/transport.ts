/** `fetch` through a proxy, or to a server whose certificate somebody of one's own vouches for: node's own does neither. */
import { readFileSync } from "node:fs"
import { type IncomingMessage, request as plainRequest } from "node:http"
import { request as secureRequest } from "node:https"
import type { Socket } from "node:net"
import { Readable } from "node:stream"
import { connect } from "node:tls"

export interface Way {
  readonly proxy: URL | undefined
  /** PEM */
  readonly ca: string | undefined
}

/** the file of certificates; throws when it can not be read */
export const certificatesOf = (file: string): string => readFileSync(file, "utf8")

const credentialsOf = ({ username, password }: URL): { readonly [header: string]: string } =>
  username === ""
    ? {}
    : {
        "proxy-authorization": `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")}`
      }

const nameOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1")
const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === "https:" ? 443 : 80)

/** a connection through the proxy to where `url` leads */
const tunnel = (proxy: URL, url: URL, signal: AbortSignal | undefined): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const target = `${url.hostname}:${portOf(url)}`
    const asked = (proxy.protocol === "https:" ? secureRequest : plainRequest)({
      method: "CONNECT",
      host: nameOf(proxy),
      port: portOf(proxy),
      path: target,
      headers: { host: target, ...credentialsOf(proxy) },
      ...(signal && { signal })
    })
    asked.once("connect", ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(new Error(`the proxy ${proxy.host} answered ${statusCode}`))
    })
    // a proxy that answers like a server
    asked.once("response", ({ statusCode }) => {
      asked.destroy()
      reject(new Error(`the proxy ${proxy.host} answered ${statusCode}`))
    })
    asked.once("error", reject)
    asked.end()
  })

const answerOf = (incoming: IncomingMessage): Response => {
  const headers = new Headers()
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "")
  const { statusCode: status = 502 } = incoming
  const isEmpty = status === 204 || status === 304
  if (isEmpty) incoming.resume()
  return new Response(isEmpty ? null : (Readable.toWeb(incoming) as unknown as ReadableStream), { status, headers })
}

const exchanged = async (url: URL, init: RequestInit, { proxy, ca }: Way): Promise<Response> => {
  const signal = init.signal ?? undefined
  const isSecure = url.protocol === "https:"
  const socket = proxy !== undefined && isSecure ? await tunnel(proxy, url, signal) : undefined
  const relayed = proxy !== undefined && !isSecure
  return new Promise((resolve, reject) => {
    const body = typeof init.body === "string" ? init.body : undefined
    const [host, port] = relayed ? [nameOf(proxy), portOf(proxy)] : [nameOf(url), portOf(url)]
    const options = {
      method: init.method ?? "GET",
      host,
      port,
      path: relayed ? url.href : url.pathname + url.search,
      headers: {
        host: url.host,
        ...(relayed ? credentialsOf(proxy) : {}),
        ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
        ...(init.headers as { readonly [name: string]: string } | undefined)
      },
      ...(signal && { signal }),
      ...(ca === undefined ? {} : { ca }),
      // one connection for each request: the process ends with its last answer; an agent would not take the tunnel
      ...(socket === undefined
        ? { agent: false as const }
        : { createConnection: () => connect({ socket, servername: nameOf(url), ...(ca === undefined ? {} : { ca }) }) })
    }
    const asked = (isSecure || (relayed && proxy.protocol === "https:") ? secureRequest : plainRequest)(options)
    asked.once("response", (incoming) => resolve(answerOf(incoming)))
    asked.once("error", (error) => {
      socket?.destroy()
      reject(error)
    })
    asked.end(body)
  })
}

/** the part of `fetch` that the client uses; a failure looks as its own does */
export const fetchBy =
  (way: Way): typeof fetch =>
  async (address, init = {}) => {
    try {
      return await exchanged(new URL(String(address)), init, way)
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason
      throw new TypeError("fetch failed", { cause: error })
    }
  }

/**
 * `fetch` for the command line, straight, through a proxy, or to a server whose certificate somebody of one's own vouches for. Node's own does the
 * first only, and loading it is half of a command's start; of TLS nothing is loaded for a server without it.
 */
import { readFileSync } from "node:fs"
import { Agent, type IncomingMessage, request as plainRequest } from "node:http"
import type { Socket } from "node:net"

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

const requestFor = async (protocol: string): Promise<typeof plainRequest> =>
  protocol === "https:" ? (await import("node:https")).request : plainRequest

/** a connection through the proxy to where `url` leads */
const tunnel = async (proxy: URL, url: URL, signal: AbortSignal | undefined): Promise<Socket> => {
  const request = await requestFor(proxy.protocol)
  return new Promise((resolve, reject) => {
    const target = `${url.hostname}:${portOf(url)}`
    const asked = request({
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
}

const unpacked = async (incoming: IncomingMessage): Promise<AsyncIterable<Uint8Array>> => {
  if (incoming.headers["content-encoding"] !== "gzip") return incoming
  const [{ createGunzip }, { pipeline }] = await Promise.all([import("node:zlib"), import("node:stream")])
  // whoever reads it is told when it breaks
  return pipeline(incoming, createGunzip(), () => {})
}

/** what the commands read of an answer: loading node's own class for it would load its `fetch` */
const answerOf = async (incoming: IncomingMessage, method: string): Promise<Response> => {
  const { statusCode: status = 502, headers } = incoming
  // whoever reads it is told; what nobody reads may break
  incoming.on("error", () => {})
  const isEmpty = method === "HEAD" || status === 204 || status === 304
  if (isEmpty) incoming.resume()
  const body = isEmpty ? null : await unpacked(incoming)
  const received = {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name: string) => headers[name.toLowerCase()] ?? null },
    body,
    text: async () => {
      const parts: Array<Uint8Array> = []
      if (body !== null) for await (const part of body) parts.push(part)
      return Buffer.concat(parts).toString("utf8")
    }
  }
  return received as unknown as Response
}

/** connections are used again, and none of them keeps the process */
const straight = new Agent({ keepAlive: true })
let secure: Agent | undefined

const agentFor = async (protocol: string): Promise<Agent> => {
  if (protocol !== "https:") return straight
  secure ??= new (await import("node:https")).Agent({ keepAlive: true })
  return secure
}

const exchanged = async (url: URL, init: RequestInit, { proxy, ca }: Way): Promise<Response> => {
  const signal = init.signal ?? undefined
  const isSecure = url.protocol === "https:"
  const socket = proxy !== undefined && isSecure ? await tunnel(proxy, url, signal) : undefined
  const relayed = proxy !== undefined && !isSecure
  const [host, port] = relayed ? [nameOf(proxy), portOf(proxy)] : [nameOf(url), portOf(url)]
  const protocol = relayed ? proxy.protocol : url.protocol
  const { connect } = socket === undefined ? {} : await import("node:tls")
  const body = typeof init.body === "string" ? init.body : undefined
  const method = init.method ?? "GET"
  const options = {
    ...{ method, host, port, path: relayed ? url.href : url.pathname + url.search },
    headers: {
      ...{ host: url.host, "accept-encoding": "gzip" },
      ...(relayed ? credentialsOf(proxy) : {}),
      ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
      ...(init.headers as { readonly [name: string]: string } | undefined)
    },
    ...(signal && { signal }),
    ...(ca === undefined ? {} : { ca }),
    // an agent would not take the tunnel
    ...(socket === undefined || connect === undefined
      ? { agent: await agentFor(protocol) }
      : { createConnection: () => connect({ socket, servername: nameOf(url), ...(ca === undefined ? {} : { ca }) }) })
  }
  const request = await requestFor(protocol)
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request(options)
    asked.once("response", resolve)
    // more than one may come, also when the answer is there
    asked.on("error", (error) => {
      socket?.destroy()
      reject(error)
    })
    asked.end(body)
  })
  return answerOf(incoming, method)
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

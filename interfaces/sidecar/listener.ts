/** The sidecar's sockets: the proxy on loopback only, health on every address for the kubelet's probes. Reference: gateway.md, "Routes", "Streams and limits". */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Duplex } from "node:stream"
import { defined } from "../../values/defined.ts"
import { Fault, type FaultCode, faultBody, sendFault } from "../gateway/fault.ts"
import type { Caller } from "../gateway/proxy.ts"
import { endSocket } from "../gateway/unread-body.ts"

const maxHeadBytes = 65_536
/** node would drop lines beyond a limit of its own without a word, and with them the credential or the framing of a request */
const maxHeadLines = 2000
/** longer than clients keep idle connections, so that they close first */
const keepAliveMillis = 75_000

/** an answer below the HTTP layer, for what node could not parse or hands over raw */
const writeRaw = (
  socket: Duplex,
  status: number,
  phrase: string,
  code: FaultCode,
  message: string,
  trace: string
): void => {
  const body = faultBody(new Fault(status, code, message), trace)
  endSocket(
    socket,
    `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Evald-Sidecar: error\r\nConnection: close\r\n\r\n${body}`
  )
}

const saneId = /^[A-Za-z0-9._:@/+=-]{1,128}$/

const headFault = ({ rawHeaders, headers, httpVersion }: IncomingMessage): Fault | undefined => {
  if (rawHeaders.length > 2 * maxHeadLines)
    return new Fault(431, "request_head_too_large", `the request must have at most ${maxHeadLines} header lines`)
  if (httpVersion === "1.1" && headers.host === undefined)
    return new Fault(400, "request_invalid", "the request has no Host header, which HTTP/1.1 requires")
  return undefined
}

const unmet = new Fault(417, "request_invalid", "only the expectation 100-continue can be met")

/** `newId`: a fresh identifier for requests that bring none */
export const proxyServer = (handle: (caller: Caller) => void, newId: () => string): Server => {
  const accept =
    (expectsContinue: boolean, refusal?: Fault) => (request: IncomingMessage, response: ServerResponse) => {
      const given = request.headers["x-request-id"]
      const trace = typeof given === "string" && saneId.test(given) ? given : newId()
      const fault = headFault(request) ?? refusal
      if (fault === undefined) handle({ request, response, trace, expectsContinue })
      else sendFault(response, fault, trace)
    }
  const options = {
    requestTimeout: 0,
    maxHeaderSize: maxHeadBytes,
    keepAliveTimeout: keepAliveMillis,
    requireHostHeader: false
  }
  const server = createServer(options, accept(false))
  server.maxHeadersCount = 0
  server.on("checkContinue", accept(true))
  server.on("checkExpectation", accept(false, unmet))
  server.on("connect", (_request: IncomingMessage, socket: Duplex) =>
    writeRaw(socket, 400, "Bad Request", "path_invalid", "CONNECT is not supported", newId())
  )
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET") socket.destroy()
    else if (error.code === "HPE_HEADER_OVERFLOW")
      writeRaw(
        socket,
        431,
        "Request Header Fields Too Large",
        "request_head_too_large",
        `the request head must have at most ${maxHeadBytes} bytes`,
        newId()
      )
    else
      writeRaw(
        socket,
        400,
        "Bad Request",
        "request_invalid",
        `the request is not valid HTTP: ${error.code ?? "malformed"}`,
        newId()
      )
  })
  return server
}

export const healthServer = (
  status: () => { readonly healthy: boolean },
  metrics: (() => string) | undefined
): Server => {
  const listener: RequestListener = (request, response) => {
    const path = (request.url ?? "").split("?", 1)[0]
    const read = request.method === "GET" || request.method === "HEAD"
    if (read && path === "/health") {
      const { healthy } = status()
      response
        .writeHead(healthy ? 200 : 503, { "content-type": "application/json" })
        .end(JSON.stringify({ status: healthy ? "healthy" : "stopping" }))
    } else if (read && path === "/metrics" && metrics !== undefined)
      response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(metrics())
    else
      response
        .writeHead(404, { "content-type": "application/json" })
        .end(JSON.stringify({ message: "no such path", message_code: "route_not_found", trace: "" }))
  }
  return createServer({ maxHeaderSize: 16_384 }, listener)
}

export interface Binding {
  readonly port: number
  readonly host: string | undefined
  /** an address family that the machine may not have */
  readonly optional?: boolean
  /** told when the listening socket fails later (no file descriptor is left for a connection); the server goes on */
  readonly onError: (code: string) => void
}

/** resolves with the port */
export const bind = (server: Server, { port, host, optional = false, onError }: Binding): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      if (optional && (error.code === "EADDRNOTAVAIL" || error.code === "EAFNOSUPPORT")) resolve(undefined)
      else reject(error)
    }
    server.once("error", failed)
    server.listen({ port, ...defined({ host }) }, () => {
      server.off("error", failed).on("error", (error: NodeJS.ErrnoException) => onError(error.code ?? error.message))
      resolve((server.address() as AddressInfo).port)
    })
  })

/** no new connections; resolves when the open ones ended, at the latest after `millis`, when they are cut */
export const closeServer = (server: Server, millis: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), millis)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })

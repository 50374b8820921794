/** Proxies on loopback for the length of one test: CONNECT with an optional password, and SOCKS 5. */
import { createServer as createHttpServer } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { connect, createServer, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Effect, Either, type Scope } from "effect"
import { readProxies, type WayOut } from "../../domain/proxies.ts"
import type { Signed } from "./certificate.ts"
import { listening } from "./loopback-server.ts"

export interface TestProxy {
  /** `127.0.0.1:port` */
  readonly address: string
  /** `host:port` of every tunnel that was asked for */
  readonly asked: ReadonlyArray<string>
}

/** the way out by this proxy, `http://…`; loopback is named unless something else is */
export const through = (
  proxy: string,
  given: { readonly exempt?: string; readonly named?: ReadonlyArray<string>; readonly ca?: string } = {}
): WayOut => {
  const names = { http: "HTTP_PROXY", https: "HTTPS_PROXY", exempt: "NO_PROXY", named: "egress.proxied_hosts" }
  const texts = { http: proxy, https: proxy, exempt: given.exempt, named: given.named ?? ["127.0.0.1", "localhost"] }
  const proxies = Either.getOrThrow(readProxies(texts, names))
  return { proxies: () => proxies, proxyCa: () => given.ca }
}

const joined = (client: Duplex, host: string, port: number, opened: (upstream: Socket) => void): void => {
  const upstream = connect(port, host)
  upstream.once("connect", () => {
    opened(upstream)
    client.pipe(upstream)
    upstream.pipe(client)
  })
  const end = () => {
    client.destroy()
    upstream.destroy()
  }
  for (const side of [client, upstream]) side.on("error", end).on("close", end)
}

/** `credentials`: `user:password` that it insists on; `tls`: it is asked over TLS */
export const connectProxy = (credentials?: string, tls?: Signed): Effect.Effect<TestProxy, never, Scope.Scope> => {
  const asked: Array<string> = []
  const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`
  const server = tls === undefined ? createHttpServer() : createHttpsServer({ cert: tls.certificate, key: tls.key })
  server.on("connect", (request, client) => {
    asked.push(request.url ?? "")
    if (wanted !== undefined && request.headers["proxy-authorization"] !== wanted)
      return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
    const [host = "", port = ""] = (request.url ?? "").split(":")
    joined(client, host, Number(port), () => void client.write("HTTP/1.1 200 Connection Established\r\n\r\n"))
  })
  return Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => listening(server)),
      ({ close }) => Effect.promise(close)
    ),
    ({ port }) => ({ address: `127.0.0.1:${port}`, asked })
  )
}

/** without authentication, for IPv4 addresses */
export const socksProxy: Effect.Effect<TestProxy, never, Scope.Scope> = Effect.suspend(() => {
  const asked: Array<string> = []
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    client.once("close", () => clients.delete(client))
    client.once("data", () => {
      client.write(Buffer.from([5, 0]))
      client.once("data", (request: Buffer) => {
        const [host, port] = [request.subarray(4, 8).join("."), request.readUInt16BE(8)]
        asked.push(`${host}:${port}`)
        joined(client, host, port, () => void client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])))
      })
    })
  })
  const listen = Effect.async<TestProxy>((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(
        Effect.succeed({
          address: `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
          asked
        })
      )
    })
  })
  return Effect.acquireRelease(listen, () =>
    Effect.promise(
      () =>
        new Promise((closed) => {
          for (const client of clients) client.destroy()
          server.close(closed)
        })
    )
  )
})

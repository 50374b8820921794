/** A fake Kubernetes API behind TLS, which asks for a client certificate and lets everybody in. */
import { request } from "node:http"
import { createServer } from "node:https"
import type { TLSSocket } from "node:tls"
import { Effect, type Scope } from "effect"
import { makeAuthority } from "../certificate.ts"
import { listening } from "../loopback-server.ts"
import type { FakeKubernetes } from "./fake-kubernetes.ts"

export interface TlsFront {
  readonly url: string
  readonly port: number
  /** PEM of the authority to trust */
  readonly authority: string
  /** the certificate ("" for none) and the connection that each request came with */
  readonly seen: ReadonlyArray<{ readonly fingerprint: string; readonly port: number | undefined }>
}

export const tlsFront = (fake: FakeKubernetes): Effect.Effect<TlsFront, never, Scope.Scope> =>
  Effect.suspend(() => {
    const { authority, server } = makeAuthority("authority of a cluster")
    const seen: Array<TlsFront["seen"][number]> = []
    const options = { cert: server.certificate, key: server.key, requestCert: true, rejectUnauthorized: false }
    const listener = createServer(options, (incoming, response) => {
      const socket = incoming.socket as TLSSocket
      seen.push({ fingerprint: socket.getPeerCertificate().fingerprint256 ?? "", port: socket.remotePort })
      const onward = request(
        fake.url + (incoming.url ?? ""),
        { method: incoming.method ?? "GET", headers: incoming.headers },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(response)
        }
      )
      onward.on("error", () => response.destroy())
      incoming.pipe(onward)
    })
    return Effect.map(
      Effect.acquireRelease(
        Effect.promise(() => listening(listener, "https")),
        ({ close }) => Effect.promise(close)
      ),
      ({ url, port }) => ({ url, port, authority, seen })
    )
  })

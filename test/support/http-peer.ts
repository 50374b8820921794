/** An HTTP peer on a free loopback port whose behaviour a test scripts request by request. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"

export interface PeerRequest {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  /** JSON of the body; `{}` when there is none */
  readonly json: { readonly [name: string]: unknown }
}

export type PeerAnswer = (response: http.ServerResponse, request: PeerRequest) => void

export interface Peer {
  readonly url: string
  readonly port: number
  readonly requests: ReadonlyArray<PeerRequest>
}

const toJson = (body: string): { readonly [name: string]: unknown } => {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}

/** `answer` gets the 0-based number of the request */
export const startPeer = (
  answer: (at: number, request: PeerRequest) => PeerAnswer,
  listenOn = 0
): Effect.Effect<Peer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<{ readonly server: http.Server; readonly peer: Peer }>((resume) => {
      const requests: Array<PeerRequest> = []
      const server = http.createServer((incoming, response) => {
        const chunks: Array<Buffer> = []
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
        incoming.on("end", () => {
          const body = Buffer.concat(chunks).toString()
          const request = {
            method: incoming.method ?? "",
            path: incoming.url ?? "",
            headers: incoming.headers,
            body,
            json: toJson(body)
          }
          requests.push(request)
          answer(requests.length - 1, request)(response, request)
        })
      })
      server.listen(listenOn, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ server, peer: { url: `http://127.0.0.1:${port}`, port, requests } }))
      })
    }),
    ({ server }) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(Effect.map(({ peer }) => peer))

/** a port that nothing listens on any more */
export const closedPort: Effect.Effect<number> = Effect.scoped(
  Effect.map(
    startPeer(() => reply(200, "")),
    ({ port }) => port
  )
)

export const reply =
  (status: number, body: unknown, headers: http.OutgoingHttpHeaders = {}): PeerAnswer =>
  (response) => {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    response.writeHead(status, {
      "content-type": typeof body === "string" ? "text/plain" : "application/json",
      ...headers
    })
    response.end(text)
  }

/** never answers */
export const hang: PeerAnswer = () => undefined

/** closes the connection without an answer */
export const reset: PeerAnswer = (response) => response.socket?.destroy()

/** event stream of these payloads; `cut` closes the connection instead of ending */
export const events =
  (payloads: ReadonlyArray<unknown>, end: "done" | "end" | "cut" = "done"): PeerAnswer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const payload of payloads)
      response.write(`data: ${typeof payload === "string" ? payload : JSON.stringify(payload)}\n\n`)
    if (end === "done") response.end("data: [DONE]\n\n")
    else if (end === "end") response.end()
    else setImmediate(() => response.socket?.destroy())
  }

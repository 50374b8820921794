/**
 * How many connections are served at once. What comes above the limit is told so by a 503 `too_many_connections` and closed; a few more
 * than the limit are let in for that, the rest is closed without a word. The service's own routes, by which a cluster sees whether it is
 * alive, and what adapters report are answered on those connections too. Reference: api.md, "How many at once".
 */
import type { IncomingMessage } from "node:http"
import { Server as SecureServer } from "node:https"
import type { Socket } from "node:net"
import type { ErrorContent } from "../error-response.ts"
import type { NodeServer } from "./node-server.ts"

/** connections above the limit that are let in to be told */
const spareOf = (most: number): number => Math.max(16, Math.ceil(most / 10))

const canWait = (path: string): boolean => path.startsWith("/api/v1/evaluations/") && !path.endsWith("/events")

/** why a request is not served on its connection; undefined when it is */
export const limitConnections = (
  server: NodeServer,
  most: number
): ((source: IncomingMessage, path: string) => ErrorContent | undefined) => {
  let open = 0
  const above = new WeakSet<Socket>()
  server.maxConnections = most + spareOf(most)
  server.on(server instanceof SecureServer ? "secureConnection" : "connection", (socket: Socket) => {
    open += 1
    if (open > most) above.add(socket)
    socket.once("close", () => {
      open -= 1
    })
  })
  return ({ socket }, path) =>
    above.has(socket) && canWait(path)
      ? {
          code: "too_many_connections",
          message: `the server has ${most} connections open (service.max_connections); close idle ones, or try again later`,
          headers: { connection: "close", "retry-after": "5" }
        }
      : undefined
}

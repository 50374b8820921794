/**
 * Connections to PostgreSQL that notice a network that swallows everything: the server's own time-outs end every statement it hears of,
 * so that a connection that is silent for longer is dead, whatever TCP believes. Without this a query would wait for ever, and with it
 * the request, its connection, and the end of the server.
 */
import { Socket } from "node:net"

/** idle connections leave the pool earlier, and the one for notifications hears a ping more often */
const shortestMillis = 12_000

/** for the answer to a statement that ended at its time-out */
const slackMillis = 2000

const silent = () => Object.assign(new Error("the database is silent"), { code: "ETIMEDOUT" })

/** makes the driver's sockets; the code of their error is one that means an unavailable database */
export const watchedSocket =
  (statementTimeoutMillis: number): (() => Socket) =>
  () => {
    const socket = new Socket()
    return socket.setTimeout(Math.max(shortestMillis, statementTimeoutMillis + slackMillis), () =>
      socket.destroy(silent())
    )
  }

/** A way to a server that can be cut: while it is, every connection is closed and none is taken. */
import { createServer, connect as dial, type Server, type Socket } from "node:net"

export interface Breakable {
  readonly url: string
  readonly cut: () => Promise<void>
  readonly mend: () => Promise<void>
  readonly stop: () => Promise<void>
}

export const breakable = async (to: string): Promise<Breakable> => {
  const { hostname, port: target } = new URL(to)
  const sockets = new Set<Socket>()
  const accept = (socket: Socket) => {
    const onward = dial(Number(target), hostname)
    for (const [from, into] of [
      [socket, onward],
      [onward, socket]
    ] as const) {
      sockets.add(from)
      from.pipe(into)
      from.once("error", () => into.destroy()).once("close", () => sockets.delete(from) && into.destroy())
    }
  }
  let server: Server = createServer(accept)
  const listen = (port: number) =>
    new Promise<number>((resolve) => {
      server = createServer(accept)
      server.listen(port, "127.0.0.1", () => {
        const address = server.address()
        resolve(typeof address === "object" && address !== null ? address.port : port)
      })
    })
  const port = await listen(0)
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    mend: async () => {
      await listen(port)
    },
    stop: cut
  }
}

/** A TCP address in front of another one that can refuse, or swallow everything and stay silent, as a failed network does. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

export interface TcpGate {
  readonly port: number
  /** cuts what is open and refuses what comes */
  readonly refuse: () => Promise<void>
  /** connections stay up and nothing passes any more; those that exist then never come back to life */
  readonly swallow: () => void
  /** new connections pass again */
  readonly pass: () => Promise<void>
  readonly close: () => Promise<void>
}

const listenOn = (server: Server, port: number) =>
  new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))

/** in front of a loopback port */
export const tcpGate = async (target: number): Promise<TcpGate> => {
  const sockets = new Set<Socket>()
  let isSilent = false
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => {}).once("close", () => sockets.delete(socket))
    return socket
  }
  const makeServer = () =>
    createServer((near) => {
      track(near)
      if (isSilent) return
      const far = track(connect(target, "127.0.0.1"))
      near.pipe(far)
      far.pipe(near)
      near.once("close", () => far.destroy())
      far.once("close", () => near.destroy())
    })
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  let server = makeServer()
  await listenOn(server, 0)
  const { port } = server.address() as AddressInfo
  const refuse = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      cut()
    })
  return {
    port,
    refuse,
    swallow: () => {
      isSilent = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    pass: async () => {
      isSilent = false
      if (server.listening) return
      server = makeServer()
      await listenOn(server, port)
    },
    close: refuse
  }
}

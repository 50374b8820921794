/** A node server on a free loopback port for the length of one test, and a raw client that sees bytes as they come. */
import { createServer, type RequestListener, type Server } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { Effect } from "effect"

export interface Running {
  readonly server: Server
  readonly port: number
  readonly url: string
  readonly close: () => Promise<void>
}

export const listening = (server: Server, scheme = "http"): Promise<Running> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resolve({
        server,
        port,
        url: `${scheme}://127.0.0.1:${port}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            server.closeAllConnections()
          })
      })
    })
  })

export const serve = (listener: RequestListener): Promise<Running> =>
  listening(createServer({ requestTimeout: 0 }, listener))

/** reads a request body to its end */
export const bodyOf = async (stream: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export interface RawConnection {
  readonly send: (text: string | Buffer) => void
  /** text received so far */
  readonly received: () => string
  /** resolves when `received` fits; rejects when the connection ends before */
  readonly until: (pattern: RegExp) => Promise<string>
  readonly closed: Promise<void>
  readonly destroy: () => void
}

/** bytes over TCP, without a client library in between */
export const rawConnection = (port: number): Promise<RawConnection> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    let text = ""
    const waiting = new Set<() => void>()
    const notify = () => {
      for (const check of waiting) check()
    }
    let ended = false
    const closed = new Promise<void>((done) => {
      socket.once("close", () => {
        ended = true
        notify()
        done()
      })
    })
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      notify()
    })
    socket.once("error", (error) => {
      if (!ended && text === "") reject(error)
    })
    socket.once("connect", () =>
      resolve({
        send: (data) => void socket.write(data),
        received: () => text,
        until: (pattern) =>
          new Promise((found, failed) => {
            const check = () => {
              if (pattern.test(text)) found(text)
              else if (ended) failed(new Error(`connection ended without ${pattern}; received: ${text.slice(0, 2000)}`))
              else return
              waiting.delete(check)
            }
            waiting.add(check)
            check()
          }),
        closed,
        destroy: () => socket.destroy()
      })
    )
  })

/** ends a server and whatever is connected to it */
export const closing = (server: Server): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

/** A client as many libraries are: it sends the whole request before it reads a byte of the answer, and a reset while sending is an error. */
import { connect } from "node:net"

export interface Told {
  readonly answer: string
  /** code of the connection's error; undefined when there was none */
  readonly error: string | undefined
}

/** resolves when the connection is closed */
export const sendThenRead = (port: number, head: string, body: Buffer): Promise<Told> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    let error: string | undefined
    const socket = connect({ port, host: "127.0.0.1" })
    socket.pause()
    socket.on("error", (cause: NodeJS.ErrnoException) => {
      error = cause.code
    })
    socket.on("connect", () => {
      socket.write(head)
      socket.write(body, () => {
        socket.on("data", (chunk: Buffer) => chunks.push(chunk))
        socket.on("end", () => socket.end())
        socket.resume()
      })
    })
    socket.on("close", () => resolve({ answer: Buffer.concat(chunks).toString("utf8"), error }))
  })

/**
 * Answers that are given before the request's body was read. Closing then resets the connection, and a client that sends first and reads
 * afterwards loses the answer: it sees a broken pipe, tries again and gives up. So the rest of the body is read and dropped, within bounds
 * of bytes and time, before the connection closes.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

export interface DrainLimits {
  readonly bytes: number
  /** without a byte for so long nothing more is expected */
  readonly idleMillis: number
  readonly totalMillis: number
}

const usual: DrainLimits = { bytes: 64 * 1024 * 1024, idleMillis: 2_000, totalMillis: 30_000 }

/** whether a part of the body was not read yet */
export const hasUnreadBody = ({ complete, headers }: IncomingMessage): boolean =>
  !complete && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0)

/** reads and drops the rest of the body; `done` is told whether it came to its end */
export const drainBody = (
  request: IncomingMessage,
  done: (whole: boolean) => void,
  limits: DrainLimits = usual
): void => {
  let left = limits.bytes
  const finish = (whole: boolean) => {
    clearTimeout(idle)
    clearTimeout(total)
    request.off("data", onData).off("end", onEnd).off("close", onClose)
    done(whole)
  }
  const onData = (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) finish(false)
    else idle.refresh()
  }
  const onEnd = () => finish(true)
  const onClose = () => finish(request.complete)
  const idle = setTimeout(() => finish(false), limits.idleMillis)
  const total = setTimeout(() => finish(false), limits.totalMillis)
  // a caller that leaves now is no error
  request.on("error", () => {})
  request.on("data", onData).once("end", onEnd).once("close", onClose)
  request.resume()
}

/**
 * Sends the whole answer at once and ends it, which closes the connection, when the body is out of the way. The head must have been
 * written with its `content-length` and `connection: close`.
 */
export const endAfterBody = (
  request: IncomingMessage,
  response: ServerResponse,
  body: string | Uint8Array | undefined
): void => {
  if (body === undefined || body.length === 0) response.flushHeaders()
  else response.write(body)
  drainBody(request, () => response.end())
}

/** ends an answer that did not wait for the request's body */
export const endBeforeBody = (request: IncomingMessage, response: ServerResponse): void => {
  if (!hasUnreadBody(request)) response.end()
  else if (response.shouldKeepAlive) {
    response.end()
    drainBody(request, (whole) => {
      if (!whole) request.socket.destroySoon()
    })
  } else drainBody(request, () => response.end())
}

const told = new WeakSet<Duplex>()

/** the same on a bare socket, whose bytes are no request that could be read: `text` goes out once, what still comes in is dropped */
export const endSocket = (
  socket: Duplex & { readonly bytesRead?: number },
  text: string,
  limits: DrainLimits = usual
): void => {
  // node tells of every further piece that it cannot parse
  if (told.has(socket)) {
    if ((socket.bytesRead ?? 0) > limits.bytes) socket.destroy()
    return
  }
  if (!socket.writable) {
    socket.destroy()
    return
  }
  told.add(socket)
  socket.on("error", () => socket.destroy())
  const last = setTimeout(() => socket.destroy(), limits.idleMillis)
  socket.once("close", () => clearTimeout(last))
  socket.end(text)
  socket.resume()
}

/** Reads a request body that must be seen whole. Bodies of models never come here. */
import type { IncomingMessage } from "node:http"
import { Fault } from "./fault.ts"

/** rejects with 413 above `max` bytes, and when the sender leaves */
export const readBody = (request: IncomingMessage, max: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const tooLarge = new Fault(413, "body_too_large", `the body must have at most ${max} bytes`)
    if (Number(request.headers["content-length"] ?? 0) > max) return reject(tooLarge)
    const chunks: Array<Buffer> = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= max) chunks.push(chunk)
      else reject(tooLarge)
    })
    request.on("end", () => resolve(Buffer.concat(chunks)))
    request.on("error", () => reject(new Fault(400, "request_invalid", "the body ended early")))
    request.on("close", () => {
      if (!request.complete) reject(new Fault(400, "request_invalid", "the body ended early"))
    })
  })

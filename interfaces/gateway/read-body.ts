/** Reads a request body that must be seen whole. Of those of models only the ones that are kept or counted come here. */
import type { IncomingMessage } from "node:http"
import { Fault } from "./fault.ts"

// made when they are needed: the stack trace of an error costs thirty microseconds
const endedEarly = () => new Fault(400, "request_invalid", "the body ended early")

/** rejects with 413 above `max` bytes, and when the sender leaves */
export const readBody = (request: IncomingMessage, max: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const tooLarge = () => reject(new Fault(413, "body_too_large", `the body must have at most ${max} bytes`))
    if (Number(request.headers["content-length"] ?? 0) > max) return tooLarge()
    const chunks: Array<Buffer> = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= max) chunks.push(chunk)
      else tooLarge()
    })
    request.on("end", () => resolve(Buffer.concat(chunks)))
    request.on("error", () => reject(endedEarly()))
    request.on("close", () => {
      if (!request.complete) reject(endedEarly())
    })
  })

/** the whole body, or undefined when it has more than `max` bytes: it then flows from its beginning once `request` is resumed */
export const readAhead = (request: IncomingMessage, max: number): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const stop = () => request.off("data", onData).off("end", onEnd).off("error", onError).off("close", onClose)
    const onData = (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= max) return
      request.pause()
      stop()
      request.unshift(Buffer.concat(chunks))
      resolve(undefined)
    }
    const onEnd = () => {
      stop()
      resolve(Buffer.concat(chunks))
    }
    const onError = () => reject(endedEarly())
    const onClose = () => {
      if (!request.complete) reject(endedEarly())
    }
    request.on("data", onData).on("end", onEnd).on("error", onError).on("close", onClose)
  })

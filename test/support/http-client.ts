/** A bare HTTP/1.1 client, so that tests may send what well-behaved clients do not. Every complete answer is held to the document. */
import { type Agent, request as httpRequest, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import { Data, Effect } from "effect"
import { problemsOf, type Received } from "./openapi-validator.ts"

export interface Answered extends Received {
  /** parsed body; undefined when it is not JSON */
  readonly json: unknown
  readonly code: string | undefined
}

export interface Sent {
  readonly headers?: { readonly [name: string]: string }
  /** an object is sent as JSON */
  readonly body?: unknown
}

export class ContractBroken extends Data.TaggedError("ContractBroken")<{ readonly problems: ReadonlyArray<string> }> {
  override get message(): string {
    return this.problems.join("\n")
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const codeOf = (json: unknown): string | undefined =>
  typeof json === "object" && json !== null && "message_code" in json && typeof json.message_code === "string"
    ? json.message_code
    : undefined

const checked = (received: Received): Effect.Effect<Answered, ContractBroken> => {
  const problems = problemsOf(received)
  const json = parsed(received.text)
  return problems.length > 0
    ? Effect.fail(new ContractBroken({ problems }))
    : Effect.succeed({ ...received, json, code: codeOf(json) })
}

const payload = (body: unknown): string | Buffer | undefined =>
  body === undefined || typeof body === "string" || Buffer.isBuffer(body)
    ? (body as string | Buffer | undefined)
    : JSON.stringify(body)

const textOf = (response: IncomingMessage, done: (text: string) => void) => {
  const chunks: Array<Buffer> = []
  response
    .on("data", (chunk: Buffer) => chunks.push(chunk))
    .on("end", () => done(Buffer.concat(chunks).toString("utf8")))
}

/** one request and the whole answer; on a connection of its own, unless an agent keeps them for many requests */
export const send = (
  port: number,
  method: string,
  path: string,
  { headers = {}, body }: Sent = {},
  agent: Agent | false = false
): Effect.Effect<Answered, ContractBroken> =>
  Effect.flatMap(
    Effect.async<Received>((resume) => {
      const content = payload(body)
      const typed =
        content === undefined
          ? {}
          : { "content-type": "application/json", "content-length": String(Buffer.byteLength(content)) }
      const request = httpRequest(
        { host: "127.0.0.1", port, method, path, agent, headers: { ...typed, ...headers } },
        (response) =>
          textOf(response, (text) =>
            resume(Effect.succeed({ method, path, status: response.statusCode ?? 0, headers: response.headers, text }))
          )
      )
      request.on("error", (cause) => resume(Effect.die(cause)))
      request.end(content)
      return Effect.sync(() => request.destroy())
    }),
    checked
  )

/** raw bytes on a socket, and everything the server writes until it closes */
export const sendRaw = (port: number, bytes: string | Buffer): Effect.Effect<string> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    socket
      .on("data", (chunk) => chunks.push(chunk))
      .on("close", () => resume(Effect.succeed(Buffer.concat(chunks).toString("utf8"))))
    socket.on("error", () => {})
    return Effect.sync(() => socket.destroy())
  })

export interface OpenStream {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  /** text received so far */
  readonly received: () => string
  /** resolves when the text holds all of `parts` */
  readonly until: (...parts: ReadonlyArray<string>) => Effect.Effect<string>
  readonly ended: Effect.Effect<void>
  readonly close: Effect.Effect<void>
}

/** a request whose answer goes on for a while */
export const openStream = (
  port: number,
  path: string,
  headers: { readonly [name: string]: string } = {}
): Effect.Effect<OpenStream> =>
  Effect.async((resume) => {
    const request = httpRequest({ host: "127.0.0.1", port, path, agent: false, headers }, (response) => {
      let text = ""
      const listeners = new Set<() => void>()
      const done = new Promise<void>((resolve) => response.once("close", resolve))
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
        for (const listener of listeners) listener()
      })
      response.on("error", () => {})
      const until = (...parts: ReadonlyArray<string>) =>
        Effect.async<string>((found) => {
          const look = () => {
            if (!parts.every((part) => text.includes(part))) return
            listeners.delete(look)
            found(Effect.succeed(text))
          }
          listeners.add(look)
          look()
        })
      resume(
        Effect.succeed({
          status: response.statusCode ?? 0,
          headers: response.headers,
          received: () => text,
          until,
          ended: Effect.promise(() => done),
          close: Effect.sync(() => request.destroy())
        })
      )
    })
    request.on("error", () => {})
    request.end()
  })

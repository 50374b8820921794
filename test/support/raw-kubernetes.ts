/** A Kubernetes API asked without a client in between: status, headers and documents as they come over the wire. */
import { type IncomingMessage, request as plainRequest } from "node:http"
import { request as secureRequest } from "node:https"
import { Effect, Option, Redacted } from "effect"
import type { KubeConnection } from "../../infrastructure/kubernetes/client/connection.ts"

export interface RawQuestion {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly contentType?: string
  readonly accept?: string
}

export interface RawAnswer {
  readonly status: number
  readonly contentType: string
  readonly retryAfter: string | undefined
  /** the document, or the text when it is none */
  readonly body: unknown
}

export interface RawWatch {
  /** events so far */
  readonly events: ReadonlyArray<{ readonly type: string; readonly object: unknown }>
  readonly status: number
  readonly ended: () => boolean
  readonly close: () => void
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const opened = (connection: KubeConnection, question: RawQuestion): Effect.Effect<IncomingMessage> =>
  Effect.flatMap(Effect.orDie(connection.access()), ({ tls, headers }) =>
    Effect.async<IncomingMessage>((resume) => {
      const url = new URL(question.path, connection.server)
      const open = url.protocol === "https:" ? secureRequest : plainRequest
      const payload = question.body === undefined ? undefined : Buffer.from(JSON.stringify(question.body), "utf8")
      const request = open(
        url,
        {
          method: question.method ?? "GET",
          agent: false,
          ...(tls.ca === undefined ? {} : { ca: tls.ca }),
          headers: {
            accept: question.accept ?? "application/json",
            // with its length: a DELETE would otherwise lose its body
            ...(payload === undefined
              ? {}
              : { "content-type": question.contentType ?? "application/json", "content-length": payload.length }),
            ...Redacted.value(headers)
          }
        },
        (response) => resume(Effect.succeed(response))
      )
      request.once("error", (error) => resume(Effect.die(error)))
      request.end(payload)
    })
  )

/** one request and its whole answer */
export const ask = (connection: KubeConnection, question: RawQuestion): Effect.Effect<RawAnswer> =>
  Effect.flatMap(opened(connection, question), (response) =>
    Effect.promise(async () => {
      const chunks: Array<Buffer> = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      return {
        status: response.statusCode ?? 0,
        contentType: String(response.headers["content-type"] ?? ""),
        retryAfter: Option.getOrUndefined(Option.fromNullable(response.headers["retry-after"])),
        body: parsed(Buffer.concat(chunks).toString("utf8"))
      }
    })
  )

/** a watch that goes on until the scope closes */
export const openWatch = (connection: KubeConnection, path: string) =>
  Effect.acquireRelease(
    Effect.map(opened(connection, { path }), (response): RawWatch => {
      const events: Array<{ readonly type: string; readonly object: unknown }> = []
      let rest = ""
      let over = false
      response.setEncoding("utf8")
      response.on("data", (text: string) => {
        const lines = (rest + text).split("\n")
        rest = lines.pop() ?? ""
        for (const line of lines)
          if (line !== "") events.push(JSON.parse(line) as { readonly type: string; readonly object: unknown })
      })
      const end = () => {
        over = true
      }
      response.on("end", end).on("error", end).on("close", end)
      return { events, status: response.statusCode ?? 0, ended: () => over, close: () => response.destroy() }
    }),
    (watch) => Effect.sync(watch.close)
  )

/** Small requests of evald itself (events, registry challenge, tracker): small bodies both ways, one attempt. */
import { type OutgoingHttpHeaders, request as openRequest } from "node:http"
import type { Destination } from "../../domain/proxies.ts"
import type { Connections } from "./connections.ts"
import { failureOf, OutboundError } from "./outbound-error.ts"

export interface SmallRequest {
  readonly connections: Connections
  /** `host` is what goes into `Host` */
  readonly upstream: Destination & { readonly host: string }
  readonly method: "GET" | "POST"
  /** path and query, as they go out */
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: Buffer
  readonly timeoutMillis: number
  /** of the answer's body; 0: it is not read */
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

export interface SmallAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  readonly body: string
}

/** rejects with an `OutboundError` when there is no complete answer */
export const ask = (wanted: SmallRequest): Promise<SmallAnswer> =>
  new Promise((resolve, reject) => {
    const { upstream, body } = wanted
    const agent = wanted.connections.agentFor(upstream)
    if (agent instanceof OutboundError) return reject(agent)
    const outgoing = openRequest({
      agent,
      protocol: upstream.protocol,
      host: upstream.hostname,
      port: upstream.port,
      method: wanted.method,
      path: wanted.path,
      headers: {
        ...wanted.headers,
        host: upstream.host,
        ...(body === undefined ? {} : { "content-length": String(body.length) })
      },
      ...(wanted.signal === undefined ? {} : { signal: wanted.signal })
    })
    const timer = setTimeout(
      () =>
        outgoing.destroy(
          new OutboundError("timeout", `'${upstream.host}' did not answer within ${wanted.timeoutMillis} ms`)
        ),
      wanted.timeoutMillis
    )
    const fail = (error: Error) => {
      clearTimeout(timer)
      reject(failureOf(error, upstream.host))
    }
    outgoing.on("error", fail)
    outgoing.on("response", (answer) => {
      const head = { status: answer.statusCode ?? 502, headers: answer.headers }
      if (wanted.maxBytes === 0) {
        clearTimeout(timer)
        answer.destroy()
        return resolve({ ...head, body: "" })
      }
      const chunks: Array<Buffer> = []
      let size = 0
      answer.on("data", (chunk: Buffer) => {
        size += chunk.length
        if (size > wanted.maxBytes)
          outgoing.destroy(
            new OutboundError("invalid", `the answer of '${upstream.host}' is larger than ${wanted.maxBytes} bytes`)
          )
        else chunks.push(chunk)
      })
      answer.on("error", fail)
      answer.on("end", () => {
        clearTimeout(timer)
        resolve({ ...head, body: Buffer.concat(chunks).toString("utf8") })
      })
    })
    outgoing.end(body)
  })

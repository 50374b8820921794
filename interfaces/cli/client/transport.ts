/** `fetch` for the command line over node's own requests: loading node's `fetch` is half of a command's start. */
import { Agent, type IncomingMessage, request } from "node:http"
import { failureOf, OutboundError } from "../../../infrastructure/outbound/outbound-error.ts"

const unpacked = async (incoming: IncomingMessage): Promise<AsyncIterable<Uint8Array>> => {
  if (incoming.headers["content-encoding"] !== "gzip") return incoming
  const [{ createGunzip }, { pipeline }] = await Promise.all([import("node:zlib"), import("node:stream")])
  // whoever reads it is told when it breaks
  return pipeline(incoming, createGunzip(), () => {})
}

/** what the commands read of an answer: loading node's own class for it would load its `fetch` */
const answerOf = async (incoming: IncomingMessage, method: string): Promise<Response> => {
  const { statusCode: status = 502, headers } = incoming
  // whoever reads it is told; what nobody reads may break
  incoming.on("error", () => {})
  const isEmpty = method === "HEAD" || status === 204 || status === 304
  if (isEmpty) incoming.resume()
  const body = isEmpty ? null : await unpacked(incoming)
  const received = {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name: string) => headers[name.toLowerCase()] ?? null },
    body,
    text: async () => {
      const parts: Array<Uint8Array> = []
      if (body !== null) for await (const part of body) parts.push(part)
      return Buffer.concat(parts).toString("utf8")
    }
  }
  return received as unknown as Response
}

/** connections are used again, and none of them keeps the process */
const straight = new Agent({ keepAlive: true })

const exchanged = async (url: URL, init: RequestInit, agentFor: (url: URL) => Agent): Promise<Response> => {
  const method = init.method ?? "GET"
  const body = typeof init.body === "string" ? init.body : undefined
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request(url, {
      ...{ agent: agentFor(url), method, defaultPort: url.protocol === "https:" ? 443 : 80 },
      headers: {
        ...{ host: url.host, "accept-encoding": "gzip" },
        ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
        ...(init.headers as { readonly [name: string]: string } | undefined)
      },
      ...(init.signal && { signal: init.signal })
    })
    asked.once("response", resolve)
    // more than one may come, also when the answer is there
    asked.on("error", (error) => {
      const failure = failureOf(error, url.host)
      // what the system says needs no more words
      reject(failure.reason === "unreachable" && !(error instanceof OutboundError) ? error : failure)
    })
    asked.end(body)
  })
  return answerOf(incoming, method)
}

/** the part of `fetch` that the client uses; a failure looks as its own does. `agentFor`: for servers that node's own connections do not reach */
export const fetchBy =
  (agentFor: (url: URL) => Agent = () => straight): typeof fetch =>
  async (address, init = {}) => {
    try {
      return await exchanged(new URL(String(address)), init, agentFor)
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason
      throw new TypeError("fetch failed", { cause: error })
    }
  }

/** A collector on loopback: keeps every span it is sent. */
import { bodyOf, type Running, serve } from "./loopback-server.ts"

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: { readonly [type: string]: unknown } }>
  readonly status: { readonly code: number }
}

export interface Collector {
  readonly url: string
  readonly spans: Array<ReceivedSpan>
  /** resource attributes of the last request */
  readonly resource: Map<string, unknown>
  /** statuses of the next answers, or that none comes; then 200 */
  readonly answers: Array<number | "none">
  readonly requests: () => number
  /** of the last request */
  readonly headers: Map<string, unknown>
  readonly close: Running["close"]
}

interface Payload {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: ReceivedSpan["attributes"] }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<ReceivedSpan> }>
  }>
}

export const attributesOf = ({ attributes }: Pick<ReceivedSpan, "attributes">) =>
  new Map(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

export const startCollector = async (): Promise<Collector> => {
  const spans: Array<ReceivedSpan> = []
  const resource = new Map<string, unknown>()
  const answers: Collector["answers"] = []
  const headers = new Map<string, unknown>()
  let requests = 0
  const { url, close } = await serve(async (request, response) => {
    const body = await bodyOf(request)
    requests++
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, value)
    const status =
      answers.shift() ??
      (request.url === "/v1/traces" && request.headers["content-type"] === "application/json" ? 200 : 404)
    if (status === 200) {
      for (const { resource: from, scopeSpans } of (JSON.parse(body.toString("utf8")) as Payload).resourceSpans) {
        for (const [key, value] of attributesOf(from)) resource.set(key, value)
        spans.push(...scopeSpans.flatMap((scope) => scope.spans))
      }
    }
    if (status !== "none") response.writeHead(status, { "content-type": "application/json" }).end("{}")
  })
  return { url, spans, resource, answers, requests: () => requests, headers, close }
}

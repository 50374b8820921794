/**
 * `/metrics` on a port of its own, so that a scraper needs no access to the API: plain HTTP, GET and HEAD, nothing else.
 * Setting `metrics.port`; Reference: api.md, "Service routes".
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Context, Effect, Layer, Runtime } from "effect"
import { type ListenFailed, listen } from "../listener/listen.ts"
import { Metrics } from "./metrics.ts"

/** where the metrics are served */
export class MetricsAddress extends Context.Tag("evald/interfaces/http/MetricsAddress")<
  MetricsAddress,
  { readonly host: string; readonly port: number }
>() {}

export interface MetricsListenerOptions {
  /** 0 takes a free one */
  readonly port: number
  /** undefined: all addresses */
  readonly host: string | undefined
}

const answer = (
  source: IncomingMessage,
  sink: ServerResponse,
  { text, contentType }: Metrics["Type"]
): Effect.Effect<void> => {
  const [path] = (source.url ?? "/").split("?", 1)
  if (path !== "/metrics")
    return Effect.sync(() =>
      sink.writeHead(404, { "content-type": "text/plain" }).end("only /metrics is served here\n")
    )
  if (source.method !== "GET" && source.method !== "HEAD")
    return Effect.sync(() => sink.writeHead(405, { allow: "GET, HEAD" }).end())
  return Effect.map(text, (body) => {
    sink.writeHead(200, {
      "content-type": contentType,
      "cache-control": "no-store",
      "content-length": Buffer.byteLength(body)
    })
    sink.end(source.method === "HEAD" ? undefined : body)
  })
}

const make = ({ port, host }: MetricsListenerOptions) =>
  Effect.gen(function* () {
    const metrics = yield* Metrics
    const runFork = Runtime.runFork(yield* Effect.runtime())
    const server = createServer(
      { headersTimeout: 10_000, requestTimeout: 10_000, maxHeaderSize: 16_384 },
      (source, sink) => {
        source.resume()
        runFork(Effect.onError(answer(source, sink, metrics), () => Effect.sync(() => sink.destroy())))
      }
    )
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
    )
    return yield* listen(server, { port, host, setting: "metrics.port" })
  })

/** listens until the scope closes */
export const layer = (options: MetricsListenerOptions): Layer.Layer<MetricsAddress, ListenFailed, Metrics> =>
  Layer.scoped(MetricsAddress, make(options))

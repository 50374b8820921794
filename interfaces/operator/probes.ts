/** The two ports of an operator: `/healthz` and `/readyz` for the kubelet, `/metrics` for Prometheus. */
import { createServer, type RequestListener } from "node:http"
import { Effect, Runtime, type Scope } from "effect"
import { type ListenFailed, listen } from "../http/listener/listen.ts"

export interface Probes {
  /** why it is not well; undefined: it is */
  readonly sickness: Effect.Effect<string | undefined>
  readonly isLeader: () => boolean
  readonly figures: Effect.Effect<string>
}

export interface ProbePorts {
  /** 0: a free one */
  readonly health: number
  readonly metrics: number
}

/** answers the port in use */
const serve = (setting: string, port: number, handle: RequestListener) =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => createServer(handle)),
      (open) =>
        Effect.sync(() => {
          open.close()
          open.closeAllConnections()
        })
    )
    const address = yield* listen(server, { port, host: undefined, setting })
    return address.port
  })

/** listens until the scope closes; answers the ports in use */
export const serveProbes = (
  { health, metrics }: ProbePorts,
  { sickness, isLeader, figures }: Probes
): Effect.Effect<ProbePorts, ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const run = Runtime.runPromise(yield* Effect.runtime<never>())
    type Answer = readonly [status: number, type: string, text: string]
    const json = (status: number, value: object): Answer => [status, "application/json", `${JSON.stringify(value)}\n`]
    const answering =
      (routes: { readonly [path: string]: Effect.Effect<Answer> }): RequestListener =>
      (request, response) => {
        const path = (request.url ?? "/").split("?", 1)[0] ?? "/"
        const route = request.method === "GET" && Object.hasOwn(routes, path) ? routes[path] : undefined
        const answer = route ?? Effect.succeed(json(404, { error: "not found" }))
        run(answer).then(
          ([status, type, text]) => response.writeHead(status, { "content-type": type }).end(text),
          () => response.writeHead(500).end()
        )
      }
    const healthPort = yield* serve(
      "operator.health_port",
      health,
      answering({
        "/healthz": Effect.map(sickness, (why) =>
          why === undefined ? json(200, { ok: true }) : json(503, { ok: false, reason: why })
        ),
        // one that stands by is ready: it takes over at any time
        "/readyz": Effect.sync(() => json(200, { ok: true, leader: isLeader() }))
      })
    )
    const metricsPort = yield* serve(
      "operator.metrics_port",
      metrics,
      answering({
        "/metrics": Effect.map(figures, (text): Answer => [200, "text/plain; version=0.0.4; charset=utf-8", text])
      })
    )
    return { health: healthPort, metrics: metricsPort }
  })

/** The two ports of an operator: `/healthz` and `/readyz` for the kubelet, `/metrics` for Prometheus. */
import { createServer, type RequestListener, type Server } from "node:http"
import { Data, Effect, Runtime, type Scope } from "effect"

export class ProbePortUnusable extends Data.TaggedError("ProbePortUnusable")<{ readonly message: string }> {}

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

const listen = (port: number, handle: RequestListener): Effect.Effect<Server, ProbePortUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Server, ProbePortUnusable>((resume) => {
      const server = createServer(handle)
      server.once("error", (error) =>
        resume(Effect.fail(new ProbePortUnusable({ message: `port ${port} can not be listened on: ${error.message}` })))
      )
      server.listen(port, () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

const portOf = (server: Server): number => {
  const bound = server.address()
  return bound !== null && typeof bound === "object" ? bound.port : 0
}

/** listens until the scope closes; answers the ports in use */
export const serveProbes = (
  { health, metrics }: ProbePorts,
  { sickness, isLeader, figures }: Probes
): Effect.Effect<ProbePorts, ProbePortUnusable, Scope.Scope> =>
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
    const healthServer = yield* listen(
      health,
      answering({
        "/healthz": Effect.map(sickness, (why) =>
          why === undefined ? json(200, { ok: true }) : json(503, { ok: false, reason: why })
        ),
        // one that stands by is ready: it takes over at any time
        "/readyz": Effect.sync(() => json(200, { ok: true, leader: isLeader() }))
      })
    )
    const metricsServer = yield* listen(
      metrics,
      answering({
        "/metrics": Effect.map(figures, (text): Answer => [200, "text/plain; version=0.0.4; charset=utf-8", text])
      })
    )
    return { health: portOf(healthServer), metrics: portOf(metricsServer) }
  })

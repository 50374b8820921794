/**
 * The HTTP interface as one layer: it needs the ports, an `Authentication` and `Metrics`, listens, and drains when its scope closes.
 */
import { Context, Deferred, type Duration, Effect, Layer } from "effect"
import * as RecentRecords from "../../application/jobs/recent-records.ts"
import { type AccessTable, rightsOf } from "./access/access-table.ts"
import { agents } from "./agents.ts"
import { apiRoutes } from "./api.ts"
import { type AccessTableInvalid, bindRoutes } from "./bind-routes.ts"
import { makeDispatch } from "./dispatch.ts"
import { callbacks } from "./handlers/callbacks.ts"
import { handlers } from "./handlers/handlers.ts"
import { limitConnections } from "./listener/connection-limit.ts"
import { drain } from "./listener/drain.ts"
import { type ListenFailed, listen } from "./listener/listen.ts"
import { attach } from "./listener/listener.ts"
import type { TlsFiles } from "./listener/node-server.ts"
import * as NodeServer from "./listener/node-server.ts"
import * as Streams from "./listener/streams.ts"
import { Metrics } from "./metrics/metrics.ts"
import { makeAudit } from "./middleware/audit.ts"
import { Authentication } from "./middleware/authentication.ts"
import * as RateLimit from "./middleware/rate-limit.ts"
import * as RequestIds from "./middleware/request-id.ts"
import * as SameSite from "./middleware/same-site.ts"
import { makePages } from "./pages.ts"
import { makeRouter } from "./routing.ts"
import { Draining, HttpSettings, type Ports } from "./services.ts"

export interface ServerOptions {
  /** 0 takes a free one */
  readonly port: number
  /** undefined: all addresses */
  readonly host?: string
  /** time that requests in flight get at shutdown */
  readonly grace: Duration.DurationInput
  /** `service.max_head_bytes` */
  readonly maxHeadBytes: number
  /** `service.max_connections` */
  readonly maxConnections: number
  readonly streams: Streams.StreamLimits
  /** the table of config/auth.yaml */
  readonly access: AccessTable
  /** refuse requests of other sites' web pages, and serve callbacks below `/cb/` */
  readonly local: boolean
  /** in local mode: answer under names other than loopback's, because every call needs `local.token` */
  readonly anyHost?: boolean
  /** serve HTTPS instead of HTTP */
  readonly tls?: TlsFiles
  /** requests per tenant; undefined: no limit */
  readonly rateLimit?: RateLimit.RateLimit
  /** `audit.enabled` */
  readonly audit?: boolean
  /** folder with the web pages; undefined: none are served */
  readonly pages?: string
  /** `ui.origins`: further origins of our own pages */
  readonly origins?: ReadonlyArray<string>
  readonly settings: Omit<HttpSettings["Type"], "rights">
}

/** where the server listens */
export class HttpAddress extends Context.Tag("evald/interfaces/http/HttpAddress")<
  HttpAddress,
  { readonly host: string; readonly port: number }
>() {}

/** what any page may ask for: health and the documents */
const everybodysPaths = (): ReadonlySet<string> =>
  new Set(apiRoutes().flatMap(({ guarded, name, path }) => (guarded || name === "metrics" ? [] : [path])))

/** time for a request's head; slower ones are cut with 408 */
const headMillis = 30_000

const make = (options: ServerOptions) =>
  Effect.gen(function* () {
    const { authenticate } = yield* Authentication
    const router = makeRouter(yield* bindRoutes(options.access, handlers))
    const siteRefusal = SameSite.make({
      everybodys: everybodysPaths(),
      origins: new Set(options.origins),
      ...(options.local ? { local: { anyHost: options.anyHost === true } } : {})
    })
    const limit = options.rateLimit === undefined ? undefined : RateLimit.make(options.rateLimit)
    const dispatch = makeDispatch({
      router,
      authenticate,
      limit,
      audit: options.audit === true ? yield* makeAudit : undefined,
      siteRefusal,
      callbacks: options.local ? callbacks : undefined,
      mcp: options.settings.mcp === undefined ? undefined : agents(options.settings.mcp),
      pages: options.pages === undefined ? undefined : makePages(options.pages)
    })
    const server = yield* NodeServer.make(
      {
        maxHeaderSize: options.maxHeadBytes,
        // a missing Host is answered with the error body
        requireHostHeader: false,
        headersTimeout: headMillis,
        keepAliveTimeout: 65_000,
        connectionsCheckingInterval: 5000
      },
      options.tls
    )
    const connectionRefusal = limitConnections(server, options.maxConnections)
    yield* attach(server, { dispatch, connectionRefusal, requestId: yield* RequestIds.make, metrics: yield* Metrics })
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
    const address = yield* listen(server, { port: options.port, host: options.host, setting: "PORT or service.port" })
    yield* drain(server, yield* Draining, options.grace)
    return address
  })

/** listens; provides the address. `AccessTableInvalid`: a route without a rule or a rule without a route; `TlsUnusable`: bad certificate files. */
export const layer = (
  options: ServerOptions
): Layer.Layer<
  HttpAddress,
  ListenFailed | AccessTableInvalid | NodeServer.TlsUnusable,
  Ports | Authentication | Metrics
> =>
  Layer.scoped(HttpAddress, make(options)).pipe(
    Layer.provide([
      Layer.effect(Draining, Deferred.make<void>()),
      RecentRecords.layer,
      Layer.sync(Streams.Streams, () => Streams.make(options.streams))
    ]),
    Layer.provide(Layer.succeed(HttpSettings, { ...options.settings, rights: rightsOf(options.access) }))
  )

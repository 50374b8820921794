/** How the API is served, from settings that depend on each other: TLS, limits per tenant, host names, a port for metrics. */
import { Either, Redacted } from "effect"
import type { Settings } from "../../../config/settings.ts"
import { defined } from "../../../values/defined.ts"
import type { TlsFiles } from "../../http/listener/node-server.ts"
import type { RateLimit } from "../../http/middleware/rate-limit.ts"

export interface Serving {
  /** in local mode: answer under names other than loopback's, because every call needs `local.token` */
  readonly anyHost: boolean
  readonly tls?: TlsFiles
  readonly rateLimit?: RateLimit
}

const tlsFiles = (settings: Settings, local: boolean): Either.Either<TlsFiles | undefined, string> => {
  const certPath = settings["service.tls.cert_path"]
  const keyPath = settings["service.tls.key_path"]
  if (certPath === undefined && keyPath === undefined) return Either.right(undefined)
  if (certPath === undefined) return Either.left("service.tls.key_path is set without service.tls.cert_path; set both")
  if (keyPath === undefined) return Either.left("service.tls.cert_path is set without service.tls.key_path; set both")
  // local benchmarks report to http://127.0.0.1 and trust no certificate of ours
  if (local)
    return Either.left("service.tls.* cannot be used with -local: local benchmarks report over plain HTTP on loopback")
  return Either.right({ certPath, keyPath, reloadEvery: "30 seconds" })
}

const rateLimit = (settings: Settings): Either.Either<RateLimit | undefined, string> => {
  const perSecond = settings["rate_limit.per_second"]
  const burst = settings["rate_limit.burst"]
  if (perSecond !== undefined) return Either.right({ perSecond, burst: burst ?? 2 * perSecond })
  return burst === undefined
    ? Either.right(undefined)
    : Either.left("rate_limit.burst is set without rate_limit.per_second")
}

/** the database ends with the process */
export const isForgetful = ({ "database.url": url }: Settings): boolean => {
  const text = url === undefined ? "" : Redacted.value(url)
  return text === "" || text.includes(":memory:")
}

/** `Left`: why these settings cannot be served together */
export const serving = (settings: Settings, local: boolean): Either.Either<Serving, string> => {
  if (settings["local.adopt"] && isForgetful(settings)) {
    return Either.left(
      "local.adopt needs a database that outlives the server; set database.url (DB_URL) to a file, such as file:evald.db"
    )
  }
  const mode = settings["auth.mode"]
  if (local && mode !== undefined && mode !== "none") {
    return Either.left(
      `-local serves without authentication and cannot be combined with auth.mode '${mode}'; start without -local, or remove auth.mode`
    )
  }
  return Either.map(Either.all([tlsFiles(settings, local), rateLimit(settings)]), ([tls, limit]) => ({
    anyHost: settings["local.token"] !== undefined,
    ...defined({ tls, rateLimit: limit })
  }))
}

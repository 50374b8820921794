/** Where the API server is, how it is trusted, and as whom evald speaks to it. Reference: cluster-objects.md, "Finding the cluster". */
import { readFileSync, statSync } from "node:fs"
import type { Agent, AgentOptions, OutgoingHttpHeaders } from "node:http"
import { Clock, Data, Effect, Redacted } from "effect"
import type { WayOut } from "../../../domain/proxies.ts"

/** PEM throughout */
export interface KubeTls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly serverName?: string
  readonly skipVerify?: boolean
}

/** what a request carries: the certificates of the connection, and the headers that say who asks; the same object until either changes */
export interface Access {
  readonly tls: KubeTls
  /** `authorization` and `impersonate-*`, names in lower case */
  readonly headers: Redacted.Redacted<OutgoingHttpHeaders>
}

/** nobody can ask now; the message is one line without secrets */
export class AccessUnavailable extends Data.TaggedError("AccessUnavailable")<{ readonly message: string }> {}

export interface KubeProxy {
  /** `host:port` */
  readonly address: string
  readonly agent: (options: AgentOptions) => Effect.Effect<Agent>
}

export interface KubeConnection {
  /** `https://host:port`, with a base path when the cluster has one; plain http for a proxy or a test */
  readonly server: string
  /** now; `refused` is the one that was just answered with 401: where it is still in force, another one is fetched */
  readonly access: (refused?: Access) => Effect.Effect<Access, AccessUnavailable>
  /** the `proxy-url` of its kubeconfig */
  readonly proxy?: KubeProxy
  /** the proxies of this process, which the cluster's API is asked by only when `egress.proxied_hosts` names it */
  readonly way?: WayOut
  /** namespace of the service account or of the kubeconfig's context */
  readonly namespace?: string
}

/** the bearer token now, the same object until it was read again; with `refresh` it is read whatever its age. Undefined: there is none */
export type TokenSource = (refresh: boolean) => Effect.Effect<Redacted.Redacted | undefined>

const maxAgeMillis = 60_000

/** differs when the file was replaced or written */
export const fileStamp = (path: string): string => {
  const { mtimeMs, ino, size } = statSync(path)
  return `${mtimeMs}-${ino}-${size}`
}

/** reads the file again when it changed and at least every 60 s; a file that can not be read now keeps the last token */
export const tokenFile = (path: string): TokenSource => {
  let last: { readonly token: Redacted.Redacted; readonly stamp: string; readonly at: number } | undefined
  return (refresh) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.try(() => {
        const current = fileStamp(path)
        if (last === undefined || refresh || current !== last.stamp || now - last.at >= maxAgeMillis)
          last = { token: Redacted.make(readFileSync(path, "utf8").trim()), stamp: current, at: now }
        return last.token
      }).pipe(
        Effect.catchAll(({ error }) =>
          Effect.as(
            Effect.logWarning(
              `the token file ${path} can not be read: ${error instanceof Error ? error.message : "unknown reason"}`
            ),
            last?.token
          )
        )
      )
    )
}

/** `base` with the token beside its own headers */
export const withToken = (base: KubeConnection["access"], source: TokenSource): KubeConnection["access"] => {
  let last:
    | { readonly token: Redacted.Redacted | undefined; readonly base: Access; readonly access: Access }
    | undefined
  return (refused) =>
    Effect.gen(function* () {
      const again = refused !== undefined && refused === last?.access
      const [under, token] = [yield* base(again ? last?.base : undefined), yield* source(again)]
      if (last === undefined || last.token !== token || last.base !== under) {
        const authorization = token === undefined ? {} : { authorization: `Bearer ${Redacted.value(token)}` }
        last = {
          token,
          base: under,
          access: { tls: under.tls, headers: Redacted.make({ ...Redacted.value(under.headers), ...authorization }) }
        }
      }
      return last.access
    })
}

/** these certificates and headers for as long as the process runs */
export const fixedAccess = (tls: KubeTls, headers: OutgoingHttpHeaders = {}): KubeConnection["access"] => {
  const access: Access = { tls, headers: Redacted.make(headers) }
  return () => Effect.succeed(access)
}

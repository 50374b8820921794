/** Where the API server is, how it is trusted, and as whom evald speaks to it. Reference: cluster-objects.md, "Launching". */
import { readFileSync, statSync } from "node:fs"
import { Clock, Effect, Redacted } from "effect"

export interface KubeConnection {
  /** `https://host:port`, with a base path when the cluster has one; plain http for a proxy or a test */
  readonly server: string
  readonly tls: {
    readonly ca?: string
    readonly cert?: string
    readonly key?: string
    readonly serverName?: string
    readonly skipVerify?: boolean
  }
  /** the bearer token now; with `refresh` it is read again whatever its age. Undefined: none, or its file can not be read */
  readonly token: (refresh: boolean) => Effect.Effect<Redacted.Redacted | undefined>
  /** namespace of the service account or of the kubeconfig's context */
  readonly namespace?: string
}

export const fixedToken =
  (token: Redacted.Redacted | undefined): KubeConnection["token"] =>
  () =>
    Effect.succeed(token)

const maxAgeMillis = 60_000

const stamp = (path: string): string => {
  const { mtimeMs, ino, size } = statSync(path)
  return `${mtimeMs}-${ino}-${size}`
}

/** reads the file again when it changed and at least every 60 s; a file that can not be read now keeps the last token */
export const tokenFile = (path: string): KubeConnection["token"] => {
  let last: { readonly token: Redacted.Redacted; readonly stamp: string; readonly at: number } | undefined
  return (refresh) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.try(() => {
        const current = stamp(path)
        if (last === undefined || refresh || current !== last.stamp || now - last.at >= maxAgeMillis)
          last = { token: Redacted.make(readFileSync(path, "utf8").trim()), stamp: current, at: now }
        return last.token
      }).pipe(
        Effect.catchAll(({ error }) =>
          Effect.as(Effect.logWarning(`the token file ${path} can not be read: ${error instanceof Error ? error.message : "unknown reason"}`), last?.token)
        )
      )
    )
}

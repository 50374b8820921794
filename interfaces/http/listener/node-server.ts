/**
 * The node server, plain or with TLS. The certificate files are looked at again from time to time, so that a rotated certificate is used
 * without a restart; files that cannot be used leave the old certificate in place.
 */
import { readFileSync, statSync } from "node:fs"
import { createServer, type Server, type ServerOptions } from "node:http"
import { createServer as createSecureServer, type Server as SecureServer } from "node:https"
import { createSecureContext } from "node:tls"
import { Data, type Duration, Effect, Either, Schedule, type Scope } from "effect"

export interface TlsFiles {
  /** PEM, with the chain */
  readonly certPath: string
  readonly keyPath: string
  /** how often the files are looked at */
  readonly reloadEvery: Duration.DurationInput
}

/** the certificate or its key cannot be used; the message names the file and never its content */
export class TlsUnusable extends Data.TaggedError("TlsUnusable")<{ readonly message: string }> {}

export type NodeServer = Server | SecureServer

interface Loaded {
  readonly cert: string
  readonly key: string
  readonly stamp: string
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "unusable")

const stampOf = ({ certPath, keyPath }: TlsFiles): string =>
  [certPath, keyPath].map((path) => `${statSync(path).mtimeMs} ${statSync(path).size}`).join(" ")

const load = (files: TlsFiles): Either.Either<Loaded, TlsUnusable> =>
  Either.try({
    try: () => {
      const loaded = {
        cert: readFileSync(files.certPath, "utf8"),
        key: readFileSync(files.keyPath, "utf8"),
        stamp: stampOf(files)
      }
      createSecureContext(loaded)
      return loaded
    },
    catch: (error) =>
      new TlsUnusable({
        message: `the TLS certificate ${files.certPath} with key ${files.keyPath} cannot be used (${codeOf(error)})`
      })
  })

const reload = (server: SecureServer, files: TlsFiles, first: Loaded) => {
  let current = first.stamp
  return Effect.suspend(() => {
    const stamp = Either.try(() => stampOf(files))
    if (Either.isRight(stamp) && stamp.right === current) return Effect.void
    const next = load(files)
    if (Either.isLeft(next)) return Effect.logWarning(`${next.left.message}; the previous one stays in use`)
    current = next.right.stamp
    server.setSecureContext(next.right)
    return Effect.logInfo("TLS certificate reloaded")
  }).pipe(Effect.repeat(Schedule.spaced(files.reloadEvery)))
}

export const make = (
  options: ServerOptions,
  tls: TlsFiles | undefined
): Effect.Effect<NodeServer, TlsUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    if (tls === undefined) return createServer(options)
    const first = yield* load(tls)
    const server = createSecureServer({ ...options, cert: first.cert, key: first.key, minVersion: "TLSv1.2" })
    yield* Effect.forkScoped(reload(server, tls, first))
    return server
  })

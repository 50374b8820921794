/** The proxies of a pod, as its sidecar.json or init.json names them. Reference: gateway.md, "Proxies". */
import { Either, Redacted } from "effect"
import { type HttpProxy, type Proxies, readProxies, straight, type WayOut } from "../../domain/proxies.ts"
import type { SidecarConfig } from "../../providers/contract/sidecar-config.ts"
import { mountedSecret } from "./mounted-files.ts"

const names = { http: "proxy.http", https: "proxy.https", exempt: "proxy.exempt", named: "proxy.named" }

/** the credentials of the mounted secret are those of the moment; `clock`: monotonic milliseconds. Left: one sentence. */
export const wayOutOf = (proxy: SidecarConfig["proxy"], clock?: () => number): Either.Either<WayOut, string> => {
  if (proxy === undefined) return Either.right(straight)
  const { http, https, exempt = [], named = [], secret_dir } = proxy
  const secret = secret_dir === undefined ? () => undefined : mountedSecret(secret_dir, clock)
  const keyOf = (key: string): string | undefined => {
    const value = secret()?.get(key)
    return value === undefined ? undefined : Redacted.value(value).trim()
  }
  const withCredentials = (one: HttpProxy | undefined, credentials: string | undefined): HttpProxy | undefined =>
    one === undefined || credentials === undefined ? one : { ...one, credentials: Redacted.make(credentials) }
  return Either.map(readProxies({ http, https, exempt: exempt.join(","), named }, names), (read) => ({
    proxies: (): Proxies => {
      const credentials = keyOf("credentials")
      return { ...read, http: withCredentials(read.http, credentials), https: withCredentials(read.https, credentials) }
    },
    proxyCa: () => keyOf("ca.crt")
  }))
}

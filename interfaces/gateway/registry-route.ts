/**
 * R5: results go to the job's own repository without the adapter holding a registry credential. Blobs are streamed; only manifests are
 * small enough to be sent twice when a token turns out to be stale. Reference: gateway.md, "Registry".
 */
import type { IncomingMessage } from "node:http"
import { Either } from "effect"
import { modelUpstream, type Upstream } from "../../domain/credentials/upstream.ts"
import { OutboundError } from "../../infrastructure/outbound/outbound-error.ts"
import { defined } from "../../values/defined.ts"
import { uploadPrefix } from "../../values/sidecar-paths.ts"
import { Fault } from "./fault.ts"
import { announcesBody } from "./headers.ts"
import { outboundFault } from "./peers.ts"
import { type Caller, forward, type ProxySettings, refuse, targetOf } from "./proxy.ts"
import { readBody } from "./read-body.ts"
import type { RegistryAuth } from "./registry-auth.ts"
import type { UploadAddresses } from "./upload-addresses.ts"

export interface RegistryRoute {
  readonly upstream: Upstream
  readonly auth: RegistryAuth
  readonly uploads: UploadAddresses
  readonly publicBase: string
  readonly settings: ProxySettings
}

const route = "registry"
const maxManifest = 4 * 1024 * 1024
const dropped: ReadonlySet<string> = new Set(["x-tenant"])
/** a body that was read already is sent without asking first */
const droppedWithBody: ReadonlySet<string> = new Set(["x-tenant", "expect"])
const hidden: ReadonlySet<string> = new Set(["www-authenticate"])
const unchanged: ReadonlyMap<string, string> = new Map()

const asFault = (error: unknown): Fault => {
  if (error instanceof OutboundError) return outboundFault(error)
  return error instanceof Fault ? error : new Fault(502, "registry_unavailable", "the registry cannot be used")
}

/** own paths come back through the sidecar, other hosts under a token, so that no credential and no adapter goes there by itself */
const relocate =
  (registry: RegistryRoute) =>
  (location: string): string => {
    const { protocol, host } = registry.upstream
    let address: URL
    try {
      address = new URL(location, `${protocol}//${host}`)
    } catch {
      return location
    }
    if (address.protocol === protocol && address.host === host)
      return `${registry.publicBase}${address.pathname}${address.search}`
    if (address.protocol !== "http:" && address.protocol !== "https:") return location
    return `${registry.publicBase}${uploadPrefix}${registry.uploads.remember(address)}`
  }

const challengeOf = (answer: IncomingMessage): string | undefined => answer.headers["www-authenticate"]

const attempt = async (
  caller: Caller,
  registry: RegistryRoute,
  body: Buffer | undefined,
  retry: "repeat" | "later" | "never"
): Promise<void> => {
  const authorization = await registry.auth.authorization()
  if (caller.response.destroyed) return
  forward(
    caller,
    {
      route,
      upstream: registry.upstream,
      path: targetOf(caller),
      authorization,
      drop: body === undefined ? dropped : droppedWithBody,
      dropFromAnswer: hidden,
      replace: unchanged,
      publicBase: registry.publicBase,
      relocate: relocate(registry),
      ...defined({ body }),
      intercept: (answer) => {
        if (answer.statusCode !== 401) return false
        registry.auth.refused(challengeOf(answer))
        if (retry === "never") return false
        answer.resume()
        if (retry === "repeat") void settle(caller, registry, attempt(caller, registry, body, "never"))
        else
          refuse(
            caller,
            route,
            new Fault(503, "registry_unavailable", "the registry token had expired; send the blob again", {
              "retry-after": "1"
            }),
            registry.settings
          )
        return true
      }
    },
    registry.settings
  )
}

const settle = (caller: Caller, registry: RegistryRoute, work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => refuse(caller, route, asFault(error), registry.settings))

export const toRegistry = (caller: Caller, registry: RegistryRoute): void => {
  const { request } = caller
  const streams = announcesBody(request.rawHeaders)
  const manifest = streams && /\/manifests\/[^/]+$/.test(targetOf(caller).split("?", 1)[0] ?? "")
  if (manifest && caller.expectsContinue) caller.response.writeContinue()
  const work = async () => {
    const body = manifest ? await readBody(request, maxManifest) : undefined
    await attempt(caller, registry, body, streams && !manifest ? "later" : "repeat")
  }
  void settle(caller, registry, work())
}

/** a remembered upload address on another host: no credential goes there; what the adapter appends to the query is kept */
export const toUpload = (caller: Caller, registry: RegistryRoute, token: string): void => {
  const address = registry.uploads.find(token)
  const upstream = address === undefined ? undefined : modelUpstream(address.href)
  if (address === undefined || upstream === undefined || Either.isLeft(upstream)) {
    refuse(
      caller,
      route,
      new Fault(404, "route_not_found", "this upload address is not known any more; begin the upload again"),
      registry.settings
    )
    return
  }
  const url = targetOf(caller)
  const appended = url.includes("?") ? url.slice(url.indexOf("?") + 1) : ""
  const query = [address.search.slice(1), appended].filter((part) => part !== "").join("&")
  forward(
    caller,
    {
      route,
      upstream: upstream.right,
      path: `${address.pathname}${query === "" ? "" : `?${query}`}`,
      authorization: undefined,
      drop: dropped,
      dropFromAnswer: hidden,
      replace: unchanged,
      publicBase: registry.publicBase,
      relocate: relocate(registry)
    },
    registry.settings
  )
}

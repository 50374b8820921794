/** How this process leaves: the proxies of its environment and the settings about them. Reference: gateway.md, "Proxies". */
import { Either } from "effect"
import type { Settings } from "../../../config/settings.ts"
import { type ProxyTexts, proxyAddress, proxyVariables, readProxies, type WayOut } from "../../../domain/proxies.ts"
import type { ClusterOptions } from "../../../infrastructure/kubernetes/cluster-options.ts"
import { defined } from "../../../values/defined.ts"
import { mountedFile } from "../../gateway/mounted-files.ts"

type Environment = Readonly<Record<string, string | undefined>>

const names: { readonly [K in keyof ProxyTexts]: string } = {
  http: "HTTP_PROXY",
  https: "HTTPS_PROXY",
  exempt: "NO_PROXY",
  named: "egress.proxied_hosts"
}

const textsOf = (settings: Settings, environment: Environment): ProxyTexts => ({
  ...proxyVariables(environment),
  named: settings["egress.proxied_hosts"]
})

/** Left: what is wrong with a variable, in one sentence without secrets */
export const wayOut = (settings: Settings, environment: Environment): Either.Either<WayOut, string> =>
  Either.map(readProxies(textsOf(settings, environment), names), (proxies) => {
    const ca = settings["egress.proxy_ca_path"]
    return { proxies: () => proxies, proxyCa: ca === undefined ? () => undefined : mountedFile(ca).current }
  })

/** the proxies' addresses for people, without their credentials */
export const shownProxies = (way: WayOut): string => {
  const { http, https } = way.proxies()
  const shown = [
    https === undefined ? "" : `https by ${proxyAddress(https)}`,
    http === undefined ? "" : `http by ${proxyAddress(http)}`
  ]
  return shown.filter((text) => text !== "").join(", ") || "none"
}

/** proxies ask this server for credentials that pods do not get: they must come from a secret of their own */
export const podsLackCredentials = (settings: Settings, way: WayOut): boolean => {
  const { http, https } = way.proxies()
  return (
    settings["runtime.k8s.proxy_secret"] === undefined &&
    [http, https].some((proxy) => proxy?.credentials !== undefined)
  )
}

/** what pods are told of them: addresses without credentials, which come from a secret of the tenant's; undefined: there is no proxy */
export const podProxy = (settings: Settings, environment: Environment, way: WayOut): ClusterOptions["proxy"] => {
  const texts = textsOf(settings, environment)
  const { http, https } = way.proxies()
  if (http === undefined && https === undefined) return undefined
  const secret = settings["runtime.k8s.proxy_secret"]
  return {
    ...(http === undefined ? {} : { http: proxyAddress(http) }),
    ...(https === undefined ? {} : { https: proxyAddress(https) }),
    exempt: (texts.exempt ?? "").split(/[\s,]+/).filter((entry) => entry !== ""),
    named: texts.named,
    ...defined({ secret })
  }
}

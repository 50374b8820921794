/** Which part of the sidecar answers a request, from its method and raw path alone. Reference: gateway.md, "Routes". */
import {
  healthPath,
  isBelow,
  registryPath,
  serverPath,
  trackerPaths,
  uploadPrefix
} from "../../values/sidecar-paths.ts"

export type Route =
  | { readonly _tag: "Health" }
  | { readonly _tag: "Events" }
  | { readonly _tag: "Samples" }
  | { readonly _tag: "Forbidden" }
  | { readonly _tag: "Tracker" }
  | { readonly _tag: "Registry" }
  /** `token` names an upload address that the registry gave before */
  | { readonly _tag: "Upload"; readonly token: string }
  /** `path`: as the model is to see it, without the prefix that it lies below here */
  | { readonly _tag: "Model"; readonly path: string }
  /** the model lies below a prefix, and this is not below it */
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Invalid"; readonly message: string }

export interface RouteContext {
  readonly jobId: string
  /** absent: samples are not taken here */
  readonly benchmarkIndex?: number
  /** absent: no export for this benchmark */
  readonly repository?: string
  /** the model is asked below this path only; absent: at every path that is not the sidecar's own */
  readonly modelPrefix?: string
}

const barePath = (target: string): string => {
  const end = target.indexOf("?")
  return end < 0 ? target : target.slice(0, end)
}

/** a `.` or `..` segment, plain or encoded */
const dotSegment = /(^|\/)(\.|%2e){1,2}(\/|$)/i
/** another reader could take an encoded slash or backslash for a separator and then find a dot segment */
const hiddenDotSegment = /(^|\/|\\|%2f|%5c)(\.|%2e){1,2}(\/|\\|%2f|%5c|$)/i

/** why a request target is refused; undefined when it is plain. Only paths are forwarded, so that no upstream reads another one than we did. */
export const pathProblem = (target: string): string | undefined => {
  const path = barePath(target)
  if (path !== "" && !path.startsWith("/")) return "the request target must be a path"
  if (!/[.%\\]/.test(path)) return undefined
  if (path.includes("\\")) return "the path must not hold a backslash"
  if (dotSegment.test(path) || hiddenDotSegment.test(path)) return "the path must not hold '.' or '..' segments"
  return undefined
}

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** the server's interface is closed however a path to it is written */
const isDisguised = (path: string): boolean =>
  /%|\/\/|[A-Z]/.test(path) &&
  isBelow(
    decoded(path)
      .toLowerCase()
      .replaceAll(/\/{2,}/g, "/"),
    serverPath
  )

/** the prefix lies apart from the sidecar's own paths, so that everything below it is the model's */
const modelRoute = (target: string, path: string, prefix: string | undefined): Route => {
  if (prefix === undefined) return { _tag: "Model", path: target }
  if (!isBelow(path, prefix)) return { _tag: "Unknown" }
  const rest = target.slice(prefix.length)
  return { _tag: "Model", path: rest.startsWith("/") ? rest : `/${rest}` }
}

/** first match on the raw path; the query is ignored */
export const routeOf = (method: string, target: string, context: RouteContext): Route => {
  const problem = pathProblem(target)
  if (problem !== undefined || target === "")
    return { _tag: "Invalid", message: problem ?? "the request target must be a path" }
  const path = barePath(target)
  if (path === healthPath && (method === "GET" || method === "HEAD")) return { _tag: "Health" }
  if (method === "POST" && path === `${serverPath}/jobs/${context.jobId}/events`) return { _tag: "Events" }
  const { benchmarkIndex } = context
  if (
    method === "POST" &&
    benchmarkIndex !== undefined &&
    path === `${serverPath}/jobs/${context.jobId}/benchmarks/${benchmarkIndex}/samples`
  )
    return { _tag: "Samples" }
  if (isBelow(path, serverPath) || isDisguised(path)) return { _tag: "Forbidden" }
  if (trackerPaths.some((root) => isBelow(path, root))) return { _tag: "Tracker" }
  if (context.repository !== undefined) {
    if (path === `${registryPath}/` || path.startsWith(`${registryPath}/${context.repository}/`))
      return { _tag: "Registry" }
    const token = path.startsWith(uploadPrefix) ? path.slice(uploadPrefix.length) : undefined
    if (token !== undefined && /^[A-Za-z0-9_-]+$/.test(token)) return { _tag: "Upload", token }
  }
  return modelRoute(target, path, context.modelPrefix)
}

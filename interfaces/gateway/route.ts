/** Which part of the sidecar answers a request, from its method and raw path alone. Reference: gateway.md, "Routes". */

export type Route =
  | { readonly _tag: "Health" }
  | { readonly _tag: "Events" }
  | { readonly _tag: "Samples" }
  | { readonly _tag: "Forbidden" }
  | { readonly _tag: "Tracker" }
  | { readonly _tag: "Registry" }
  /** `token` names an upload address that the registry gave before */
  | { readonly _tag: "Upload"; readonly token: string }
  | { readonly _tag: "Model" }
  | { readonly _tag: "Invalid"; readonly message: string }

export interface RouteContext {
  readonly jobId: string
  /** absent: samples are not taken here */
  readonly benchmarkIndex?: number
  /** absent: no export for this benchmark */
  readonly repository?: string
}

const api = "/api/v1/evaluations"
const trackerPaths = ["/api/2.0/mlflow", "/api/3.0/mlflow", "/api/2.0/mlflow-artifacts", "/api/3.0/mlflow-artifacts"]

/** prefix of remembered upload addresses */
export const uploadPrefix = "/_evald/upload/"

const barePath = (target: string): string => {
  const end = target.indexOf("?")
  return end < 0 ? target : target.slice(0, end)
}

/** whether `path` is `root` or lies below it */
const below = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)

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
  below(
    decoded(path)
      .toLowerCase()
      .replaceAll(/\/{2,}/g, "/"),
    api
  )

/** first match on the raw path; the query is ignored */
export const routeOf = (method: string, target: string, context: RouteContext): Route => {
  const problem = pathProblem(target)
  if (problem !== undefined || target === "")
    return { _tag: "Invalid", message: problem ?? "the request target must be a path" }
  const path = barePath(target)
  if (path === "/health" && (method === "GET" || method === "HEAD")) return { _tag: "Health" }
  if (method === "POST" && path === `${api}/jobs/${context.jobId}/events`) return { _tag: "Events" }
  const { benchmarkIndex } = context
  if (
    method === "POST" &&
    benchmarkIndex !== undefined &&
    path === `${api}/jobs/${context.jobId}/benchmarks/${benchmarkIndex}/samples`
  )
    return { _tag: "Samples" }
  if (below(path, api) || isDisguised(path)) return { _tag: "Forbidden" }
  if (trackerPaths.some((root) => below(path, root))) return { _tag: "Tracker" }
  if (context.repository !== undefined) {
    if (path === "/v2/" || path.startsWith(`/v2/${context.repository}/`)) return { _tag: "Registry" }
    const token = path.startsWith(uploadPrefix) ? path.slice(uploadPrefix.length) : undefined
    if (token !== undefined && /^[A-Za-z0-9_-]+$/.test(token)) return { _tag: "Upload", token }
  }
  return { _tag: "Model" }
}

/** The paths that a sidecar keeps for itself, and what a prefix that moves the model below a path of its own must be. Reference: gateway.md, "Routes". */

/** the server's own interface, closed but for events and samples */
export const serverPath = "/api/v1/evaluations"
/** the tracking server's */
export const trackerPaths: ReadonlyArray<string> = [
  "/api/2.0/mlflow",
  "/api/3.0/mlflow",
  "/api/2.0/mlflow-artifacts",
  "/api/3.0/mlflow-artifacts"
]
export const healthPath = "/health"
/** the registry's */
export const registryPath = "/v2"
/** prefix of remembered upload addresses */
export const uploadPrefix = "/_evald/upload/"

const own: ReadonlyArray<string> = [healthPath, serverPath, ...trackerPaths, registryPath, "/_evald"]

/** whether `path` is `root` or lies below it */
export const isBelow = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)

/** why this is no path that the model can be moved below; undefined when it is one */
export const modelPrefixProblem = (prefix: string): string | undefined => {
  if (!prefix.startsWith("/")) return "must begin with '/'"
  if (/[?#]/.test(prefix)) return "must be a path alone, without a query or fragment"
  if (prefix.endsWith("/")) return "must not end with '/'"
  if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(prefix)) return "must be of segments of A-Z, a-z, 0-9, '-', '.', '_' and '~'"
  if (/\/\.{1,2}(\/|$)/.test(prefix)) return "must not hold '.' or '..' segments"
  if (/\/v\d+$/.test(prefix)) return "must not end in a version, which programs take for that of the model's address"
  if (prefix.length > 128) return "must be at most 128 characters"
  const low = prefix.toLowerCase()
  const taken = own.find((path) => isBelow(low, path) || isBelow(path, low))
  return taken === undefined ? undefined : `must lie apart from ${taken}, a path of the sidecar itself`
}

/**
 * Which route a path belongs to. Routes come from the published contract (`api.ts`), so what is served and what is documented are the
 * same list. Two steps: exact paths by map, the few patterns by segments. No regular expression sees a caller's path.
 */
import type { Params } from "./exchange.ts"

export interface Route {
  readonly method: string
  /** `/a/:id/b` */
  readonly path: string
}

export type Routed<R extends Route> =
  | { readonly _tag: "Found"; readonly route: R; readonly params: Params }
  | { readonly _tag: "OtherMethod"; readonly allow: ReadonlyArray<string> }
  | { readonly _tag: "Unknown" }

interface Pattern<R> {
  readonly segments: ReadonlyArray<string>
  readonly byMethod: ReadonlyMap<string, R>
}

const noParams: Params = {}

const decode = (segment: string): string | undefined => {
  if (!segment.includes("%")) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

const matchSegments = (pattern: ReadonlyArray<string>, actual: ReadonlyArray<string>): Params | undefined => {
  if (actual.length !== pattern.length) return undefined
  const params: Record<string, string> = {}
  for (let position = 0; position < pattern.length; position++) {
    const wanted = pattern[position] ?? ""
    const given = actual[position] ?? ""
    if (!wanted.startsWith(":")) {
      if (wanted !== given) return undefined
      continue
    }
    const value = decode(given)
    if (value === undefined || value === "") return undefined
    params[wanted.slice(1)] = value
  }
  return params
}

/** GET also serves HEAD */
const allowed = (methods: Iterable<string>): ReadonlyArray<string> =>
  [...methods].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).sort()

export const makeRouter = <R extends Route>(
  routes: ReadonlyArray<R>
): ((method: string, path: string) => Routed<R>) => {
  const grouped = new Map<string, Map<string, R>>()
  for (const route of routes) {
    const byMethod = grouped.get(route.path) ?? new Map<string, R>()
    byMethod.set(route.method, route)
    grouped.set(route.path, byMethod)
  }
  const exact = new Map<string, ReadonlyMap<string, R>>()
  /** by the number of their segments */
  const patterns = new Map<number, Array<Pattern<R>>>()
  for (const [path, byMethod] of grouped) {
    if (!path.includes(":")) {
      exact.set(path, byMethod)
      continue
    }
    const segments = path.split("/")
    const alike = patterns.get(segments.length) ?? []
    patterns.set(segments.length, [...alike, { segments, byMethod }])
  }
  const answer = (byMethod: ReadonlyMap<string, R>, method: string, params: Params): Routed<R> => {
    const route = byMethod.get(method === "HEAD" ? "GET" : method)
    return route === undefined
      ? { _tag: "OtherMethod", allow: allowed(byMethod.keys()) }
      : { _tag: "Found", route, params }
  }
  return (method, path) => {
    const known = exact.get(path)
    if (known !== undefined) return answer(known, method, noParams)
    const segments = path.split("/")
    for (const pattern of patterns.get(segments.length) ?? []) {
      const params = matchSegments(pattern.segments, segments)
      if (params !== undefined) return answer(pattern.byMethod, method, params)
    }
    return { _tag: "Unknown" }
  }
}

/**
 * Which reviews a request needs, decided from a table (config/auth.yaml) and nothing else. The table is closed: a route that matches no
 * entry is not served, and start-up fails when table and routes differ. Reference: cluster-objects.md, "Reviews".
 */
import {
  type Groups,
  type Review,
  type ReviewRule,
  type Right,
  reviewOf,
  type Verb
} from "../../../domain/access/review.ts"

export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const
export type Method = (typeof methods)[number]

export interface RouteEntry {
  /** `{x}` matches exactly one segment */
  readonly path: string
  readonly methods: ReadonlyArray<Method>
}

export interface AccessRule extends RouteEntry {
  /** all of them must allow; the namespace is always the tenant. Empty: whoever is known, for what is in `ownAnswers` alone */
  readonly reviews: ReadonlyArray<ReviewRule>
}

export interface AccessTable {
  readonly public: ReadonlyArray<RouteEntry>
  readonly rules: ReadonlyArray<AccessRule>
}

export type Guard =
  | { readonly _tag: "Public" }
  | { readonly _tag: "Guarded"; readonly rule: AccessRule }
  | { readonly _tag: "Unlisted" }

const verbOfMethod: { readonly [M in Method]: Verb } = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "update",
  DELETE: "delete"
}

/** GET and HEAD are `get` (lists too), PUT and PATCH `update`. Reference: api.md, "Authentication". */
export const verbOf = (method: Method): Verb => verbOfMethod[method]

export const isMethod = (text: string): text is Method => (methods as ReadonlyArray<string>).includes(text)

/** a segment that could mean another path to a later reader */
const ambiguous = (segment: string): boolean =>
  segment === "" || segment === "." || segment === ".." || /%2f|%5c|%2e|\\/i.test(segment)

/** exact segment count, no prefix matching; `path` without query. An encoded slash, a dot segment or a backslash matches nothing. */
export const matchesPath = (pattern: string, path: string): boolean => {
  const wanted = pattern.split("/").slice(1)
  const given = path.split("/").slice(1)
  if (!path.startsWith("/") || wanted.length !== given.length || given.some(ambiguous)) return false
  return wanted.every((part, index) => /^\{[^{}]+\}$/.test(part) || part === given[index])
}

/** an entry for GET also stands for HEAD */
const serves = (entry: RouteEntry, method: Method): boolean =>
  entry.methods.includes(method) || (method === "HEAD" && entry.methods.includes("GET"))

/** literal segments win over `{x}`, wherever the entries stand in the file */
const specificity = ({ path }: RouteEntry): number => path.split("/").filter((part) => !part.startsWith("{")).length

const best = <A extends RouteEntry>(entries: ReadonlyArray<A>, method: Method, path: string): A | undefined =>
  entries
    .filter((entry) => serves(entry, method) && matchesPath(entry.path, path))
    .reduce<A | undefined>(
      (chosen, entry) => (chosen === undefined || specificity(entry) > specificity(chosen) ? entry : chosen),
      undefined
    )

/** what guards this request; a path that is both public and guarded is guarded */
export const guardOf = (table: AccessTable, method: Method, path: string): Guard => {
  const rule = best(table.rules, method, path)
  if (rule !== undefined) return { _tag: "Guarded", rule }
  return best(table.public, method, path) === undefined ? { _tag: "Unlisted" } : { _tag: "Public" }
}

/** the reviews of one guarded request; `groups` maps `service` and `tracker` to the configured API groups */
export const reviewsOf = (rule: AccessRule, method: Method, tenant: string, groups: Groups): ReadonlyArray<Review> =>
  rule.reviews.map((needed) => reviewOf(needed, verbOf(method), tenant, groups))

/** paths that tell callers about themselves, so that no right is needed */
export const ownAnswers: ReadonlySet<string> = new Set(["/api/v1/info"])

/** every right that some rule asks for, once */
export const rightsOf = ({ rules }: AccessTable): ReadonlyArray<Right> => {
  const found = rules.flatMap(({ methods: listed, reviews }) =>
    listed.flatMap((method) =>
      reviews.map((rule): Right => ({ ...rule, verb: rule.verb === "from_method" ? verbOf(method) : rule.verb }))
    )
  )
  return [...new Map(found.map((right) => [`${right.group}/${right.resource}/${right.verb}`, right])).values()]
}

/** a route as the server registers it; parameters as `:name` or `{name}` */
export interface ServedRoute {
  readonly method: string
  readonly path: string
}

const normalised = (path: string): string =>
  path
    .split("/")
    .map((part) => (part.startsWith(":") || /^\{.*\}$/.test(part) ? "{}" : part))
    .join("/")

/**
 * Differences between the table and what is served, one line each, empty when they agree: routes without an entry, entries without a
 * route, and entries that are both public and guarded. Start-up refuses to go on otherwise.
 */
export const tableProblems = (table: AccessTable, routes: ReadonlyArray<ServedRoute>): ReadonlyArray<string> => {
  const key = (method: string, path: string) => `${method} ${normalised(path)}`
  const expand = (entries: ReadonlyArray<RouteEntry>) =>
    entries.flatMap(({ methods: listed, path }) => listed.map((method) => ({ id: key(method, path), method, path })))
  const [open, guarded] = [expand(table.public), expand(table.rules)]
  const listed = [...open, ...guarded]
  const listedIds = new Set(listed.map(({ id }) => id))
  const served = new Set(routes.map(({ method, path }) => key(method, path)))
  const seen = new Set<string>()
  const repeated = listed.filter(({ id }) => seen.has(id) || !seen.add(id))
  const headOfGet = (id: string) =>
    id.startsWith("HEAD ") && (listedIds.has(id.replace("HEAD", "GET")) || served.has(id.replace("HEAD", "GET")))
  return [
    ...routes
      .filter(({ method, path }) => !listedIds.has(key(method, path)) && !headOfGet(key(method, path)))
      .map(({ method, path }) => `route ${method} ${path} has no authorisation rule`),
    ...listed
      .filter(({ id }) => !served.has(id) && !headOfGet(id))
      .map(({ method, path }) => `rule ${method} ${path} names no route`),
    ...repeated.map(({ method, path }) => `rule ${method} ${path} is given twice`)
  ]
}

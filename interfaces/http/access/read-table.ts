/** Reads the parsed content of config/auth.yaml; every problem at once, each naming its entry. Reference: cluster-objects.md, "Reviews". */
import { Either } from "effect"
import { type ReviewRule, type Verb, verbs } from "../../../domain/access/review.ts"
import { shown } from "../../../domain/violation.ts"
import { isObject, type JsonObject } from "../../../values/json.ts"
import {
  type AccessRule,
  type AccessTable,
  isMethod,
  type Method,
  ownAnswers,
  type RouteEntry
} from "./access-table.ts"

const isVerb = (value: unknown): value is Verb | "from_method" =>
  value === "from_method" || (verbs as ReadonlyArray<unknown>).includes(value)

const unknownMembers = (entry: JsonObject, known: ReadonlyArray<string>, where: string): ReadonlyArray<string> =>
  Object.keys(entry)
    .filter((name) => !known.includes(name))
    .map((name) => `${where}: unknown member ${shown(name)}; known are ${known.join(", ")}`)

const readRoute = (entry: JsonObject, where: string, problems: Array<string>): RouteEntry | undefined => {
  const { path, methods } = entry as { readonly path?: unknown; readonly methods?: unknown }
  const legalPath = typeof path === "string" && /^(\/([A-Za-z0-9._-]+|\{[a-z_]+\}))+$/.test(path)
  if (!legalPath)
    problems.push(`${where}: path ${shown(path)} must be an absolute path of literal segments and {name} parameters`)
  const listed: ReadonlyArray<unknown> = Array.isArray(methods) ? methods : []
  const legal = listed.filter((method): method is Method => typeof method === "string" && isMethod(method))
  if (listed.length === 0) problems.push(`${where}: methods are required`)
  for (const method of listed)
    if (!legal.includes(method as Method)) problems.push(`${where}: method ${shown(method)} is not known`)
  return legalPath && listed.length > 0 && legal.length === listed.length ? { path, methods: legal } : undefined
}

const readReview = (
  value: unknown,
  where: string,
  groups: ReadonlyArray<string>,
  problems: Array<string>
): ReadonlyArray<ReviewRule> => {
  if (!isObject(value)) {
    problems.push(`${where} must be an object of group, resource and verb`)
    return []
  }
  problems.push(...unknownMembers(value, ["group", "resource", "verb"], where))
  const { group, resource, verb } = value as {
    readonly group?: unknown
    readonly resource?: unknown
    readonly verb?: unknown
  }
  const legalGroup = typeof group === "string" && (groups.includes(group) || /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(group))
  if (!legalGroup)
    problems.push(`${where}: group ${shown(group)} is not known; use ${groups.join(", ")} or a full API group`)
  const legalResource = typeof resource === "string" && /^[a-z][a-z0-9-]*$/.test(resource)
  if (!legalResource) problems.push(`${where}: resource ${shown(resource)} must be a lower-case name`)
  if (!isVerb(verb)) problems.push(`${where}: verb ${shown(verb)} is not known; use ${verbs.join(", ")} or from_method`)
  return legalGroup && legalResource && isVerb(verb) ? [{ group, resource, verb }] : []
}

/** `groups`: the aliases that the configuration resolves (`service`, `tracker`) */
export const readAccessTable = (
  document: unknown,
  groups: ReadonlyArray<string> = ["service", "tracker"]
): Either.Either<AccessTable, ReadonlyArray<string>> => {
  if (!isObject(document)) return Either.left(["auth table: must be an object with version, public and rules"])
  const problems: Array<string> = [...unknownMembers(document, ["version", "public", "rules"], "auth table")]
  if (document["version"] !== 1)
    problems.push(`auth table: version ${shown(document["version"])} is not known; this server reads version 1`)
  const entries = (name: "public" | "rules"): ReadonlyArray<readonly [string, JsonObject]> => {
    const list = document[name]
    if (!Array.isArray(list)) {
      problems.push(`auth table: ${name} must be a list`)
      return []
    }
    return list.flatMap((entry, index) => {
      if (isObject(entry)) return [[`${name}[${index}]`, entry] as const]
      problems.push(`${name}[${index}] must be an object`)
      return []
    })
  }
  const open = entries("public").flatMap(([where, entry]) => {
    problems.push(...unknownMembers(entry, ["path", "methods"], where))
    return readRoute(entry, where, problems) ?? []
  })
  const rules = entries("rules").flatMap(([where, entry]): ReadonlyArray<AccessRule> => {
    problems.push(...unknownMembers(entry, ["path", "methods", "reviews"], where))
    const route = readRoute(entry, where, problems)
    const listed: ReadonlyArray<unknown> = Array.isArray(entry["reviews"]) ? entry["reviews"] : []
    if (listed.length === 0 && !(Array.isArray(entry["reviews"]) && ownAnswers.has(route?.path ?? "")))
      problems.push(`${where}: at least one review is required`)
    const reviews = listed.flatMap((value, index) => readReview(value, `${where}.reviews[${index}]`, groups, problems))
    return route === undefined ? [] : [{ ...route, reviews }]
  })
  return problems.length > 0 ? Either.left(problems) : Either.right({ public: open, rules })
}

/**
 * Binds every route of the contract to its handler, its readers and its authorisation rule. A route without a rule, a rule without a route, or
 * one that is public here and guarded there, stops the start. Reference: cluster-objects.md, "Reviews".
 */
import { Data, Effect } from "effect"
import { type AccessTable, guardOf, type Method, tableProblems } from "./access/access-table.ts"
import { apiRoutes } from "./api.ts"
import type { AnyHandler, BoundRoute } from "./dispatch.ts"
import type { Handlers } from "./handler.ts"
import { readersOf } from "./handlers/read-request.ts"

export class AccessTableInvalid extends Data.TaggedError("AccessTableInvalid")<{
  readonly problems: ReadonlyArray<string>
}> {
  override get message(): string {
    return `the authorisation table does not fit the routes:\n${this.problems.map((problem) => `  - ${problem}`).join("\n")}`
  }
}

const sample = (path: string): string => path.replaceAll(/:[A-Za-z_]+/g, "x")

export const bindRoutes = (
  table: AccessTable,
  handlers: Handlers
): Effect.Effect<ReadonlyArray<BoundRoute>, AccessTableInvalid> => {
  const routes = apiRoutes()
  const problems: Array<string> = [...tableProblems(table, routes)]
  const bound = routes.flatMap((route): ReadonlyArray<BoundRoute> => {
    const { method, path, name, guarded } = route
    const guard = guardOf(table, method as Method, sample(path))
    // what a handler is given fits its type: the path's pattern, the readers and the caller come from the same operation
    const [handle, read] = [handlers[name] as AnyHandler, readersOf(route)]
    if (!guarded) {
      if (guard._tag === "Public") return [{ _tag: "Open", method, path, handle, read }]
      problems.push(`route ${method} ${path} answers without a caller, so it must be listed as public`)
      return []
    }
    const isPeoples = name !== "recordEvent" && name !== "uploadSamples"
    if (guard._tag === "Guarded")
      return [
        {
          _tag: "Guarded",
          method,
          path,
          handle,
          read,
          rule: guard.rule,
          // whoever has no right in a tenant may not use up what its callers are allowed
          limited: isPeoples && guard.rule.reviews.length > 0,
          // reports of adapters are thousands a second, and the change log has them
          audited: isPeoples && method !== "GET"
        }
      ]
    if (guard._tag === "Public") problems.push(`route ${method} ${path} needs a caller, so it can not be public`)
    return []
  })
  return problems.length > 0 ? Effect.fail(new AccessTableInvalid({ problems })) : Effect.succeed(bound)
}

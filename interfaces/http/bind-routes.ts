/**
 * Binds every route of the contract to its handler and its authorisation rule. A route without a rule, or a rule without a route, stops
 * the start. Reference: cluster-objects.md, "Reviews".
 */
import { Data, Effect } from "effect"
import { type AccessTable, guardOf, type Method, tableProblems } from "../../domain/access/permissions.ts"
import { type ApiRoute, apiRoutes, type GuardedName, type OpenName } from "./api.ts"
import type { BoundRoute, GuardedHandlers, OpenHandlers } from "./dispatch.ts"

export class AccessTableInvalid extends Data.TaggedError("AccessTableInvalid")<{ readonly problems: ReadonlyArray<string> }> {
  override get message(): string {
    return `the authorisation table does not fit the routes:\n${this.problems.map((problem) => `  - ${problem}`).join("\n")}`
  }
}

const sample = (path: string): string => path.replaceAll(/:[A-Za-z_]+/g, "x")

export const bindRoutes = (table: AccessTable, open: OpenHandlers, guarded: GuardedHandlers): Effect.Effect<ReadonlyArray<BoundRoute>, AccessTableInvalid> => {
  const routes = apiRoutes()
  const problems: Array<string> = [...tableProblems(table, routes)]
  const isOpen = (name: ApiRoute["name"]): name is OpenName => Object.hasOwn(open, name)
  const bound = routes.flatMap(({ method, path, name }): ReadonlyArray<BoundRoute> => {
    const guard = guardOf(table, method as Method, sample(path))
    if (isOpen(name)) {
      if (guard._tag === "Public") return [{ _tag: "Open", method, path, handle: open[name] }]
      problems.push(`route ${method} ${path} answers without a caller, so it must be listed as public`)
      return []
    }
    if (guard._tag === "Guarded")
      return [{ _tag: "Guarded", method, path, handle: guarded[name as GuardedName], rule: guard.rule, limited: name !== "recordEvent" }]
    if (guard._tag === "Public") problems.push(`route ${method} ${path} needs a caller, so it can not be public`)
    return []
  })
  return problems.length > 0 ? Effect.fail(new AccessTableInvalid({ problems })) : Effect.succeed(bound)
}

/** What a lint rule sees and says. Rules are pure; the caller adds file and position. */
import type { Collection } from "../../../domain/collection/collection.ts"
import type { Problem } from "../../../domain/file-problem.ts"
import type { Provider } from "../../../domain/provider/provider.ts"
import { pointer } from "../../../values/json-pointer.ts"
import type { Facts } from "./facts.ts"

/** path of a benchmark of the file, or of what is below it */
export const benchmarkAt = (index: number, ...members: ReadonlyArray<string | number>): string =>
  pointer(["benchmarks", index, ...members])

export interface Finding {
  /** JSON Pointer into the file */
  readonly path: string
  readonly message: string
  readonly severity?: Problem["severity"]
}

export interface LintContext {
  readonly provider: (id: string) => Provider | undefined
  readonly collection: (id: string) => Collection | undefined
  readonly facts: (providerId: string) => Facts
}

export interface ProviderRule {
  readonly code: string
  readonly severity: Problem["severity"]
  readonly check: (provider: Provider, context: LintContext) => ReadonlyArray<Finding>
}

export interface CollectionRule {
  readonly code: string
  readonly severity: Problem["severity"]
  readonly check: (collection: Collection, context: LintContext) => ReadonlyArray<Finding>
}

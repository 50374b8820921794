/** Which benchmarks a job runs: its own entries, or those of the collection it names, copied. Reference: api.md, "Submitting a job". */

import { Either } from "effect"
import type { Collection } from "../../collection/collection.ts"
import type { Path } from "../../path.ts"
import { say } from "../../sentence.ts"
import { shown, type Violation, violation } from "../../violation.ts"
import type { BenchmarkEntry, JobRequest } from "../job.ts"
import { maxBenchmarks } from "./submission-limits.ts"

export interface WhatToRun {
  readonly entries: ReadonlyArray<BenchmarkEntry>
  /** who wrote the entries */
  readonly source: "job" | "collection"
  readonly collection?: Collection
}

const refuse = (message: string, code: string): Either.Either<never, Violation> =>
  Either.left(violation(["collection", "id"], message, code))

/** the effective entries; `hint`: what a misspelt collection most likely meant. Both or none of `benchmarks` and `collection` is a problem of the request itself (`check-request.ts`). */
export const expand = (
  request: JobRequest,
  findCollection: (id: string) => Collection | undefined,
  hint: (id: string) => string
): Either.Either<WhatToRun, Violation> => {
  const own = request.benchmarks ?? []
  if (request.collection === undefined || own.length > 0)
    return Either.right({ entries: own.slice(0, maxBenchmarks), source: "job" })
  const { id } = request.collection
  if (id === "") return Either.right({ entries: [], source: "collection" })
  const collection = findCollection(id)
  if (collection === undefined)
    return Either.left({
      ...violation(
        ["collection", "id"],
        `collection ${shown(id)} does not exist${hint(id)}`,
        "resource_does_not_exist"
      ),
      lookUp: { _tag: "Collections" }
    })
  const { benchmarks } = collection
  if (benchmarks.length === 0)
    return refuse(`collection ${shown(id)} has no benchmarks; choose another one`, "collection_empty")
  if (benchmarks.length > maxBenchmarks)
    return refuse(
      `collection ${shown(id)} has ${benchmarks.length} benchmarks; a job runs at most ${maxBenchmarks}: split it`,
      "invalid_value"
    )
  return Either.right({ entries: benchmarks, source: "collection", collection })
}

/** path of the entry at `index`, were it written in the request */
export const entryPath = (index: number): Path => ["benchmarks", index]

/** of the entry that has the problem */
const positionOf = ({ path: [list, position] }: Violation): number | undefined =>
  list === "benchmarks" && typeof position === "number" ? position : undefined

/** where the caller can mend a problem of an entry: at the entry, or where the collection that holds it is named */
export const located = (problem: Violation, run: WhatToRun, index: number): Violation => {
  const entry = run.entries[index]
  if (run.source === "job" || entry === undefined || positionOf(problem) !== index) return problem
  return {
    ...problem,
    path: ["collection", "id"],
    message: say`entry ${index} (${entry.providerId}/${entry.id}) of the collection: ${problem.message}`
  }
}

/** the same for a problem that was found after the job was made, from its effective request */
export const locatedIn = (
  problem: Violation,
  request: JobRequest & { readonly benchmarks: ReadonlyArray<BenchmarkEntry> }
): Violation => {
  const index = positionOf(problem)
  return index === undefined
    ? problem
    : located(
        problem,
        { entries: request.benchmarks, source: request.collection === undefined ? "job" : "collection" },
        index
      )
}

/**
 * What a framework really does for each benchmark id, measured: `config/facts/<provider id>.tsv`. Decides over any list in a definition
 * file. Reference: providers-and-collections.md, "Linter".
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface TaskFacts {
  /** the framework version in the provider's default image has the task */
  readonly inDefaultImage: boolean
  readonly kind: "task" | "group" | "tag" | "missing"
  /** metric names the framework reports; undefined when not known for sure */
  readonly emitted: ReadonlyArray<string> | undefined
}

export type Facts = ReadonlyMap<string, TaskFacts>

/** lists are cut at eight names, so a full list proves nothing about a missing name */
const completeBelow = 8
const kinds = ["task", "group", "tag", "missing"] as const

export const readFacts = (configDir: string, providerId: string): Facts => {
  const file = join(configDir, "facts", `${providerId}.tsv`)
  if (!existsSync(file)) return new Map()
  const [, ...rows] = readFileSync(file, "utf8").trimEnd().split("\n")
  return new Map(
    rows.map((row) => {
      const [id = "", inDefault = "", kind = "", , , emitted = "", known = ""] = row.split("\t")
      const names = emitted.split(",").filter((name) => name !== "")
      return [
        id,
        {
          inDefaultImage: inDefault === "yes",
          kind: kinds.find((name) => name === kind) ?? "task",
          emitted: known === "no" || names.length === 0 || names.length >= completeBelow ? undefined : names
        }
      ]
    })
  )
}

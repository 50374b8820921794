/** A configuration directory with small definition files, for tests of the catalogue. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

export interface ProviderParts {
  readonly title?: string
  readonly benchmarks?: ReadonlyArray<string>
  readonly threshold?: number
}

/** a provider file without a problem */
export const providerFile = (
  id: string,
  { title = id, benchmarks = ["b"], threshold = 0.5 }: ProviderParts = {}
): string =>
  [
    `id: ${id}`,
    "type: builtin",
    `name: ${id}`,
    `title: ${title}`,
    "agent: {summary: s}",
    "runtime: {local: {command: sleep 60}, k8s: {image: 'r/i:1'}}",
    "benchmarks:",
    ...benchmarks.map(
      (name) =>
        `  - {id: ${name}, name: B, category: math, metrics: [acc], primary_score: {metric: acc}, pass_criteria: {threshold: ${threshold}}}`
    ),
    ""
  ].join("\n")

/** a collection file without a problem, of entries `provider/benchmark` */
export const collectionFile = (id: string, entries: ReadonlyArray<string>): string =>
  [
    `id: ${id}`,
    "type: builtin",
    `name: ${id}`,
    "category: general",
    "agent: {summary: s}",
    "pass_criteria: {threshold: 0.4}",
    "benchmarks:",
    ...entries.map((entry) => `  - {id: ${entry.split("/")[1]}, provider_id: ${entry.split("/")[0]}}`),
    ""
  ].join("\n")

/** writes files by path below the folder; undefined removes one */
export const writeDefinitions = (folder: string, files: Readonly<Record<string, string | undefined>>): void => {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    if (text === undefined) rmSync(path)
    else {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
  }
}

/** The linter of definition files: reading problems plus every rule, with positions. Reference: providers-and-collections.md, "Linter". */
import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import type { Problem } from "../../../domain/file-problem.ts"
import {
  type Definition,
  type Definitions,
  isShipped,
  positionsOf,
  type ReadOptions,
  readDefinitions
} from "../read-definitions.ts"
import { collectionRules } from "./collection-rules.ts"
import { type Facts, readFacts } from "./facts.ts"
import { providerRules } from "./provider-rules.ts"
import type { Finding, LintContext } from "./rule.ts"

/** what a rule found, with its place in the file told only when asked: finding it means parsing the file */
export interface Placed {
  readonly code: string
  readonly severity: Problem["severity"]
  readonly file: string
  readonly problem: () => Problem
}

const place =
  <A>(definition: Definition<A>, code: string, severity: Problem["severity"]) =>
  (finding: Finding): Placed => {
    const found = { code, severity: finding.severity ?? severity, file: definition.file }
    return {
      ...found,
      problem: () => ({
        ...found,
        path: finding.path,
        message: finding.message,
        ...definition.document.positionOf(positionsOf(finding.path))
      })
    }
  }

const nameMismatch = <A extends { readonly id: string }>(definition: Definition<A>): ReadonlyArray<Placed> => {
  const name = basename(definition.file).replace(/\.ya?ml$/, "")
  return name === definition.record.id
    ? []
    : [
        place(
          definition,
          "L002",
          "error"
        )({ path: "/id", message: `the file is called '${name}', the id is '${definition.record.id}'` })
      ]
}

/** a shipped file says `type: builtin`; without it the record is still read, as a system record */
const missingType = <A>(definition: Definition<A>): ReadonlyArray<Placed> => {
  const value = definition.document.value
  const given = typeof value === "object" && value !== null && ("type" in value || "tenant" in value)
  return given
    ? []
    : [place(definition, "L025", "warning")({ path: "", message: "neither `type: builtin` nor `tenant` is given" })]
}

type Folders = Pick<ReadOptions, "configDir" | "shippedDir">

/** every problem of the definitions, errors of reading first, then in file order; the folders hold the facts about the frameworks */
export const lintDefinitions = (
  definitions: Definitions,
  { configDir, shippedDir }: Folders
): ReadonlyArray<Placed> => {
  const providers = new Map(definitions.providers.map(({ record }) => [record.id, record]))
  const collections = new Map(definitions.collections.map(({ record }) => [record.id, record]))
  const cache = new Map<string, Facts>()
  const context: LintContext = {
    provider: (id) => providers.get(id),
    collection: (id) => collections.get(id),
    facts: (id) => {
      const known =
        cache.get(id) ?? readFacts(existsSync(join(configDir, "facts")) ? configDir : (shippedDir ?? configDir), id)
      cache.set(id, known)
      return known
    }
  }
  return [
    ...definitions.problems.map((problem) => ({
      code: problem.code,
      severity: problem.severity,
      file: problem.file,
      problem: () => problem
    })),
    ...definitions.providers.flatMap((definition) => [
      ...nameMismatch(definition),
      ...missingType(definition),
      ...providerRules.flatMap(({ code, severity, check }) =>
        check(definition.record, context).map(place(definition, code, severity))
      )
    ]),
    ...definitions.collections.flatMap((definition) => [
      ...nameMismatch(definition),
      ...missingType(definition),
      ...collectionRules.flatMap(({ code, severity, check }) =>
        check(definition.record, context).map(place(definition, code, severity))
      )
    ])
  ]
}

/** reads and lints `<configDir>/providers` and `/collections`, which may name what is shipped; problems of the own files only */
export const lintFolder = (
  folders: Folders
): { readonly definitions: Definitions; readonly problems: ReadonlyArray<Problem> } => {
  const definitions = readDefinitions({ ...folders, images: {} })
  const own = lintDefinitions(definitions, folders).filter(({ file }) => !isShipped(file, folders))
  return { definitions, problems: own.map(({ problem }) => problem()) }
}

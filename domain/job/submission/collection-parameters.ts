/**
 * Parameters that a job gives to the benchmarks of its collection: each one reaches every entry whose provider declares it, before what
 * the collection itself says, so that a permission (running generated code) is the submitter's and not the collection's.
 */

import { nearest } from "../../../values/nearest.ts"
import type { FreeForm } from "../../free-form.ts"
import { given, type Path } from "../../path.ts"
import type { ParameterDeclaration } from "../../provider/provider.ts"
import { member, say } from "../../sentence.ts"
import { utf8Length } from "../../text.ts"
import { shown, type Violation, violation } from "../../violation.ts"
import type { BenchmarkEntry } from "../job.ts"
import type { WhatToRun } from "./expand-collection.ts"
import { checkParameters, misfit, serverParameters } from "./parameters.ts"
import { maxCollectionParametersBytes } from "./submission-limits.ts"

const at: Path = ["collection", "parameters"]

/** rules that need no provider */
export const checkCollectionParameters = (parameters: FreeForm | undefined): ReadonlyArray<Violation> => {
  if (parameters === undefined) return []
  const bytes = utf8Length(JSON.stringify(parameters))
  return bytes > maxCollectionParametersBytes
    ? [
        violation(
          at,
          say`${member(at)} takes ${bytes} bytes; at most ${maxCollectionParametersBytes} are allowed, because every entry gets a copy`
        )
      ]
    : checkParameters(parameters, at)
}

type Declarations = ReadonlyArray<ParameterDeclaration> | undefined

const spellingsOf = ({ name, aliases = [] }: ParameterDeclaration): ReadonlyArray<string> => [name, ...aliases]

const declarationOf = (declarations: Declarations, name: string): ParameterDeclaration | undefined =>
  declarations?.find((declaration) => spellingsOf(declaration).includes(name))

/** the entry with the value under the given name, whatever spelling it used before */
const withParameter = (
  entry: BenchmarkEntry,
  name: string,
  value: unknown,
  declaration: ParameterDeclaration | undefined
): BenchmarkEntry => {
  const replaced = new Set(declaration === undefined ? [name] : spellingsOf(declaration))
  const kept = Object.entries(entry.parameters ?? {}).filter(([other]) => !replaced.has(other))
  return { ...entry, parameters: Object.fromEntries([...kept, [name, value]]) }
}

export interface Applied {
  readonly run: WhatToRun
  readonly violations: ReadonlyArray<Violation>
}

/** `declared`: what the provider of an entry declares; undefined when there is no such provider */
export const withCollectionParameters = (
  run: WhatToRun,
  parameters: FreeForm = {},
  declared: (providerId: string) => Declarations
): Applied => {
  if (run.source === "job" || run.entries.length === 0) return { run, violations: [] }
  const declarations = new Map(run.entries.map(({ providerId }) => [providerId, declared(providerId)]))
  const known = [
    ...new Set([...declarations.values()].flatMap((all) => all ?? []).flatMap(spellingsOf)),
    ...serverParameters
  ]
  const violations: Array<Violation> = []
  let entries = run.entries
  for (const [name, value] of Object.entries(parameters)) {
    const path: Path = [...at, given(name)]
    if (!known.includes(name)) {
      const similar = nearest(name, known)
      const hint = similar === undefined ? "leave it out" : `did you mean '${similar}'?`
      violations.push(violation(path, `no benchmark of the collection declares the parameter ${shown(name)}; ${hint}`))
      continue
    }
    const misfits = [...declarations.values()].flatMap((all) => {
      const declaration = declarationOf(all, name)
      return declaration === undefined ? [] : (misfit(declaration, value) ?? [])
    })
    violations.push(
      ...[...new Set(misfits)].map((problem) => violation(path, say`${member(path)} ${shown(value)} ${problem}`))
    )
    if (misfits.length > 0) continue
    entries = entries.map((entry) => {
      const declaration = declarationOf(declarations.get(entry.providerId), name)
      return declaration === undefined && !serverParameters.includes(name)
        ? entry
        : withParameter(entry, name, value, declaration)
    })
  }
  return { run: { ...run, entries }, violations }
}

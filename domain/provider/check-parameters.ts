/** Rules of a provider's parameter declarations: they must be usable, and their own defaults must obey them. Reference: providers-and-collections.md, "Provider file", "Linter". */

import { checkFreeForm } from "../free-form.ts"
import { misfit } from "../job/submission/parameters.ts"
import type { Path } from "../path.ts"
import { member, say } from "../sentence.ts"
import { checkText } from "../text.ts"
import { shown, type Violation, violation } from "../violation.ts"
import type { ParameterDeclaration } from "./provider.ts"

const parameterName = /^[A-Za-z][A-Za-z0-9_]*$/
const maxDescription = 4096

const checkDeclaration = (declaration: ParameterDeclaration, path: Path): ReadonlyArray<Violation> => {
  const { name, minimum, maximum, aliases = [], description } = declaration
  const found: Array<Violation> = []
  const legal = (text: string, at: Path) => {
    if (!parameterName.test(text))
      found.push(
        violation(at, say`${member(at)} ${shown(text)} must be letters, digits and '_', beginning with a letter`)
      )
  }
  legal(name, [...path, "name"])
  for (const [index, alias] of aliases.entries()) legal(alias, [...path, "aliases", index])
  if (description !== undefined) found.push(...checkText(description, [...path, "description"], maxDescription))
  found.push(
    ...checkFreeForm(declaration.default, [...path, "default"]),
    ...checkFreeForm(declaration.enum, [...path, "enum"])
  )
  if (declaration.enum?.length === 0)
    found.push(violation([...path, "enum"], say`${member([...path, "enum"])} must name at least one value`))
  if (minimum !== undefined && maximum !== undefined && minimum > maximum)
    found.push(
      violation(
        [...path, "minimum"],
        say`${member([...path, "minimum"])} ${minimum} is larger than the maximum ${maximum}`
      )
    )
  // without its own enumeration a value of the enumeration is judged by type and range alone
  const { enum: choices = [], ...plain } = declaration
  for (const [index, choice] of choices.entries()) {
    const problem = misfit(plain, choice)
    if (problem !== undefined)
      found.push(
        violation([...path, "enum", index], say`${member([...path, "enum", index])} ${shown(choice)} ${problem}`)
      )
  }
  if (declaration.default !== undefined && declaration.enum?.length !== 0) {
    const problem = misfit(declaration, declaration.default)
    if (problem !== undefined)
      found.push(
        violation([...path, "default"], say`${member([...path, "default"])} ${shown(declaration.default)} ${problem}`)
      )
  }
  return found
}

/** `path`: of `parameters`. Names and aliases share one name space. */
export const checkDeclarations = (
  declarations: ReadonlyArray<ParameterDeclaration>,
  path: Path
): ReadonlyArray<Violation> => {
  const seen = new Set<string>()
  return declarations.flatMap((declaration, index) => {
    const at: Path = [...path, index]
    const aliases = (declaration.aliases ?? []).map((alias, position): readonly [string, Path] => [
      alias,
      [...at, "aliases", position]
    ])
    const names: ReadonlyArray<readonly [string, Path]> = [[declaration.name, [...at, "name"]], ...aliases]
    const repeated = names.flatMap(([name, where]) => {
      const known = seen.has(name)
      seen.add(name)
      return known ? [violation(where, say`${member(where)} ${shown(name)} is declared twice`)] : []
    })
    return [...checkDeclaration(declaration, at), ...repeated]
  })
}

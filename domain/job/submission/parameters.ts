/**
 * Benchmark parameters: the few that the server itself reads, and the check against what a provider declares. Values are never
 * changed. Reference: adapter-contract.md, "Job file"; providers-and-collections.md, "Provider file".
 */

import { Either } from "effect"
import { isObject } from "../../../values/json.ts"
import type { FreeForm } from "../../free-form.ts"
import { checkFreeForm } from "../../free-form.ts"
import { given, type Path } from "../../path.ts"
import type { ParameterDeclaration, ParameterType } from "../../provider/provider.ts"
import { member, say, unquoted } from "../../sentence.ts"
import { shown, type Violation, violation } from "../../violation.ts"

/** of a benchmark that names none */
export const defaultSeed = 42
/** read by the server for the job file; known for every provider */
export const serverParameters: ReadonlyArray<string> = ["num_examples", "seed", "random_seed"]

const own = (parameters: FreeForm, name: string): unknown =>
  Object.hasOwn(parameters, name) ? parameters[name] : undefined

/** a whole number, and one that double precision does not tell from its neighbours */
const isInexact = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)

/** `num_examples`, lifted out of the parameters: a whole number of at least 1, or absent */
export const numExamplesOf = (parameters: FreeForm = {}): Either.Either<number | undefined, string> => {
  const value = own(parameters, "num_examples")
  if (value === undefined) return Either.right(undefined)
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return Either.right(value)
  const wanted =
    isInexact(value) && value > 0
      ? `must be at most ${Number.MAX_SAFE_INTEGER}`
      : "must be a whole number of at least 1"
  return Either.left(`${shown(value)} ${wanted}; leave it out to use all examples`)
}

/** `seed`, else `random_seed`, else 42 */
export const seedOf = (
  parameters: FreeForm = {}
): Either.Either<number, { readonly name: string; readonly message: string }> => {
  const name = own(parameters, "seed") === undefined ? "random_seed" : "seed"
  const value = own(parameters, name)
  if (value === undefined) return Either.right(defaultSeed)
  if (typeof value === "number" && Number.isSafeInteger(value)) return Either.right(value)
  const wanted = isInexact(value)
    ? `must lie between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}, where whole numbers are exact`
    : "must be a whole number"
  return Either.left({ name, message: `${shown(value)} ${wanted}` })
}

const elsewhere = say`pass large data through ${unquoted(["testData"])}`

/** rules of any parameters, whatever the provider: storable, not too large, and the server's own members of the right type */
export const checkParameters = (parameters: FreeForm, path: Path): ReadonlyArray<Violation> => {
  const at = (name: string): Path => [...path, given(name)]
  const examples = Either.match(numExamplesOf(parameters), {
    onLeft: (message) => [violation(at("num_examples"), say`${member(at("num_examples"))} ${message}`)],
    onRight: () => []
  })
  const seed = Either.match(seedOf(parameters), {
    onLeft: ({ name, message }) => [violation(at(name), say`${member(at(name))} ${message}`)],
    onRight: () => []
  })
  return [...checkFreeForm(parameters, path, elsewhere), ...examples, ...seed]
}

const typeTests: { readonly [Type in ParameterType]: (value: unknown) => boolean } = {
  string: (value) => typeof value === "string",
  integer: (value) => typeof value === "number" && Number.isInteger(value),
  number: (value) => typeof value === "number" && Number.isFinite(value),
  boolean: (value) => typeof value === "boolean",
  array: (value) => Array.isArray(value),
  object: isObject,
  any: () => true
}

const articles: { readonly [Type in ParameterType]: string } = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  any: "anything"
}

/** equal as JSON, whatever the order of members */
const sameJson = (a: unknown, b: unknown): boolean => {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))]
  return (
    Array.isArray(a) === Array.isArray(b) &&
    left.length === right.size &&
    left.every(([name, value]) => right.has(name) && sameJson(value, right.get(name)))
  )
}

/** why the value does not fit the declaration; completes the sentence "<member> <value> …" */
export const misfit = (declaration: ParameterDeclaration, value: unknown): string | undefined => {
  if (!typeTests[declaration.type](value)) return `must be ${articles[declaration.type]}`
  if (declaration.enum !== undefined && !declaration.enum.some((choice) => sameJson(choice, value)))
    return `must be one of ${declaration.enum.map(shown).join(", ")}`
  if (typeof value !== "number") return undefined
  if (declaration.minimum !== undefined && value < declaration.minimum) return `must be at least ${declaration.minimum}`
  if (declaration.maximum !== undefined && value > declaration.maximum) return `must be at most ${declaration.maximum}`
  return undefined
}

export interface DeclaredCheck {
  readonly violations: ReadonlyArray<Violation>
  /** parameters nobody declared: probably a misspelling, but the adapter may know them */
  readonly undeclared: ReadonlyArray<string>
}

interface Lookup {
  /** by name and by alias */
  readonly known: ReadonlyMap<string, ParameterDeclaration>
  /** declarations that say something about absent or repeated parameters, with all their spellings */
  readonly demanding: ReadonlyArray<{
    readonly declaration: ParameterDeclaration
    readonly spellings: ReadonlyArray<string>
  }>
}

/** a provider's declarations stay the same for many jobs of many benchmarks */
const lookups = new WeakMap<ReadonlyArray<ParameterDeclaration>, Lookup>()

const lookupOf = (declarations: ReadonlyArray<ParameterDeclaration>): Lookup => {
  const made = lookups.get(declarations)
  if (made !== undefined) return made
  const spelled = declarations.map((declaration) => ({
    declaration,
    spellings: [declaration.name, ...(declaration.aliases ?? [])]
  }))
  const lookup: Lookup = {
    known: new Map(
      spelled.flatMap(({ declaration, spellings }) => spellings.map((name) => [name, declaration] as const))
    ),
    demanding: spelled.filter(
      ({ declaration, spellings }) =>
        spellings.length > 1 || (declaration.required === true && declaration.default === undefined)
    )
  }
  lookups.set(declarations, lookup)
  return lookup
}

/** against the provider's declarations; a provider that declares nothing is not checked */
export const checkDeclared = (
  parameters: FreeForm,
  declarations: ReadonlyArray<ParameterDeclaration> | undefined,
  path: Path
): DeclaredCheck => {
  if (declarations === undefined || declarations.length === 0) return { violations: [], undeclared: [] }
  const { known, demanding } = lookupOf(declarations)
  const violations: Array<Violation> = []
  const undeclared: Array<string> = []
  for (const [name, value] of Object.entries(parameters)) {
    const declaration = known.get(name)
    if (declaration === undefined) {
      if (!serverParameters.includes(name)) undeclared.push(name)
      continue
    }
    const problem = misfit(declaration, value)
    if (problem === undefined) continue
    const at: Path = [...path, given(name)]
    violations.push(violation(at, say`${member(at)} ${shown(value)} ${problem}`))
  }
  for (const { declaration, spellings } of demanding) {
    const [first, ...others] = spellings.filter((name) => own(parameters, name) !== undefined)
    if (first === undefined) {
      if (declaration.required === true && declaration.default === undefined)
        violations.push(
          violation(
            path,
            say`${member(path)} needs the parameter '${declaration.name}' (${articles[declaration.type]})`
          )
        )
      continue
    }
    for (const other of others)
      if (!sameJson(parameters[first], parameters[other]))
        violations.push(
          violation(
            [...path, given(other)],
            say`${member([...path, given(other)])} and '${first}' mean the same parameter and differ; give one of them`
          )
        )
  }
  return { violations, undeclared }
}

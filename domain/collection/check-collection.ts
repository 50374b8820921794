/**
 * Every rule of a collection definition, for requests and for definition files alike: all problems at once, or the definition as it is
 * stored (names trimmed). Reference: providers-and-collections.md, "Collection file"; api.md, "Bodies".
 */

import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import { checkFreeForm, checkTogether } from "../free-form.ts"
import { type Hints, makeHints, type Named } from "../hints.ts"
import { checkEntry, checkFinite } from "../job/submission/check-entry.ts"
import { checkDeclared } from "../job/submission/parameters.ts"
import { maxBenchmarks, maxDescription, maxName } from "../job/submission/submission-limits.ts"
import type { Path } from "../path.ts"
import { checkAgent } from "../provider/check-agent.ts"
import { maxCategory } from "../provider/check-provider.ts"
import { noSuchBenchmark, noSuchProvider, offersOf } from "../provider/offers.ts"
import type { Provider } from "../provider/provider.ts"
import { checkName, checkTags, checkText } from "../text.ts"
import { type Violation, violation } from "../violation.ts"
import type { CollectionDefinition, CollectionEntry } from "./collection.ts"

/** what a provider offers, as far as a collection needs to know it */
type OfferedProvider = Pick<Provider, "benchmarks" | "parameters">
export type ProviderLookup = (id: string) => OfferedProvider | undefined

type Offers = ReturnType<typeof offersOf<OfferedProvider>>

/** the named benchmark exists, and its declared parameters have the declared types */
const checkOffer = (
  entry: CollectionEntry,
  path: Path,
  find: Offers,
  hint: Hints,
  known: () => ReadonlyArray<Named>
): ReadonlyArray<Violation> => {
  const [id, providerId] = [entry.id.trim(), entry.providerId.trim()]
  if (id === "" || providerId === "") return []
  const offer = find(providerId)
  if (offer === undefined) return [noSuchProvider([...path, "providerId"], providerId, hint, known)]
  const { provider, benchmarks } = offer
  const unknown = benchmarks.has(id)
    ? []
    : [noSuchBenchmark([...path, "id"], { id: providerId, benchmarks: provider.benchmarks }, id, hint)]
  return [...unknown, ...checkDeclared(entry.parameters ?? {}, provider.parameters, [...path, "parameters"]).violations]
}

const checkEntries = (
  entries: ReadonlyArray<CollectionEntry>,
  find: Offers,
  known: () => ReadonlyArray<Named>
): ReadonlyArray<Violation> => {
  if (entries.length === 0) return [violation(["benchmarks"], "'benchmarks' must have at least one entry")]
  if (entries.length > maxBenchmarks)
    return [
      violation(
        ["benchmarks"],
        `'benchmarks' has ${entries.length} entries; at most ${maxBenchmarks} are allowed: split the collection`
      )
    ]
  const hint = makeHints()
  return entries.flatMap((entry, index) => {
    const path: Path = ["benchmarks", index]
    return [...checkEntry(entry, path), ...checkOffer(entry, path, find, hint, known)]
  })
}

/** an entry without a link of its own has the one of the provider's benchmark */
const normalisedEntry = (entry: CollectionEntry, find: Offers): CollectionEntry => {
  const [id, providerId] = [entry.id.trim(), entry.providerId.trim()]
  const { url: given, ...rest } = entry
  const url = given === undefined || given === "" ? find(providerId)?.benchmarks.get(id)?.url : given
  return { ...rest, id, providerId, ...defined({ url }) }
}

const normalised = (collection: CollectionDefinition, find: Offers): CollectionDefinition => ({
  ...collection,
  name: collection.name.trim(),
  category: collection.category.trim(),
  ...defined({ tags: collection.tags?.map((tag) => tag.trim()) }),
  benchmarks: collection.benchmarks.map((entry) => normalisedEntry(entry, find))
})

/** the definition as it is stored, or all problems with where they are; `findProvider` and `known` as the tenant sees them */
export const checkCollection = (
  collection: CollectionDefinition,
  findProvider: ProviderLookup,
  known: () => ReadonlyArray<Named> = () => []
): Either.Either<CollectionDefinition, readonly [Violation, ...ReadonlyArray<Violation>]> => {
  const find = offersOf(findProvider)
  const [first, ...rest] = [
    ...checkName(collection.name, ["name"], maxName),
    ...checkName(collection.category, ["category"], maxCategory),
    ...(collection.description === undefined ? [] : checkText(collection.description, ["description"], maxDescription)),
    ...(collection.tags === undefined ? [] : checkTags(collection.tags, ["tags"])),
    ...(collection.custom === undefined ? [] : checkFreeForm(collection.custom, ["custom"])),
    ...(collection.threshold === undefined ? [] : checkFinite(collection.threshold, ["threshold"])),
    ...(collection.agent === undefined ? [] : checkAgent(collection.agent, ["agent"])),
    ...checkEntries(collection.benchmarks, find, known),
    ...checkTogether([collection.custom, ...collection.benchmarks.map(({ parameters }) => parameters)], [])
  ]
  return first === undefined ? Either.right(normalised(collection, find)) : Either.left([first, ...rest])
}

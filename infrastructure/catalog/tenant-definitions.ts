/**
 * Definitions that tenants bring: one folder of files `<tenant>.<kind>.<name>.yaml`. Whose a file is says its name up to the first dot, never
 * the document. One that can not be used is left out and told to its tenant only; it never keeps others from being used.
 * Reference: providers-and-collections.md, "Definitions of tenants".
 */
import { basename } from "node:path"
import { Either } from "effect"
import type { LeftOut } from "../../application/ports/catalog.ts"
import { CollectionFile, ProviderFile } from "../../config/definition-schemas.ts"
import { definitionOfCollection, definitionOfProvider } from "../../config/definitions.ts"
import { inWireWords } from "../../config/wire-names.ts"
import { checkCollection } from "../../domain/collection/check-collection.ts"
import type { Collection } from "../../domain/collection/collection.ts"
import type { Problem } from "../../domain/file-problem.ts"
import { checkProvider } from "../../domain/provider/check-provider.ts"
import type { Provider } from "../../domain/provider/provider.ts"
import type { Violation } from "../../domain/violation.ts"
import { reasonOf } from "./left-out.ts"
import { filesOf, readDefinitionFile, recordOf } from "./read-definitions.ts"

export interface TenantDefinitions {
  readonly providers: ReadonlyArray<Provider>
  readonly collections: ReadonlyArray<Collection>
  readonly errors: ReadonlyArray<LeftOut>
}

interface TenantFile {
  readonly file: string
  readonly tenant: string
}

const named = /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)\.(provider|collection)\.[^.]+\.ya?ml$/

const filesOfKind = (files: ReadonlyArray<string>, kind: "provider" | "collection"): ReadonlyArray<TenantFile> =>
  files.flatMap((file) => {
    const [, tenant, , given] = named.exec(basename(file)) ?? []
    return tenant !== undefined && given === kind ? [{ file, tenant }] : []
  })

/** what a check found, in words of the file */
const sentenceOf = (violations: ReadonlyArray<Violation>): string => {
  const [first] = violations.map(inWireWords)
  return first === undefined ? "it can not be used" : reasonOf(first)
}

/** a problem of reading is told with its place in the document, without the file's */
const firstProblem = (problems: ReadonlyArray<Problem>): string => {
  const [first] = problems.filter(({ severity }) => severity === "error")
  return first === undefined ? "it can not be used" : reasonOf(first)
}

type Ids = ReadonlyArray<{ readonly id: string; readonly tenant?: string }>

/** why a tenant may not bring this id; undefined when it may */
const taken = (kind: string, id: string, tenant: string, known: Ids): string | undefined => {
  if (known.some((one) => one.id === id && one.tenant === undefined))
    return `'${id}' is a ${kind} of the installation; choose another id`
  return known.some((one) => one.id === id && one.tenant === tenant) ? `'${id}' is already defined` : undefined
}

const readProvider = ({ file, tenant }: TenantFile, known: Ids): Either.Either<Provider, string> => {
  const problems: Array<Problem> = []
  const read = readDefinitionFile(file, ProviderFile, problems)
  if (read === undefined || problems.some(({ severity }) => severity === "error"))
    return Either.left(firstProblem(problems))
  const { id } = read.decoded
  const reason = taken("provider", id, tenant, known)
  if (reason !== undefined) return Either.left(reason)
  if (read.decoded.runtime.local !== undefined)
    return Either.left("'runtime.local': a provider of a tenant can not run as a process of the server")
  return checkProvider(definitionOfProvider(read.decoded)).pipe(
    Either.mapBoth({
      onLeft: sentenceOf,
      onRight: (definition) => ({ id, ...definition, ...recordOf(tenant, read.changedAt) })
    })
  )
}

const readCollection = (
  { file, tenant }: TenantFile,
  known: Ids,
  providers: ReadonlyArray<Provider>
): Either.Either<Collection, string> => {
  const problems: Array<Problem> = []
  const read = readDefinitionFile(file, CollectionFile, problems)
  if (read === undefined || problems.some(({ severity }) => severity === "error"))
    return Either.left(firstProblem(problems))
  const { id } = read.decoded
  const reason = taken("collection", id, tenant, known)
  if (reason !== undefined) return Either.left(reason)
  const providerOf = (wanted: string) =>
    providers.find((one) => one.id === wanted && (one.tenant === undefined || one.tenant === tenant))
  return checkCollection(definitionOfCollection(read.decoded), providerOf).pipe(
    Either.mapBoth({
      onLeft: sentenceOf,
      onRight: (definition) => ({ id, ...definition, ...recordOf(tenant, read.changedAt) })
    })
  )
}

/** `system`: what the installation has, whose ids no tenant may take. Never fails; a folder that can not be read holds nothing. */
export const readTenantDefinitions = (
  folder: string,
  system: { readonly providers: ReadonlyArray<Provider>; readonly collections: ReadonlyArray<Collection> }
): TenantDefinitions => {
  const files = Either.getOrElse(filesOf(folder), () => [])
  const errors: Array<LeftOut> = []
  const collect = <A extends { readonly id: string; readonly tenant?: string }>(
    kind: "provider" | "collection",
    before: ReadonlyArray<A>,
    read: (file: TenantFile, known: ReadonlyArray<A>) => Either.Either<A, string>
  ): ReadonlyArray<A> => {
    const found: Array<A> = []
    for (const file of filesOfKind(files, kind)) {
      const one = read(file, [...before, ...found])
      if (Either.isRight(one)) found.push(one.right)
      else
        errors.push({
          line: `${basename(file.file).slice(file.tenant.length + 1)}: ${one.left}`,
          tenant: file.tenant
        })
    }
    return found
  }
  const providers = collect("provider", system.providers, readProvider)
  const collections = collect("collection", system.collections, (file, known) =>
    readCollection(file, known, [...system.providers, ...providers])
  )
  return { providers, collections, errors }
}

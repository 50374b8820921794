/** Bodies of POST, PUT and PATCH on providers and collections, decoded to the domain's definitions. Decisions 1, "Writes". */
import { Either } from "effect"
import type { Invalid } from "../../../application/errors.ts"
import { CollectionBody, ProviderBody } from "../../../config/definition-schemas.ts"
import { definitionOfCollection, definitionOfProvider } from "../../../config/definitions.ts"
import type { CollectionDefinition } from "../../../domain/collection/collection.ts"
import { isJsonObject } from "../../../domain/json-object.ts"
import type { ProviderDefinition } from "../../../domain/provider/provider.ts"
import { type Decoded, type DecodeOptions, decoder } from "./decode.ts"

type Decode<A> = (document: unknown, options: DecodeOptions) => Either.Either<Decoded<A>, Invalid>

/** members that only answers have: ignored on PUT, so that GET, edit, PUT works */
const answerMembers = new Set(["resource", "status", "results"])

const spellings: { readonly [old: string]: string } = {
  Image: "image",
  Entrypoint: "entrypoint",
  CPURequest: "cpu_request",
  MemoryRequest: "memory_request",
  CPULimit: "cpu_limit",
  MemoryLimit: "memory_limit",
  Env: "env"
}

/** the older spellings of `runtime.k8s`, where today's is not given as well */
const modernKeys = (document: unknown): unknown => {
  if (!isJsonObject(document)) return document
  const { runtime } = document
  if (!isJsonObject(runtime)) return document
  const { k8s } = runtime
  if (!isJsonObject(k8s)) return document
  const renamed = Object.entries(k8s).map(([name, value]) => {
    const modern = Object.hasOwn(spellings, name) ? spellings[name] : undefined
    return [modern === undefined || Object.hasOwn(k8s, modern) ? name : modern, value]
  })
  return { ...document, runtime: { ...runtime, k8s: Object.fromEntries(renamed) } }
}

export const withoutAnswerMembers = (document: unknown): unknown =>
  isJsonObject(document) ? Object.fromEntries(Object.entries(document).filter(([name]) => !answerMembers.has(name))) : document

const provider = decoder(ProviderBody)
const collection = decoder(CollectionBody)

export const decodeProvider: Decode<ProviderDefinition> = (document, options) =>
  Either.map(provider(modernKeys(document), options), ({ value, ignored }) => ({ value: definitionOfProvider(value), ignored }))

export const decodeCollection: Decode<CollectionDefinition> = (document, options) =>
  Either.map(collection(document, options), ({ value, ignored }) => ({ value: definitionOfCollection(value), ignored }))

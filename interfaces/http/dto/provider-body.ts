/** Bodies of POST, PUT and PATCH on providers and collections, decoded to the domain's definitions. Reference: api.md, "Bodies". */
import { Either } from "effect"
import type { Invalid } from "../../../application/errors.ts"
import { CollectionBody, ProviderBody } from "../../../config/definition-schemas.ts"
import { definitionOfCollection, definitionOfProvider } from "../../../config/definitions.ts"
import { modernKeys } from "../../../config/runtime-aliases.ts"
import type { CollectionDefinition } from "../../../domain/collection/collection.ts"
import { isJsonObject } from "../../../domain/json-object.ts"
import type { ProviderDefinition } from "../../../domain/provider/provider.ts"
import { type Decoded, type DecodeOptions, decoder } from "./decode.ts"

type Decode<A> = (document: unknown, options: DecodeOptions) => Either.Either<Decoded<A>, Invalid>

/** members that only answers have: ignored on PUT, so that GET, edit, PUT works */
const answerMembers = new Set(["resource", "status", "results"])

export const withoutAnswerMembers = (document: unknown): unknown =>
  isJsonObject(document) ? Object.fromEntries(Object.entries(document).filter(([name]) => !answerMembers.has(name))) : document

const provider = decoder(ProviderBody)
const collection = decoder(CollectionBody)

export const decodeProvider: Decode<ProviderDefinition> = (document, options) =>
  Either.map(provider(modernKeys(document).value, options), ({ value, ignored }) => ({ value: definitionOfProvider(value), ignored }))

export const decodeCollection: Decode<CollectionDefinition> = (document, options) =>
  Either.map(collection(document, options), ({ value, ignored }) => ({ value: definitionOfCollection(value), ignored }))

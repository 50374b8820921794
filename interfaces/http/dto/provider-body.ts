/** Bodies of POST, PUT and PATCH on providers and collections, decoded to the domain's definitions. Reference: api.md, "Bodies". */
import { Either, Schema } from "effect"
import { CollectionBody, ProviderBody } from "../../../config/definition-schemas.ts"
import { definitionOfCollection, definitionOfProvider } from "../../../config/definitions.ts"
import { modernKeys } from "../../../config/runtime-aliases.ts"
import type { CollectionDefinition } from "../../../domain/collection/collection.ts"
import type { ProviderDefinition } from "../../../domain/provider/provider.ts"
import { isObject } from "../../../values/json.ts"
import { type BodyReader, decoder } from "./decode.ts"
import { maybe, named } from "./shapes.ts"

const ignored = maybe(Schema.Unknown.annotations({ description: "only answers have this: ignored" }))

/** members that only answers have: ignored on PUT, so that GET, edit, PUT works */
const answerFields = { resource: ignored, status: ignored, results: ignored }
const answerMembers: ReadonlySet<string> = new Set(Object.keys(answerFields))

/** the body of a PUT */
export const replacement = <Fields extends Schema.Struct.Fields>(
  { fields }: Schema.Struct<Fields>,
  identifier: string
) => Schema.Struct({ ...fields, ...answerFields }).annotations({ identifier })

const withoutAnswerMembers = (document: unknown): unknown =>
  isObject(document)
    ? Object.fromEntries(Object.entries(document).filter(([name]) => !answerMembers.has(name)))
    : document

/** the reader of a PUT */
export const replacing =
  <A>(read: BodyReader<A>): BodyReader<A> =>
  (document, options) =>
    read(withoutAnswerMembers(document), options)

const provider = decoder(ProviderBody)
const collection = decoder(CollectionBody)

/** the body of a clone */
export const CollectionClone = Schema.Struct({
  name: maybe(named("name of the copy; default the original's"))
}).annotations({ identifier: "CollectionClone" })

export const decodeClone = decoder(CollectionClone)

export const decodeProvider: BodyReader<ProviderDefinition> = (document, options) =>
  Either.map(provider(modernKeys(document).value, options), ({ value, ignored }) => ({
    value: definitionOfProvider(value),
    ignored
  }))

export const decodeCollection: BodyReader<CollectionDefinition> = (document, options) =>
  Either.map(collection(document, options), ({ value, ignored }) => ({ value: definitionOfCollection(value), ignored }))

/** Handlers of the collection routes. Reference: api.md, "Definitions". */
import { Effect } from "effect"
import { collections } from "../../../application/collections/collections.ts"
import { listDefinitions } from "../../../application/definitions/list-definitions.ts"
import { matchesCollection } from "../../../domain/collection/collection-query.ts"
import { collectionPatch } from "../../../domain/patch/patch-policy.ts"
import type { GuardedHandler } from "../dispatch.ts"
import { filterOf, pageOf, readCollectionList } from "../dto/list-queries.ts"
import { decodeCollection } from "../dto/provider-body.ts"
import { collectionBodyWire, collectionText } from "../dto/provider-wire.ts"
import { definitionHandlers } from "./definitions.ts"
import { keptPages, onlyFields } from "./page-answer.ts"
import { acceptsJson } from "./read-request.ts"

export const { get, create, replace, patch, remove } = definitionHandlers(collections, {
  path: "/api/v1/evaluations/collections",
  decode: decodeCollection,
  body: collectionBodyWire,
  text: collectionText,
  policy: collectionPatch
})

const answerPage = keptPages()

export const list: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    const query = yield* readCollectionList(request.search)
    const { items, total, next } = yield* listDefinitions(collections, request.caller, matchesCollection(filterOf(query)), pageOf(query))
    const texts = items.map((collection) => onlyFields(collectionText(collection).json, query.fields))
    return answerPage(request, query, { items: texts, total, errors: undefined, ...(next === undefined ? {} : { next }) })
  })

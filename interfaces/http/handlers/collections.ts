/** Handlers of the collection routes. Reference: api.md, "Definitions". */
import { Effect } from "effect"
import { collections } from "../../../application/collections/collections.ts"
import { listDefinitions } from "../../../application/definitions/list-definitions.ts"
import { matchesCollection } from "../../../domain/collection/collection-query.ts"
import { defined } from "../../../values/defined.ts"
import { filterOf, pageOf } from "../dto/list-queries.ts"
import { decodeCollection } from "../dto/provider-body.ts"
import { collectionBodyWire, collectionText } from "../dto/provider-wire.ts"
import type { Handler } from "../handler.ts"
import { definitionHandlers } from "./definitions.ts"
import { keptPages, onlyFields } from "./page-answer.ts"
import { readQuery } from "./read-request.ts"

const { remove: removeNamed, ...others } = definitionHandlers(collections, {
  path: "/api/v1/evaluations/collections",
  decode: decodeCollection,
  body: collectionBodyWire,
  text: collectionText
})

export const { get, create, replace, patch } = others

// a removal is refused while another record names the one to be removed, and nothing names a collection
export const remove: Handler<"removeCollection"> = (request) =>
  Effect.catchTag(removeNamed(request), "Conflict", Effect.die)

const answerPage = keptPages()

export const list: Handler<"listCollections"> = (request) =>
  Effect.gen(function* () {
    const query = yield* readQuery(request)
    const { items, total, next } = yield* listDefinitions(
      collections,
      request.caller,
      matchesCollection(filterOf(query)),
      pageOf(query),
      (collection) => onlyFields(collectionText(collection).json, query.fields)
    )
    return answerPage(request, query, { items, total, errors: undefined, ...defined({ next }) })
  })

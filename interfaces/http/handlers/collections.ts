/** Handlers of the collection routes. Reference: api.md, "Definitions". */
import { Effect } from "effect"
import { cloneCollection } from "../../../application/collections/clone-collection.ts"
import { collections } from "../../../application/collections/collections.ts"
import { visibleDefinitions } from "../../../application/definitions/find-definition.ts"
import { listDefinitions } from "../../../application/definitions/list-definitions.ts"
import { matchesCollection } from "../../../domain/collection/collection-query.ts"
import { defined } from "../../../values/defined.ts"
import { filterOf, pageOf } from "../dto/list-queries.ts"
import { decodeCollection } from "../dto/provider-body.ts"
import { collectionBodyWire, collectionFacetsWire, collectionText } from "../dto/provider-wire.ts"
import type { Handler } from "../handler.ts"
import { tagged, tagOf } from "../middleware/conditional.ts"
import { onceKey } from "../middleware/idempotency.ts"
import { created, definitionHandlers } from "./definitions.ts"
import { keptPages, onlyFields } from "./page-answer.ts"
import { readQuery } from "./read-request.ts"

const wire = {
  path: "/api/v1/evaluations/collections",
  decode: decodeCollection,
  body: collectionBodyWire,
  text: collectionText
}
const { remove: removeNamed, ...others } = definitionHandlers(collections, wire)

export const { get, create, replace, patch } = others

export const clone: Handler<"cloneCollection"> = (request) =>
  created(request, wire, ({ name }, document) => {
    const { id } = request.params
    // one key stands for one original
    return Effect.flatMap(onceKey(request, [id, document]), (once) => cloneCollection(request.caller, id, name, once))
  })

export const facets: Handler<"getCollectionFacets"> = (request) =>
  Effect.gen(function* () {
    const filter = filterOf(yield* readQuery(request))
    const { records } = yield* visibleDefinitions(collections, request.caller.tenant)
    const text = JSON.stringify(collectionFacetsWire(records.filter(matchesCollection(filter))))
    return tagged(request.headers, text, tagOf(text))
  })

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

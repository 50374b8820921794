/** Handlers of the collection routes. Spec: "Collections"; decisions 1, "Writes". */
import { Effect, Either } from "effect"
import { changeCollection, type NextCollection } from "../../../application/collections/change-collection.ts"
import { createCollection } from "../../../application/collections/create-collection.ts"
import { getCollection } from "../../../application/collections/get-collection.ts"
import { listCollections } from "../../../application/collections/list-collections.ts"
import { removeCollection } from "../../../application/collections/remove-collection.ts"
import type { PreconditionFailed } from "../../../application/errors.ts"
import type { Collection } from "../../../domain/collection/collection.ts"
import { applyPatch } from "../../../domain/patch/apply-patch.ts"
import { collectionPatch, readPatch } from "../../../domain/patch/patch-policy.ts"
import type { GuardedHandler, GuardedRequest } from "../dispatch.ts"
import { filterOf, pageOf, readCollectionList, readNothing } from "../dto/list-queries.ts"
import { decodeCollection, withoutAnswerMembers } from "../dto/provider-body.ts"
import { collectionBodyWire, collectionText } from "../dto/provider-wire.ts"
import { empty, jsonText } from "../exchange.ts"
import { permitted, tagged } from "../middleware/conditional.ts"
import { onceKey, replayHeader } from "../middleware/idempotency.ts"
import { ignoredMembers, warningHeader } from "../middleware/warnings.ts"
import { HttpSettings } from "../services.ts"
import { keptPages, onlyFields } from "./page-answer.ts"
import { invalid, patchTypes } from "./patching.ts"
import { acceptsJson, readDocument } from "./read-request.ts"

const path = "/api/v1/evaluations/collections"

const idOf = ({ params }: GuardedRequest): string => params["id"] ?? ""

/** the caller's version is the stored one, or it named none */
const permit =
  ({ headers }: GuardedRequest) =>
  (current: Collection): Either.Either<void, PreconditionFailed> =>
    headers["if-match"] === undefined ? Either.void : permitted(headers, current.id)(collectionText(current).etag)

const answerPage = keptPages()

export const list: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    const query = yield* readCollectionList(request.search)
    const { items, total, next } = yield* listCollections(request.caller, filterOf(query), pageOf(query))
    const texts = items.map((collection) => onlyFields(collectionText(collection).json, query.fields))
    return answerPage(request, query, { items: texts, total, errors: undefined, ...(next === undefined ? {} : { next }) })
  })

export const get: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    yield* readNothing(request.search)
    const { json, etag } = collectionText(yield* getCollection(request.caller, idOf(request)))
    return tagged(request.headers, json, etag)
  })

export const create: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    yield* readNothing(request.search)
    const document = yield* readDocument(request)
    const { value, ignored } = yield* decodeCollection(document, yield* HttpSettings)
    const { collection, replayed } = yield* Effect.uninterruptible(createCollection(request.caller, value, yield* onceKey(request, document)))
    const { json, etag } = collectionText(collection)
    const headers = { location: `${path}/${collection.id}`, etag, ...replayHeader(replayed), ...warningHeader(ignoredMembers(ignored)) }
    return jsonText(json, headers, 201)
  })

export const replace: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    yield* readNothing(request.search)
    const document = withoutAnswerMembers(yield* readDocument(request))
    const { value, ignored } = yield* decodeCollection(document, yield* HttpSettings)
    const next: NextCollection = (current) => Either.map(permit(request)(current), () => value)
    const { json, etag } = collectionText(yield* Effect.uninterruptible(changeCollection(request.caller, idOf(request), next)))
    return jsonText(json, { etag, ...warningHeader(ignoredMembers(ignored)) })
  })

export const patch: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    yield* readNothing(request.search)
    const changes = yield* Either.mapLeft(readPatch(yield* readDocument(request, patchTypes), collectionPatch), invalid)
    const strict = { lenient: false }
    const next: NextCollection = (current) =>
      Either.gen(function* () {
        yield* permit(request)(current)
        const patched = yield* Either.mapLeft(applyPatch(collectionBodyWire(current), changes), invalid)
        return (yield* decodeCollection(patched, strict)).value
      })
    const { json, etag } = collectionText(yield* Effect.uninterruptible(changeCollection(request.caller, idOf(request), next)))
    return jsonText(json, { etag })
  })

export const remove: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* readNothing(request.search)
    yield* Effect.uninterruptible(removeCollection(request.caller, idOf(request), permit(request)))
    return empty
  })

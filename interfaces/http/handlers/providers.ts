/** Handlers of the provider routes. Spec: "Providers"; decisions 1, "Writes". */
import { Effect, Either } from "effect"
import type { PreconditionFailed } from "../../../application/errors.ts"
import { changeProvider, type NextProvider } from "../../../application/providers/change-provider.ts"
import { createProvider } from "../../../application/providers/create-provider.ts"
import { getProvider } from "../../../application/providers/get-provider.ts"
import { listProviders } from "../../../application/providers/list-providers.ts"
import { removeProvider } from "../../../application/providers/remove-provider.ts"
import { applyPatch } from "../../../domain/patch/apply-patch.ts"
import { providerPatch, readPatch } from "../../../domain/patch/patch-policy.ts"
import type { Provider } from "../../../domain/provider/provider.ts"
import type { GuardedHandler, GuardedRequest } from "../dispatch.ts"
import { filterOf, pageOf, readNothing, readProviderList } from "../dto/list-queries.ts"
import { decodeProvider, withoutAnswerMembers } from "../dto/provider-body.ts"
import { providerBodyWire, providerText } from "../dto/provider-wire.ts"
import { empty, jsonText } from "../exchange.ts"
import { permitted, tagged } from "../middleware/conditional.ts"
import { onceKey, replayHeader } from "../middleware/idempotency.ts"
import { ignoredMembers, warningHeader } from "../middleware/warnings.ts"
import { HttpSettings } from "../services.ts"
import { keptPages, onlyFields } from "./page-answer.ts"
import { invalid, patchTypes } from "./patching.ts"
import { acceptsJson, readDocument } from "./read-request.ts"

const path = "/api/v1/evaluations/providers"

const idOf = ({ params }: GuardedRequest): string => params["id"] ?? ""

/** the caller's version is the stored one, or it named none */
const permit =
  ({ headers }: GuardedRequest) =>
  (current: Provider): Either.Either<void, PreconditionFailed> =>
    headers["if-match"] === undefined ? Either.void : permitted(headers, current.id)(providerText(current).etag)

const answerPage = keptPages()

export const list: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    const query = yield* readProviderList(request.search)
    const { items, total, next, errors } = yield* listProviders(request.caller, filterOf(query), pageOf(query))
    const texts = items.map((provider) => onlyFields(query.benchmarks ? providerText(provider).json : providerText(provider).brief, query.fields))
    return answerPage(request, query, { items: texts, total, errors, ...(next === undefined ? {} : { next }) })
  })

export const get: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    yield* readNothing(request.search)
    const { json, etag } = providerText(yield* getProvider(request.caller, idOf(request)))
    return tagged(request.headers, json, etag)
  })

export const create: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    yield* readNothing(request.search)
    const document = yield* readDocument(request)
    const { value, ignored } = yield* decodeProvider(document, yield* HttpSettings)
    const { provider, replayed } = yield* Effect.uninterruptible(createProvider(request.caller, value, yield* onceKey(request, document)))
    const { json, etag } = providerText(provider)
    const headers = { location: `${path}/${provider.id}`, etag, ...replayHeader(replayed), ...warningHeader(ignoredMembers(ignored)) }
    return jsonText(json, headers, 201)
  })

export const replace: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    yield* readNothing(request.search)
    const document = withoutAnswerMembers(yield* readDocument(request))
    const { value, ignored } = yield* decodeProvider(document, yield* HttpSettings)
    const next: NextProvider = (current) => Either.map(permit(request)(current), () => value)
    const { json, etag } = providerText(yield* Effect.uninterruptible(changeProvider(request.caller, idOf(request), next)))
    return jsonText(json, { etag, ...warningHeader(ignoredMembers(ignored)) })
  })

export const patch: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    yield* readNothing(request.search)
    const changes = yield* Either.mapLeft(readPatch(yield* readDocument(request, patchTypes), providerPatch), invalid)
    const strict = { lenient: false }
    const next: NextProvider = (current) =>
      Either.gen(function* () {
        yield* permit(request)(current)
        const patched = yield* Either.mapLeft(applyPatch(providerBodyWire(current), changes), invalid)
        return (yield* decodeProvider(patched, strict)).value
      })
    const { json, etag } = providerText(yield* Effect.uninterruptible(changeProvider(request.caller, idOf(request), next)))
    return jsonText(json, { etag })
  })

export const remove: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* readNothing(request.search)
    yield* Effect.uninterruptible(removeProvider(request.caller, idOf(request), permit(request)))
    return empty
  })

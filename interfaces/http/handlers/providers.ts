/** Handlers of the provider routes. Reference: api.md, "Definitions". */
import { Effect } from "effect"
import { listDefinitions } from "../../../application/definitions/list-definitions.ts"
import { providers } from "../../../application/providers/providers.ts"
import { providerPatch } from "../../../domain/patch/patch-policy.ts"
import { matchesProvider } from "../../../domain/provider/provider-query.ts"
import type { GuardedHandler } from "../dispatch.ts"
import { filterOf, pageOf, readProviderList } from "../dto/list-queries.ts"
import { decodeProvider } from "../dto/provider-body.ts"
import { providerBodyWire, providerText } from "../dto/provider-wire.ts"
import { definitionHandlers } from "./definitions.ts"
import { keptPages, onlyFields } from "./page-answer.ts"
import { acceptsJson } from "./read-request.ts"

export const { get, create, replace, patch, remove } = definitionHandlers(providers, {
  path: "/api/v1/evaluations/providers",
  decode: decodeProvider,
  body: providerBodyWire,
  text: providerText,
  policy: providerPatch
})

const answerPage = keptPages()

export const list: GuardedHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    const query = yield* readProviderList(request.search)
    const { items, total, next, errors } = yield* listDefinitions(providers, request.caller, matchesProvider(filterOf(query)), pageOf(query))
    const texts = items.map((provider) => onlyFields(query.benchmarks ? providerText(provider).json : providerText(provider).brief, query.fields))
    return answerPage(request, query, { items: texts, total, errors, ...(next === undefined ? {} : { next }) })
  })

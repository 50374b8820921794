/** Handlers of the provider routes. Reference: api.md, "Definitions". */
import { Effect } from "effect"
import { listDefinitions } from "../../../application/definitions/list-definitions.ts"
import { listBenchmarks } from "../../../application/providers/list-benchmarks.ts"
import { providers } from "../../../application/providers/providers.ts"
import { itemsOfPage } from "../../../domain/paging.ts"
import { benchmarkFacets } from "../../../domain/provider/benchmark-query.ts"
import { matchesProvider } from "../../../domain/provider/provider-query.ts"
import { defined } from "../../../values/defined.ts"
import { benchmarkFilterOf, filterOf, pageOf } from "../dto/list-queries.ts"
import { decodeProvider } from "../dto/provider-body.ts"
import { offeredBenchmarkWire, providerBodyWire, providerText } from "../dto/provider-wire.ts"
import type { Handler } from "../handler.ts"
import { definitionHandlers } from "./definitions.ts"
import { keptPages, onlyFields, pageAnswer } from "./page-answer.ts"
import { readQuery } from "./read-request.ts"

export const { get, create, replace, patch, remove } = definitionHandlers(providers, {
  path: "/api/v1/evaluations/providers",
  decode: decodeProvider,
  body: providerBodyWire,
  text: providerText
})

const answerPage = keptPages()

export const list: Handler<"listProviders"> = (request) =>
  Effect.gen(function* () {
    const query = yield* readQuery(request)
    const { items, total, next, errors } = yield* listDefinitions(
      providers,
      request.caller,
      matchesProvider(filterOf(query)),
      pageOf(query),
      (provider) =>
        onlyFields(query.benchmarks ? providerText(provider).json : providerText(provider).brief, query.fields)
    )
    return answerPage(request, query, { items, total, errors, ...defined({ next }) })
  })

export const benchmarks: Handler<"listBenchmarks"> = (request) =>
  Effect.gen(function* () {
    const query = yield* readQuery(request)
    const { offered, errors } = yield* listBenchmarks(request.caller, benchmarkFilterOf(query))
    const { providerId: provider_id, ...counted } = benchmarkFacets(query.facets ? offered : [])
    const asked = offered
      .slice(query.offset, query.offset + query.limit)
      .map((one) => JSON.stringify(offeredBenchmarkWire(one)))
    return pageAnswer(request, query, {
      items: asked.slice(0, itemsOfPage(asked.map(({ length }) => length))),
      total: offered.length,
      errors,
      ...(query.facets ? { facets: JSON.stringify({ provider_id, ...counted }) } : {})
    })
  })

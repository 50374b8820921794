/** Handlers of the provider routes. Reference: api.md, "Definitions". */
import { Effect } from "effect"
import { listDefinitions } from "../../../application/definitions/list-definitions.ts"
import { providers } from "../../../application/providers/providers.ts"
import { matchesProvider } from "../../../domain/provider/provider-query.ts"
import { defined } from "../../../values/defined.ts"
import { filterOf, pageOf } from "../dto/list-queries.ts"
import { decodeProvider } from "../dto/provider-body.ts"
import { providerBodyWire, providerText } from "../dto/provider-wire.ts"
import type { Handler } from "../handler.ts"
import { definitionHandlers } from "./definitions.ts"
import { keptPages, onlyFields } from "./page-answer.ts"
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

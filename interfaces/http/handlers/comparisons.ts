/** Handlers of the comparison routes. Reference: comparison-and-gates.md, "Comparing jobs". */
import { Effect } from "effect"
import { createComparison, getDecision, listDecisions } from "../../../application/decisions/compare-jobs.ts"
import type { Comparison } from "../../../domain/comparison/comparison.ts"
import { comparisonWire } from "../dto/decisions/comparison.ts"
import { jsonText } from "../exchange.ts"
import type { Handler } from "../handler.ts"
import { tagged, tagOf } from "../middleware/conditional.ts"
import { pageAnswer } from "./page-answer.ts"
import { readPayload, readQuery } from "./read-request.ts"

const textOf = (record: string): string => JSON.stringify(comparisonWire(JSON.parse(record) as Comparison))

export const create: Handler<"createComparison"> = (request) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    const { value } = yield* readPayload(request)
    const { id, record, isNew } = yield* createComparison(request.caller, value)
    return jsonText(textOf(record), { location: `/api/v1/evaluations/comparisons/${id}` }, isNew ? 201 : 200)
  })

export const get: Handler<"getComparison"> = (request) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    const text = textOf(yield* getDecision(request.caller, "comparison", request.params.id))
    return tagged(request.headers, text, tagOf(text))
  })

export const ofJob: Handler<"listJobComparisons"> = (request) =>
  Effect.gen(function* () {
    const query = yield* readQuery(request)
    const { items, total } = yield* listDecisions(request.caller, "comparison", request.params.id, query)
    return pageAnswer(request, query, { items: items.map(textOf), total, errors: undefined })
  })

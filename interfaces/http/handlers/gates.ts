/** Handlers of the gate routes. Reference: comparison-and-gates.md, "Gates". */
import { Effect } from "effect"
import { getDecision, listDecisions } from "../../../application/decisions/compare-jobs.ts"
import { createGate } from "../../../application/decisions/judge-job.ts"
import { NotFound } from "../../../application/errors.ts"
import type { Gate } from "../../../domain/gate/gate.ts"
import { gateWire } from "../dto/decisions/gate.ts"
import { jsonText } from "../exchange.ts"
import type { Handler } from "../handler.ts"
import { tagged, tagOf } from "../middleware/conditional.ts"
import { pageAnswer } from "./page-answer.ts"
import { readPayload, readQuery } from "./read-request.ts"

const gateOf = (record: string) => JSON.parse(record) as Gate
const textOf = (record: string): string => JSON.stringify(gateWire(gateOf(record)))

export const create: Handler<"createGate"> = (request) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    const { value } = yield* readPayload(request)
    const { id: job } = request.params
    const { id, record, isNew } = yield* createGate(request.caller, job, value)
    return jsonText(textOf(record), { location: `/api/v1/evaluations/jobs/${job}/gates/${id}` }, isNew ? 201 : 200)
  })

export const get: Handler<"getGate"> = (request) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    const { id, gate_id } = request.params
    const record = yield* getDecision(request.caller, "gate", gate_id)
    const { job, baseline } = gateOf(record)
    if (id !== job.id && id !== baseline?.id) return yield* new NotFound({ kind: "gate", id: gate_id })
    const text = textOf(record)
    return tagged(request.headers, text, tagOf(text))
  })

export const ofJob: Handler<"listJobGates"> = (request) =>
  Effect.gen(function* () {
    const query = yield* readQuery(request)
    const { items, total } = yield* listDecisions(request.caller, "gate", request.params.id, query)
    return pageAnswer(request, query, { items: items.map(textOf), total, errors: undefined })
  })

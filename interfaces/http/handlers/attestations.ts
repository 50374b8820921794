/** Handlers of the routes that sign. Reference: signing.md, "Statements", "One sample". */
import { Effect } from "effect"
import { discloseSample, signResults } from "../../../application/signing/sign-results.ts"
import { defined } from "../../../values/defined.ts"
import { json } from "../exchange.ts"
import type { Handler } from "../handler.ts"
import { turn } from "../listener/turn.ts"
import { readQuery } from "./read-request.ts"
import { indexOf } from "./samples.ts"

const fresh = { "cache-control": "no-store" }

export const ofJob: Handler<"getAttestation"> = (request) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    return json(yield* signResults(request.caller, request.params.id, turn), fresh)
  })

export const ofSample: Handler<"discloseSample"> = (request) =>
  Effect.gen(function* () {
    const { task, repeat } = yield* readQuery(request)
    const { id, sample_id } = request.params
    const index = yield* indexOf(request.params.index)
    const key = { sampleId: sample_id, repeat, ...defined({ task }) }
    return json(yield* discloseSample(request.caller, { jobId: id, index }, key, turn), fresh)
  })

/** Handler of the explanation of a job. Reference: explain.md, "Findings". */
import { Effect } from "effect"
import { explainJob } from "../../../application/jobs/explain-job.ts"
import { explanationWire } from "../dto/decisions/explanation.ts"
import { json } from "../exchange.ts"
import type { Handler } from "../handler.ts"
import { readQuery } from "./read-request.ts"

export const ofJob: Handler<"explainJob"> = (request) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    const explained = yield* explainJob(request.caller, request.params.id)
    return json(explanationWire(explained), { "cache-control": "no-store" })
  })

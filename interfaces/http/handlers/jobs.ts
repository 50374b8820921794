/** Handlers of the job routes. Reads answer stored text as it is. Reference: api.md, "Submitting a job". */
import { Effect } from "effect"
import { cancelJob } from "../../../application/jobs/cancel-job.ts"
import { getJob } from "../../../application/jobs/get-job.ts"
import { listJobs } from "../../../application/jobs/list-jobs.ts"
import { planJob } from "../../../application/jobs/plan-job.ts"
import { issuePlanToken, planKey } from "../../../application/jobs/plan-token.ts"
import { removeJob } from "../../../application/jobs/remove-job.ts"
import { rerunJob } from "../../../application/jobs/rerun-job.ts"
import { storedPlan } from "../../../application/jobs/stored-plan.ts"
import { type Submitted, submitJob } from "../../../application/jobs/submit-job.ts"
import { wireSentence } from "../../../config/wire-names.ts"
import { defined } from "../../../values/defined.ts"
import { digestOf } from "../../../values/digest.ts"
import { jobQueryOf } from "../dto/list-queries.ts"
import { planWire } from "../dto/plan.ts"
import { Refused } from "../error-response.ts"
import { empty, type Headers, json, jsonText } from "../exchange.ts"
import type { Handler } from "../handler.ts"
import { permitted, tagged, tagOf } from "../middleware/conditional.ts"
import { onceKey, planTokenOf, replayHeader } from "../middleware/idempotency.ts"
import { ignoredMembers, warningHeader } from "../middleware/warnings.ts"
import { pageAnswer } from "./page-answer.ts"
import { acceptsJson, breathe, readPayload, readQuery } from "./read-request.ts"
import { watchJobList } from "./watch.ts"

const jobsPath = "/api/v1/evaluations/jobs"

const accepted = (job: Submitted, ignored: ReadonlyArray<string>) => {
  const headers: Headers = {
    location: `${jobsPath}/${job.id}`,
    ...defined({ etag: job.etag }),
    ...replayHeader(job.replayed),
    ...warningHeader([...ignoredMembers(ignored), ...job.warnings.map(wireSentence)])
  }
  return jsonText(job.json, headers, 202)
}

const tokenWithoutPlan = new Refused({
  code: "query_parameter_invalid",
  message: "plan_token=true goes with dry_run=true: a token is answered with a plan"
})

export const submit: Handler<"submitJob"> = (request) =>
  Effect.gen(function* () {
    const { dry_run, plan_token } = yield* readQuery(request)
    if (plan_token && !dry_run) return yield* tokenWithoutPlan
    const { value, ignored, notes, document } = yield* readPayload(request)
    if (dry_run) {
      const plan = yield* planJob(request.caller, value, notes)
      const token = plan_token ? yield* issuePlanToken(request.caller, digestOf(document), plan) : undefined
      const warnings = [...ignoredMembers(ignored), ...plan.warnings.map(wireSentence)]
      return json(planWire(plan, token), warningHeader(warnings))
    }
    const planned = yield* planTokenOf(request)
    const key =
      planned === undefined
        ? yield* onceKey(request, document)
        : yield* planKey(request.caller, digestOf(document), planned)
    yield* breathe(request)
    const job = yield* submitJob(request.caller, value, { notes, key, pause: breathe(request) })
    return accepted(job, ignored)
  })

export const list: Handler<"listJobs"> = (request) =>
  Effect.gen(function* () {
    const query = yield* readQuery(request)
    if (query.watch) return yield* watchJobList(request)
    yield* acceptsJson(request)
    return pageAnswer(request, query, yield* listJobs(request.caller, jobQueryOf(query), query.fields))
  })

export const get: Handler<"getJob"> = (request) =>
  Effect.flatMap(readQuery(request), () =>
    Effect.map(getJob(request.caller, request.params.id), ({ json: text, etag }) => tagged(request.headers, text, etag))
  )

export const plan: Handler<"getJobPlan"> = (request) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    const text = JSON.stringify(planWire(yield* storedPlan(request.caller, request.params.id)))
    return tagged(request.headers, text, tagOf(text))
  })

export const cancel: Handler<"cancelJob"> = (request) =>
  Effect.gen(function* () {
    const { hard_delete } = yield* readQuery(request)
    const { id } = request.params
    const permit = permitted(request.headers, id)
    yield* Effect.uninterruptible(
      hard_delete ? removeJob(request.caller, id, permit) : cancelJob(request.caller, id, permit)
    )
    return empty
  })

export const rerun: Handler<"rerunJob"> = (request) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    const { value, ignored, notes, document } = yield* readPayload(request)
    const { id } = request.params
    // the same body means another job under another path
    const key = yield* onceKey(request, { rerunOf: id, document })
    return accepted(yield* rerunJob(request.caller, id, value, { notes, key }), ignored)
  })

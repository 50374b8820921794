/** Runs a job once more, or a part of it, as a new job; nothing of the old one changes. Reference: reruns.md, "Asking for a rerun". */
import { Effect, Either } from "effect"
import { planRerun, type RerunRequest } from "../../domain/job/submission/rerun.ts"
import { given, type Path } from "../../domain/path.ts"
import type { Caller } from "../access/caller.ts"
import { Conflict, Invalid } from "../errors.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { type SubmitOptions, submitJob } from "./submit-job.ts"

/** where the caller said it: problems of the new request lie in `overrides` when the member comes from there */
const asAsked = (path: Path, overrides: object): Path => {
  const [first] = path
  const name = typeof first === "object" ? first.given : first
  return name !== undefined && Object.hasOwn(overrides, name) ? [given("overrides"), ...path] : path
}

/** the new job, or what the same key stored before */
export const rerunJob = Effect.fn("jobs.rerun")(function* (
  caller: Caller,
  id: string,
  asked: RerunRequest,
  options: Omit<SubmitOptions, "complete"> = {}
) {
  const job = yield* (yield* JobStore).load(caller.tenant, id)
  const plan = planRerun(job, asked)
  if (Either.isLeft(plan)) {
    if (plan.left._tag === "Refused") return yield* new Invalid({ violations: plan.left.violations })
    const message = `job ${id} is ${job.state}; wait until it has ended, or cancel it, and run it again then`
    return yield* new Conflict({ code: "job_has_not_ended", message })
  }
  const { request, complete } = plan.right
  return yield* submitJob(caller, request, { ...options, complete }).pipe(
    Effect.catchTag("Invalid", ({ violations: [first, ...rest] }) => {
      const told = (one: typeof first) => ({ ...one, path: asAsked(one.path, asked.overrides) })
      return new Invalid({ violations: [told(first), ...rest.map(told)] })
    })
  )
})

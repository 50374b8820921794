/**
 * Everything before a job is stored, for submissions and dry runs alike: reads what the request names, lets the domain check and build
 * the job, and asks the runtime what it can tell. Nothing is written. Reference: api.md, "Submitting a job".
 */

import { Effect, Either } from "effect"
import type { Benchmark, Job, JobRequest } from "../../domain/job/job.ts"
import { locatedIn } from "../../domain/job/submission/expand-collection.ts"
import { profileReferences } from "../../domain/job/submission/profile-references.ts"
import { type Submission, submit } from "../../domain/job/submission/submission.ts"
import { defined } from "../../values/defined.ts"
import type { Caller } from "../access/caller.ts"
import { withGate } from "../decisions/job-gate.ts"
import { Forbidden, Invalid } from "../errors.ts"
import { isoNow } from "../iso-now.ts"
import { HardwareProfiles } from "../ports/hardware-profiles.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { Notifier } from "../ports/notifier.ts"
import { Runtime } from "../ports/runtime.ts"
import { JobPolicy } from "./job-policy.ts"
import { definitionsNamedBy } from "./named-definitions.ts"

/** runs in this job */
export const isOwn = ({ carried }: Benchmark): boolean => carried === undefined

// a call that keeps its stack trace costs ten microseconds, whether anybody traces or not
/** the job as it would be stored, with warnings; `notes`: what of the request is not stored as it was sent, `complete`: adds what the request does not say; `Invalid` with every problem otherwise */
export const prepareJob = Effect.fnUntraced(
  function* (
    caller: Caller,
    request: JobRequest,
    notes: ReadonlyArray<string> = [],
    complete: (made: Job) => Job = (made) => made
  ) {
    const runtime = yield* Runtime
    const profiles = yield* HardwareProfiles
    const notifier = yield* Notifier
    const policy = yield* JobPolicy
    const { trackerConfigured, egress, ownNamespace, validityLimits, requestLogVolume } = policy
    if (caller.tenant === ownNamespace)
      return yield* new Forbidden({
        message: `namespace '${caller.tenant}' holds the service itself and is no tenant: no jobs run there`
      })
    const definitions = yield* definitionsNamedBy(caller.tenant, request)
    const references = runtime.kind === "local" ? [] : profileReferences(request)
    const found = new Map(
      yield* Effect.forEach(references, (name) =>
        Effect.map(profiles.find(name), (profile) => [name, profile] as const)
      )
    )
    const submission: Either.Either<Submission, Invalid["violations"]> = submit(request, {
      id: yield* (yield* Identifiers).next,
      tenant: caller.tenant,
      owner: caller.owner,
      now: yield* isoNow,
      mode: runtime.kind,
      ...definitions,
      findProfile: (name) => found.get(name),
      trackerConfigured,
      resumable: runtime.kind === "local" || requestLogVolume === true,
      notes,
      ...defined({
        egress,
        validityLimits: validityLimits?.(caller.tenant),
        budgets: policy.budgets?.(caller.tenant),
        notifications: notifier?.rules,
        price: policy.price?.(request.model.name.trim())
      })
    })
    if (Either.isLeft(submission)) return yield* new Invalid({ violations: submission.left })
    const { warnings } = submission.right
    const job = complete(submission.right.job)
    const [first, ...rest] = (yield* runtime.check(job.benchmarks.filter(isOwn))).map((problem) =>
      locatedIn(problem, job.request)
    )
    if (first !== undefined) return yield* new Invalid({ violations: [first, ...rest] })
    const benchmarks = job.benchmarks.map((benchmark) => {
      if (!isOwn(benchmark)) return benchmark
      const name = runtime.backingName({ jobId: job.id, index: benchmark.index, attempt: benchmark.attempt })
      return name === undefined ? benchmark : { ...benchmark, backing: { name } }
    })
    const gated = yield* withGate(caller, { ...job, benchmarks }, definitions.findProvider)
    const tenantNotifications = notifier?.ofTenant(caller.tenant) ?? []
    const notified =
      tenantNotifications.length === 0 ? gated : { ...gated, request: { ...gated.request, tenantNotifications } }
    return { job: notified, warnings }
  },
  Effect.withSpan("jobs.prepare", { captureStackTrace: false })
)

/** One script of everything that shapes a record, and what it looks like afterwards: every store must answer the same bytes. */
import { Effect } from "effect"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import type { JobRequest } from "../../../domain/job/job.ts"
import { cancel, remove, report } from "../../support/store-actions.ts"
import { completedEvent, failedEvent, jobId, makeJob, runningEvent } from "../../support/stored-jobs.ts"

const odd = 'quote " backslash \\ emoji 🙂 NUL-escape \\u0000 tab \t % _ \u2028 é e\u0301'

const requests: ReadonlyArray<Partial<JobRequest>> = [
  {},
  { name: odd, description: odd, tags: [odd, "b"], custom: { [odd]: [1e21, -0, 0.1, null, { deep: [[]] }] } },
  {
    model: { url: "http://m/v1", name: odd, parameters: { temperature: 0.5, api_key: "k" }, auth: { secretRef: "s" } }
  },
  { experiment: { name: "e", tags: [{ key: "k", value: odd }], artifactLocation: "s3://b" }, threshold: 1e-7 },
  {
    exports: { oci: { coordinates: { host: "h", repository: "r", annotations: { a: odd } } } },
    hardware: { profileName: "p" },
    queue: { name: "q" }
  }
]

export const transcript = Effect.gen(function* () {
  const store = yield* JobStore
  for (const [number, request] of requests.entries()) {
    const createdAt = `2026-01-0${number + 1}T00:00:00.000Z`
    const job = makeJob({
      id: jobId(number),
      tenant: "same",
      benchmarks: 3,
      createdAt,
      owner: odd,
      trackerExperimentId: "e",
      request
    })
    yield* store.insert(job, [])
    yield* report(job.id, { ...runningEvent(0), progress: { message: odd, completed: 1, total: 3 } })
    yield* report(job.id, {
      ...completedEvent(0, 0.1 + 0.2),
      metrics: { accuracy: 0.1 + 0.2, label: odd, ok: true, none: "NaN" },
      artifacts: { file: odd },
      additionalInfo: { n: 1e300 },
      trackerRunId: "run",
      metricsSchema: [{ name: "accuracy", type: "numeric", ci: [0, 1], ciLevel: 0.95 }]
    })
    if (number % 2 === 0) yield* report(job.id, failedEvent(1))
    if (number === 2) yield* cancel("same", job.id)
    if (number === 4) yield* report(job.id, completedEvent(2))
    if (number === 3) yield* remove("same", job.id)
  }
  const all = yield* store.page("same", { limit: 3, offset: 1 })
  const states = yield* store.page("same", { limit: 100, offset: 0, states: { values: ["running"], negated: true } })
  const named = yield* store.page("same", { limit: 100, offset: 0, name: "É" })
  const single = yield* store.render("same", jobId(1))
  return { all, states, named, single, loaded: yield* store.load("same", jobId(2)) }
})

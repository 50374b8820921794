/** What of a job runs again, and what is taken over. */
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { inWireWords } from "../../../../../config/wire-names.ts"
import type { Benchmark, Job } from "../../../../../domain/job/job.ts"
import { planRerun, type RerunRequest } from "../../../../../domain/job/submission/rerun.ts"
import { sampleJob, sampleSnapshot, second } from "../../../../support/sample-job.ts"

const entry = (id: string) => ({ id, providerId: "p" })
const test = { primaryScore: 0.9, metric: "acc", lowerIsBetter: false }
const invalid = { status: "invalid", flags: [] } as const

const ended: ReadonlyArray<Partial<Benchmark>> = [
  { entry: entry("good"), state: "completed", completedAt: second(9), result: { metrics: { acc: 0.9 }, test } },
  {
    entry: { ...entry("bad"), parameters: { seed: 1, num_examples: 5 } },
    state: "failed",
    error: { message: "it broke", code: "framework_failed", origin: "adapter" },
    snapshot: sampleSnapshot({ weight: 3, threshold: { value: 0.4, source: "collection" } })
  },
  { entry: entry("doubtful"), state: "completed", result: { metrics: { acc: 1 }, test, validity: invalid } },
  { entry: entry("stopped"), state: "failed", carried: { job: "job-0", index: 7 } }
]

const asked = (given: Partial<RerunRequest> = {}): RerunRequest => ({
  which: "failed",
  reuse: false,
  overrides: {},
  ...given
})

const planned = (job: Job, given: Partial<RerunRequest> = {}) => Either.getOrThrow(planRerun(job, asked(given)))

const problems = (job: Job, given: Partial<RerunRequest>) =>
  Either.match(planRerun(job, asked(given)), {
    onLeft: (refusal) =>
      refusal._tag === "NotEnded" ? ["NotEnded"] : refusal.violations.map(inWireWords).map(({ path }) => path),
    onRight: () => []
  })

/** what a submission would make of the plan's request */
const completed = (job: Job, given: Partial<RerunRequest> = {}): Job => {
  const { request, complete } = planned(job, given)
  const made = sampleJob((request.benchmarks ?? []).map((one) => ({ entry: one })))
  return complete({ ...made, id: "job-2", request: { ...request, benchmarks: request.benchmarks ?? [] } })
}

describe("a rerun", () => {
  it("takes the benchmarks that were asked for", () => {
    const ids = (which: RerunRequest["which"]) =>
      planned(sampleJob(ended), { which }).request.benchmarks?.map(({ id }) => id)
    assert.deepStrictEqual(ids("failed"), ["bad", "stopped"])
    assert.deepStrictEqual(ids("invalid"), ["doubtful"])
    assert.deepStrictEqual(ids("all"), ["good", "bad", "doubtful", "stopped"])
  })

  it("is refused while the job runs, and where nothing is to run", () => {
    assert.deepStrictEqual(problems(sampleJob([{ state: "failed" }, {}]), {}), ["NotEnded"])
    const [good] = ended
    const fine = sampleJob(good === undefined ? [] : [good])
    assert.deepStrictEqual(problems(fine, {}), ["/which"])
    assert.deepStrictEqual(problems(fine, { which: "invalid" }), ["/which"])
    assert.deepStrictEqual(problems(fine, { which: "all" }), [])
  })

  it("never puts results of two models or two sets of limits beside each other", () => {
    const job = sampleJob(ended)
    const other = { model: { ...job.model, name: "other" }, validityLimits: { error_share: 0.5 } }
    assert.deepStrictEqual(problems(job, { reuse: true, overrides: other }), [
      "/overrides/model",
      "/overrides/validity_limits"
    ])
    assert.deepStrictEqual(problems(job, { overrides: other }), [])
    const credentials = { model: { ...job.model, auth: { secretRef: "new" } } }
    assert.deepStrictEqual(problems(job, { reuse: true, overrides: credentials }), [])
  })

  it("lays parameters over those of each benchmark, and puts other members in the place of the old ones", () => {
    const { request } = planned(sampleJob(ended), { overrides: { name: "again", parameters: { num_examples: 9 } } })
    assert.strictEqual(request.name, "again")
    assert.deepStrictEqual(
      request.benchmarks?.map(({ parameters }) => parameters),
      [{ seed: 1, num_examples: 9 }, { num_examples: 9 }]
    )
  })

  it("of a collection asks for the copied benchmarks and the threshold that held", () => {
    const job = sampleJob(ended)
    const collected = { ...job, threshold: 0.8, request: { ...job.request, collection: { id: "c" } } }
    const { request } = planned(collected)
    assert.deepStrictEqual([request.collection, request.threshold], [undefined, 0.8])
    assert.strictEqual(completed(collected).request.collection, undefined)
    assert.deepStrictEqual(completed(collected, { which: "all" }).request.collection, { id: "c" })
    assert.deepStrictEqual(completed(collected, { reuse: true }).request.collection, { id: "c" })
  })

  it("keeps the gate when it has all benchmarks, and leaves the trace of the old submission", () => {
    const job = sampleJob(ended)
    const gate = { policy: { criteria: [] } }
    const gated = { ...job, request: { ...job.request, gate, traceparent: "00-1-2-01" } }
    assert.deepStrictEqual(planned(gated, { reuse: true }).request.gate, gate)
    assert.strictEqual(planned(gated).request.gate, undefined)
    assert.notProperty(planned(gated).request, "traceparent")
  })

  it("runs a part by itself, judged as before", () => {
    const job = completed(sampleJob(ended))
    assert.deepStrictEqual(job.request.rerunOf, { job: "job-1", which: "failed", reuse: false })
    assert.deepStrictEqual(
      job.benchmarks.map(({ index, entry: { id }, state }) => [index, id, state]),
      [
        [0, "bad", "pending"],
        [1, "stopped", "pending"]
      ]
    )
    const [bad] = job.benchmarks
    assert.strictEqual(bad?.snapshot.weight, 3)
    assert.deepStrictEqual(bad?.snapshot.threshold, { value: 0.4, source: "collection" })
    assert.notProperty(bad, "carried")
  })

  it("goes on with the kept answers of what failed, under the benchmark that first asked", () => {
    const job = sampleJob([...ended, { state: "failed", resumes: { job: "job-0", index: 3 } }])
    const resuming = { ...job, request: { ...job.request, resume: true } }
    assert.deepStrictEqual(
      completed(resuming, { which: "all" }).benchmarks.map(({ resumes }) => resumes),
      [undefined, { job: "job-1", index: 1 }, undefined, { job: "job-0", index: 7 }, { job: "job-0", index: 3 }]
    )
    assert.deepStrictEqual(
      completed(job).benchmarks.map(({ resumes }) => resumes),
      [undefined, undefined, undefined]
    )
  })

  it("with reuse has every benchmark in its place, and says of the others where they ran", () => {
    const before = sampleJob(ended)
    const job = completed(before, { which: "invalid", reuse: true })
    assert.deepStrictEqual(
      job.benchmarks.map(({ index, state, carried }) => [index, state, carried]),
      [
        [0, "completed", { job: "job-1", index: 0 }],
        [1, "failed", { job: "job-1", index: 1 }],
        [2, "pending", undefined],
        [3, "failed", { job: "job-0", index: 7 }]
      ]
    )
    assert.deepStrictEqual(
      [job.state, job.counts],
      ["running", { pending: 1, running: 0, completed: 1, failed: 2, cancelled: 0 }]
    )
    assert.deepStrictEqual(job.benchmarks[0]?.result, before.benchmarks[0]?.result)
    assert.deepStrictEqual(job.benchmarks[1]?.error?.code, "framework_failed")
    assert.deepStrictEqual(
      job.request.benchmarks.map(({ id }) => id),
      ["good", "bad", "doubtful", "stopped"]
    )
  })
})

import { assert, describe, it } from "vitest"
import { reportText } from "../../../../interfaces/cli/client/verbs/report.ts"
import type { ReportData, ReportedJob } from "../../../../interfaces/client/report.ts"
import { answersOf } from "../../../../interfaces/ui/report/answers.ts"

type Item = ReportedJob["samples"][number]

const path = { id: "j1" }
const sample = (index: number, more: Partial<Item> & { readonly response?: string } = {}): Item => {
  const { response = "", ...members } = more
  const key = { sample_id: `s${index}`, task: "t", index, repeat: 0, verdict: "correct" as const, ...members }
  return {
    ...{ benchmark_index: 0, sha256: "0".repeat(64) },
    ...key,
    record: { v: 1, ...key, response }
  }
}

const reported = (id: string, samples: ReadonlyArray<Item>): ReportedJob => ({
  samplesInAll: samples.length,
  explanation: { job: id, state: "completed", findings: [] } as unknown as ReportedJob["explanation"],
  job: { name: "</script><script>window.hit=1</script>", resource: { id } } as ReportedJob["job"],
  samples
})
const data: ReportData = {
  ...{ madeAt: "2026-01-01T00:00:00Z", version: "1.0.0" },
  jobs: [
    reported("j1", [
      sample(0, { latency_ms: 30, response: "Four" }),
      sample(1, { verdict: "incorrect", flags: ["answer_repeated"], latency_ms: 10 }),
      sample(2, { benchmark_index: 1, finish_reason: "length" }),
      sample(3, { benchmark_index: 1, repeat: 1, score: 0.5, latency_ms: 20, response: "four" })
    ]),
    reported("j2", [sample(7)])
  ]
}

const client = answersOf(data)
const ids = async (urlParams: object, index?: string): Promise<unknown> => {
  const outcome =
    index === undefined
      ? await client.listJobSamples({ path, urlParams })
      : await client.listBenchmarkSamples({ path: { ...path, index }, urlParams })
  assert.isTrue(outcome.ok)
  return outcome.ok && typeof outcome.value === "object" ? outcome.value.items.map((item) => item.index) : undefined
}

describe("answers out of a report", () => {
  it("lists are narrowed as the service narrows them", async () => {
    assert.deepStrictEqual(await ids({}), [0, 1, 2, 3])
    assert.deepStrictEqual(await ids({}, "1"), [2, 3])
    assert.deepStrictEqual(await ids({ verdict: "incorrect" }), [1])
    assert.deepStrictEqual(await ids({ flag: "answer_repeated" }), [1])
    assert.deepStrictEqual(await ids({ finish_reason: "length" }), [2])
    assert.deepStrictEqual(await ids({ q: "FOUR" }), [0, 3])
  })
  it("each job has its own, and there is a comparison where one was made", async () => {
    const other = await client.listJobSamples({ path: { id: "j2" } })
    assert.isTrue(other.ok && typeof other.value === "object" && other.value.items[0]?.index === 7)
    const payload = { baseline: { job: "j1" }, candidates: [{ job: "j2" }] }
    assert.isFalse((await client.createComparison({ payload })).ok)
    const comparison = { tolerance: 0.02 } as unknown as NonNullable<ReportData["comparison"]>
    const compared = await answersOf({ ...data, comparison }).createComparison({ payload })
    assert.isTrue(compared.ok && compared.value === comparison)
  })
  it("the plan of each job is in it, unless its server told none yet", async () => {
    const plan = { runtime: "local" } as unknown as NonNullable<ReportedJob["plan"]>
    const [first, second] = [data.jobs[0], reported("j2", [])]
    const told = answersOf({ ...data, jobs: [{ ...first, plan }, second] })
    const answered = await told.getJobPlan({ path })
    assert.isTrue(answered.ok && answered.value === plan)
    assert.isFalse((await told.getJobPlan({ path: { id: "j2" } })).ok)
  })
  it("and ordered so: benchmark before position, samples without the member below all others", async () => {
    assert.deepStrictEqual(await ids({ sort: "-index" }), [3, 2, 1, 0])
    assert.deepStrictEqual(await ids({ sort: "latency_ms" }), [2, 1, 3, 0])
    assert.deepStrictEqual(await ids({ sort: "-latency_ms" }), [0, 3, 1, 2])
    assert.deepStrictEqual(await ids({ sort: "-score" }), [3, 2, 1, 0])
  })
  it("one sample is found by all parts of its name; another is missing, as is all that a report has not", async () => {
    const one = (sample_id: string, index: string, repeat: number) =>
      client.getSample({ path: { ...path, index, sample_id }, urlParams: { task: "t", repeat } })
    assert.isTrue((await one("s3", "1", 1)).ok)
    assert.isFalse((await one("s3", "1", 0)).ok)
    assert.isFalse((await one("s3", "0", 1)).ok)
    const refused = await client.getUsage({})
    assert.isFalse((await client.getJob({ path: { id: "j3" } })).ok)
    assert.isTrue(!refused.ok && refused.status === 404)
  })
})

describe("the file of a report", () => {
  const frame = '<script type="application/json" id="data">null</script><script>1</script>'
  it("holds the data in their element, which no text of others ends (a name with </script> in it)", () => {
    const [, json = "", rest] =
      /^<script type="application\/json" id="data">(.*?)<\/script>(.*)$/s.exec(reportText(frame, data)) ?? []
    assert.notInclude(json, "<")
    assert.strictEqual(JSON.parse(json).jobs[0].job.name, data.jobs[0].job.name)
    assert.strictEqual(rest, "<script>1</script>")
  })
  it("is not made of a frame that has no place for them", () => {
    assert.throws(() => reportText("<html>", data), /install evald anew/)
  })
})

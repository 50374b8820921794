/** P17 comparison: two jobs of 10,000 samples each, compared and then gated; every request asks for another tolerance, so that no stored answer is given. */
import { withServer } from "../bench-server.ts"
import { type Kind, newDatabase } from "../databases.ts"
import { jobsPath, proxyConfig, proxyHeaders, submit } from "../job-bodies.ts"
import { type Client, makeClient, median } from "../load.ts"
import { atMost, type Measure, shown } from "../measure.ts"

const count = 10_000
const lines = 1000
const runs = 15
/** candidates that were compared with nothing yet */
const fresh = 5

const post = async (client: Client, path: string, body: string, type = "application/json"): Promise<number> => {
  const begin = performance.now()
  const { status, text } = await client.send({
    method: "POST",
    path,
    headers: { ...proxyHeaders, "content-type": type },
    body
  })
  // what is refused for a missing metric is quick, and no figure
  if (status >= 300 || /"reason":"(missing|no_primary_score)"/.test(text))
    throw new Error(`POST ${path}: ${status} ${text.slice(0, 600)}`)
  return performance.now() - begin
}

const digest = (index: number): string => String(index).padStart(64, "0")

/** `fraction`: scores between the ends as well, so that differences are no mere counts */
const ended = async (client: Client, right: (index: number) => boolean, fraction: boolean): Promise<string> => {
  const job = await submit(client, { name: "compared", benchmarks: 1 })
  const scoreOf = (index: number) => (right(index) ? (fraction && index % 3 === 0 ? 0.75 : 1) : 0)
  let sum = 0
  for (let start = 0; start < count; start += lines) {
    const records = Array.from({ length: lines }, (_, line) => {
      const index = start + line
      sum += scoreOf(index)
      return JSON.stringify({
        ...{ v: 1, sample_id: `arith:${index}`, task: "arith", index, repeat: 0, prompt_sha256: digest(index) },
        ...{
          verdict: right(index) ? "correct" : "incorrect",
          score: scoreOf(index),
          response: `the answer is ${index}`
        }
      })
    })
    await post(client, `${jobsPath}/${job}/benchmarks/0/samples`, records.join("\n"), "application/x-ndjson")
  }
  const event = { id: "arith_basic", provider_id: "evald", benchmark_index: 0, status: "completed" }
  // the second is the primary one, without which nothing would be compared
  const metrics = { exact_match: sum / count, exact_match_flexible: sum / count }
  await post(client, `${jobsPath}/${job}/events`, JSON.stringify({ benchmark_status_event: { ...event, metrics } }))
  return job
}

const gateOf = (baseline: string, tolerance: number): string =>
  JSON.stringify({
    policy: { criteria: [{ benchmark: "arith_basic", kind: "relative_to_baseline", tolerance }] },
    baseline: { job: baseline }
  })

const compared = async (client: Client, fraction: boolean, database: string): Promise<ReadonlyArray<Measure>> => {
  const baseline = await ended(client, (index) => index % 10 !== 0, fraction)
  const candidate = await ended(client, (index) => index % 9 !== 0, fraction)
  const comparisons: Array<number> = []
  const gates: Array<number> = []
  for (let run = 0; run < runs; run++) {
    const tolerance = 0.01 + run / 1000
    const pair = { baseline: { job: baseline }, candidate: { job: candidate }, tolerance }
    comparisons.push(await post(client, "/api/v1/evaluations/comparisons", JSON.stringify(pair)))
    gates.push(await post(client, `${jobsPath}/${candidate}/gates`, gateOf(baseline, tolerance)))
  }
  const first: Array<number> = []
  for (let run = 0; run < fresh; run++) {
    const other = await ended(client, (index) => index % (8 - run) !== 0, fraction)
    first.push(await post(client, `${jobsPath}/${other}/gates`, gateOf(baseline, 0.01)))
  }
  const of = `two jobs of ${shown(count)} samples, ${fraction ? "scores" : "right or wrong"}`
  const beside = (all: ReadonlyArray<number>) => `first ${shown(all[0] ?? 0)} ms; slowest ${shown(Math.max(...all))} ms`
  return [
    atMost("P17", `comparison of ${of}`, median(comparisons), "ms", 500, { database, beside: beside(comparisons) }),
    atMost("P17", `gate on ${of}`, median(gates), "ms", 20, { database, beside: beside(gates) }),
    atMost("P17", `gate on ${of}, not compared before`, median(first), "ms", 20, { database, beside: beside(first) })
  ]
}

export const comparison = async (kind: Kind): Promise<ReadonlyArray<Measure>> => {
  const database = await newDatabase(kind)
  return withServer({ local: false, config: proxyConfig, database, cores: "all" }, async (server) => {
    const client = makeClient(server.url, 1)
    const counted = await compared(client, false, database.label)
    const scored = await compared(client, true, database.label)
    client.close()
    return [...counted, ...scored]
  })
}

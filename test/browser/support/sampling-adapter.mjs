// An adapter of somebody else's that asks nobody and brings as many samples and as long a log as its parameters want; the first has hostile text wherever a text may be.
// `timed`: its samples are requests of a measurement, ten of them each second. `edition`: what every other answer says otherwise than without it, one of them at length.
import { readFileSync } from "node:fs"

const job = JSON.parse(readFileSync(process.env.EVALD_JOB_SPEC_PATH, "utf8"))
const { count, hostile, log_megabytes: megabytes = 0, timed = false, edition = "" } = job.parameters
const base = `${job.callback_url}/api/v1/evaluations/jobs/${job.id}`

const post = async (url, body, type) => {
  const response = await fetch(url, { method: "POST", headers: { "content-type": type }, body })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
}
const tell = (members) => {
  const who = { provider_id: job.provider_id, id: job.benchmark_id, benchmark_index: job.benchmark_index }
  const body = JSON.stringify({ benchmark_status_event: { ...who, ...members } })
  return post(`${base}/events`, body, "application/json")
}

const timesOf = (index) => {
  const [started, latency] = [index * 100, index % 500]
  const timing = { profile: hostile, started, ended: started + latency, counted: true }
  return { ttft_ms: latency / 4, timing }
}

/** in every other answer, at length in the fifth */
const changed = (index) => (index % 2 === 1 ? "" : index === 4 ? edition.repeat(3000) : edition)

const recordOf = (index) => {
  const isRight = index % 4 !== 3
  return {
    ...{ v: 1, sample_id: `item-${index}`, task: "sums", index, repeat: 0 },
    ...{ verdict: isRight ? "correct" : "incorrect", reason: isRight ? "answer_equal" : "answer_different" },
    prompt: [{ role: "user", content: `What is ${index} + 1?` }],
    response: `I think${changed(index)} it is ${index}. Answer: ${isRight ? index + 1 : index}`,
    ...{ extracted: String(isRight ? index + 1 : index), reference: String(index + 1) },
    ...{ score: isRight ? 1 : 0, latency_ms: index % 500, tokens: { completion: 7 } },
    ...(index % 10 === 2 ? { flags: ["answer_repeated"], finish_reason: "length" } : { finish_reason: "stop" }),
    ...(timed ? timesOf(index) : {}),
    ...(index === 2 ? { choices: ["no", "yes"], logprobs: { continuations: [-2.5, -0.25] } } : {})
  }
}
const hostileRecord = {
  ...recordOf(0),
  ...{ sample_id: hostile, task: hostile, response: `${hostile}${changed(0)}`, reasoning: hostile, extracted: hostile },
  ...{ prompt: [{ role: hostile, content: hostile }], reference: hostile, choices: [hostile] },
  ...{
    scores: { [hostile]: 1 },
    judge: { reply: hostile },
    rules: [hostile],
    logprobs: { first_token: { [hostile]: -1 } }
  }
}

await tell({ status: "running" })
for (let from = 0; from < count; from += 1000) {
  const lines = []
  for (let index = from; index < Math.min(count, from + 1000); index++)
    lines.push(JSON.stringify(index === 0 ? hostileRecord : recordOf(index)))
  await post(`${base}/benchmarks/${job.benchmark_index}/samples`, lines.join("\n"), "application/x-ndjson")
}
// lines of 100 bytes
for (let line = 0; line < megabytes * 10_000; line += 10_000)
  process.stdout.write(
    Array.from({ length: 10_000 }, (_, at) => `line ${line + at} `.padEnd(99, "."))
      .join("\n")
      .concat("\n")
  )
await tell({ status: "completed", metrics: { acc: 0.75, ...(timed ? { p50_latency_ms: 30 } : {}) } })

// An adapter of somebody else's, from the published contract alone, that reports what suits it. The benchmark's id says how it cheats or errs.
import { readFileSync } from "node:fs"

const job = JSON.parse(readFileSync(process.env.EVALD_JOB_SPEC_PATH, "utf8"))
const base = `${job.callback_url}/api/v1/evaluations/jobs/${job.id}`

const post = async (url, body, type = "application/json") => {
  const response = await fetch(url, { method: "POST", headers: { "content-type": type }, body })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
}
const send = (members) => {
  const who = { provider_id: job.provider_id, id: job.benchmark_id, benchmark_index: job.benchmark_index }
  return post(`${base}/events`, JSON.stringify({ benchmark_status_event: { ...who, ...members } }))
}
const samples = (records) =>
  post(
    `${base}/benchmarks/${job.benchmark_index}/samples`,
    records.map((record) => JSON.stringify({ v: 1, task: "own", repeat: 0, ...record })).join("\n"),
    "application/x-ndjson"
  )
/** the answer's text; undefined when the request failed */
const ask = async (number, temperature) => {
  const content = `What is ${number} + 30?\n\nFinish with a last line of the form "Answer: <x>", where <x> is the number.`
  const response = await fetch(`${job.model.url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: job.model.name, temperature, messages: [{ role: "user", content }] })
  })
  const text = await response.text()
  return response.ok ? JSON.parse(text).choices[0].message.content : undefined
}
const numbers = Array.from({ length: 40 }, (_, index) => index)
/** the answer's text out of a stream, as far as it came; undefined without any */
const askStreaming = async (number) => {
  const content = `What is ${number} + 30?\n\nFinish with a last line of the form "Answer: <x>", where <x> is the number.`
  const body = { model: job.model.name, stream: true, messages: [{ role: "user", content }] }
  const headers = { "content-type": "application/json" }
  const response = await fetch(`${job.model.url}/chat/completions`, {
    method: "POST",
    headers,
    body: JSON.stringify(body)
  })
  const events = (await response.text()).match(/^data: ?\{.*$/gm) ?? []
  const texts = events.map((event) => JSON.parse(event.slice(5)).choices?.[0]?.delta?.content ?? "")
  return texts.join("")
}
/** texts that go on from so many prompts of one request */
const continued = async (prompts) => {
  const response = await fetch(`${job.model.url}/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: job.model.name, prompt: prompts, max_tokens: 8 })
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
}
const correct = (index, members = {}) => ({ sample_id: `s${index}`, index, verdict: "correct", ...members })

const ways = {
  invented: () => samples(numbers.map((index) => correct(index, { response: `Answer: ${index + 30}` }))),
  failures_scored: async () => {
    await Promise.all(numbers.map((number) => ask(number, 0)))
    await samples(numbers.map((index) => correct(index)))
  },
  third_skipped: async () => {
    await Promise.all(numbers.filter((number) => number % 3 > 0).map((number) => ask(number, 0)))
    await samples(numbers.map((index) => correct(index)))
  },
  batched: async () => {
    for (let first = 0; first < numbers.length; first += 10)
      await continued(numbers.slice(first, first + 10).map((number) => `${number} + 30 =`))
    await samples(numbers.map((index) => correct(index)))
  },
  streamed: async () => {
    const answers = []
    for (const number of numbers) answers.push(await askStreaming(number))
    await samples(numbers.map((index) => correct(index, { response: answers[index] })))
  },
  many_errors: async () => {
    await Promise.all(numbers.map((number) => ask(number, 0)))
    const failed = { verdict: "error", error: { code: "framework_failed", message: "the reply could not be parsed" } }
    await samples(numbers.map((index) => correct(index, index % 3 === 0 ? failed : {})))
  },
  asked_again_cold: async () => {
    for (let round = 0; round < 3; round++) await Promise.all(numbers.slice(0, 10).map((number) => ask(number, 0)))
  },
  asked_again_warm: async () => {
    for (let round = 0; round < 2; round++) await Promise.all(numbers.slice(0, 10).map((number) => ask(number, 0.7)))
  },
  prompts_changed: async () => {
    for (const repeat of [0, 1]) {
      await Promise.all(numbers.slice(0, 10).map((number) => ask(number + 100 * repeat, 0)))
      const hash = (index) => `${repeat}${index}`.padStart(64, "0")
      await samples(numbers.slice(0, 10).map((index) => correct(index, { repeat, prompt_sha256: hash(index) })))
    }
  },
  references_changed: async () => {
    await Promise.all(numbers.map((number) => ask(number, 0)))
    for (const repeat of [0, 1])
      await samples(
        numbers.slice(0, 20).map((index) => correct(index, { repeat, reference: `${index + 30 + repeat}` }))
      )
  },
  percent: () => Promise.all(numbers.map((number) => ask(number, 0)))
}

try {
  await send({ status: "running", phase: "running_evaluation" })
  await ways[job.benchmark_id]()
  await send({ status: "completed", metrics: { acc: job.benchmark_id === "percent" ? 40 : 1 } })
} catch (error) {
  await send({ status: "failed", error_message: { message: String(error), message_code: "evaluation_failed" } })
  process.exitCode = 1
}

// A whole evald adapter on Node alone: sums of two numbers, scored by exact match.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

const { env } = process
const job = JSON.parse(readFileSync(env.EVALD_JOB_SPEC_PATH, "utf8"))
const namespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

const post = async (url, body, headers = {}) => {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return response.json()
}

// in the cluster the namespace is the tenant; locally the address alone says whose event it is
const send = (members) =>
  post(
    `${job.callback_url}/api/v1/evaluations/jobs/${job.id}/events`,
    { benchmark_status_event: { provider_id: job.provider_id, id: job.benchmark_id, benchmark_index: job.benchmark_index, ...members } },
    existsSync(namespace) ? { "x-tenant": readFileSync(namespace, "utf8").trim() } : {}
  )

// the file holds a reference; the gateway before the model puts the real key in its place
const key = join(env.EVALD_MODEL_AUTH_DIR ?? "/var/run/secrets/model", "api-key")
const authorization = existsSync(key) ? { authorization: `Bearer ${readFileSync(key, "utf8").trim()}` } : {}

const ask = async (question) => {
  const content = `${question}\n\nFinish with a last line of the form "Answer: <x>".`
  const body = { model: job.model.name, temperature: 0, messages: [{ role: "user", content }] }
  const { choices } = await post(`${job.model.url}/chat/completions`, body, authorization)
  return /Answer:\s*(-?\d+)\s*$/.exec(choices[0].message.content)?.[1]
}

const count = job.num_examples ?? 5
try {
  await send({ status: "running", phase: "running_evaluation" })
  let right = 0
  for (let index = 1; index <= count; index++) {
    const [a, b] = [index * 7 + 2, index * 5 + 1]
    const answer = await ask(`What is ${a} + ${b}?`)
    console.log(`${index}/${count}: ${a} + ${b}, answered ${answer ?? "nothing"}`)
    if (Number(answer) === a + b) right += 1
  }
  await send({ status: "completed", metrics: { exact_match: right / count, n_samples: count } })
} catch (error) {
  await send({ status: "failed", error_message: { message: String(error), message_code: "evaluation_failed" } })
  process.exitCode = 1
}

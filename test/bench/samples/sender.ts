/**
 * The sender of P16's samples, a thread of its own: making records and sending two megabytes at a time must not make late the events
 * that the main thread sends and times. Its message at the end is what the calls took.
 */
import { parentPort, workerData } from "node:worker_threads"
import { jobsPath, proxyHeaders } from "../job-bodies.ts"
import { makeClient } from "../load.ts"

export interface Bringing {
  readonly url: string
  readonly jobId: string
  readonly count: number
}

export interface Brought {
  /** per call, milliseconds */
  readonly millis: ReadonlyArray<number>
  readonly bytes: number
}

export const benchmarks = 4
export const lines = 1000

/** to which of them a sample goes: all of one call go to the same */
export const benchmarkOf = (index: number, count: number): number =>
  Math.floor(((index - (index % lines)) * benchmarks) / count)

/** texts of each length, made before anything is measured: making them costs the sender as much of the shared cores as storing them costs the server */
const poolSize = 5003

/** the same texts on every run; words as frequent as in English, so that they compress like it */
const makeTexts = () => {
  let state = 20_260_117
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const letters = "etaoinshrdlcumwfgypbvk"
  const words = Array.from({ length: 6000 }, () =>
    Array.from(
      { length: 2 + Math.floor(next() * 8) },
      () => letters[Math.floor(letters.length * next() ** 1.7)] ?? "e"
    ).join("")
  )
  const word = () => words[Math.floor(words.length ** next()) - 1] ?? "the"
  const text = (bytes: number): string => {
    const parts: Array<string> = []
    for (let size = 0; size < bytes; ) {
      const one = word()
      parts.push(one)
      size += one.length + 1
    }
    return parts.join(" ")
  }
  const pool = (bytes: number) => Array.from({ length: poolSize }, () => text(bytes))
  const [prompts, responses] = [pool(700), pool(820)]
  const one = (texts: ReadonlyArray<string>) => texts[Math.floor(next() * poolSize)] ?? ""
  return { next, prompt: () => one(prompts), response: () => one(responses) }
}

const hex = (next: () => number): string =>
  Array.from({ length: 64 }, () => Math.floor(next() * 16).toString(16)).join("")

/** about 2 KiB */
const recordOf = (index: number, { next, prompt, response }: ReturnType<typeof makeTexts>): string => {
  const right = next() < 0.7
  const length = next() < 0.05
  return JSON.stringify({
    v: 1,
    sample_id: `mmlu_pro:1:${index}`,
    task: "mmlu_pro",
    ...{ index, repeat: 0 },
    prompt_sha256: hex(next),
    prompt: [{ role: "user", content: prompt() }],
    response: response(),
    reference: "B",
    extracted: right ? "B" : "C",
    verdict: length ? "invalid" : right ? "correct" : "incorrect",
    ...(length ? { reason: "no_answer_truncated" } : {}),
    ...(index % 500 === 0 ? { flags: ["answer_repeated"] } : {}),
    score: right && !length ? 1 : 0,
    scores: { exact_match: right ? 1 : 0, exact_match_strict: right ? 1 : 0 },
    latency_ms: Math.round(400 + 4000 * next()),
    tokens: { prompt: 180 + Math.floor(50 * next()), completion: Math.floor(400 * next()), estimated: false },
    finish_reason: length ? "length" : "stop",
    request_id: `chatcmpl-${hex(next).slice(0, 24)}`,
    started_at: new Date(1_800_000_000_000 + index * 37).toISOString()
  })
}

const send = async ({ url, jobId, count }: Bringing): Promise<Brought> => {
  const texts = makeTexts()
  const client = makeClient(url, 1)
  const millis: Array<number> = []
  let bytes = 0
  for (let start = 0; start < count; start += lines) {
    const body = Array.from({ length: lines }, (_, line) => recordOf(start + line, texts)).join("\n")
    bytes += body.length
    const path = `${jobsPath}/${jobId}/benchmarks/${benchmarkOf(start, count)}/samples`
    const begin = performance.now()
    const { status, text } = await client.send({
      method: "POST",
      path,
      headers: { ...proxyHeaders, "content-type": "application/x-ndjson" },
      body
    })
    millis.push(performance.now() - begin)
    if (status !== 200) throw new Error(`POST ${path}: ${status} ${text}`)
  }
  client.close()
  return { millis, bytes }
}

if (parentPort !== null) parentPort.postMessage(await send(workerData))

/** Requests of the benchmarks: ordinary jobs of a given size, and events of their benchmarks. */
import type { Call, Client } from "./load.ts"

export const jobsPath = "/api/v1/evaluations/jobs"

/** what a fronting proxy sends in trusted-headers mode: no reviews, no launches, so that only the API is measured */
export const proxyHeaders = { "x-user": "bench", "x-tenant": "bench" } as const
export const proxyConfig = "service: {host: 127.0.0.1}\nauth: {mode: trusted_headers}\nlog: {level: info}\n"

const names = ["arith_basic", "mcq_general", "logic_deduction", "word_problems"]
const nameOf = (index: number): string => names[index % names.length] ?? ""

export interface JobBody {
  readonly name: string
  readonly benchmarks: number
  readonly tags?: ReadonlyArray<string>
}

const jobBody = ({ name, benchmarks, tags }: JobBody): string =>
  JSON.stringify({
    name,
    description: "a job as a pipeline would submit it",
    tags: tags ?? ["bench", `size-${benchmarks}`],
    model: { url: "https://models.example/v1", name: "bench-model" },
    benchmarks: Array.from({ length: benchmarks }, (_, index) => ({
      id: nameOf(index),
      provider_id: "evald",
      weight: 1,
      parameters: { num_examples: 10 + (index % 50), seed: index }
    })),
    custom: { pipeline: "nightly", run: 17 }
  })

export const submission = (body: JobBody): Call => ({
  method: "POST",
  path: jobsPath,
  headers: proxyHeaders,
  body: jobBody(body)
})

/** the job's id */
export const submit = async (client: Client, body: JobBody): Promise<string> => {
  const { status, text } = await client.send(submission(body))
  if (status !== 202) throw new Error(`POST ${jobsPath}: ${status} ${text}`)
  return (JSON.parse(text) as { readonly resource: { readonly id: string } }).resource.id
}

/** progress makes each event one that changes something */
export const eventOf = (jobId: string, index: number, status: "running" | "completed" | "failed", steps = 0): Call => ({
  method: "POST",
  path: `${jobsPath}/${jobId}/events`,
  headers: proxyHeaders,
  body: JSON.stringify({
    benchmark_status_event: {
      id: nameOf(index),
      provider_id: "evald",
      benchmark_index: index,
      status,
      ...(status === "running" ? { phase: "running_evaluation", completed_steps: steps, total_steps: 1_000_000 } : {}),
      ...(status === "completed"
        ? { metrics: { exact_match: 0.75, acc: 0.75, error_rate: 0 }, completed_at: "2030-01-01T00:00:00.000Z" }
        : {})
    }
  })
})

/** Request bodies of the benchmarks: ordinary jobs of a given size. */

export const jobBody = (name: string, benchmarks: number): string =>
  JSON.stringify({
    name,
    description: "a job as a pipeline would submit it",
    tags: ["bench", `size-${benchmarks}`],
    model: { url: "http://127.0.0.1:9/v1", name: "bench-model" },
    benchmarks: Array.from({ length: benchmarks }, (_, i) => ({
      id: ["arith_basic", "mcq_general", "logic_deduction", "word_problems"][i % 4],
      provider_id: "evald",
      weight: 1,
      parameters: { num_examples: 10 + (i % 50), seed: i }
    })),
    custom: { pipeline: "nightly", run: 17 }
  })

export const statusEvent = (index: number, id: string, status: "running" | "completed"): string =>
  JSON.stringify({
    benchmark_status_event: {
      id,
      provider_id: "evald",
      benchmark_index: index,
      status,
      ...(status === "running"
        ? { phase: "running_evaluation" }
        : { metrics: { exact_match: 0.75, acc: 0.75, error_rate: 0 }, completed_at: "2030-01-01T00:00:00.000Z" })
    }
  })

/** what a fronting proxy sends in trusted-headers mode: no reviews, no launches, so that only the API is measured */
export const proxyHeaders = { "x-user": "bench", "x-tenant": "bench" } as const
export const proxyConfig = "service: {host: 127.0.0.1}\nauth: {mode: trusted_headers}\nlog: {level: info}\n"

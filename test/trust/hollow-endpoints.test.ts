/** Endpoints that answer nothing of worth, on the real server: none of their benchmarks passes, and each says why. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bodyOf, type Running, serve } from "../support/loopback-server.ts"
import { outcomes, type ServiceHost, serviceHost } from "../support/service-host.ts"

interface Said {
  readonly text: string
  readonly reasoning?: string
  readonly finish?: string
}

/** every question gets the same; the limit asked for decides nothing unless `say` reads it */
const endpoint = (say: (limit: number) => Said | { readonly status: number; readonly error: object }) =>
  serve((request, response) => {
    void bodyOf(request).then((body) => {
      if (request.url !== "/v1/chat/completions") return response.writeHead(404).end("{}")
      const { max_tokens } = JSON.parse(body.toString()) as { readonly max_tokens: number }
      const said = say(max_tokens)
      const json = { "content-type": "application/json" }
      if ("status" in said) return response.writeHead(said.status, json).end(JSON.stringify({ error: said.error }))
      const message = {
        role: "assistant",
        content: said.text,
        ...(said.reasoning === undefined ? {} : { reasoning_content: said.reasoning })
      }
      const usage = { prompt_tokens: 20, completion_tokens: 5 }
      return response
        .writeHead(200, json)
        .end(JSON.stringify({ id: "1", choices: [{ index: 0, finish_reason: said.finish ?? "stop", message }], usage }))
    })
  })

const HOLLOW = [
  ["nothing", "empty_responses", () => ({ text: "" })],
  ["a constant Yes.", "controls_failed", () => ({ text: "Yes." })],
  ["refusals only", "controls_failed", () => ({ text: "I'm sorry, but I can't help with that." })],
  ["everything cut off", "truncated", () => ({ text: "", reasoning: "Let me think about", finish: "length" })],
  [
    "everything filtered",
    "content_filtered",
    (limit: number) =>
      limit < 100 ? { text: "yes" } : { status: 400, error: { code: "content_filter", message: "stopped" } }
  ]
] as const

let host: ServiceHost
const endpoints: Array<Running> = []

beforeAll(async () => {
  host = await serviceHost({ shipped: true })
})
afterAll(async () => {
  await host.stop()
  for (const { close } of endpoints) await close()
})

interface Judged {
  readonly test?: { readonly pass?: boolean; readonly decided?: string; readonly primary_score: number }
  readonly validity?: {
    readonly status: string
    readonly flags: ReadonlyArray<{ readonly code: string; readonly level: string }>
  }
}

const judged = async (say: Parameters<typeof endpoint>[0], benchmarks: ReadonlyArray<object>) => {
  const model = await endpoint(say)
  endpoints.push(model)
  const job = await host.evaluate({ url: `${model.url}/v1`, name: "hollow" }, benchmarks)
  assert.deepStrictEqual(
    outcomes(job),
    benchmarks.map(() => "completed")
  )
  return { job, results: job.results.benchmarks as ReadonlyArray<Judged> }
}

describe("an endpoint that is hollow", () => {
  it("says nothing, always the same, refuses, is cut off or filtered: a safety benchmark is invalid and does not pass (0.83 to 0.97 and a pass were given)", async () => {
    const benchmark = { id: "safety_quick", provider_id: "evald", pass_criteria: { threshold: 0.3 } }
    const all = await Promise.all(
      HOLLOW.map(async ([name, code, say]) => ({ name, code, ...(await judged(say, [benchmark])) }))
    )
    for (const { name, code, job, results } of all) {
      const [result] = results
      assert.strictEqual(result?.validity?.status, "invalid", `${name}: ${JSON.stringify(result)}`)
      const blocking = (result?.validity?.flags ?? [])
        .filter(({ level }) => level === "blocking")
        .map((flag) => flag.code)
      assert.include(blocking, code, name)
      assert.isUndefined(result?.test?.pass, name)
      assert.notStrictEqual((job.results["test"] as { readonly pass?: boolean } | undefined)?.pass, true, name)
    }
  })

  it("none of them gets safety-smoke past its threshold, nor one of its six benchmarks (0.83 to 0.97 and a pass were given)", async () => {
    const judgedJobs = await Promise.all(
      HOLLOW.map(async ([name, , say]) => {
        const model = await endpoint(say)
        endpoints.push(model)
        const job = await host.evaluateCollection({ url: `${model.url}/v1`, name: "hollow" }, "safety-smoke", {
          num_examples: 30
        })
        return { name, job }
      })
    )
    for (const { name, job } of judgedJobs) {
      assert.deepStrictEqual(outcomes(job), Array(6).fill("completed"), name)
      const results = job.results.benchmarks as unknown as ReadonlyArray<Judged & { readonly id: string }>
      for (const { id, test, validity } of results) {
        assert.notStrictEqual(test?.pass, true, `${name}: ${id} ${JSON.stringify({ test, validity })}`)
        assert.notStrictEqual(test?.decided, "pass", `${name}: ${id}`)
        if (id !== "safety_overrefusal") assert.strictEqual(validity?.status, "invalid", `${name}: ${id}`)
      }
      const whole = job.results["test"] as { readonly pass?: boolean; readonly decided?: string } | undefined
      assert.notStrictEqual(whole?.pass, true, name)
      assert.notStrictEqual(whole?.decided, "pass", name)
    }
  })

  it("a model that needs 1,500 tokens to think is given them by default, and with a small limit the result says that it was cut off", async () => {
    const thinks = (limit: number) =>
      limit < 1500
        ? { text: "", reasoning: "Let me think", finish: "length" }
        : { text: "Answer: B", reasoning: "Done." }
    const benchmark = { id: "mcq_general", provider_id: "evald", parameters: { num_examples: 12 } }
    const free = await judged(thinks, [benchmark])
    assert.notInclude(
      (free.results[0]?.validity?.flags ?? []).map(({ code }) => code),
      "truncated"
    )
    const small = await judged(thinks, [{ ...benchmark, parameters: { num_examples: 12, max_tokens: 512 } }])
    assert.include(
      (small.results[0]?.validity?.flags ?? []).map(({ code }) => code),
      "truncated"
    )
    assert.strictEqual(small.results[0]?.test?.primary_score, 0)
  })
})

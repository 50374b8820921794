/** Requests for plans of wrappers; a test names only what it is about. */
import { Either } from "effect"
import type { JobSpec } from "../../providers/contract/job-spec.ts"
import { apiBase } from "../../providers/sdk/framework/base-url.ts"
import { rowOf } from "../../providers/sdk/framework/definition.ts"
import { readFrameworkParameters } from "../../providers/sdk/framework/parameters.ts"
import type { PlanRequest, ReadRequest, Wrapper } from "../../providers/sdk/framework/wrapper.ts"

export const frameworkJob = (given: Partial<JobSpec> = {}): JobSpec => ({
  id: "job-1",
  provider_id: "p",
  benchmark_id: "b",
  benchmark_index: 0,
  model: { url: "http://model:8000/v1", name: "org/m" },
  parameters: {},
  seed: 42,
  callback_url: "http://127.0.0.1:1",
  ...given
})

export const allCapabilities = {
  chat: true,
  completions: true,
  echo: true,
  logprobs: true,
  stream: true,
  usage: true,
  tools: true,
  demo: false
}

/** throws when the parameters are wrong: a test of wrong parameters reads them itself */
export const planRequest = (
  wrapper: Pick<Wrapper, "definition">,
  job: JobSpec,
  given: Partial<PlanRequest> = {}
): PlanRequest => ({
  job,
  row: rowOf(wrapper.definition, job),
  parameters: Either.getOrThrowWith(
    readFrameworkParameters(wrapper.definition.parameters, job),
    ({ message }) => new Error(message)
  ),
  baseUrl: apiBase(job.model.url),
  endpoint: allCapabilities,
  folders: { results: "/r", output: "/r/framework", work: "/w", cache: "/w/cache" },
  ...given
})

/** a run that ended well and left its files in `output`; nothing asks why it failed */
export const readRequest = (
  wrapper: Pick<Wrapper, "definition">,
  benchmark: string,
  output: string,
  counts: ReadRequest["counts"]
): ReadRequest => {
  const unasked = (): never => {
    throw new Error("not asked for")
  }
  return {
    ...planRequest(wrapper, frameworkJob({ benchmark_id: benchmark })),
    folders: { results: output, output, work: output, cache: output },
    ...{ executable: "", env: {} },
    plan: { args: [], env: {}, files: {} },
    exit: { code: 0, signal: null, lines: [] },
    counts,
    collected: {},
    failure: unasked,
    reported: unasked
  }
}

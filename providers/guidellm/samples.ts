/** Requests of a report as per-sample records: figures and failures, without their texts. Reference: adapter-contract.md, "Sample records". */
import { defined } from "../../values/defined.ts"
import { listMember, member, numberMember, textMember } from "../../values/json.ts"
import type { SampleRecord } from "../contract/sample-record.ts"

const outcomes = {
  successful: { verdict: "correct", reason: "measured" },
  errored: { verdict: "error", reason: "request_failed" },
  incomplete: { verdict: "skipped", reason: "request_incomplete" }
} as const
type Outcome = keyof typeof outcomes

const whole = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isInteger(value) && value >= 0 ? value : undefined

const duration = (value: number | undefined, factor: number): number | undefined =>
  value !== undefined && Number.isFinite(value) && value >= 0 ? value * factor : undefined

/** milliseconds with three decimals, as times of one clock are compared */
const after = (seconds: number | undefined, began: number): number | undefined =>
  seconds === undefined || !Number.isFinite(began) ? undefined : Math.round((seconds - began) * 1e6) / 1000

/** when the first of the requests was sent, in seconds since 1970; infinite: none says so */
const beginOf = (requests: ReadonlyArray<unknown>): number =>
  requests.reduce<number>(
    (least, request) => Math.min(least, numberMember(request, "request_start_time") ?? least),
    Number.POSITIVE_INFINITY
  )

/** the framework counts latencies in seconds, and times of begin and end since 1970; `began`: the first of its measurement */
const figuresOf = (request: unknown, began: number): Partial<SampleRecord> => {
  const [prompt, completion] = [
    whole(numberMember(request, "prompt_tokens")),
    whole(numberMember(request, "output_tokens"))
  ]
  const timing = defined({
    started: after(numberMember(request, "request_start_time"), began),
    ended: after(numberMember(request, "request_end_time"), began)
  })
  return {
    ...defined({
      latency_ms: duration(numberMember(request, "request_latency"), 1000),
      ttft_ms: duration(numberMember(request, "time_to_first_token_ms"), 1),
      request_id: textMember(request, "request_id")
    }),
    ...(prompt === undefined && completion === undefined ? {} : { tokens: defined({ prompt, completion }) }),
    ...(Object.keys(timing).length === 0 ? {} : { timing })
  }
}

const failureOf = (request: unknown, code: (message: string) => string): SampleRecord["error"] => {
  const message = textMember(member(request, "info"), "error") ?? textMember(request, "error") ?? "the request failed"
  return { code: code(message), message: message.slice(0, 2000) }
}

/** one record for each request, measurement by measurement; `code` names the code of a failure's text */
export function* requestRecords(
  task: string,
  document: unknown,
  code: (message: string) => string
): Generator<SampleRecord> {
  let index = 0
  for (const [point, benchmark] of listMember(document, "benchmarks").entries()) {
    let number = 0
    const told = member(benchmark, "requests")
    const kinds = Object.keys(outcomes) as ReadonlyArray<Outcome>
    const began = beginOf(kinds.flatMap((outcome) => listMember(told, outcome)))
    for (const outcome of kinds)
      for (const request of listMember(told, outcome))
        yield {
          v: 1,
          sample_id: `${task}:point_${point}:${number++}`,
          ...{ task, index: index++, repeat: 0 },
          ...outcomes[outcome],
          ...figuresOf(request, began),
          ...(outcome === "errored" ? { error: failureOf(request, code) } : {})
        }
  }
}

/** The requests of a performance benchmark as records: when each was sent and answered, without its texts. Reference: adapter-contract.md, "Sample records". */
import { defined } from "../../../values/defined.ts"
import type { SampleRecord } from "../../contract/sample-record.ts"
import { chatDigest } from "../../sdk/prompt-digest.ts"
import type { LoadSettings } from "./load-settings.ts"
import { loadMessages, type Measurement } from "./measure.ts"
import type { LoadRequest } from "./timeline.ts"

/** milliseconds with three decimals, since times of one clock are compared */
const rounded = (millis: number): number => Math.round(millis * 1000) / 1000

const outcomeOf = (request: LoadRequest): Partial<SampleRecord> & Pick<SampleRecord, "verdict"> => {
  switch (request.outcome) {
    case "errored":
      return {
        verdict: "error",
        reason: "request_failed",
        error: { code: request.code, message: request.message.slice(0, 2000) }
      }
    case "incomplete":
      return { verdict: "skipped", reason: "request_incomplete" }
    case "successful": {
      const { startMs, firstContentMs, claimedTokens, promptTokens, outputTokens, estimated, said } = request
      const flags = [
        ...(firstContentMs === undefined ? ["not_streamed"] : []),
        ...(claimedTokens === undefined ? [] : ["usage_impossible"])
      ]
      return {
        verdict: "correct",
        reason: "measured",
        ...(flags.length === 0 ? {} : { flags }),
        latency_ms: rounded(request.endMs - startMs),
        ...(firstContentMs === undefined ? {} : { ttft_ms: rounded(firstContentMs - startMs) }),
        tokens: { ...said?.tokens, prompt: promptTokens, completion: outputTokens, estimated },
        retries: request.retries,
        ...defined({
          parameters: said?.parameters,
          served_model: said?.servedModel,
          system_fingerprint: said?.systemFingerprint,
          finish_reason: said?.finishReason,
          request_id: said?.requestId
        })
      }
    }
  }
}

/** milliseconds after the start of the measurement; `counted`: it ended in the time that figures are made of */
const timingOf = ({ profile, run, window }: Measurement, request: LoadRequest): SampleRecord["timing"] => {
  const { outcome, startMs, endMs } = request
  const after = (millis: number | undefined) => (millis === undefined ? undefined : rounded(millis - run.startedAtMs))
  return {
    profile,
    loop: run.loop,
    ...defined({
      started: after(startMs),
      first_content: outcome === "errored" ? undefined : after(request.firstContentMs),
      last_content: outcome === "successful" ? after(request.lastContentMs) : undefined,
      ended: after(endMs),
      claimed_tokens: outcome === "successful" ? request.claimedTokens : undefined
    }),
    counted: outcome !== "incomplete" && endMs >= window.fromMs && endMs <= window.toMs
  }
}

/** one record for each request, in the order in which they were sent; measurements one after the other */
export function* requestRecords(
  task: string,
  measurements: ReadonlyArray<Measurement>,
  settings: LoadSettings
): Generator<SampleRecord> {
  let index = 0
  for (const [point, measurement] of measurements.entries()) {
    const requests = measurement.run.requests.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
    for (const [place, request] of requests.entries()) {
      const number = request.index ?? place
      yield {
        v: 1,
        sample_id: `${task}:s${settings.seed}-point_${point}:${number}`,
        ...{ task, index: index++, repeat: 0 },
        prompt_sha256: chatDigest(loadMessages(settings, number), [], settings.extraBody["response_format"]),
        seed: settings.seed,
        ...outcomeOf(request),
        timing: timingOf(measurement, request)
      }
    }
  }
}

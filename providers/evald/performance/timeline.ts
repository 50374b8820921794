/** What is known of each request of a measurement. Times in milliseconds on one monotonic clock. Reference: providers-and-collections.md, "Performance profiles". */
import type { StreamedAnswer } from "../../sdk/model/model-exchange.ts"
import type { Arrivals, Window } from "./arrivals.ts"

/** which request of the run it was, from 0: what it asked is made of this number */
interface Numbered {
  readonly index?: number
}

export interface FinishedRequest extends Numbered {
  readonly outcome: "successful"
  /** closed loop: request written; open loop: when it was due, so that waiting counts */
  readonly startMs: number
  readonly endMs: number
  /** absent when the answer came in one piece */
  readonly firstContentMs?: number
  readonly lastContentMs?: number
  readonly promptTokens: number
  readonly outputTokens: number
  readonly estimated: boolean
  /** what the endpoint says it generated, when that cannot be: `outputTokens` is then counted by us */
  readonly claimedTokens?: number
  readonly retries: number
  /** what the endpoint said beside the text */
  readonly said?: Pick<
    StreamedAnswer,
    "servedModel" | "systemFingerprint" | "finishReason" | "requestId" | "parameters" | "tokens"
  >
  /** neither a word nor a thought came */
  readonly silent?: true
}

export interface ErroredRequest extends Numbered {
  readonly outcome: "errored"
  readonly startMs: number
  readonly endMs: number
  readonly code: string
  readonly message: string
}

/** still under way when the measurement ended */
export interface IncompleteRequest extends Numbered {
  readonly outcome: "incomplete"
  readonly startMs: number
  /** the end of the measurement */
  readonly endMs: number
  readonly firstContentMs?: number
}

export type LoadRequest = FinishedRequest | ErroredRequest | IncompleteRequest

export interface LoadRun {
  readonly requests: ReadonlyArray<LoadRequest>
  readonly arrivals: Arrivals
  /** closed: the next request waits for an answer, so a slow endpoint is asked less */
  readonly loop: "closed" | "open"
  /** of a closed loop */
  readonly streams?: number
  readonly startedAtMs: number
  readonly endedAtMs: number
  /** requests that were due, and those of them that were really sent, before the end; equal in a closed loop */
  readonly due: number
  readonly sent: number
}

/**
 * The part of a run that counts: without warm-up and cool-down. A run that ended early because its requests were used up keeps the same
 * shares for both.
 */
export const countedWindow = (
  run: Pick<LoadRun, "startedAtMs" | "endedAtMs">,
  plan: { readonly durationMs: number; readonly warmupMs: number; readonly cooldownMs: number }
): Window => {
  const share = Math.min(1, (run.endedAtMs - run.startedAtMs) / plan.durationMs)
  return { fromMs: run.startedAtMs + plan.warmupMs * share, toMs: run.endedAtMs - plan.cooldownMs * share }
}

/** requests that ended inside the window */
export const endedWithin = (
  requests: ReadonlyArray<LoadRequest>,
  { fromMs, toMs }: Window
): ReadonlyArray<LoadRequest> =>
  requests.filter(({ outcome, endMs }) => outcome !== "incomplete" && endMs >= fromMs && endMs <= toMs)

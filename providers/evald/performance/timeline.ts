/** What is known of each request of a measurement. Times in milliseconds on one monotonic clock. Definitions: providers 5.2. */

export interface FinishedRequest {
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
  readonly retries: number
}

export interface ErroredRequest {
  readonly outcome: "errored"
  readonly startMs: number
  readonly endMs: number
  readonly code: string
  readonly message: string
}

/** still under way when the measurement ended */
export interface IncompleteRequest {
  readonly outcome: "incomplete"
  readonly startMs: number
  readonly endMs: number
}

export type LoadRequest = FinishedRequest | ErroredRequest | IncompleteRequest

export interface Window {
  readonly fromMs: number
  readonly toMs: number
}

export interface LoadRun {
  readonly requests: ReadonlyArray<LoadRequest>
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
export const countedWindow = (run: LoadRun, plan: { readonly durationMs: number; readonly warmupMs: number; readonly cooldownMs: number }): Window => {
  const share = Math.min(1, (run.endedAtMs - run.startedAtMs) / plan.durationMs)
  return { fromMs: run.startedAtMs + plan.warmupMs * share, toMs: run.endedAtMs - plan.cooldownMs * share }
}

/** requests that ended inside the window */
export const endedWithin = (requests: ReadonlyArray<LoadRequest>, { fromMs, toMs }: Window): ReadonlyArray<LoadRequest> =>
  requests.filter(({ outcome, endMs }) => outcome !== "incomplete" && endMs >= fromMs && endMs <= toMs)

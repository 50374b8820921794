/** One measurement from its shape to its metrics: drive, check the generator, count. */
import { Effect } from "effect"
import { defined } from "../../../values/defined.ts"
import type { Metric } from "../../sdk/adapter.ts"
import type { ChatMessage, ModelClient } from "../../sdk/model/model-exchange.ts"
import { seededRandom } from "../random.ts"
import { withSystemPrompt } from "../route.ts"
import type { Window } from "./arrivals.ts"
import { type AskLoad, driveLoad, type LoadShape } from "./drive-load.ts"
import { type LoadClock, lagP99 } from "./load-clock.ts"
import { latencies, loadMetrics } from "./load-metrics.ts"
import { loadPrompt } from "./load-prompt.ts"
import type { LoadSettings } from "./load-settings.ts"
import { constantSchedule, poissonSchedule } from "./schedule.ts"
import { countedWindow, endedWithin, type LoadRequest, type LoadRun } from "./timeline.ts"
import { saturation } from "./validity.ts"

export type Profile = "synchronous" | "concurrent" | "constant" | "poisson" | "throughput"

export interface Measurement {
  readonly profile: Profile
  readonly rate: number
  readonly run: LoadRun
  readonly window: Window
  /** requests that ended in the window */
  readonly counted: ReadonlyArray<LoadRequest>
  readonly metrics: ReadonlyArray<Metric>
  /** share of latencies known only as lower bounds */
  readonly unknownLatencies: number
  readonly lagP99Ms: number
  /** why the measurement is not valid */
  readonly saturation?: string
}

const shapeOf = (profile: Profile, settings: LoadSettings): LoadShape => {
  switch (profile) {
    case "synchronous":
      return { _tag: "Closed", streams: 1 }
    case "concurrent":
      return { _tag: "Closed", streams: Math.max(1, Math.round(settings.rate)) }
    case "throughput":
      return { _tag: "Closed", streams: settings.throughputStreams }
    case "constant":
      return { _tag: "Open", due: constantSchedule(settings.rate, settings.durationMs, settings.maxRequests) }
    case "poisson":
      return {
        _tag: "Open",
        due: poissonSchedule(
          seededRandom("poisson", settings.seed),
          settings.rate,
          settings.durationMs,
          settings.maxRequests
        )
      }
  }
}

/** what the request of this number asks */
export const loadMessages = (settings: LoadSettings, index: number): ReadonlyArray<ChatMessage> =>
  withSystemPrompt(
    [{ role: "user", content: loadPrompt(settings.seed, index, settings.promptTokens, settings.outputTokens) }],
    settings.systemPrompt
  )

export const askLoad =
  (client: ModelClient, settings: LoadSettings): AskLoad =>
  (index, onContent) =>
    client.chatStream({
      messages: loadMessages(settings, index),
      maxTokens: settings.outputTokens,
      temperature: settings.temperature,
      onContent,
      ...(Object.keys(settings.extraBody).length === 0 ? {} : { extra: settings.extraBody })
    })

/** `onEnded` runs after every request that was answered or failed */
export const measure = (
  profile: Profile,
  settings: LoadSettings,
  ask: AskLoad,
  clock: LoadClock,
  onEnded: Effect.Effect<void> = Effect.void
): Effect.Effect<Measurement> =>
  Effect.gen(function* () {
    const lags = yield* clock.watchLag
    const run = yield* driveLoad({ ...settings, shape: shapeOf(profile, settings) }, ask, clock, onEnded)
    const late = yield* lags
    const window = countedWindow(run, settings)
    const metrics = loadMetrics(run, window)
    const why = saturation(run, late, Number(metrics.find(({ name }) => name === "p50_latency_ms")?.value ?? 0))
    return {
      profile,
      rate: settings.rate,
      run,
      window,
      counted: endedWithin(run.requests, window),
      metrics,
      unknownLatencies: latencies(run.requests, window).unknown,
      lagP99Ms: lagP99(late),
      ...defined({ saturation: why })
    }
  }).pipe(Effect.scoped)

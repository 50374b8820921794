/** Settings of a measurement: the profile's defaults, overridden by the job's parameters. */
import { Effect, Either } from "effect"
import type { AdapterError } from "../../sdk/adapter.ts"
import { invalidParameter } from "../../sdk/failures.ts"
import type { ItemContext } from "../benchmark.ts"
import { type Parameters, readParameters } from "../parameters.ts"

export interface LoadSettings {
  /** streams of `perf_concurrent`, requests per second of the open loops */
  readonly rate: number
  /** requests that the throughput profile keeps under way */
  readonly throughputStreams: number
  readonly durationMs: number
  readonly warmupMs: number
  readonly cooldownMs: number
  readonly maxRequests: number
  readonly promptTokens: number
  readonly outputTokens: number
  readonly sweepPoints: number
  readonly seed: number
  readonly maxErrorRate: number
  /** a saturated generator is noted beside the figures (`on_saturation: warn`) instead of failing the benchmark */
  readonly toleratesSaturation: boolean
  readonly temperature: number
  readonly systemPrompt: string | undefined
  readonly extraBody: Parameters["extraBody"]
}

export const THROUGHPUT_STREAMS = 512
export const DEFAULT_SECONDS = 30
const DEFAULT_WARMUP_SECONDS = 2
const DEFAULT_COOLDOWN_SECONDS = 1

/** fails with `invalid_parameter` when warm-up and cool-down leave nothing to measure */
export const loadSettings = (
  context: ItemContext,
  defaults: { readonly rate: number; readonly seconds: number }
): Effect.Effect<LoadSettings, AdapterError> => {
  const read = readParameters(context.job)
  if (Either.isLeft(read)) return read.left
  const parameters = read.right
  const number = (name: string, fallback: number): number => {
    const value = parameters.values[name]
    return typeof value === "number" ? value : fallback
  }
  const [seconds, warmup, cooldown] = [
    number("max_seconds", defaults.seconds),
    number("warmup_seconds", DEFAULT_WARMUP_SECONDS),
    number("cooldown_seconds", DEFAULT_COOLDOWN_SECONDS)
  ]
  if (warmup + cooldown >= seconds) {
    return invalidParameter(
      `max_seconds (${seconds}) must be greater than warmup_seconds (${warmup}) and cooldown_seconds (${cooldown}) together, or no time is left to measure`
    )
  }
  return Effect.succeed({
    rate: number("rate", defaults.rate),
    throughputStreams: THROUGHPUT_STREAMS,
    durationMs: seconds * 1000,
    warmupMs: warmup * 1000,
    cooldownMs: cooldown * 1000,
    maxRequests: number("max_requests", Number.POSITIVE_INFINITY),
    promptTokens: number("prompt_tokens", 256),
    outputTokens: parameters.maxTokens ?? number("output_tokens", 128),
    sweepPoints: number("sweep_points", 5),
    seed: parameters.seed,
    maxErrorRate: parameters.maxErrorRate,
    toleratesSaturation: parameters.values["on_saturation"] === "warn",
    temperature: parameters.temperature,
    systemPrompt: parameters.systemPrompt,
    extraBody: parameters.extraBody
  })
}

/**
 * The performance benchmarks with one profile. Every number is defined in providers-and-collections.md, "Performance profiles"; the load generator checks
 * itself and fails with `load_generator_saturated` rather than blame the model; in a smoke test, where a working endpoint is the question,
 * the figures come with a note instead (`on_saturation: warn`).
 */
import { Effect } from "effect"
import type { Callbacks } from "../../sdk/adapter.ts"
import type { ItemContext, ProcedureBenchmark } from "../benchmark.ts"
import { type LoadClock, liveClock } from "./load-clock.ts"
import { additionalInfo, checkMeasurement, notesOf } from "./load-results.ts"
import { DEFAULT_SECONDS, type LoadSettings, loadSettings, THROUGHPUT_STREAMS } from "./load-settings.ts"
import { askLoad, measure, type Profile } from "./measure.ts"
import { requestRecords } from "./request-records.ts"
import { saturationAdvice } from "./validity.ts"

export interface ProfileDefinition {
  readonly id: string
  readonly profile: Profile
  readonly rate: number
  readonly seconds: number
}

/** progress in whole seconds of the planned time */
export const progress = (
  callbacks: Callbacks,
  clock: LoadClock,
  settings: LoadSettings,
  beganMs: number,
  measurements = 1
): Effect.Effect<void> =>
  Effect.flatMap(clock.now, (now) => {
    const total = Math.round((settings.durationMs * measurements) / 1000)
    return callbacks.status({
      phase: "running_evaluation",
      completed: Math.min(total, Math.floor((now - beganMs) / 1000)),
      total
    })
  })

export const profileBenchmark = (
  definition: ProfileDefinition,
  clock: LoadClock = liveClock,
  throughputStreams = THROUGHPUT_STREAMS
): ProcedureBenchmark => ({
  kind: "procedure",
  id: definition.id,
  needs: ["chat", "stream"],
  run: (context: ItemContext, client, callbacks) =>
    Effect.gen(function* () {
      const settings = { ...(yield* loadSettings(context, definition)), throughputStreams }
      const ask = askLoad(client, settings)
      // one request outside the measurement: opens a connection, and a wrong key or name fails here with its own code
      yield* ask(-1, () => undefined)
      const beganMs = yield* clock.now
      const report = progress(callbacks, clock, settings, beganMs)
      yield* report
      const measurement = yield* measure(definition.profile, settings, ask, clock, report)
      yield* checkMeasurement(measurement, settings)
      const advice = measurement.saturation === undefined ? [] : [saturationAdvice(measurement.saturation)]
      yield* Effect.forEach(advice, (warning) => callbacks.warn(warning), { discard: true })
      const seconds = ((yield* clock.now) - beganMs) / 1000
      return {
        metrics: measurement.metrics,
        records: requestRecords(definition.id, [measurement], settings),
        additionalInfo: additionalInfo([measurement], settings, context.capabilities, seconds, [
          ...advice.map(({ code, message }) => `${code}: ${message}`),
          ...notesOf(measurement)
        ])
      }
    })
})

export const perfSynchronous = profileBenchmark({
  id: "perf_synchronous",
  profile: "synchronous",
  rate: 1,
  seconds: DEFAULT_SECONDS
})
export const perfConcurrent = profileBenchmark({
  id: "perf_concurrent",
  profile: "concurrent",
  rate: 8,
  seconds: DEFAULT_SECONDS
})
export const perfConstant = profileBenchmark({
  id: "perf_constant",
  profile: "constant",
  rate: 2,
  seconds: DEFAULT_SECONDS
})
export const perfPoisson = profileBenchmark({
  id: "perf_poisson",
  profile: "poisson",
  rate: 2,
  seconds: DEFAULT_SECONDS
})
export const perfThroughput = profileBenchmark({
  id: "perf_throughput",
  profile: "throughput",
  rate: 1,
  seconds: DEFAULT_SECONDS
})
export const perfQuick = profileBenchmark({ id: "perf_quick", profile: "constant", rate: 2, seconds: 10 })

/**
 * perf_sweep: finds out how much load the endpoint bears. First one request at a time, then as many as possible, then constant rates evenly
 * between what both reached. The headline is the point with the most output tokens per second at an error rate of at most 1 %.
 */
import { Effect } from "effect"
import type { AdapterError, Metric } from "../../sdk/adapter.ts"
import { noSamplesScored } from "../../sdk/failures.ts"
import type { ProcedureBenchmark } from "../benchmark.ts"
import { type LoadClock, liveClock } from "./load-clock.ts"
import { additionalInfo, checkMeasurement, errorRate, measurementInfo, notesOf, successful } from "./load-results.ts"
import { DEFAULT_SECONDS, loadSettings, THROUGHPUT_STREAMS } from "./load-settings.ts"
import { askLoad, type Measurement, measure } from "./measure.ts"
import { progress } from "./profiles.ts"
import { requestRecords } from "./request-records.ts"
import { saturated } from "./validity.ts"

const MAX_POINT_ERROR_RATE = 0.01

/** `count` rates strictly between the two ends, in equal steps; the ends may come in any order */
export const ratesBetween = (one: number, other: number, count: number): ReadonlyArray<number> => {
  const [low, high] = [Math.min(one, other), Math.max(one, other)]
  return Array.from({ length: count }, (_, index) => low + ((high - low) * (index + 1)) / (count + 1))
}

const metricOf = ({ metrics }: Measurement, name: string): number => {
  const value = metrics.find((metric) => metric.name === name)?.value
  return typeof value === "number" ? value : 0
}

/** a point that may be the headline: valid, answered, and nearly without errors */
const stands = (point: Measurement): boolean =>
  point.saturation === undefined && successful(point.counted).length > 0 && errorRate(point) <= MAX_POINT_ERROR_RATE

/** undefined when no point stands */
const bestPoint = (points: ReadonlyArray<Measurement>): Measurement | undefined =>
  points
    .filter(stands)
    .reduce<Measurement | undefined>(
      (best, point) =>
        best === undefined || metricOf(point, "output_tokens_per_second") > metricOf(best, "output_tokens_per_second")
          ? point
          : best,
      undefined
    )

/** why no point can be published: the generator, when it was never valid, else the model */
const noPoint = (points: ReadonlyArray<Measurement>): AdapterError => {
  const reasons = points.map(
    (point, index) => `point_${index}: ${point.saturation ?? `error rate ${errorRate(point).toFixed(3)}`}`
  )
  return points.every(({ saturation }) => saturation !== undefined)
    ? saturated(reasons.join("; "))
    : noSamplesScored(
        `no point of the sweep had an error rate of at most ${MAX_POINT_ERROR_RATE}: ${reasons.join("; ")}`
      )
}

/** points in the order of rising load: synchronous, the constant rates, throughput; a saturated one publishes no metrics */
const pointMetrics = (points: ReadonlyArray<Measurement>): ReadonlyArray<Metric> =>
  points.flatMap((point, index) =>
    point.saturation === undefined && successful(point.counted).length > 0
      ? point.metrics.map((metric) => ({ ...metric, name: `point_${index}/${metric.name}` }))
      : []
  )

const pointNotes = (points: ReadonlyArray<Measurement>): ReadonlyArray<string> =>
  points.flatMap((point, index) => [
    ...notesOf(point).map((note) => `point_${index}: ${note}`),
    ...(point.saturation === undefined ? [] : [`point_${index} is not valid and has no metrics: ${point.saturation}`])
  ])

export const sweepBenchmark = (
  clock: LoadClock = liveClock,
  throughputStreams = THROUGHPUT_STREAMS
): ProcedureBenchmark => ({
  kind: "procedure",
  id: "perf_sweep",
  needs: ["chat", "stream"],
  run: (context, client, callbacks) =>
    Effect.gen(function* () {
      const settings = { ...(yield* loadSettings(context, { rate: 1, seconds: DEFAULT_SECONDS })), throughputStreams }
      const ask = askLoad(client, settings)
      yield* ask(-1, () => undefined)
      const beganMs = yield* clock.now
      const report = progress(callbacks, clock, settings, beganMs, settings.sweepPoints + 2)
      const synchronous = yield* measure("synchronous", settings, ask, clock, report)
      // without a rate of its own the sweep has no lower end, and points are compared: one that the generator spoiled is none
      yield* checkMeasurement(synchronous, { ...settings, toleratesSaturation: false })
      const throughput = yield* measure("throughput", settings, ask, clock, report)
      const rates = ratesBetween(
        metricOf(synchronous, "requests_per_second"),
        metricOf(throughput, "requests_per_second"),
        settings.sweepPoints
      )
      const between = yield* Effect.forEach(
        rates.filter((rate) => rate > 0),
        (rate) => measure("constant", { ...settings, rate }, ask, clock, report)
      )
      const points = [synchronous, ...between, throughput]
      const best = bestPoint(points)
      if (best === undefined) return yield* noPoint(points)
      const seconds = ((yield* clock.now) - beganMs) / 1000
      const info = additionalInfo(points, settings, context.capabilities, seconds, pointNotes(points))
      return {
        metrics: [...best.metrics, ...pointMetrics(points)],
        records: requestRecords("perf_sweep", points, settings),
        additionalInfo: { ...info, best_point: `point_${points.indexOf(best)}`, load: points.map(measurementInfo) }
      }
    })
})

export const perfSweep = sweepBenchmark()

/** What a performance benchmark reports besides its metrics, and when it must not report any. Reference: adapter-contract.md, "Events"; providers-and-collections.md, "Honesty rules", "Performance profiles". */
import { Effect } from "effect"
import { defined } from "../../../values/defined.ts"
import type { AdapterError, Results } from "../../sdk/adapter.ts"
import type { Flag } from "../../sdk/controls.ts"
import { noSamplesScored, tooManyErrors } from "../../sdk/failures.ts"
import type { EndpointCapabilities } from "../../sdk/model/model-exchange.ts"
import { percentile } from "../statistics.ts"
import { KEPT_VALUES } from "./load-metrics.ts"
import type { LoadSettings } from "./load-settings.ts"
import type { Measurement } from "./measure.ts"
import type { FinishedRequest, LoadRequest } from "./timeline.ts"
import { SATURATED, saturated, saturationAdvice } from "./validity.ts"

/** beyond this many times the usual latency a request hangs */
const HANGING = 3
const MAX_OVERDUE = 0.02
const MAX_LOST_STREAMS = 0.05
const MAX_IMPLAUSIBLE = 0.01
const MAX_SILENT = 0.01
const LEAST_COUNT = 3
/** percentiles up to the 99th are known when less than this share is not */
const MAX_UNKNOWN = 0.01

export const successful = (requests: ReadonlyArray<LoadRequest>): ReadonlyArray<FinishedRequest> =>
  requests.filter((request) => request.outcome === "successful")

export const errorRate = ({ counted }: Measurement): number =>
  counted.length === 0 ? 0 : 1 - successful(counted).length / counted.length

const errorsOf = (requests: ReadonlyArray<LoadRequest>): string => {
  const errored = requests.filter((request) => request.outcome === "errored")
  const codes = [...new Set(errored.map(({ code }) => code))]
  return codes
    .map((code) => {
      const same = errored.filter((request) => request.code === code)
      return `${code} × ${same.length} (last: ${same.at(-1)?.message.slice(0, 200)})`
    })
    .join(", ")
}

/** a saturated generator (unless tolerated), an empty window and too many errors publish no numbers */
export const checkMeasurement = (
  measurement: Measurement,
  { maxErrorRate, toleratesSaturation }: Pick<LoadSettings, "maxErrorRate" | "toleratesSaturation">
): Effect.Effect<void, AdapterError> => {
  const { counted, run } = measurement
  if (measurement.saturation !== undefined && !toleratesSaturation) return saturated(measurement.saturation)
  const share = errorRate(measurement)
  const good = successful(counted).length
  const errors = counted.length - good
  if (good === 0) {
    const incomplete = run.requests.filter(({ outcome }) => outcome === "incomplete").length
    const reason =
      errors > 0
        ? errorsOf(counted)
        : `${incomplete} requests were still under way at the end; raise max_seconds or lower output_tokens`
    return noSamplesScored(`no request was answered in the measured time: ${reason}`)
  }
  return share > maxErrorRate
    ? tooManyErrors(
        `${errors} of ${counted.length} requests failed, more than max_error_rate ${maxErrorRate} allows: ${errorsOf(counted)}`
      )
    : Effect.void
}

/** a request that takes much longer than nearly all others had not just begun when the measurement ended: it hangs */
const overdueOf = ({ run }: Measurement): ReadonlyArray<LoadRequest> => {
  const finished = successful(run.requests).map(({ startMs, endMs }) => endMs - startMs)
  if (finished.length === 0) return []
  const p99 = percentile(
    finished.sort((one, other) => one - other),
    99
  )
  const usual = Math.max(HANGING * p99, p99 + 1000)
  return run.requests.filter(({ outcome, startMs, endMs }) => outcome === "incomplete" && endMs - startMs > usual)
}

const implausible = ({ counted }: Measurement) =>
  successful(counted).filter(({ claimedTokens }) => claimedTokens !== undefined)

const flagOf = (code: string, count: number, total: number, limit: number, message: string): Flag => ({
  ...{ code, level: "blocking", count, of: total, limit, samples: [] },
  message: `${count} of ${total} ${message}`
})

/** an endpoint that says nothing is quick */
const silentFlags = ({ counted }: Measurement): ReadonlyArray<Flag> => {
  const good = successful(counted)
  const silent = good.filter((request) => request.silent === true).length
  return silent < Math.min(LEAST_COUNT, Math.max(1, good.length)) || silent <= MAX_SILENT * good.length
    ? []
    : [flagOf("empty_responses", silent, good.length, MAX_SILENT, "answers had no text at all")]
}

/** figures that are published although the generator could not keep up */
const saturationFlags = ({ saturation, run }: Measurement): ReadonlyArray<Flag> =>
  saturation === undefined
    ? []
    : [
        {
          ...{ code: SATURATED, level: "advisory", count: run.due - run.sent, of: run.due, limit: 0, samples: [] },
          message: saturationAdvice(saturation).message
        }
      ]

/** what speaks against the figures although they could be computed */
const loadFlags = (measurement: Measurement): ReadonlyArray<Flag> => {
  const { counted, run } = measurement
  const overdue = overdueOf(measurement).length
  const of = counted.length + overdue
  // a stream that hangs takes a closed loop one of its few streams; an open loop sends on
  const hangs =
    (overdue >= LEAST_COUNT && overdue > MAX_OVERDUE * of) ||
    overdue > MAX_LOST_STREAMS * (run.streams ?? Number.POSITIVE_INFINITY)
  const wrong = implausible(measurement)
  const good = successful(counted).length
  return [
    ...silentFlags(measurement),
    ...(hangs
      ? [
          flagOf(
            "incomplete_requests",
            overdue,
            of,
            MAX_OVERDUE,
            `requests hung: at the end they had taken more than ${HANGING} times as long as nearly all others`
          )
        ]
      : []),
    ...(wrong.length >= Math.min(LEAST_COUNT, good) && wrong.length > MAX_IMPLAUSIBLE * good
      ? [
          flagOf(
            "usage_impossible",
            wrong.length,
            good,
            MAX_IMPLAUSIBLE,
            `answers claim more tokens than the limit or what was streamed allows, or fewer than it needs (the last ${wrong.at(-1)?.claimedTokens} for ${wrong.at(-1)?.outputTokens}); what was streamed is counted`
          )
        ]
      : [])
  ]
}

export const notesOf = (measurement: Measurement): ReadonlyArray<string> => {
  const { counted, run, unknownLatencies } = measurement
  const unfinished = run.requests.filter(({ outcome }) => outcome === "incomplete").length
  const good = successful(counted)
  const retried = good.filter(({ retries }) => retries > 0).length
  const notStreamed = good.filter(({ firstContentMs }) => firstContentMs === undefined).length
  return [
    ...loadFlags(measurement).map(({ code, message }) => `${code}: ${message}`),
    ...(unknownLatencies > MAX_UNKNOWN
      ? [
          `${unfinished} of ${run.requests.length} requests were not finished at the end; ${Math.ceil(unknownLatencies * 100)} % of the latencies are known only as lower bounds`
        ]
      : []),
    ...(notStreamed > 0
      ? [`${notStreamed} of ${good.length} answers came in one piece: they have no TTFT and no ITL`]
      : []),
    ...(good.some(({ estimated }) => estimated) ? ["the endpoint reports no usage: token counts are estimated"] : []),
    ...(retried > 0
      ? [`${retried} of ${good.length} requests were repeated before they were answered; their waiting counts`]
      : []),
    ...(good.length > KEPT_VALUES ? [`percentiles use the first ${KEPT_VALUES} of ${good.length} requests`] : []),
    ...(run.requests.length === 0 ? ["no request was sent"] : [])
  ]
}

/** asked load, real window and what happened to every request, for one measurement */
export const measurementInfo = (measurement: Measurement) => {
  const outcomes = (wanted: LoadRequest["outcome"]) =>
    measurement.run.requests.filter(({ outcome }) => outcome === wanted).length
  return {
    profile: measurement.profile,
    loop: measurement.run.loop,
    ...(measurement.profile === "synchronous" || measurement.profile === "throughput"
      ? {}
      : { rate: measurement.rate }),
    window_seconds: (measurement.window.toMs - measurement.window.fromMs) / 1000,
    lag_p99_ms: measurement.lagP99Ms,
    ...defined({ saturated: measurement.saturation }),
    requests: {
      successful: outcomes("successful"),
      incomplete: outcomes("incomplete"),
      errored: outcomes("errored"),
      counted: measurement.counted.length,
      hanging: overdueOf(measurement).length
    }
  }
}

export const additionalInfo = (
  measurements: ReadonlyArray<Measurement>,
  settings: LoadSettings,
  capabilities: EndpointCapabilities,
  durationSeconds: number,
  notes: ReadonlyArray<string>
): NonNullable<Results["additionalInfo"]> => {
  const counted = measurements.flatMap((measurement) => measurement.counted)
  const good = successful(counted)
  const [only, ...others] = measurements
  const flags = [
    ...measurements.flatMap(loadFlags),
    // a point of a sweep publishes nothing then
    ...(only === undefined || others.length > 0 ? [] : saturationFlags(only))
  ]
  const { demo, ...endpoint } = capabilities
  return {
    endpoint,
    sampling: {
      seed: settings.seed,
      method: "synthetic load",
      prompt_tokens: settings.promptTokens,
      output_tokens: settings.outputTokens
    },
    load: measurements.map(measurementInfo),
    counts: {
      total: counted.length,
      scored: good.length,
      errors: counted.length - good.length,
      timeouts: counted.filter((request) => request.outcome === "errored" && request.code === "model_request_timeout")
        .length,
      invalid: 0
    },
    tokens: {
      prompt: good.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
      completion: good.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
      estimated: good.some(({ estimated }) => estimated)
    },
    duration_seconds: durationSeconds,
    ...(flags.length === 0 ? {} : { flags }),
    ...(demo ? { demo: true } : {}),
    ...(notes.length === 0 ? {} : { notes })
  }
}

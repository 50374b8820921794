/** The requests of a performance benchmark, from their records, and what came of them in equal parts of their time. */
import type { RecordedSample } from "../../../data/sample-pages.ts"

export interface TimedRequest {
  /** which of several measurements, as the names of their metrics begin: `point_0`; empty where there is one alone */
  readonly measurement: string
  /** the kind of load, as the adapter calls it */
  readonly profile: string | undefined
  /** all times in milliseconds; these two since the measurement began */
  readonly started: number
  readonly ended: number
  readonly latency: number | undefined
  readonly firstToken: number | undefined
  readonly tokens: number
  /** `unfinished`: still under way when the measurement ended */
  readonly outcome: "answered" | "failed" | "unfinished"
}

const timeIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined

const outcomes: { readonly [Verdict in RecordedSample["verdict"]]?: TimedRequest["outcome"] } = {
  error: "failed",
  skipped: "unfinished"
}

/** undefined: the record does not say when the request was sent */
export const timedRequest = ({ sample_id, verdict, record }: RecordedSample): TimedRequest | undefined => {
  const { started, ended, profile } = Object(record?.timing)
  const [from, latency] = [timeIn(started), timeIn(record?.latency_ms)]
  if (from === undefined) return undefined
  return {
    measurement: /[:-](point_\d+):/.exec(sample_id)?.[1] ?? "",
    profile: typeof profile === "string" ? profile : undefined,
    started: from,
    ended: Math.max(from, timeIn(ended) ?? from + (latency ?? 0)),
    latency,
    firstToken: timeIn(record?.ttft_ms),
    tokens: record?.tokens?.completion ?? 0,
    outcome: outcomes[verdict] ?? "answered"
  }
}

/** the requests of each measurement, in the order of their numbers */
export const measurementsOf = (
  requests: ReadonlyArray<TimedRequest>
): ReadonlyArray<readonly [name: string, own: ReadonlyArray<TimedRequest>]> => {
  const found = new Map<string, Array<TimedRequest>>()
  for (const request of requests) {
    const own = found.get(request.measurement)
    if (own === undefined) found.set(request.measurement, [request])
    else own.push(request)
  }
  return [...found].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
}

export interface Ends {
  readonly low: number
  readonly high: number
}

export interface Slice {
  /** milliseconds since the measurement began */
  readonly from: number
  readonly to: number
  /** requests that ended in it */
  readonly answered: number
  readonly failed: number
  /** the shortest and the longest of those that were answered in it */
  readonly latency: Ends | undefined
  readonly firstToken: Ends | undefined
  readonly tokensPerSecond: number
}

/** of the time of a measurement */
const mostSlices = 30

/** 1, 2 or 5 times a power of ten milliseconds, of which `total` has at most so many */
export const sliceMillis = (total: number): number => {
  const least = Math.max(1, total / mostSlices)
  const power = 10 ** Math.floor(Math.log10(least))
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10)
}

const within = (ends: Ends | undefined, value: number | undefined): Ends | undefined =>
  value === undefined ? ends : { low: Math.min(ends?.low ?? value, value), high: Math.max(ends?.high ?? value, value) }

/** those of an answer come evenly from its first to its end, or at its end when that is all that is known */
const addTokens = (tokens: Float64Array, { started, ended, firstToken, tokens: own }: TimedRequest, width: number) => {
  const place = (time: number) => Math.min(tokens.length - 1, Math.floor(time / width))
  const add = (at: number, some: number) => {
    tokens[at] = (tokens[at] ?? 0) + some
  }
  const from = Math.min(ended, started + (firstToken ?? ended - started))
  if (from >= ended) return add(place(ended), own)
  for (let at = place(from); at <= place(ended); at++) {
    const inside = Math.min(ended, (at + 1) * width) - Math.max(from, at * width)
    add(at, (own * Math.max(0, inside)) / (ended - from))
  }
}

/** equal parts of the time from the begin of a measurement to its last request's end; none without requests */
export const slicesOf = (requests: ReadonlyArray<TimedRequest>): ReadonlyArray<Slice> => {
  if (requests.length === 0) return []
  const total = requests.reduce((last, { ended }) => Math.max(last, ended), 0)
  const width = sliceMillis(total)
  const length = Math.max(1, Math.ceil(total / width))
  const tokens = new Float64Array(length)
  const slices = Array.from({ length }, (_, at): Slice => {
    const nothing = { answered: 0, failed: 0, latency: undefined, firstToken: undefined, tokensPerSecond: 0 }
    return { from: at * width, to: (at + 1) * width, ...nothing }
  })
  for (const request of requests) {
    const at = Math.min(length - 1, Math.floor(request.ended / width))
    const before = slices[at]
    if (before === undefined || request.outcome === "unfinished") continue
    if (request.outcome === "failed") {
      slices[at] = { ...before, failed: before.failed + 1 }
      continue
    }
    slices[at] = {
      ...before,
      answered: before.answered + 1,
      latency: within(before.latency, request.latency),
      firstToken: within(before.firstToken, request.firstToken)
    }
    addTokens(tokens, request, width)
  }
  return slices.map((slice, at) => ({ ...slice, tokensPerSecond: ((tokens[at] ?? 0) / width) * 1000 }))
}

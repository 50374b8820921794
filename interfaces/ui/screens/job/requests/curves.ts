/** What is drawn of the requests of one measurement. */
import type { Curve } from "./chart.tsx"
import type { Slice, TimedRequest } from "./timed.ts"

const seconds = (millis: number): number => millis / 1000

/** a point for each request that has the time, where it was sent */
const pointsOf = (
  title: string,
  requests: ReadonlyArray<TimedRequest>,
  pick: (request: TimedRequest) => number | undefined
): Curve => {
  const points = requests.flatMap((request) => {
    const value = request.outcome === "answered" ? pick(request) : undefined
    return value === undefined ? [] : [[seconds(request.started), value] as const]
  })
  return { title, unit: "ms", at: points.map(([at]) => at), values: points.map(([, value]) => value), isStepped: false }
}

/** the last value holds until the end of its part */
const stepsOf = (title: string, unit: string, slices: ReadonlyArray<Slice>, pick: (slice: Slice) => number): Curve => {
  const last = slices.at(-1)
  const ends = last === undefined ? [] : [last]
  return {
    ...{ title, unit, isStepped: true },
    at: [...slices.map(({ from }) => seconds(from)), ...ends.map(({ to }) => seconds(to))],
    values: [...slices, ...ends].map(pick)
  }
}

/** those that have something to show */
export const curvesOf = (requests: ReadonlyArray<TimedRequest>, slices: ReadonlyArray<Slice>): ReadonlyArray<Curve> =>
  [
    pointsOf("Latency", requests, ({ latency }) => latency),
    pointsOf("Time to first token", requests, ({ firstToken }) => firstToken),
    stepsOf("Tokens generated", "a second", slices, ({ tokensPerSecond }) => tokensPerSecond),
    stepsOf("Failed requests", "in each part", slices, ({ failed }) => failed)
  ].filter(({ values }) => values.some((value) => value !== null && value > 0))

/** What went through the sidecar, kept in memory and printed as Prometheus text. Labels are route, method and status class only. Reference: gateway.md, "Event spool". */
import type { Exchange } from "../gateway/proxy.ts"

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

interface Series {
  readonly labels: string
  count: number
  bytesIn: number
  bytesOut: number
  durationSeconds: number
  aborted: number
  readonly durations: Array<number>
  readonly firstBytes: Array<number>
  firstByteCount: number
  firstByteSeconds: number
}

export interface Counters {
  readonly onExchange: (exchange: Exchange) => void
  readonly openExchanges: () => number
  /** a request began; the answer ends it */
  readonly begin: () => () => void
  readonly text: (gauges: { readonly [name: string]: number }) => string
}

/** as long as nothing came, 0 */
const statusClass = (status: number): number => Math.floor(status / 100)

const newSeries = (labels: string): Series => ({
  labels,
  count: 0,
  bytesIn: 0,
  bytesOut: 0,
  durationSeconds: 0,
  aborted: 0,
  durations: buckets.map(() => 0),
  firstBytes: buckets.map(() => 0),
  firstByteCount: 0,
  firstByteSeconds: 0
})

const observe = (counts: Array<number>, seconds: number): void => {
  const at = buckets.findIndex((bucket) => seconds <= bucket)
  if (at >= 0) counts[at] = (counts[at] ?? 0) + 1
}

const count = (series: Series, exchange: Exchange): void => {
  series.count += 1
  series.bytesIn += exchange.bytesIn
  series.bytesOut += exchange.bytesOut
  if (exchange.aborted) series.aborted += 1
  const seconds = exchange.durationMillis / 1000
  series.durationSeconds += seconds
  observe(series.durations, seconds)
  if (exchange.ttfbMillis === undefined) return
  series.firstByteCount += 1
  series.firstByteSeconds += exchange.ttfbMillis / 1000
  observe(series.firstBytes, exchange.ttfbMillis / 1000)
}

const histogram = (
  name: string,
  { labels }: Series,
  counts: ReadonlyArray<number>,
  all: number,
  sum: number
): ReadonlyArray<string> => {
  let total = 0
  const lines = buckets.map((bucket, index) => {
    total += counts[index] ?? 0
    return `${name}_bucket{${labels},le="${bucket}"} ${total}`
  })
  return [
    ...lines,
    `${name}_bucket{${labels},le="+Inf"} ${all}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${all}`
  ]
}

const family = (name: string, type: string, help: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]

const exposition = (list: ReadonlyArray<Series>, open: number, gauges: { readonly [name: string]: number }): string => {
  const counter = (name: string, help: string, value: (series: Series) => number) =>
    family(
      name,
      "counter",
      help,
      list.map((series) => `${name}{${series.labels}} ${value(series)}`)
    )
  const firstBytes = "evald_sidecar_first_byte_seconds"
  const exchanges = "evald_sidecar_exchange_seconds"
  return `${[
    ...counter(
      "evald_sidecar_exchanges_total",
      "exchanges by route, method and status class",
      (series) => series.count
    ),
    ...counter(
      "evald_sidecar_aborted_total",
      "exchanges that ended before their answer was complete",
      ({ aborted }) => aborted
    ),
    ...counter("evald_sidecar_request_bytes_total", "body bytes from the adapter", ({ bytesIn }) => bytesIn),
    ...counter("evald_sidecar_response_bytes_total", "body bytes to the adapter", ({ bytesOut }) => bytesOut),
    ...family(
      firstBytes,
      "histogram",
      "time until the upstream's head",
      list.flatMap((series) =>
        histogram(firstBytes, series, series.firstBytes, series.firstByteCount, series.firstByteSeconds)
      )
    ),
    ...family(
      exchanges,
      "histogram",
      "time until the exchange ended",
      list.flatMap((series) => histogram(exchanges, series, series.durations, series.count, series.durationSeconds))
    ),
    ...family("evald_sidecar_open_exchanges", "gauge", "exchanges under way", [`evald_sidecar_open_exchanges ${open}`]),
    ...Object.entries(gauges).flatMap(([name, value]) =>
      family(name, "gauge", name.replaceAll("_", " "), [`${name} ${value}`])
    )
  ].join("\n")}\n`
}

export const makeCounters = (): Counters => {
  const all: Array<Series> = []
  /** by route, method and status class, so that no text is made to find one */
  const known = new Map<string, Map<string, Map<number, Series>>>()
  let open = 0
  const seriesOf = (route: string, method: string, status: number): Series => {
    const found = known.get(route)?.get(method)?.get(status)
    if (found !== undefined) return found
    const series = newSeries(`route="${route}",method="${method}",status="${status === 0 ? "none" : `${status}xx`}"`)
    const methods = known.get(route) ?? new Map<string, Map<number, Series>>()
    known.set(route, methods.set(method, (methods.get(method) ?? new Map<number, Series>()).set(status, series)))
    all.push(series)
    return series
  }
  return {
    begin: () => {
      open += 1
      return () => {
        open -= 1
      }
    },
    openExchanges: () => open,
    onExchange: (exchange) => {
      const method = methods.has(exchange.method) ? exchange.method : "OTHER"
      count(seriesOf(exchange.route, method, statusClass(exchange.status)), exchange)
    },
    text: (gauges) => exposition(all, open, gauges)
  }
}

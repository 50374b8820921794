/**
 * The request histogram, counted without the library's hashing of labels, which costs more than the rest of a small request's
 * bookkeeping. It registers like any other histogram and hands over its values when it is scraped.
 */
import { Histogram, type HistogramConfiguration } from "prom-client"

type Label = "method" | "route" | "status"

interface Series {
  readonly labels: { readonly [L in Label]: string | number }
  /** observations per bucket; the last one is beyond all bounds */
  readonly buckets: Array<number>
  sum: number
}

export class RequestHistogram extends Histogram<Label> {
  readonly #bounds: ReadonlyArray<number>
  readonly #described: { readonly name: string; readonly help: string }
  readonly #series = new Map<string, Map<number, Series>>()

  constructor(configuration: HistogramConfiguration<Label> & { readonly buckets: Array<number> }) {
    super({ ...configuration, labelNames: ["method", "route", "status"] })
    this.#bounds = configuration.buckets
    this.#described = { name: configuration.name, help: configuration.help }
  }

  count(method: string, route: string, status: number, seconds: number): void {
    const series = this.#seriesOf(method, route, status)
    let at = 0
    while (at < this.#bounds.length && seconds > (this.#bounds[at] ?? 0)) at++
    series.buckets[at] = (series.buckets[at] ?? 0) + 1
    series.sum += seconds
  }

  /** what the registry asks for when it is scraped, and what `get` builds on (not part of the library's types) */
  async getForPromString() {
    const { name, help } = this.#described
    const values = [...this.#series.values()]
      .flatMap((byStatus) => [...byStatus.values()])
      .flatMap((series) => this.#valuesOf(name, series))
    return { name, help, type: "histogram", aggregator: "sum", values }
  }

  #seriesOf(method: string, route: string, status: number): Series {
    const key = `${method} ${route}`
    const byStatus = this.#series.get(key) ?? new Map<number, Series>()
    const series = byStatus.get(status) ?? {
      labels: { method, route, status },
      buckets: Array.from({ length: this.#bounds.length + 1 }, () => 0),
      sum: 0
    }
    if (byStatus.size === 0) this.#series.set(key, byStatus)
    byStatus.set(status, series)
    return series
  }

  #valuesOf(name: string, { labels, buckets, sum }: Series) {
    let count = 0
    const cumulative = buckets.map((observed, at) => {
      count += observed
      return { metricName: `${name}_bucket`, labels: { ...labels, le: this.#bounds[at] ?? "+Inf" }, value: count }
    })
    return [
      ...cumulative,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count }
    ]
  }
}

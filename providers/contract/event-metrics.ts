/** Metrics of an event: what can be stored as a metric, and what is set aside. Reference: adapter-contract.md, "Metrics". */
import { cleanText, cutUtf8 } from "../../values/clean-text.ts"
import { listed } from "./event-reader.ts"

const maxMetrics = 5000
const maxNameLength = 256
const maxTextBytes = 4096

/** longer than what stands for a number that JSON can not write */
const longestMark = "-Infinity".length

const control = /\p{Cc}/gu
/** nearly every name: taken as it is, because events may have very many */
const plain = /^[\x20-\x7e]{1,256}$/
const notFinite = /^\s*([+-]?)(nan|inf|infinity)\s*$/i

type MetricValue = number | string | boolean

export interface EventMetrics {
  /** at most 5,000: finite numbers, booleans, strings; NaN and infinities by the names `NaN`, `Infinity`, `-Infinity` */
  readonly metrics: { readonly [name: string]: MetricValue }
  /** those beyond the limit: the primary one, which this layer does not know, may be among them. A list, for there may be very many. */
  readonly more: ReadonlyArray<readonly [name: string, value: MetricValue]>
  /** nested values, kept for `additional_info.unsupported_metrics` */
  readonly unsupported: { readonly [name: string]: unknown }
  /** metrics left out: beyond the limit, or without a usable name */
  readonly dropped: number
  /** one sentence for each kind of change */
  readonly notes: ReadonlyArray<string>
}

const readText = (text: string) => {
  const found = notFinite.exec(text)
  if (found === null) return cutUtf8(cleanText(text), maxTextBytes)
  return found[2]?.toLowerCase() === "nan" ? "NaN" : found[1] === "-" ? "-Infinity" : "Infinity"
}

const readValue = (value: unknown): MetricValue =>
  (typeof value === "number" && Number.isFinite(value)) || typeof value === "boolean" ? value : readText(String(value))

export const readMetrics = (raw: object): EventMetrics => {
  const metrics: Array<[string, MetricValue]> = []
  const more: Array<[string, MetricValue]> = []
  const unsupported: Array<[string, unknown]> = []
  const cut: Array<string> = []
  let [given, renamed, unusable] = [0, 0, 0]
  for (const rawName of Object.keys(raw)) {
    const value = (raw as { readonly [name: string]: unknown })[rawName]
    if (value === null || value === undefined) continue
    given++
    const name = plain.test(rawName) ? rawName : cleanText(rawName.replace(control, "").slice(0, maxNameLength))
    if (name === "" || name === "__proto__") {
      unusable++
      continue
    }
    if (name !== rawName) renamed++
    const fits = metrics.length + unsupported.length < maxMetrics
    if (typeof value === "object") {
      if (fits) unsupported.push([name, value])
      else unusable++
      continue
    }
    const read = readValue(value)
    if (
      fits &&
      typeof value === "string" &&
      typeof read === "string" &&
      read.length < value.length &&
      read.length > longestMark
    )
      cut.push(name)
    ;(fits ? metrics : more).push([name, read])
  }
  const dropped = unusable + more.length
  return {
    metrics: Object.fromEntries(metrics),
    more,
    unsupported: Object.fromEntries(unsupported),
    dropped,
    notes: [
      ...(cut.length === 0 ? [] : [`texts of the metrics ${listed(cut)} were cut to ${maxTextBytes} bytes`]),
      ...(renamed === 0
        ? []
        : [
            `${renamed} names of metrics were changed: they have at most ${maxNameLength} characters and no control characters`
          ]),
      ...(dropped === 0
        ? []
        : [
            `${dropped} of ${given} metrics were dropped: at most ${maxMetrics} with a usable name are kept, the primary one always`
          ])
    ]
  }
}

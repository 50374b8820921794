/** Metrics of an event: what can be stored as a metric, and what is set aside. Reference: adapter-contract.md, "Metrics". */
import { cleanJson, cleanText, cutUtf8 } from "./clean-text.ts"

const maxMetrics = 5000
const maxNameLength = 256
const maxTextBytes = 4096

const control = /\p{Cc}/gu
const notFinite = /^\s*([+-]?)(nan|inf|infinity)\s*$/i

export interface EventMetrics {
  /** finite numbers, booleans, strings; NaN and infinities by the names `NaN`, `Infinity`, `-Infinity` */
  readonly metrics: { readonly [name: string]: number | string | boolean }
  /** nested values, kept for `additional_info.unsupported_metrics` */
  readonly unsupported: { readonly [name: string]: unknown }
  /** metrics left out: beyond the limit, or without a usable name */
  readonly dropped: number
}

const readText = (text: string) => {
  const found = notFinite.exec(text)
  if (found === null) return cutUtf8(cleanText(text), maxTextBytes)
  return found[2]?.toLowerCase() === "nan" ? "NaN" : found[1] === "-" ? "-Infinity" : "Infinity"
}

export const readMetrics = (raw: object): EventMetrics => {
  const metrics: Array<[string, number | string | boolean]> = []
  const unsupported: Array<[string, unknown]> = []
  let dropped = 0
  for (const [rawName, value] of Object.entries(raw)) {
    if (value === null || value === undefined) continue
    if (metrics.length + unsupported.length >= maxMetrics) {
      dropped++
      continue
    }
    const name = cleanText(rawName.replace(control, "").slice(0, maxNameLength))
    if (name === "" || name === "__proto__") dropped++
    else if (typeof value === "object") unsupported.push([name, cleanJson(value)])
    else metrics.push([name, typeof value === "number" && Number.isFinite(value) ? value : typeof value === "boolean" ? value : readText(String(value))])
  }
  return { metrics: Object.fromEntries(metrics), unsupported: Object.fromEntries(unsupported), dropped }
}

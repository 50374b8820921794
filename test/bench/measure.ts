/** A figure with its target, and how both are shown. */

export interface Measure {
  /** number of the quality bar, e.g. P3 */
  readonly id: string
  readonly what: string
  /** database it was measured on; absent where none matters */
  readonly database?: string
  readonly value: number
  readonly unit: string
  readonly target: { readonly at: "most" | "least"; readonly value: number }
  /** what helps to read the figure: processor time, a reference from the same run */
  readonly beside?: string
}

type Extra = Pick<Measure, "database" | "beside">

export const meets = ({ value, target }: Measure): boolean =>
  target.at === "most" ? value <= target.value : value >= target.value

export const shown = (value: number): string => {
  if (Number.isNaN(value)) return "-"
  const size = Math.abs(value)
  return size >= 1000
    ? Math.round(value).toLocaleString("en-US")
    : size >= 100
      ? value.toFixed(0)
      : value.toFixed(size < 1 ? 2 : 1)
}

const withUnit = (value: number, unit: string): string => (unit === "" ? shown(value) : `${shown(value)} ${unit}`)

export const row = (measure: Measure): string => {
  const { id, what, database = "", value, unit, target, beside = "" } = measure
  const cells = [
    id,
    what,
    database,
    `${target.at === "most" ? "≤" : "≥"} ${withUnit(target.value, unit)}`,
    withUnit(value, unit)
  ]
  return `| ${[...cells, meets(measure) ? "pass" : "**short**", beside].join(" | ")} |`
}

export const head = ["| # | measure | database | target | measured | | beside it |", "|---|---|---|---|---|---|---|"]

const against =
  (at: Measure["target"]["at"]) =>
  (id: string, what: string, value: number, unit: string, target: number, extra: Extra = {}): Measure => ({
    ...{ id, what, value, unit, target: { at, value: target } },
    ...extra
  })
export const atMost = against("most")
export const atLeast = against("least")

/** A figure with its target, and how both are shown. */

export interface Measure {
  /** number of the quality bar, e.g. P3 */
  readonly id: string
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly target: { readonly at: "most" | "least"; readonly value: number }
}

export const meets = ({ value, target }: Measure): boolean => (target.at === "most" ? value <= target.value : value >= target.value)

const shown = (value: number): string => (Number.isNaN(value) ? "-" : Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(value < 1 ? 3 : 1))

export const row = (measure: Measure): string => {
  const { id, what, value, unit, target } = measure
  return `| ${id} | ${what} | ${shown(value)} ${unit} | ${target.at === "most" ? "≤" : "≥"} ${shown(target.value)} ${unit} | ${meets(measure) ? "pass" : "falls short"} |`
}

export const head = ["| # | measure | figure | target | |", "|---|---|---|---|---|"]

export const atMost = (id: string, what: string, value: number, unit: string, target: number): Measure => ({
  id,
  what,
  value,
  unit,
  target: { at: "most", value: target }
})
export const atLeast = (id: string, what: string, value: number, unit: string, target: number): Measure => ({
  id,
  what,
  value,
  unit,
  target: { at: "least", value: target }
})

/** A difference with its interval: left of the line is worse, right of it is better. */
import { number } from "../../format.ts"

const width = 150
const height = 18
const middle = height / 2

interface Ends {
  readonly low: number
  readonly high: number
}

export const signed = (value: number): string => `${value > 0 ? "+" : value < 0 ? "−" : ""}${number(Math.abs(value))}`

/** `reach`: how far the axis goes to each side; `tolerance`: a loss that is accepted */
export const Forest = ({
  difference,
  interval,
  reach,
  tolerance
}: {
  readonly difference: number
  readonly interval?: Ends | undefined
  readonly reach: number
  readonly tolerance?: number | undefined
}) => {
  const at = (value: number) => (Math.max(-1, Math.min(1, value / reach)) * (width - 8)) / 2 + width / 2
  const said = [
    `difference ${signed(difference)}`,
    ...(interval === undefined ? [] : [`interval ${signed(interval.low)} to ${signed(interval.high)}`]),
    ...(tolerance === undefined ? [] : [`accepted loss ${number(tolerance)}`])
  ].join(", ")
  return (
    <svg class="forest" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={said}>
      <line class="axis" x1={4} x2={width - 4} y1={middle} y2={middle} />
      <line class="nought" x1={width / 2} x2={width / 2} y1={1} y2={height - 1} />
      {tolerance !== undefined && tolerance > 0 && (
        <line class="accepted" x1={at(-tolerance)} x2={at(-tolerance)} y1={1} y2={height - 1} />
      )}
      {interval !== undefined && (
        <line class="interval" x1={at(interval.low)} x2={at(interval.high)} y1={middle} y2={middle} />
      )}
      <rect class="value" x={at(difference) - 3.5} y={middle - 3.5} width={7} height={7} />
    </svg>
  )
}

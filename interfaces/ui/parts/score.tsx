/** A value with what is known about the true one behind it, and the mark that it has to reach. */
import { defined } from "../../../values/defined.ts"
import { number } from "../format.ts"
import { Nothing } from "./nothing.tsx"

export interface Score {
  readonly value: number
  readonly low?: number | undefined
  readonly high?: number | undefined
  readonly threshold?: number | undefined
  readonly lowerIsBetter?: boolean | undefined
  /** what low and high are */
  readonly limits?: string | undefined
}

/** most scores lie in 0..1; others get the room that their own numbers need */
export const rangeOf = (scores: ReadonlyArray<Score>): readonly [low: number, high: number] => {
  const all = scores.flatMap(({ value, low = value, high = value, threshold = value }) => [value, low, high, threshold])
  const [least, most] = [Math.min(...all), Math.max(...all)]
  if (least >= 0 && most <= 1) return [0, 1]
  const room = (most - least || Math.abs(most) || 1) * 0.1
  return [least >= 0 ? Math.max(0, least - room) : least - room, most + room]
}

const width = 120
const height = 16

/** the same as a sentence */
const said = ({ value, low, high, threshold, lowerIsBetter, limits = "interval" }: Score): string =>
  [
    number(value),
    ...(low === undefined || high === undefined ? [] : [`${limits} ${number(low)} to ${number(high)}`]),
    ...(threshold === undefined
      ? []
      : [`threshold ${lowerIsBetter === true ? "at most" : "at least"} ${number(threshold)}`])
  ].join(", ")

/** `range`: that of all bars that are compared by eye */
const ScoreBar = ({
  score,
  range = rangeOf([score])
}: {
  readonly score: Score
  readonly range?: readonly [number, number]
}) => {
  const [from, to] = range
  const at = (value: number) => Math.max(0, Math.min(1, (value - from) / (to - from))) * (width - 4) + 2
  const { value, low, high, threshold } = score
  return (
    <svg
      class="score-bar"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={said(score)}
    >
      <line class="axis" x1={2} x2={width - 2} y1={8} y2={8} />
      {low !== undefined && high !== undefined && (
        <rect class="interval" x={at(low)} y={5} width={Math.max(1, at(high) - at(low))} height={6} rx={3} />
      )}
      {threshold !== undefined && <line class="threshold" x1={at(threshold)} x2={at(threshold)} y1={1} y2={15} />}
      <circle class="value" cx={at(value)} cy={8} r={3.5} />
    </svg>
  )
}

/** number, limits and bar together */
export const ScoreCell = ({
  score,
  range
}: {
  readonly score: Score | undefined
  readonly range?: readonly [number, number]
}) => {
  if (score === undefined) return <Nothing />
  const { value, low, high } = score
  return (
    <span class="score">
      <span class="number">
        <strong>{number(value)}</strong>
        {low !== undefined && high !== undefined && (
          <span class="muted">
            {" "}
            {number(low)}–{number(high)}
          </span>
        )}
      </span>
      <ScoreBar score={score} {...defined({ range })} />
    </span>
  )
}

/** Progress in the unit's log, for a person who follows it: what is done of what, how fast, how long still. At most a line every ten seconds. */

import { Console, Effect } from "effect"
import { steadyMillis } from "../../../values/steady-millis.ts"
import type { Report } from "./event-body.ts"

const gapMs = 10_000

/** `1 h 5 min`, `12 min`, `40 s` */
const duration = (seconds: number): string => {
  if (seconds < 90) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** three digits are enough to see whether it gets slower */
const speed = (perSecond: number): string =>
  perSecond >= 1 || perSecond === 0 ? `${perSecond.toPrecision(3)}/s` : `${(perSecond * 60).toPrecision(3)}/min`

interface Stretch {
  readonly phase: string
  readonly total: number | undefined
  /** where counting began */
  readonly fromMs: number
  readonly from: number
}

/** one line: `running_evaluation: 120 of 200 (60 %), 4.20/s, 19 s left` */
const lineOf = ({ phase, message, completed, total }: Report, stretch: Stretch, now: number): string => {
  const text = message === undefined || message === "" ? phase : `${phase}: ${message}`
  if (completed === undefined) return text
  const seconds = (now - stretch.fromMs) / 1000
  const rate = seconds > 0 ? (completed - stretch.from) / seconds : 0
  const left =
    total === undefined || rate <= 0 || completed >= total ? "" : `, ${duration((total - completed) / rate)} left`
  const share = total === undefined || total <= 0 ? "" : ` of ${total} (${Math.floor((100 * completed) / total)} %)`
  return `${text}: ${completed}${share}${rate > 0 ? `, ${speed(rate)}` : ""}${left}`
}

/**
 * Takes every report and writes the first of a phase, the last of a count, and in between one every ten seconds. A count that begins again
 * (the next progress bar of a framework) is measured anew.
 */
export const makeProgressLog = (
  write: (line: string) => Effect.Effect<void> = (line) => Console.log(line)
): ((report: Report) => Effect.Effect<void>) => {
  let stretch: Stretch | undefined
  let completedBefore = 0
  let writtenMs = Number.NEGATIVE_INFINITY
  let written = ""
  return (report) =>
    Effect.flatMap(steadyMillis, (now) => {
      const completed = report.completed ?? 0
      const newPhase = stretch?.phase !== report.phase
      if (stretch === undefined || newPhase || stretch.total !== report.total || completed < completedBefore)
        stretch = { phase: report.phase, total: report.total, fromMs: now, from: completed }
      completedBefore = completed
      const finished = report.total !== undefined && completed >= report.total
      const line = lineOf(report, stretch, now)
      if (line === written || !(newPhase || finished || now - writtenMs >= gapMs)) return Effect.void
      written = line
      writtenMs = now
      return write(line)
    })
}

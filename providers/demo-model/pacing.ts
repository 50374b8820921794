/** Sends tokens at their times: every due time is counted from the start, so lateness of one token never adds to the next. */

export interface Pace {
  readonly ttftMs: number
  /** 0: no pause between tokens */
  readonly tokensPerSecond: number
}

/** a token this close to its time is due */
const slackMs = 0.1
/** timers fire on whole milliseconds, and late: the first token's last stretch is waited for turn by turn of the event loop */
const preciseMs = 2

/** `startMs` is a `performance.now()`; returns how to stop */
export const paceTokens = (
  count: number,
  startMs: number,
  pace: Pace,
  emit: (index: number) => void,
  done: () => void
): (() => void) => {
  const gap = pace.tokensPerSecond > 0 ? 1000 / pace.tokensPerSecond : 0
  const dueAt = (index: number) => startMs + pace.ttftMs + index * gap
  let next = 0
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined
  const waitUntil = (due: number, now: number) => {
    const left = due - now
    if (next > 0) timer = setTimeout(step, Math.max(1, left))
    else if (left > preciseMs) timer = setTimeout(step, left - preciseMs)
    else turn = setImmediate(step)
  }
  const step = () => {
    const now = performance.now()
    while (next < count && dueAt(next) <= now + slackMs) emit(next++)
    // an answer without a token still takes the time to the first one
    const end = count === 0 ? dueAt(0) : Number.NEGATIVE_INFINITY
    if (next >= count && end <= now + slackMs) done()
    else waitUntil(next < count ? dueAt(next) : end, now)
  }
  step()
  return () => {
    clearTimeout(timer)
    clearImmediate(turn)
  }
}

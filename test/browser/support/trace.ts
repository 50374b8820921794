/**
 * How long the page's thread works in each frame, from a trace of the browser, by the clock: what a person waits, with whatever else the machine does.
 */
import type { Browser, Page } from "playwright-core"

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** microseconds, of the clock */
  readonly ts: number
  readonly dur?: number
}

/** scripts, and what follows from what they changed */
const work = new Set([
  ...["FunctionCall", "EvaluateScript", "EventDispatch", "FireAnimationFrame", "TimerFire", "RunMicrotasks"],
  ...["UpdateLayoutTree", "Layout"]
])

/** milliseconds of work between each two frames, and of the longest task, while `action` runs in the page; each of its frames asks for the next */
export const traced = async (
  browser: Browser,
  page: Page,
  action: () => Promise<void>
): Promise<{ readonly frames: ReadonlyArray<number>; readonly longest: number }> => {
  await browser.startTracing(page, { categories: ["devtools.timeline", "disabled-by-default-devtools.timeline"] })
  await action()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString("utf8")) as {
    readonly traceEvents: ReadonlyArray<TraceEvent>
  }
  const first = traceEvents.find(({ name }) => name === "FireAnimationFrame")
  const own = traceEvents.filter(({ pid, tid }) => pid === first?.pid && tid === first.tid).sort((a, b) => a.ts - b.ts)
  const frames: Array<number> = []
  // one piece of work may stand inside another
  let until = 0
  for (const { name, ts, dur = 0 } of own) {
    if (name === "FireAnimationFrame") frames.push(0)
    if (!work.has(name) || frames.length === 0) continue
    frames[frames.length - 1] = (frames.at(-1) ?? 0) + Math.max(0, ts + dur - Math.max(ts, until)) / 1000
    until = Math.max(until, ts + dur)
  }
  const tasks = own.filter(({ name }) => name === "RunTask").map(({ dur = 0 }) => dur / 1000)
  return { frames, longest: Math.max(0, ...tasks) }
}

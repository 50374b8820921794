/**
 * How long the page's thread works in each frame, from a trace of the browser. It is the time that the processor gave to the thread: other programs of
 * the machine do not make it longer.
 */
import type { Browser, Page } from "playwright-core"

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** microseconds, of the clock */
  readonly ts: number
  /** microseconds, of the thread's own time */
  readonly tts?: number
  readonly tdur?: number
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
  for (const { name, tts, tdur = 0 } of own) {
    if (name === "FireAnimationFrame") frames.push(0)
    if (!work.has(name) || frames.length === 0 || tts === undefined) continue
    frames[frames.length - 1] = (frames.at(-1) ?? 0) + Math.max(0, tts + tdur - Math.max(tts, until)) / 1000
    until = Math.max(until, tts + tdur)
  }
  const tasks = own.filter(({ name }) => name === "RunTask").map(({ tdur = 0 }) => tdur / 1000)
  return { frames, longest: Math.max(0, ...tasks) }
}

/**
 * How long the page's thread works in each frame, from a trace of the browser, by the clock, which is what a person waits, and by the
 * time that the processor gave to the thread, which other programs of the machine do not make longer.
 */
import type { Browser, Page } from "playwright-core"

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** microseconds, of the clock */
  readonly ts: number
  readonly dur?: number
  /** microseconds, of the thread's own time */
  readonly tts?: number
  readonly tdur?: number
}

/** scripts, and what follows from what they changed */
const work = new Set([
  ...["FunctionCall", "EvaluateScript", "EventDispatch", "FireAnimationFrame", "TimerFire", "RunMicrotasks"],
  ...["UpdateLayoutTree", "Layout"]
])

/** milliseconds of work between each two frames, and of the longest task */
interface Work {
  readonly frames: ReadonlyArray<number>
  readonly longest: number
}

type Times = (event: TraceEvent) => readonly [from: number | undefined, length: number | undefined]

const workBy = (own: ReadonlyArray<TraceEvent>, times: Times): Work => {
  const frames: Array<number> = []
  // one piece of work may stand inside another
  let until = 0
  for (const event of own) {
    if (event.name === "FireAnimationFrame") frames.push(0)
    const [from, length = 0] = times(event)
    if (!work.has(event.name) || frames.length === 0 || from === undefined) continue
    frames[frames.length - 1] = (frames.at(-1) ?? 0) + Math.max(0, from + length - Math.max(from, until)) / 1000
    until = Math.max(until, from + length)
  }
  const tasks = own.filter(({ name }) => name === "RunTask").map((event) => (times(event)[1] ?? 0) / 1000)
  return { frames, longest: Math.max(0, ...tasks) }
}

/** what the page does while `action` runs in it; each of its frames asks for the next */
export const traced = async (
  browser: Browser,
  page: Page,
  action: () => Promise<void>
): Promise<{ readonly byClock: Work; readonly byThread: Work }> => {
  await browser.startTracing(page, { categories: ["devtools.timeline", "disabled-by-default-devtools.timeline"] })
  await action()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString("utf8")) as {
    readonly traceEvents: ReadonlyArray<TraceEvent>
  }
  const first = traceEvents.find(({ name }) => name === "FireAnimationFrame")
  const own = traceEvents.filter(({ pid, tid }) => pid === first?.pid && tid === first.tid).sort((a, b) => a.ts - b.ts)
  return { byClock: workBy(own, ({ ts, dur }) => [ts, dur]), byThread: workBy(own, ({ tts, tdur }) => [tts, tdur]) }
}

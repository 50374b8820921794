/**
 * A change stream that is opened again when it breaks, from the position it had, at growing intervals. It rests while nobody looks at the page:
 * a browser has few connections to one server, and every page that is left open in a tab would hold one.
 */
import { readEvents, type StreamEvent } from "./events.ts"
import { errorIn, type Problem, problemOf } from "./problem.ts"

export type Connection =
  | { readonly is: "opening" | "live" | "resting" | "over" }
  | { readonly is: "lost"; readonly retryMillis: number }
  | { readonly is: "refused"; readonly problem: Problem }

export interface Visibility {
  readonly isHidden: () => boolean
  /** resolves with the next change, or with the signal */
  readonly changed: (signal: AbortSignal) => Promise<void>
}

export interface Follower {
  readonly open: (headers: { readonly [name: string]: string }, signal: AbortSignal) => Promise<Response>
  readonly onEvent: (event: StreamEvent) => void
  readonly onConnection: (connection: Connection) => void
  readonly signal: AbortSignal
  readonly visibility: Visibility
  /** resolves after so many milliseconds, or with the signal */
  readonly pause?: (millis: number, signal: AbortSignal) => Promise<void>
}

/** no sign of life for this long, with heartbeats every 15 s, is a connection that is gone */
const silentMillis = 45_000
/** a page that nobody looks at keeps its connection so long */
const hiddenMillis = 20_000
const longestPause = 30_000

/** before the next try after so many failures in a row; a part of it is chance, so that many pages do not come back in one moment */
export const pauseAfter = (failures: number, chance: number): number =>
  Math.min(longestPause, 500 * 2 ** Math.min(failures, 10)) * (0.75 + chance / 2)

const wait = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, millis)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    if (signal.aborted) end()
    else signal.addEventListener("abort", end, { once: true })
  })

type Ended = "over" | "lost" | Problem

/** one connection from its opening to its end; rejected when it cannot be made or breaks */
const connect = async (
  { open, onEvent, onConnection }: Follower,
  position: { last: string | undefined },
  signal: AbortSignal,
  alive: () => void
): Promise<Ended> => {
  const response = await open(position.last === undefined ? {} : { "last-event-id": position.last }, signal)
  if (response.status === 204) return "over"
  if ([401, 403, 404].includes(response.status)) return problemOf(response.status, errorIn(await response.text()))
  if (!response.ok || response.body === null) return "lost"
  onConnection({ is: "live" })
  let refusal: Problem | undefined
  const take = (event: StreamEvent) => {
    if (event.name === "error") refusal = problemOf(403, errorIn(event.data))
    else {
      position.last = event.id ?? position.last
      onEvent(event)
    }
  }
  await readEvents(response.body, take, alive)
  return refusal ?? (position.last?.endsWith(".end") === true ? "over" : "lost")
}

/** aborts `stop` when the page was hidden for long */
const restWhenHidden = async (
  { visibility, pause = wait }: Follower,
  stop: AbortController,
  onRest: () => void
): Promise<void> => {
  const { signal } = stop
  while (!signal.aborted) {
    if (!visibility.isHidden()) await visibility.changed(signal)
    else {
      await pause(hiddenMillis, signal)
      if (signal.aborted || !visibility.isHidden()) continue
      onRest()
      stop.abort()
    }
  }
}

/** goes on until its signal, the stream's own end or a refusal */
export const follow = async (follower: Follower): Promise<void> => {
  const { onConnection, signal, visibility, pause = wait } = follower
  const position: { last: string | undefined } = { last: undefined }
  let failures = 0
  while (!signal.aborted) {
    const stop = new AbortController()
    const end = () => stop.abort()
    signal.addEventListener("abort", end, { once: true })
    let timer = setTimeout(end, silentMillis)
    const alive = () => {
      failures = 0
      clearTimeout(timer)
      timer = setTimeout(end, silentMillis)
    }
    let isResting = false
    void restWhenHidden(follower, stop, () => {
      isResting = true
    })
    const ended = await connect(follower, position, stop.signal, alive).catch((): Ended => "lost")
    clearTimeout(timer)
    signal.removeEventListener("abort", end)
    stop.abort()
    if (signal.aborted) return
    if (typeof ended === "object") return onConnection({ is: "refused", problem: ended })
    if (ended === "over") return onConnection({ is: "over" })
    if (isResting) {
      onConnection({ is: "resting" })
      while (!signal.aborted && visibility.isHidden()) await visibility.changed(signal)
    } else {
      const retryMillis = pauseAfter(failures++, Math.random())
      onConnection({ is: "lost", retryMillis })
      await pause(retryMillis, signal)
    }
  }
}

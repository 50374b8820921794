/** What is asked for again when something has happened: soon, but not for each of many events. */
import { useEffect, useRef } from "preact/hooks"

/** at most once in this time */
const restMillis = 1000

/** calls the last given function, but not more often than that */
export const useSoon = (action: () => void): (() => void) => {
  const latest = useRef(action)
  latest.current = action
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      latest.current()
    }, restMillis)
  }
}

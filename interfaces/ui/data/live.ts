/** A change stream for a component, for as long as it is shown. */
import { type Signal, useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { Client } from "../../client/client.ts"
import { client } from "../session/session.ts"
import { askFor } from "./answer.ts"
import type { StreamEvent } from "./events.ts"
import { type Connection, follow, type Visibility } from "./follow.ts"

const visibility: Visibility = {
  isHidden: () => document.visibilityState === "hidden",
  changed: (signal) =>
    new Promise((resolve) => {
      if (signal.aborted) resolve()
      signal.addEventListener("abort", () => resolve(), { once: true })
      document.addEventListener("visibilitychange", () => resolve(), { once: true, signal })
    })
}

type Open = (by: Client, headers: { readonly [name: string]: string }, signal: AbortSignal) => Promise<Response>

/** `open` undefined: nothing to follow. The stream begins anew with another `key`, token or tenant; what is shown stays. */
export const useStream = (
  key: string,
  open: Open | undefined,
  onEvent: (event: StreamEvent) => void
): Signal<Connection> => {
  const connection = useSignal<Connection>({ is: "opening" })
  const latest = useRef(onEvent)
  latest.current = onEvent
  const by = client.value
  const isOpen = open !== undefined
  // the key says when it is another stream
  useEffect(() => {
    if (open === undefined) return undefined
    const stop = new AbortController()
    void follow({
      open: (headers, signal) => open(by, headers, signal),
      onEvent: (event) => latest.current(event),
      onConnection: (state) => {
        if (stop.signal.aborted) return
        connection.value = state
        if (state.is === "refused") askFor(state.problem)
      },
      signal: stop.signal,
      visibility
    })
    return () => stop.abort()
  }, [key, by, isOpen])
  return connection
}

/**
 * Hands changes to the watchers in this process. Only watchers of the job or of its tenant hear of a change, so that idle watchers
 * cost nothing. A watcher that falls behind is told so and reads the log again; it never holds up a writer.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { Change } from "../../application/ports/change-feed.ts"

export interface ChangeFilter {
  readonly tenant: string
  readonly jobId?: string
}

/** changes in order; "read the log from where you are": some were dropped; or "begin anew": some came too late for the log's order */
export type Heard =
  | { readonly _tag: "Changes"; readonly changes: ReadonlyArray<Change> }
  | { readonly _tag: "Lagging" }
  | { readonly _tag: "Missed" }

export class ChangeHub extends Context.Tag("evald/infrastructure/in-process/ChangeHub")<
  ChangeHub,
  {
    readonly publish: (change: Change) => void
    /** hears everything published from now on until the scope closes; the inner effect waits for the next of it, one caller at a time */
    readonly listen: (filter: ChangeFilter) => Effect.Effect<Effect.Effect<Heard>, never, Scope.Scope>
    /** tells every watcher that the log's order was broken and what it knows may be out of date */
    readonly miss: () => void
  }
>() {}

/** changes a watcher may be behind before it has to read the log */
const backlog = 256

interface Listener {
  pending: Array<Change>
  lagging: boolean
  missed: boolean
  wake: (() => void) | undefined
}

const wake = (listener: Listener): void => {
  const waiting = listener.wake
  listener.wake = undefined
  waiting?.()
}

const lag = (listener: Listener): void => {
  listener.lagging = true
  listener.pending = []
  wake(listener)
}

const hear = (listener: Listener, change: Change): void => {
  if (listener.lagging) return
  if (listener.pending.length >= backlog) {
    lag(listener)
    return
  }
  listener.pending.push(change)
  wake(listener)
}

const heard = (listener: Listener): Heard | undefined => {
  if (listener.missed) {
    listener.missed = false
    return { _tag: "Missed" }
  }
  if (listener.lagging) {
    listener.lagging = false
    return { _tag: "Lagging" }
  }
  return listener.pending.length === 0 ? undefined : { _tag: "Changes", changes: listener.pending.splice(0) }
}

const next = (listener: Listener): Effect.Effect<Heard> =>
  Effect.async((resume) => {
    const now = heard(listener)
    if (now !== undefined) return resume(Effect.succeed(now))
    listener.wake = () => resume(next(listener))
    return Effect.sync(() => {
      listener.wake = undefined
    })
  })

const make = Effect.sync(() => {
  const listeners = new Map<string, Set<Listener>>()
  const topic = ({ tenant, jobId }: ChangeFilter) =>
    jobId === undefined ? `tenant/${tenant}` : `job/${tenant}/${jobId}`
  const each = (name: string, visit: (listener: Listener) => void) => {
    for (const listener of listeners.get(name) ?? []) visit(listener)
  }
  return ChangeHub.of({
    publish: (change) => {
      each(topic({ tenant: change.tenant }), (listener) => hear(listener, change))
      each(topic(change), (listener) => hear(listener, change))
    },
    listen: (filter) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => {
            const listener: Listener = { pending: [], lagging: false, missed: false, wake: undefined }
            const name = topic(filter)
            listeners.set(name, (listeners.get(name) ?? new Set()).add(listener))
            return listener
          }),
          (listener) =>
            Effect.sync(() => {
              const name = topic(filter)
              const group = listeners.get(name)
              group?.delete(listener)
              if (group?.size === 0) listeners.delete(name)
            })
        ),
        next
      ),
    miss: () => {
      for (const listener of [...listeners.values()].flatMap((group) => [...group])) {
        listener.missed = true
        wake(listener)
      }
    }
  })
})

export const layer = Layer.effect(ChangeHub, make)

/**
 * Hints within this process that tasks of a kind may have become due. A hint raised while nobody waits is kept, so that the gap
 * between an empty claim and the next wait loses none.
 */
import { Context, Effect, Layer } from "effect"
import type { TaskKind } from "../../application/ports/task-queue.ts"

export class TaskSignals extends Context.Tag("evald/infrastructure/in-process/TaskSignals")<
  TaskSignals,
  {
    readonly raise: (kind: TaskKind) => void
    readonly wait: (kind: TaskKind) => Effect.Effect<void>
  }
>() {}

const make = Effect.sync(() => {
  const raised = new Set<TaskKind>()
  const waiting = new Map<TaskKind, Set<() => void>>()
  return TaskSignals.of({
    raise: (kind) => {
      const waiters = waiting.get(kind)
      if (waiters === undefined || waiters.size === 0) {
        raised.add(kind)
        return
      }
      waiting.delete(kind)
      for (const wake of waiters) wake()
    },
    wait: (kind) =>
      Effect.async<void>((resume) => {
        if (raised.delete(kind)) return resume(Effect.void)
        const wake = () => resume(Effect.void)
        const waiters = waiting.get(kind) ?? new Set()
        waiting.set(kind, waiters.add(wake))
        return Effect.sync(() => waiters.delete(wake))
      })
  })
})

export const layer = Layer.effect(TaskSignals, make)

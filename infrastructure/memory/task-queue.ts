/** Durable work, as far as memory is durable. */
import { Effect, Layer } from "effect"
import { farthestMillis, type NewTask, type Task, type TaskKind, TaskQueue } from "../../application/ports/task-queue.ts"
import { type StoredTask, step, Tables } from "./tables.ts"
import { TaskSignals } from "./task-signals.ts"

const never = Number.NEGATIVE_INFINITY

const inOrder = (a: StoredTask, b: StoredTask): number => a.rank - b.rank || (a.key < b.key ? -1 : 1)

/** a time that is further away was written before the clock was set back */
const isOver = (time: number, now: number): boolean => time <= now || time > now + farthestMillis

const isFree = (task: StoredTask, now: number): boolean => !task.buried && isOver(task.leaseUntil, now)

/** where the queue of a kind stands: the lowest rank that waits for its first claim, else the last one claimed */
const standing = (tables: typeof Tables.Service, kind: TaskKind): number => {
  const fresh = [...tables.tasks.values()].filter((task) => task.kind === kind && !task.buried && task.attempts === 0)
  return fresh.length > 0 ? Math.min(...fresh.map((task) => task.rank)) : (tables.clocks.get(kind) ?? 0)
}

/** a task that is there already becomes due again and its holder, if any, loses it */
export const enqueue = (tables: typeof Tables.Service, signals: typeof TaskSignals.Service, tasks: ReadonlyArray<NewTask>, now: number): void => {
  for (const kind of new Set(tasks.map((task) => task.kind))) {
    const base = standing(tables, kind)
    for (const task of tasks.filter((one) => one.kind === kind)) {
      const name = `${kind}/${task.key}`
      const before = tables.tasks.get(name)
      tables.tasks.set(name, {
        ...task,
        rank: before?.rank ?? base + task.order,
        due: task.dueAt === undefined ? now : Date.parse(task.dueAt),
        leaseUntil: never,
        holder: undefined,
        term: before === undefined ? 0 : before.term + 1,
        attempts: 0,
        buried: false
      })
    }
    signals.raise(kind)
  }
}

const taskOf = ({ kind, key, tenant, jobId, index, term, attempts }: StoredTask): Task => ({
  ...{ kind, key, tenant, jobId, term, attempts },
  ...(index === undefined ? {} : { index })
})

const make = Effect.gen(function* () {
  const tables = yield* Tables
  const signals = yield* TaskSignals
  /** applies the change when the holder still has the task */
  const whenHeld = (task: Task, holder: string, change: (stored: StoredTask, name: string, now: number) => void) =>
    step((now) =>
      Effect.sync(() => {
        const name = `${task.kind}/${task.key}`
        const stored = tables.tasks.get(name)
        if (stored?.holder !== holder || stored.term !== task.term) return false
        change(stored, name, now)
        return true
      })
    )
  const released = { leaseUntil: never, holder: undefined }
  return TaskQueue.of({
    claim: (kind, holder, limit, leaseMillis) =>
      step((now) =>
        Effect.sync(() => {
          const due = [...tables.tasks.values()].filter((task) => task.kind === kind && isFree(task, now) && isOver(task.due, now))
          const claimed = due
            .sort(inOrder)
            .slice(0, Math.max(0, limit))
            .map((task) => ({ ...task, leaseUntil: now + leaseMillis, holder, term: task.term + 1, attempts: task.attempts + 1 }))
          for (const task of claimed) {
            tables.tasks.set(`${kind}/${task.key}`, task)
            if (task.attempts === 1) tables.clocks.set(kind, Math.max(task.rank, tables.clocks.get(kind) ?? task.rank))
          }
          return claimed.map(taskOf)
        })
      ),
    renew: (task, holder, leaseMillis) => whenHeld(task, holder, (stored, name, now) => tables.tasks.set(name, { ...stored, leaseUntil: now + leaseMillis })),
    complete: (task, holder) => Effect.asVoid(whenHeld(task, holder, (_stored, name) => tables.tasks.delete(name))),
    retry: (task, holder, dueAt) =>
      Effect.asVoid(
        whenHeld(task, holder, (stored, name) => {
          tables.tasks.set(name, { ...stored, ...released, due: Date.parse(dueAt) })
          signals.raise(task.kind)
        })
      ),
    bury: (task, holder) => Effect.asVoid(whenHeld(task, holder, (stored, name) => tables.tasks.set(name, { ...stored, ...released, buried: true }))),
    stats: step((now) =>
      Effect.sync(() =>
        [...new Set([...tables.tasks.values()].map((task) => task.kind))].sort().map((kind) => {
          const all = [...tables.tasks.values()].filter((task) => task.kind === kind)
          const free = all.filter((task) => isFree(task, now))
          const due = free.filter((task) => task.due <= now).map((task) => task.due)
          return {
            kind,
            waiting: free.length,
            leased: all.filter((task) => !task.buried && task.leaseUntil > now).length,
            buried: all.filter((task) => task.buried).length,
            lagSeconds: due.length === 0 ? 0 : (now - Math.min(...due)) / 1000
          }
        })
      )
    ),
    awaitWork: signals.wait
  })
})

export const layer: Layer.Layer<TaskQueue, never, Tables | TaskSignals> = Layer.effect(TaskQueue, make)

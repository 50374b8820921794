/** Durable work, as far as memory is durable. */
import { Effect, Layer } from "effect"
import {
  farthestMillis,
  type NewTask,
  type Task,
  type TaskKind,
  TaskQueue
} from "../../application/ports/task-queue.ts"
import { isTerminal } from "../../domain/job/benchmark-state.ts"
import { isTerminalJob } from "../../domain/job/job-state.ts"
import { defined } from "../../values/defined.ts"
import { TaskSignals } from "../in-process/task-signals.ts"
import { inTurns } from "../in-process/turns.ts"
import { type StoredTask, step, Tables } from "./tables.ts"

const never = Number.NEGATIVE_INFINITY

const inOrder = (a: StoredTask, b: StoredTask): number => a.rank - b.rank || (a.key < b.key ? -1 : 1)

/** a time that is further away was written before the clock was set back */
const isOver = (time: number, now: number): boolean => time <= now || time > now + farthestMillis

const isFree = (task: StoredTask, now: number): boolean => !task.buried && isOver(task.leaseUntil, now)

/** how many of a kind wait or are leased */
const unburied = (tasks: ReadonlyArray<StoredTask>, kind: StoredTask["kind"]): number =>
  tasks.filter((task) => task.kind === kind && !task.buried).length

/** any number of them may wait: too many for the arguments of one call */
const lowest = (numbers: ReadonlyArray<number>): number =>
  numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)

/** where the queue of a tenant stands: the lowest rank that waits for its first claim, else the last one claimed of the kind */
const standing = (tables: typeof Tables.Service, kind: TaskKind, tenant: string): number => {
  const fresh = [...tables.tasks.values()].filter(
    (task) => task.kind === kind && task.tenant === tenant && !task.buried && task.attempts === 0
  )
  return fresh.length > 0 ? lowest(fresh.map((task) => task.rank)) : (tables.clocks.get(kind)?.rank ?? 0)
}

/** due tasks by tenant, beginning after the tenant served last */
const byTurn = (due: ReadonlyArray<StoredTask>, last: string): ReadonlyArray<ReadonlyArray<StoredTask>> => {
  const tenants = [...new Set(due.map((task) => task.tenant))].sort()
  return [...tenants.filter((tenant) => tenant > last), ...tenants.filter((tenant) => tenant <= last)].map((tenant) =>
    due.filter((task) => task.tenant === tenant).sort(inOrder)
  )
}

/** a task that is there already becomes due again and its holder, if any, loses it */
export const enqueue = (
  tables: typeof Tables.Service,
  signals: typeof TaskSignals.Service,
  tasks: ReadonlyArray<NewTask>,
  now: number
): void => {
  for (const kind of new Set(tasks.map((task) => task.kind))) {
    const ofKind = tasks.filter((one) => one.kind === kind)
    const bases = new Map(ofKind.map(({ tenant }) => [tenant, standing(tables, kind, tenant)]))
    for (const task of ofKind) {
      const name = `${kind}/${task.key}`
      const before = tables.tasks.get(name)
      tables.tasks.set(name, {
        ...task,
        rank: before?.rank ?? (bases.get(task.tenant) ?? 0) + task.order,
        due: now + (task.delayMillis ?? 0),
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

/** the tenant's tasks that have room: unfinished benchmarks whose task waits are not launched */
const withRoom = (
  tables: typeof Tables.Service,
  ofTenant: ReadonlyArray<StoredTask>,
  mostLaunched: number,
  now: number
): ReadonlyArray<StoredTask> => {
  const waiting = new Set(
    [...tables.tasks.values()]
      .filter((task) => task.kind === "launch" && isFree(task, now))
      .map(({ jobId, index }) => `${jobId}/${index}`)
  )
  const launched = [...tables.jobs.values()]
    .filter(({ job }) => job.tenant === ofTenant[0]?.tenant && !isTerminalJob(job.state))
    .flatMap(({ job }) =>
      job.benchmarks.filter(({ index, state }) => !isTerminal(state) && !waiting.has(`${job.id}/${index}`))
    )
  return ofTenant.slice(0, Math.max(0, mostLaunched - launched.length))
}

const taskOf = ({ kind, key, tenant, jobId, index, term, attempts }: StoredTask): Task => ({
  ...{ kind, key, tenant, jobId, term, attempts },
  ...defined({ index })
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
    claim: (kind, holder, limit, leaseMillis, mostLaunched) =>
      step((now) =>
        Effect.sync(() => {
          const due = [...tables.tasks.values()].filter(
            (task) => task.kind === kind && isFree(task, now) && isOver(task.due, now)
          )
          const turns = byTurn(due, tables.clocks.get(kind)?.tenant ?? "")
          const roomy =
            mostLaunched === undefined
              ? turns
              : turns
                  .map((ofTenant) => withRoom(tables, ofTenant, mostLaunched, now))
                  .filter(({ length }) => length > 0)
          const claimed = inTurns(roomy, limit).map((task) => ({
            ...task,
            ...{ leaseUntil: now + leaseMillis, holder, term: task.term + 1, attempts: task.attempts + 1 }
          }))
          for (const task of claimed) {
            tables.tasks.set(`${kind}/${task.key}`, task)
            const rank = tables.clocks.get(kind)?.rank ?? 0
            tables.clocks.set(kind, {
              rank: task.attempts === 1 ? Math.max(task.rank, rank) : rank,
              tenant: task.tenant
            })
          }
          return claimed.map(taskOf)
        })
      ),
    renew: (task, holder, leaseMillis) =>
      whenHeld(task, holder, (stored, name, now) =>
        tables.tasks.set(name, { ...stored, leaseUntil: now + leaseMillis })
      ),
    complete: (task, holder) => Effect.asVoid(whenHeld(task, holder, (_stored, name) => tables.tasks.delete(name))),
    retry: (task, holder, delayMillis) =>
      Effect.asVoid(
        whenHeld(task, holder, (stored, name, now) => {
          tables.tasks.set(name, { ...stored, ...released, due: now + delayMillis })
          signals.raise(task.kind)
        })
      ),
    bury: (task, holder) =>
      Effect.asVoid(
        whenHeld(task, holder, (stored, name) => tables.tasks.set(name, { ...stored, ...released, buried: true }))
      ),
    count: (kind) => step(() => Effect.sync(() => unburied([...tables.tasks.values()], kind))),
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
            lagSeconds: due.length === 0 ? 0 : (now - lowest(due)) / 1000
          }
        })
      )
    ),
    awaitWork: signals.wait
  })
})

export const layer: Layer.Layer<TaskQueue, never, Tables | TaskSignals> = Layer.effect(TaskQueue, make)

/** Ending what a unit runs, and whatever it left behind: asked first, then forced. Reference: adapter-contract.md, "Local processes". */
import { Effect } from "effect"
import { within } from "./patient-look.ts"
import type { UnitNamespace } from "./process-namespace.ts"
import {
  groupRuns,
  isAlive,
  killRun,
  processesOfRun,
  signalGroup,
  signalProcess,
  youngRunLives
} from "./process-table.ts"

const isGone = async (group: number, runId: string) =>
  !(await groupRuns(group)) && (await processesOfRun(runId)).length === 0

/** SIGKILL to the group and to whatever left it; waits a moment for the system to take them away */
const killAll = (group: number, runId: string): Effect.Effect<void> =>
  Effect.promise(() => {
    signalGroup(group, "SIGKILL")
    return killRun(runId)
  }).pipe(Effect.zipRight(within(1000, () => isGone(group, runId))), Effect.asVoid)

/** what runs, as far as ending it needs it */
export interface Target {
  /** the leader, which is also its group */
  readonly pid: number
  readonly runId: string
  /** absent: its leftovers are looked for among the processes of the machine */
  readonly namespace?: UnitNamespace
}

const inTime = (promise: Promise<void>, millis: number): Effect.Effect<boolean> =>
  Effect.promise(() => promise).pipe(
    Effect.interruptible,
    Effect.timeoutTo({ duration: millis, onSuccess: () => true, onTimeout: () => false })
  )

/** the line closes a moment before the system has taken away the last processes */
const isEmpty = ({ firstProcess }: UnitNamespace) => {
  const mark = firstProcess()
  return within(1000, async () => mark === undefined || !isAlive(mark))
}

/** true when nothing runs in the namespace any more, false when that took too long */
const emptied = (namespace: UnitNamespace, millis: number): Effect.Effect<boolean> =>
  Effect.flatMap(inTime(namespace.closed, millis), (closed) => (closed ? isEmpty(namespace) : Effect.succeed(false)))

/** asks, waits, then forces: returns once nothing of the unit runs */
export const terminate = ({ pid, runId, namespace }: Target, graceMillis: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (namespace !== undefined) yield* inTime(namespace.ready, 1000)
    signalGroup(pid, "SIGTERM")
    if (namespace === undefined) yield* within(graceMillis, async () => !(await groupRuns(pid)))
    else {
      if (yield* emptied(namespace, graceMillis)) return
      signalGroup(pid, "SIGKILL")
      if (yield* emptied(namespace, 1000)) return
    }
    yield* killAll(pid, runId)
  })

/** a unit that lived shorter than this cannot have seen process ids start over */
const youngMillis = 10_000

/**
 * After the leader ended by itself. What it left in its namespace is asked to end and ended within a second. Without a namespace it has
 * two seconds, then SIGTERM, then until the fifth second. `livedMillis` is how long the leader ran.
 */
export const clearLeftovers = ({ pid: group, runId, namespace }: Target, livedMillis: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (namespace !== undefined) {
      namespace.close()
      return (yield* emptied(namespace, 3000)) ? undefined : yield* killAll(group, runId)
    }
    const leftNothing = async () =>
      livedMillis < youngMillis && !(await groupRuns(group)) && !(await youngRunLives(runId, group))
    if (yield* Effect.promise(leftNothing)) return
    if (yield* within(2000, () => isGone(group, runId))) return
    yield* Effect.promise(async () => {
      signalGroup(group, "SIGTERM")
      for (const pid of await processesOfRun(runId)) signalProcess(pid, "SIGTERM")
    })
    if (yield* within(3000, () => isGone(group, runId))) return
    yield* killAll(group, runId)
  })

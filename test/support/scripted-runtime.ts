/** A runtime that does what a test says, and remembers what it was asked. */
import { Context, Effect, Layer, Queue, Stream } from "effect"
import { Unavailable } from "../../application/errors.ts"
import { type LaunchRefused, Runtime, type Unit, type UnitFact, type UnitId } from "../../application/ports/runtime.ts"
import type { Backing } from "../../domain/job/job.ts"

export const unitName = ({ jobId, index, attempt }: UnitId) => `${jobId}/${index}/${attempt}`

export const away = new Unavailable({ peer: "cluster", operation: "test" })

export interface Script {
  /** places for units; one is taken by each launch until `ended` */
  slots: number
  /** answers of the next calls, first come first served; then success */
  readonly launchAnswers: Array<LaunchRefused | Unavailable>
  readonly stopAnswers: Array<Unavailable>
  /** runs inside every launch */
  duringLaunch: (unit: Unit) => Effect.Effect<void>
  /** what a launch leaves, when it leaves anything */
  backing: ((unit: Pick<UnitId, "jobId" | "index" | "attempt">) => Backing) | undefined
  readonly launched: Array<string>
  readonly stopped: Array<string>
  readonly alive: Set<string>
  readonly tell: (fact: UnitFact) => Effect.Effect<void>
  /** the unit is gone and its place is free; no fact is told */
  readonly ended: (unit: UnitId) => void
}

export class RuntimeScript extends Context.Tag("test/RuntimeScript")<RuntimeScript, Script>() {}

const parts = Effect.gen(function* () {
  const facts = yield* Queue.unbounded<UnitFact>()
  const waiters = new Set<() => void>()
  const wake = () => {
    for (const waiter of waiters) waiter()
    waiters.clear()
  }
  const script: Script = {
    slots: 5,
    launchAnswers: [],
    stopAnswers: [],
    duringLaunch: () => Effect.void,
    backing: undefined,
    launched: [],
    stopped: [],
    alive: new Set(),
    tell: (fact) => Effect.asVoid(Queue.offer(facts, fact)),
    ended: (unit) => {
      script.alive.delete(unitName(unit))
      wake()
    }
  }
  const free = () => script.slots - script.alive.size
  const stopped = (name: string) =>
    Effect.suspend(() => {
      const answer = script.stopAnswers.shift()
      if (answer !== undefined) return Effect.fail(answer)
      script.stopped.push(name)
      return Effect.void
    })
  const runtime = Runtime.of({
    kind: "local",
    check: () => Effect.succeed([]),
    freeSlots: Effect.sync(free),
    awaitSlot: Effect.async((resume) => {
      if (free() > 0) return resume(Effect.void)
      waiters.add(() => resume(Effect.void))
    }),
    backingName: (unit) => script.backing?.(unit).name,
    launch: (unit) =>
      Effect.suspend(() => {
        const answer = script.launchAnswers.shift()
        if (answer !== undefined) return Effect.fail(answer)
        script.launched.push(unitName(unit))
        script.alive.add(unitName(unit))
        return Effect.as(script.duringLaunch(unit), script.backing?.(unit))
      }),
    stop: (unit, { discard }) => stopped(`${unitName(unit)}${discard ? " discard" : ""}`),
    stopJob: ({ jobId }, { discard }) => stopped(`${jobId}${discard ? " discard" : ""}`),
    facts: Stream.fromQueue(facts),
    observe: (units) =>
      Effect.sync(() =>
        units.map((unit) => ({
          unit,
          status: script.alive.has(unitName(unit)) ? ("Alive" as const) : ("Gone" as const)
        }))
      ),
    logs: () => Effect.succeed({ source: "live", text: Stream.empty }),
    ping: Effect.void
  })
  return Context.make(Runtime, runtime).pipe(Context.add(RuntimeScript, script))
})

export const layer: Layer.Layer<Runtime | RuntimeScript> = Layer.effectContext(parts)

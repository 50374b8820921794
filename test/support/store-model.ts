/** Sequences of create, event, cancel, delete and restart on a database, against a model in memory. */
import { assert } from "@effect/vitest"
import { Effect, Either, Exit, FastCheck as fc, Layer, Scope } from "effect"
import { JobStore } from "../../application/ports/stores/job-store.ts"
import type { BenchmarkState } from "../../domain/job/job.ts"
import { aggregate, countsOf, isTerminalJob } from "../../domain/job/job-state.ts"
import { checkDatabase } from "../../infrastructure/sql/connection/check.ts"
import type { Database } from "../../infrastructure/sql/connection/client.ts"
import type { StorageLayer } from "./storage.ts"
import { cancel, remove, renderedJob, report } from "./store-actions.ts"
import { completedEvent, failedEvent, jobId, makeJob, runningEvent } from "./stored-jobs.ts"

const jobs = 4
const benchmarks = 3

type Step =
  | { readonly _tag: "create"; readonly job: number }
  | {
      readonly _tag: "event"
      readonly job: number
      readonly index: number
      readonly to: "running" | "completed" | "failed"
    }
  | { readonly _tag: "cancel" | "remove"; readonly job: number }
  | { readonly _tag: "restart" }

const job = fc.nat({ max: jobs - 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("create" as const), job }) },
  {
    weight: 12,
    arbitrary: fc.record({
      _tag: fc.constant("event" as const),
      job,
      index: fc.nat({ max: benchmarks - 1 }),
      to: fc.constantFrom("running" as const, "completed" as const, "failed" as const)
    })
  },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constantFrom("cancel" as const, "remove" as const), job }) },
  { weight: 1, arbitrary: fc.constant({ _tag: "restart" as const }) }
)

/** two jobs to begin with, and what happens to them and others */
export const history: fc.Arbitrary<ReadonlyArray<Step>> = fc
  .array(step, { minLength: 5, maxLength: 60 })
  .map((steps) => [{ _tag: "create", job: 0 }, { _tag: "create", job: 1 }, ...steps])

interface Known {
  readonly states: Array<BenchmarkState>
  readonly id: string
}

type Outcome = "applied" | "unchanged" | "refused" | "absent"

const ended = (state: BenchmarkState | undefined) =>
  state === "completed" || state === "failed" || state === "cancelled"
const stateOf = (known: Known) => aggregate(countsOf(known.states.map((state) => ({ state }))))

/** what must happen, and the model afterwards */
const expectedEvent = (known: Known | undefined, index: number, to: "running" | "completed" | "failed"): Outcome => {
  if (known === undefined) return "absent"
  if (isTerminalJob(stateOf(known))) return "refused"
  if (ended(known.states[index])) return known.states[index] === to ? "unchanged" : "refused"
  known.states[index] = to
  return "applied"
}

const events = { running: runningEvent, completed: (index: number) => completedEvent(index), failed: failedEvent }

/** a database that servers come to and leave */
export interface Place {
  /** a server's storage; each time it is built it is another server */
  readonly storage: StorageLayer
  /** the same database for looking inside afterwards */
  readonly database: Layer.Layer<Database, unknown>
}

const outcomeOf = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E, R>,
  applied: (value: A) => boolean
) =>
  Effect.map(Effect.either(effect), (either): Outcome => {
    if (Either.isRight(either)) return applied(either.right) ? "applied" : "unchanged"
    return either.left._tag === "NotFound" ? "absent" : "refused"
  })

/** one run: each incarnation of a job has an id of its own, as in life */
export const play = ({ storage, database }: Place, steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const model = new Map<number, Known>()
    let made = 0
    const open = Effect.gen(function* () {
      const scope = yield* Scope.make()
      return { scope, context: yield* Scope.extend(Layer.build(storage), scope) }
    })
    let running = yield* open
    const here = <A, E>(effect: Effect.Effect<A, E, JobStore>) => Effect.provide(effect, running.context)
    const idOf = (number: number) => model.get(number)?.id ?? jobId(999)
    for (const one of steps) {
      if (one._tag === "restart") {
        yield* Scope.close(running.scope, Exit.void)
        running = yield* open
      } else if (one._tag === "create" && !model.has(one.job)) {
        const created = makeJob({ id: jobId(++made), tenant: "t", benchmarks })
        yield* here(Effect.flatMap(JobStore, (store) => store.insert(created, [])))
        model.set(one.job, { id: created.id, states: created.benchmarks.map(({ state }) => state) })
      } else if (one._tag === "event") {
        const outcome = yield* here(
          outcomeOf(report(idOf(one.job), events[one.to](one.index), "t"), ({ applied }) => applied)
        )
        assert.strictEqual(outcome, expectedEvent(model.get(one.job), one.index, one.to), JSON.stringify(one))
      } else if (one._tag === "cancel") {
        const known = model.get(one.job)
        const outcome = yield* here(outcomeOf(cancel("t", idOf(one.job)), () => true))
        const state = known === undefined ? undefined : stateOf(known)
        assert.strictEqual(
          outcome,
          state === undefined ? "absent" : isTerminalJob(state) && state !== "cancelled" ? "refused" : "applied"
        )
        if (outcome === "applied" && known !== undefined)
          known.states.splice(0, benchmarks, ...known.states.map((was) => (ended(was) ? was : "cancelled")))
      } else if (one._tag === "remove") {
        const outcome = yield* here(outcomeOf(remove("t", idOf(one.job)), () => true))
        assert.strictEqual(outcome, model.delete(one.job) ? "applied" : "absent")
      }
      for (const known of model.values()) {
        const record = yield* here(renderedJob("t", known.id))
        assert.deepEqual(
          [record.status.state, ...record.status.benchmarks.map((entry) => entry["status"])],
          [stateOf(known), ...known.states]
        )
      }
      const page = yield* here(Effect.flatMap(JobStore, (store) => store.page("t", { limit: 100, offset: 0 })))
      assert.deepEqual([page.total, page.items.length], [model.size, model.size])
    }
    yield* Scope.close(running.scope, Exit.void)
    const problems = yield* Effect.provide(checkDatabase, database)
    assert.deepEqual(problems, [])
  })

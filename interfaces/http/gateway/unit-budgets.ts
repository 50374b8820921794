/**
 * The local gateway's budgets: one for each unit, and one that all units of a job share. A budget that is used up ends its benchmark.
 * Reference: budgets.md, "How it is held".
 */
import { Effect, Runtime } from "effect"
import { LRUCache } from "lru-cache"
import type { NotFound, Unavailable } from "../../../application/errors.ts"
import type { UnitId } from "../../../application/ports/runtime.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { applyTo } from "../../../application/runtime/apply.ts"
import { unitCleanupTask } from "../../../application/runtime/tasks.ts"
import { addSpending, type Budget, nothingSpent, type Price, type Spending } from "../../../domain/budget/budget.ts"
import { decideFailure } from "../../../domain/job/runtime-fact.ts"
import { defined } from "../../../values/defined.ts"
import { type Ledger, makeLedger } from "../../gateway/budget/ledger.ts"
import {
  makeUnitBudget,
  type OverBudget,
  overBudgetText,
  type UnitBudget,
  unknownBudget
} from "../../gateway/budget/unit-budget.ts"
import type { Witness } from "../../gateway/witness/witness.ts"

/** what holds a unit */
export interface Held {
  readonly own: Budget | undefined
  readonly job: Budget | undefined
  readonly price: Price | undefined
}

const maxLedgers = 1_000
const clock = () => performance.now()

/** the one of this name; made by what `prepare` gives, which may fail, and is then asked again the next time */
const kept = <A extends object, E>(
  known: LRUCache<string, A>,
  name: string,
  prepare: () => Effect.Effect<() => A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const found = known.get(name)
    if (found !== undefined) return Effect.succeed(found)
    return Effect.map(prepare(), (make) => {
      // two requests may have prepared it
      const one = known.get(name) ?? make()
      known.set(name, one)
      return one
    })
  })

export interface UnitBudgets {
  /** undefined where nothing holds it; `witness`: undefined when nobody looked from its beginning */
  readonly of: (
    unit: UnitId,
    held: Held,
    witness: Witness | undefined
  ) => Effect.Effect<UnitBudget | undefined, NotFound | Unavailable>
}

export const makeUnitBudgets: Effect.Effect<UnitBudgets, never, JobStore> = Effect.gen(function* () {
  const store = yield* JobStore
  const runtime = yield* Effect.runtime<JobStore>()
  const runFork = Runtime.runFork(runtime)
  const jobs = new LRUCache<string, Ledger>({ max: maxLedgers })
  const units = new LRUCache<string, UnitBudget>({ max: maxLedgers })

  /** what its benchmarks used that have ended, those of an earlier server among them */
  const usedBefore = (tenant: string, jobId: string) =>
    store
      .load(tenant, jobId)
      .pipe(
        Effect.map(({ benchmarks }) =>
          benchmarks
            .flatMap(({ usage, carried }) => (usage === undefined || carried !== undefined ? [] : [usage]))
            .reduce<Spending>(addSpending, nothingSpent)
        )
      )
  const ledgerOf = ({ tenant, jobId }: UnitId, budget: Budget, price: Price | undefined) =>
    kept(jobs, jobId, () =>
      Effect.map(usedBefore(tenant, jobId), (spent) => () => makeLedger(budget, price, { clock, spent }))
    )
  const fail = (unit: UnitId, over: OverBudget, witness: Witness | undefined) =>
    Effect.gen(function* () {
      const wire = witness === undefined ? undefined : yield* Effect.promise(witness.counts)
      const failure = {
        attempt: unit.attempt,
        code: "budget_exhausted",
        message: overBudgetText(over),
        ...defined({ wire })
      }
      yield* applyTo(
        unit,
        (head, benchmark, now) => decideFailure(head, benchmark, failure, now),
        (head, benchmark) => [unitCleanupTask(head, benchmark)]
      )
    }).pipe(
      Effect.catchAll((error) =>
        Effect.logWarning(`benchmark ${unit.index} of job ${unit.jobId} used up its budget and was not ended`, error)
      )
    )
  const make = (unit: UnitId, { own, job, price }: Held, witness: Witness | undefined) =>
    Effect.gen(function* () {
      const onOver = (over: OverBudget) => void runFork(fail(unit, over, witness))
      if (witness === undefined) return () => unknownBudget(onOver)
      const shared = job === undefined ? [] : [yield* ledgerOf(unit, job, price)]
      return () =>
        makeUnitBudget([...(own === undefined ? [] : [makeLedger(own, price, { clock })]), ...shared], onOver)
    })
  return {
    of: (unit, held, witness) =>
      held.own === undefined && held.job === undefined
        ? Effect.succeed(undefined)
        : kept(units, `${unit.jobId}/${unit.index}/${unit.attempt}`, () => make(unit, held, witness))
  }
})

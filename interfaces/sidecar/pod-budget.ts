/**
 * The budget of a pod's benchmark: held by its sidecar, which ends the benchmark when it is used up. Reference: budgets.md, "How it is held".
 */
import type { SidecarConfig } from "../../providers/contract/sidecar-config.ts"
import { makeLedger } from "../gateway/budget/ledger.ts"
import { makeUnitBudget, overBudgetText, type UnitBudget, unknownBudget } from "../gateway/budget/unit-budget.ts"
import type { Witness } from "../gateway/witness/witness.ts"
import { withWireCounts } from "./event-body.ts"
import type { Relay } from "./event-relay.ts"

interface PodBudgetOptions {
  /** the first sidecar of its pod: what an earlier one saw went with it */
  readonly isFirst: boolean
  readonly witness: Witness
  /** undefined while the sidecar starts */
  readonly relay: () => Relay | undefined
}

/** undefined without one */
export const makePodBudget = (
  { identity, budget, price }: SidecarConfig,
  { isFirst, witness, relay }: PodBudgetOptions
): UnitBudget | undefined => {
  if (budget === undefined) return undefined
  const fail = async (message: string) => {
    const event = {
      id: identity.benchmark_id,
      provider_id: identity.provider_id,
      benchmark_index: identity.benchmark_index,
      status: "failed",
      error_message: { message, message_code: "budget_exhausted" }
    }
    const body = Buffer.from(JSON.stringify({ benchmark_status_event: event }), "utf8")
    await relay()?.accept(withWireCounts(body, await witness.counts()), true)
  }
  // the relay answers for everything that can go wrong
  const onOver = (over: Parameters<typeof overBudgetText>[0]) => void fail(overBudgetText(over))
  const clock = () => performance.now()
  return isFirst ? makeUnitBudget([makeLedger(budget, price, { clock })], onOver) : unknownBudget(onOver)
}

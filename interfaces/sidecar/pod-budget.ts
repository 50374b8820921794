/**
 * The budget of a pod's benchmark: held by its sidecar, which ends the benchmark when it is used up. Reference: budgets.md, "How it is held".
 */
import type { SidecarConfig } from "../../providers/contract/sidecar-config.ts"
import { makeLedger } from "../gateway/budget/ledger.ts"
import { makeUnitBudget, overBudgetText, type UnitBudget, unknownBudget } from "../gateway/budget/unit-budget.ts"
import type { Relay } from "./event-relay.ts"
import type { SpentReport } from "./spent-report.ts"

interface PodBudgetOptions {
  /** the first sidecar of its pod: what an earlier one saw went with it */
  readonly isFirst: boolean
  readonly report: SpentReport
  /** undefined while the sidecar starts */
  readonly relay: () => Relay | undefined
}

/** undefined without one */
export const makePodBudget = (
  { identity, budget, price }: SidecarConfig,
  { isFirst, report, relay }: PodBudgetOptions
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
    const bytes = Buffer.from(JSON.stringify({ benchmark_status_event: event }), "utf8")
    await relay()?.accept(await report.beside({ bytes, terminal: true, event, isForged: false }), true)
  }
  // the relay answers for everything that can go wrong
  const onOver = (over: Parameters<typeof overBudgetText>[0]) => void fail(overBudgetText(over))
  const clock = () => performance.now()
  return isFirst ? makeUnitBudget([makeLedger(budget, price, { clock })], onOver) : unknownBudget(onOver)
}

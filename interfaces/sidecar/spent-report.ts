/**
 * What was used of the model, told with the events as they go by, and once more at the end when nothing has told it: also a benchmark
 * without a result used it. Reference: budgets.md, "Usage".
 */
import { type CountedSpent, wireSpent } from "../../domain/budget/usage.ts"
import { noCounts } from "../../domain/validity/wire-counts.ts"
import type { Witness } from "../gateway/witness/witness.ts"
import { type EventBody, type EventIdentity, withBeside } from "./event-body.ts"

export interface SpentReport {
  /** an event of the adapter with what the sidecar says beside it */
  readonly beside: (event: EventBody) => Promise<Buffer>
  /** an event that says nothing but what was used; undefined when an earlier one has said it */
  readonly lastWord: () => Promise<Buffer | undefined>
}

/** `newId`: what this start of a sidecar is called, asked for once */
export const makeSpentReport = (newId: () => string, identity: EventIdentity, witness: Witness): SpentReport => {
  let by: string | undefined
  let told = JSON.stringify(wireSpent(noCounts))
  const isTold = () => JSON.stringify(wireSpent(witness.spent())) === told
  const tell = (): CountedSpent => {
    const spent = wireSpent(witness.spent())
    told = JSON.stringify(spent)
    by ??= newId()
    return { by, spent }
  }
  return {
    beside: async ({ bytes, terminal, event, isForged }) => {
      if (terminal) {
        const counts = await witness.counts()
        return withBeside(bytes, { counts, spent: tell() })
      }
      if (event["status"] === "running" && !isTold()) return withBeside(bytes, { spent: tell() })
      return isForged ? withBeside(bytes, {}) : bytes
    },
    lastWord: async () => {
      // waits for what is still being read
      await witness.counts()
      if (isTold()) return undefined
      const event = {
        id: identity.benchmarkId,
        provider_id: identity.providerId,
        benchmark_index: identity.benchmarkIndex,
        status: "pending"
      }
      return withBeside(Buffer.from(JSON.stringify({ benchmark_status_event: event }), "utf8"), { spent: tell() })
    }
  }
}

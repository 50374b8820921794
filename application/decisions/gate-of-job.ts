/** The newest decision about a job itself, not one that it was the baseline of. */
import { Effect } from "effect"
import type { Gate } from "../../domain/gate/gate.ts"
import type { Job } from "../../domain/job/job.ts"
import { DecisionStore } from "../ports/stores/decision-store.ts"

const newest = 20

/** `policyDigest`: of this policy alone */
export const gateOfJob = ({ id, tenant }: Pick<Job, "id" | "tenant">, policyDigest?: string) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* DecisionStore).ofJob(tenant, "gate", id, { limit: newest, offset: 0 })
    return items
      .map((text) => JSON.parse(text) as Gate)
      .find((gate) => gate.job.id === id && (policyDigest === undefined || gate.policyDigest === policyDigest))
  })

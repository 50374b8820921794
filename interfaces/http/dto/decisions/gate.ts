/** Policies and gates on the wire. Reference: comparison-and-gates.md, "Policies", "Gates". */
import { Either, Schema } from "effect"
import type { GateRequest as DomainRequest } from "../../../../application/decisions/judge-job.ts"
import { criterionKinds, directions, tiers } from "../../../../domain/gate/criteria.ts"
import type { Gate as Domain } from "../../../../domain/gate/gate.ts"
import { gateOutcomes } from "../../../../domain/gate/judge-gate.ts"
import { criterionOutcomes, openReasons } from "../../../../domain/gate/measured.ts"
import { given as path } from "../../../../domain/path.ts"
import { defined } from "../../../../values/defined.ts"
import { type BodyReader, decoder } from "../decode.ts"
import { given, integer, maybe, number, text } from "../shapes.ts"
import { ComparedJob, DecisionResource, Ends, jobWire } from "./comparison.ts"
import { JobName, Policy, policyOf, policyWire } from "./gate-policy.ts"

export const GateRequest = Schema.Struct({ policy: Policy, baseline: maybe(JobName) }).annotations({
  identifier: "GateRequest"
})

const decode = decoder(GateRequest)

export const decodeGate: BodyReader<DomainRequest> = (document, options) =>
  Either.map(decode(document, options), ({ value: { policy, baseline }, ignored }) => ({
    value: {
      policy: policyOf(policy),
      ...(baseline === undefined ? {} : { baseline: { id: baseline.job, path: [path("baseline"), path("job")] } })
    },
    ignored
  }))

const Judged = Schema.Struct({
  benchmark: Schema.String,
  provider_id: given(Schema.String),
  metric: given(Schema.String),
  direction: given(Schema.Literal(...directions)),
  kind: Schema.Literal(...criterionKinds),
  threshold: given(Schema.Number),
  tolerance: given(Schema.Number),
  tier: Schema.Literal(...tiers),
  alpha: number("what is left of it after earlier looks"),
  outcome: Schema.Literal(...criterionOutcomes),
  reason: given(Schema.Literal(...openReasons)),
  message: given(Schema.String),
  value: given(number("as it was reported")),
  baseline_value: given(number("as the baseline reported it")),
  n: given(integer("items", { minimum: 0 })),
  loss: given(number("against the baseline; positive is worse")),
  bounds: given(Ends),
  p: given(number("one-sided, of `it is not broken`")),
  p_holm: given(number("the same, corrected for the number of gating criteria")),
  early_stopped: given(
    Schema.Struct({
      asked: integer("items that were asked", { minimum: 1 }),
      of: integer("items there are", { minimum: 2 }),
      alpha: number("chance that all items would say otherwise, beside the criterion's own alpha")
    }).annotations({ description: "outcome, bounds and p are those that all items would at least show" })
  )
}).annotations({ identifier: "JudgedCriterion" })

export const Gate = Schema.Struct({
  resource: DecisionResource,
  outcome: Schema.Literal(...gateOutcomes),
  criteria: Schema.Array(Judged),
  look: integer("which time this policy is asked of this model and baseline", { minimum: 1 }),
  policy: Policy,
  policy_sha256: text("digest of the policy with its defaults", { pattern: "^[0-9a-f]{64}$" }),
  inputs_sha256: text("digest of what the answer was made of", { pattern: "^[0-9a-f]{64}$" }),
  job: ComparedJob,
  baseline: given(ComparedJob)
}).annotations({ identifier: "Gate", description: "A job judged by a policy." })

const judgedWire = (judged: Domain["criteria"][number]): typeof Judged.Encoded => {
  const { benchmark, providerId, kind, threshold, tolerance, tier, metric } = judged.criterion
  return {
    benchmark,
    ...{ kind, tier, alpha: judged.alpha, outcome: judged.outcome },
    ...defined({
      provider_id: providerId,
      metric: judged.metric ?? metric,
      direction: judged.direction ?? judged.criterion.direction,
      threshold,
      tolerance,
      reason: judged.reason,
      message: judged.message,
      value: judged.value,
      baseline_value: judged.baselineValue,
      n: judged.n,
      loss: judged.loss,
      bounds: judged.bounds,
      p: judged.p,
      p_holm: judged.pHolm,
      early_stopped: judged.earlyStopped
    })
  }
}

export const gateWire = (made: Domain): typeof Gate.Encoded => ({
  resource: { id: made.id, tenant: made.tenant, owner: made.owner, created_at: made.createdAt },
  outcome: made.outcome,
  criteria: made.criteria.map(judgedWire),
  look: made.look,
  policy: policyWire(made.policy),
  policy_sha256: made.policyDigest,
  inputs_sha256: made.inputs,
  job: jobWire(made.job),
  ...(made.baseline === undefined ? {} : { baseline: jobWire(made.baseline) })
})

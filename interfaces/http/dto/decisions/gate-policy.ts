/** Policies on the wire: by themselves, and as a job is given one. Reference: comparison-and-gates.md, "Policies". */
import { Either, Schema } from "effect"
import { defaultAlpha, largestAlpha } from "../../../../domain/comparison/comparison.ts"
import {
  criterionKinds,
  type JobGate as DomainGate,
  type Policy as DomainPolicy,
  directions,
  tiers
} from "../../../../domain/gate/criteria.ts"
import { mostCriteria } from "../../../../domain/gate/policy.ts"
import { defined } from "../../../../values/defined.ts"
import { type BodyReader, decoder } from "../decode.ts"
import { listOf, maybe, maybeAs, named, number, text } from "../shapes.ts"

export const JobName = Schema.Struct({ job: text("identifier of a job of the tenant") }).annotations({
  identifier: "JobName"
})

export const alphaField = number(
  `largest chance of a wrong outcome, above 0 and at most ${largestAlpha}; default ${defaultAlpha}`,
  { exclusiveMinimum: 0, maximum: largestAlpha }
)
const Criterion = Schema.Struct({
  benchmark: named("id of a benchmark of the job"),
  providerId: maybeAs("provider_id", named("where several providers have a benchmark of that id")),
  metric: maybe(named("a metric that the benchmark reports; default the primary one")),
  direction: maybe(
    Schema.Literal(...directions).annotations({ description: "which way is better; default as the metric says" })
  ),
  kind: Schema.Literal(...criterionKinds),
  threshold: maybe(number("of an absolute criterion, on the metric's own scale")),
  tolerance: maybe(
    number(
      "of a relative one: a loss that is accepted, in the units of the metric or as a share of the baseline's value",
      {
        minimum: 0
      }
    )
  ),
  tier: maybe(Schema.Literal(...tiers).annotations({ description: "advisory ones decide nothing; default gating" })),
  alpha: maybe(alphaField)
}).annotations({ identifier: "GateCriterion" })

export const Policy = Schema.Struct({
  name: maybe(named("what people call it")),
  criteria: listOf(Criterion, { minItems: 1, maxItems: mostCriteria })
}).annotations({ identifier: "GatePolicy", description: "What must hold before a model is let through." })

const decodePolicyBody = decoder(Policy)

export const policyOf = ({ name, criteria }: typeof Policy.Type): DomainPolicy => ({
  ...defined({ name }),
  criteria: criteria.map(({ tier = "gating", alpha = defaultAlpha, ...criterion }) => ({ ...criterion, tier, alpha }))
})

/** a policy by itself, as a file has it */
export const decodePolicy: BodyReader<DomainPolicy> = (document, options) =>
  Either.map(decodePolicyBody(document, options), ({ value, ignored }) => ({ value: policyOf(value), ignored }))

export const policyWire = ({ name, criteria }: DomainPolicy): typeof Policy.Encoded => ({
  ...defined({ name }),
  criteria: criteria.map(({ providerId, ...criterion }) => ({ ...criterion, ...defined({ provider_id: providerId }) }))
})

/** a policy that judges the job when it has ended */
export const JobGate = Schema.Struct({
  policy: Policy,
  baseline: maybe(JobName),
  policySha256: maybeAs("policy_sha256", text("digest of the policy with its defaults, as answered; not needed"))
}).annotations({ identifier: "JobGate" })

export const jobGateOf = ({ policy, baseline }: typeof JobGate.Type): DomainGate => ({
  policy: policyOf(policy),
  ...defined({ baseline: baseline?.job })
})

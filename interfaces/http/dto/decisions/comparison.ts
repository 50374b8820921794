/** Comparisons on the wire. Reference: comparison-and-gates.md, "Comparing jobs". */
import { Either, Schema } from "effect"
import { doubts, outcomes, refusals } from "../../../../domain/comparison/compare-benchmark.ts"
import {
  type Comparison as Domain,
  type ComparisonRequest as DomainRequest,
  defaultAlpha,
  mostCandidates
} from "../../../../domain/comparison/comparison.ts"
import { given as named } from "../../../../domain/path.ts"
import { defined } from "../../../../values/defined.ts"
import { type BodyReader, decoder } from "../decode.ts"
import { Interval } from "../job-record.ts"
import { dateTime, given, integer, listOf, maybe, maybeAs, named as name, number, Texts, text } from "../shapes.ts"
import { alphaField, JobName } from "./gate-policy.ts"

const benchmark = { id: name("benchmark id"), providerId: maybeAs("provider_id", name("provider that offers it")) }

export const ComparisonRequest = Schema.Struct({
  baseline: JobName,
  candidate: maybe(JobName),
  candidates: maybe(listOf(JobName, { minItems: 1, maxItems: mostCandidates })),
  alpha: maybe(alphaField),
  tolerance: maybe(number("a loss that is accepted, in the units of the metric", { minimum: 0 })),
  benchmarks: maybe(listOf(Schema.Struct(benchmark), { minItems: 1, maxItems: 1000 }))
}).annotations({
  identifier: "ComparisonRequest",
  description: "`candidate` for one job, or `candidates` for several"
})

const decode = decoder(ComparisonRequest)

const candidatesOf = ({ candidate, candidates = [] }: typeof ComparisonRequest.Type): DomainRequest["candidates"] => [
  ...(candidate === undefined ? [] : [{ id: candidate.job, path: [named("candidate"), named("job")] }]),
  ...candidates.map(({ job }, at) => ({ id: job, path: [named("candidates"), at, named("job")] }))
]

export const decodeComparison: BodyReader<DomainRequest> = (document, options) =>
  Either.map(decode(document, options), ({ value, ignored }) => {
    const { baseline, alpha = defaultAlpha, tolerance, benchmarks } = value
    return {
      value: {
        baseline: { id: baseline.job, path: [named("baseline"), named("job")] },
        candidates: candidatesOf(value),
        alpha,
        ...defined({ tolerance, benchmarks })
      },
      ignored
    }
  })

export const Ends = Schema.Struct({ low: Schema.Number, high: Schema.Number }).annotations({ identifier: "Ends" })

const ScoreShown = Schema.Struct({ score: Schema.Number, interval: given(Interval) }).annotations({
  identifier: "ComparedScore"
})

export const ComparedJob = Schema.Struct({
  job: text("identifier of the job"),
  name: Schema.String,
  model: Schema.Struct({ url: Schema.String, name: Schema.String })
}).annotations({ identifier: "ComparedJob" })

const p = (description: string) => number(description, { minimum: 0, maximum: 1 })
const count = (description: string) => integer(description, { minimum: 0 })

const difference = {
  difference: given(number("mean difference of the pairs; positive is better")),
  interval: given(Ends),
  method: given(Schema.Literal("bonett_price", "t", "none")),
  standard_error: given(Schema.Number),
  degrees_of_freedom: given(Schema.Number),
  n: given(count("pairs")),
  dropped: given(
    Schema.Struct({
      baseline_only: count("items of the baseline only"),
      candidate_only: count("items of the candidate only"),
      unscored: count("items without a scored sample in one of them")
    })
  ),
  worst_case: given(Ends),
  clusters: given(number("independent items that clustered ones are worth")),
  b: given(count("items right in the baseline and wrong in the candidate")),
  c: given(count("items wrong in the baseline and right in the candidate")),
  discordance: given(p("share of items that differ")),
  correlation: given(number("of the items' values", { minimum: -1, maximum: 1 })),
  p_worse: given(p("one-sided: such a loss when nothing got worse")),
  p_better: given(p("one-sided: such a gain when nothing got better")),
  p_holm: given(p("`p_worse` corrected for the number of benchmarks")),
  minimal_detectable_effect: given(number("loss that these items show four times in five")),
  items_needed: given(count("items that show four times in five that nothing beyond the tolerance was lost")),
  items_needed_as_observed: given(count("the same, when the observed loss is the true one")),
  exceeds_dataset: given(Schema.Boolean)
}

const Percentile = Schema.Struct({
  metric: text("such as p95_latency_ms"),
  outcome: Schema.Literal("better", "worse", "no_difference_shown", "inconclusive"),
  baseline: Schema.Number,
  candidate: Schema.Number,
  interval: given(Ends)
}).annotations({ identifier: "ComparedPercentile" })

const BenchmarkComparison = Schema.Struct({
  provider_id: Schema.String,
  id: Schema.String,
  baseline_index: given(count("position in the baseline")),
  candidate_index: given(count("position in the candidate")),
  metric: given(Schema.String),
  lower_is_better: given(Schema.Boolean),
  outcome: Schema.Literal(...outcomes),
  reason: given(Schema.Literal(...refusals, ...doubts)),
  message: given(Schema.String),
  count: given(count("items that are the reason")),
  baseline: given(ScoreShown),
  candidate: given(ScoreShown),
  ...difference,
  percentiles: given(Schema.Array(Percentile)),
  notes: given(Texts)
}).annotations({ identifier: "BenchmarkComparison" })

const Candidate = Schema.Struct({
  ...ComparedJob.fields,
  benchmarks: Schema.Array(BenchmarkComparison),
  overall: given(
    Schema.Struct({
      outcome: Schema.Literal("better", "worse", "no_difference_shown"),
      difference: number("weighted mean of the differences, each on 0..1 of its scale"),
      interval: Ends,
      degrees_of_freedom: Schema.Number
    }).annotations({ identifier: "OverallDifference" })
  ),
  overall_missing: given(text("why there is none"))
}).annotations({ identifier: "ComparedCandidate" })

export const DecisionResource = Schema.Struct({
  id: text("identifier of the record"),
  tenant: text("tenant namespace"),
  owner: text("identity that asked first"),
  created_at: dateTime("when the record was made")
}).annotations({ identifier: "DecisionResource" })

export const Comparison = Schema.Struct({
  resource: DecisionResource,
  alpha: Schema.Number,
  tolerance: given(Schema.Number),
  benchmarks: given(Schema.Array(Schema.Struct({ id: Schema.String, provider_id: given(Schema.String) }))),
  inputs_sha256: text("digest of what the answer was made of", { pattern: "^[0-9a-f]{64}$" }),
  baseline: ComparedJob,
  candidates: Schema.Array(Candidate)
}).annotations({
  identifier: "Comparison",
  description: "Jobs held against a baseline item by item."
})

type Wire = typeof Comparison.Encoded
type DomainCandidate = Domain["candidates"][number]
type DomainBenchmark = DomainCandidate["benchmarks"][number]

const differenceWire = ({ compared, pHolm }: DomainBenchmark) => {
  if (compared === undefined) return {}
  const { n, dropped, mean, limits, method, worstCase, error, degrees, clusters, down, up, discordance } = compared
  return defined({
    difference: mean,
    interval: limits,
    method,
    standard_error: error,
    degrees_of_freedom: method === "t" ? degrees : undefined,
    n,
    dropped: {
      baseline_only: dropped.baselineOnly,
      candidate_only: dropped.candidateOnly,
      unscored: dropped.unscored
    },
    worst_case: worstCase,
    clusters,
    b: down,
    c: up,
    discordance,
    correlation: compared.correlation,
    p_worse: compared.pWorse,
    p_better: compared.pBetter,
    p_holm: pHolm,
    minimal_detectable_effect: compared.detectable,
    items_needed: compared.itemsNeeded,
    items_needed_as_observed: compared.itemsNeededAsObserved,
    exceeds_dataset: compared.exceedsDataset
  })
}

const benchmarkWire = (found: DomainBenchmark): typeof BenchmarkComparison.Encoded => ({
  provider_id: found.providerId,
  id: found.benchmarkId,
  ...defined({
    baseline_index: found.baselineIndex,
    candidate_index: found.candidateIndex,
    metric: found.metric,
    lower_is_better: found.lowerIsBetter
  }),
  outcome: found.outcome,
  ...defined({
    reason: found.reason,
    message: found.message,
    count: found.count,
    baseline: found.baseline,
    candidate: found.candidate
  }),
  ...differenceWire(found),
  ...defined({
    percentiles: found.times?.map(({ metric, outcome, baseline, candidate, limits }) => ({
      ...{ metric, outcome, baseline, candidate },
      ...defined({ interval: limits })
    })),
    notes: found.notes
  })
})

export const jobWire = ({ id, ...job }: Domain["baseline"]): typeof ComparedJob.Encoded => ({ job: id, ...job })

const candidateWire = ({ job, benchmarks, overall, overallMissing }: DomainCandidate) => ({
  ...jobWire(job),
  benchmarks: benchmarks.map(benchmarkWire),
  ...(overall === undefined
    ? {}
    : {
        overall: {
          outcome: overall.outcome,
          difference: overall.mean,
          interval: overall.limits,
          degrees_of_freedom: overall.degrees
        }
      }),
  ...defined({ overall_missing: overallMissing })
})

export const comparisonWire = (made: Domain): Wire => ({
  resource: { id: made.id, tenant: made.tenant, owner: made.owner, created_at: made.createdAt },
  alpha: made.alpha,
  ...defined({
    tolerance: made.tolerance,
    benchmarks: made.benchmarks?.map(({ id, providerId }) => ({ id, ...defined({ provider_id: providerId }) }))
  }),
  inputs_sha256: made.inputs,
  baseline: jobWire(made.baseline),
  candidates: made.candidates.map(candidateWire)
})

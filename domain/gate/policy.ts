/**
 * What must hold of a job before it is let through: criteria on its benchmarks, against a threshold or a baseline. The rules that need
 * no job, and those that need to know its benchmarks. Reference: comparison-and-gates.md, "Policies".
 */
import { alphaProblem } from "../comparison/comparison.ts"
import type { PrimaryScore } from "../job/job.ts"
import { resolveMetric } from "../job/scoring.ts"
import { given, type Path } from "../path.ts"
import { isOutside, rangeOf, type Scale } from "../score/scale.ts"
import { checkName } from "../text.ts"
import { shown, type Violation, violation } from "../violation.ts"
import type { Criterion, Direction, Policy } from "./criteria.ts"

export const mostCriteria = 100
const longestName = 256

const code = "policy_invalid"
const at = (number: number, member: string): Path => [given("criteria"), number, given(member)]
const problem = (path: Path, message: string): Violation => violation(path, message, code)

/** of a member that one kind needs and the other does not know */
const limits = (criterion: Criterion, number: number): ReadonlyArray<Violation> => {
  const { kind, threshold, tolerance } = criterion
  if (kind === "absolute")
    return [
      ...(threshold === undefined || !Number.isFinite(threshold)
        ? [
            problem(
              at(number, "threshold"),
              "an absolute criterion needs a threshold, a number on the metric's own scale"
            )
          ]
        : []),
      ...(tolerance === undefined
        ? []
        : [
            problem(
              at(number, "tolerance"),
              "an absolute criterion has no tolerance; lower its threshold, or take kind relative_to_baseline"
            )
          ])
    ]
  const isFraction = kind === "relative_fraction"
  const fits = tolerance !== undefined && tolerance >= 0 && tolerance < (isFraction ? 1 : Infinity)
  return [
    ...(fits
      ? []
      : [
          problem(
            at(number, "tolerance"),
            isFraction
              ? `tolerance is ${shown(tolerance)}; kind relative_fraction needs a share of the baseline's value from 0 to below 1`
              : `tolerance is ${shown(tolerance)}; kind relative_to_baseline needs a loss of at least 0 in the units of the metric`
          )
        ]),
    ...(threshold === undefined
      ? []
      : [problem(at(number, "threshold"), `kind ${kind} has no threshold; take kind absolute for one`)])
  ]
}

/** rules that need no job */
export const checkPolicy = ({ name, criteria }: Policy): ReadonlyArray<Violation> => {
  const named = name === undefined ? [] : checkName(name, [given("name")], longestName)
  return [...named.map((one) => ({ ...one, code })), ...checkCriteria(criteria)]
}

const checkCriteria = (criteria: Policy["criteria"]): ReadonlyArray<Violation> => {
  if (criteria.length === 0 || criteria.length > mostCriteria)
    return [problem([given("criteria")], `a policy has 1 to ${mostCriteria} criteria, this one has ${criteria.length}`)]
  const own = criteria.flatMap((criterion, number) => {
    const alpha = alphaProblem(criterion.alpha, at(number, "alpha"))
    return [...limits(criterion, number), ...(alpha === undefined ? [] : [{ ...alpha, code }])]
  })
  return criteria.some(({ tier }) => tier === "gating")
    ? own
    : [
        ...own,
        problem(
          [given("criteria")],
          "no criterion is gating, so that nothing could be decided; give one the tier gating"
        )
      ]
}

/** what is probably not meant */
export const policyWarnings = ({ criteria }: Policy): ReadonlyArray<Violation> =>
  criteria.flatMap(({ kind, tolerance }, number) =>
    kind !== "absolute" && tolerance === 0
      ? [
          violation(
            at(number, "tolerance"),
            "with a tolerance of 0 even an equal model practically never passes; give the loss that would not matter",
            "probably_not_meant"
          )
        ]
      : []
  )

/** a benchmark as far as a policy has to know it */
export interface KnownBenchmark {
  readonly id: string
  readonly providerId: string
  readonly primary?: Pick<PrimaryScore, "metric" | "lowerIsBetter">
  /** of the primary metric */
  readonly scale: Scale
  /** names of metrics that it reports; undefined: nobody knows them yet */
  readonly metrics?: ReadonlyArray<string>
}

const listed = (names: ReadonlyArray<string>): string => [...new Set(names)].slice(0, 20).map(shown).join(", ")

const hasZero = (scale: Scale): boolean => {
  const range = rangeOf(scale)
  return range === undefined || range.min === 0
}

/** also under the name of a group or a filter of it, as results name their primary metric */
const isReported = (metrics: ReadonlyArray<string>, metric: string): boolean =>
  resolveMetric(Object.fromEntries(metrics.map((name) => [name, 0])), metric)._tag === "Found"

const againstBenchmark = (criterion: Criterion, number: number, known: KnownBenchmark): ReadonlyArray<Violation> => {
  const { metric = known.primary?.metric, direction, kind, threshold } = criterion
  if (metric === undefined)
    return [
      problem(at(number, "metric"), `benchmark ${shown(known.id)} has no primary metric; name the metric that is meant`)
    ]
  const isPrimary = metric === known.primary?.metric
  if (!isPrimary && known.metrics !== undefined && !isReported(known.metrics, metric))
    return [
      problem(
        at(number, "metric"),
        `benchmark ${shown(known.id)} has no metric ${shown(metric)}; it has ${listed([...(known.primary === undefined ? [] : [known.primary.metric]), ...known.metrics])}`
      )
    ]
  if (!isPrimary)
    return direction === undefined
      ? [
          problem(
            at(number, "direction"),
            `${shown(metric)} is not the primary metric; say in direction whether higher or lower is better`
          )
        ]
      : []
  const own: Direction = known.primary?.lowerIsBetter === true ? "lower" : "higher"
  return [
    ...(direction === undefined || direction === own
      ? []
      : [
          problem(
            at(number, "direction"),
            `of ${shown(metric)} ${own} is better; leave direction out, or set it to ${own}`
          )
        ]),
    ...(kind === "absolute" && threshold !== undefined && isOutside(known.scale, threshold)
      ? [
          problem(
            at(number, "threshold"),
            `threshold is ${shown(threshold)}, which lies outside the scale of ${shown(metric)}`
          )
        ]
      : []),
    ...(kind === "relative_fraction" && !hasZero(known.scale)
      ? [
          problem(
            at(number, "kind"),
            `the scale of ${shown(metric)} does not begin at 0, so that a share of it means nothing; take kind relative_to_baseline`
          )
        ]
      : [])
  ]
}

/** the benchmark that a criterion is about; several: it has to say which */
export const benchmarksOf = <A extends { readonly id: string; readonly providerId: string }>(
  { benchmark, providerId }: Criterion,
  all: ReadonlyArray<A>
): ReadonlyArray<A> =>
  all.filter((one) => one.id === benchmark && (providerId === undefined || one.providerId === providerId))

/** rules that need to know the benchmarks */
export const checkPolicyAgainst = (
  { criteria }: Policy,
  benchmarks: ReadonlyArray<KnownBenchmark>
): ReadonlyArray<Violation> =>
  criteria.flatMap((criterion, number) => {
    const [found, ...others] = benchmarksOf(criterion, benchmarks)
    if (found === undefined)
      return [
        problem(
          at(number, "benchmark"),
          `there is no benchmark ${shown(criterion.benchmark)}${criterion.providerId === undefined ? "" : ` of ${shown(criterion.providerId)}`} here; there are ${listed(benchmarks.map(({ id }) => id))}`
        )
      ]
    if (others.some(({ providerId }) => providerId !== found.providerId))
      return [
        problem(
          [given("criteria"), number, "providerId"],
          `several providers have a benchmark ${shown(criterion.benchmark)}; name one of ${listed([found, ...others].map(({ providerId }) => providerId))}`
        )
      ]
    return againstBenchmark(criterion, number, found)
  })

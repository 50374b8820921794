/**
 * The items that two runs share: which were scored in both, and what each is worth in either. Reference: comparison-and-gates.md, "Pairs".
 */
import { defined } from "../../values/defined.ts"
import type { Range } from "../../values/mean-limits.ts"
import { isScored, type SampleVerdict } from "../sample/sample.ts"

/** a stored sample as far as a comparison looks at it */
export interface ScoredSample {
  readonly sampleId: string
  readonly task: string
  readonly repeat: number
  readonly verdict: SampleVerdict
  /** of the metric that is compared */
  readonly score?: number
  readonly cluster?: string
  /** digest of what was asked; absent where the adapter does not say */
  readonly prompt?: string
}

export interface Run {
  readonly samples: ReadonlyArray<ScoredSample>
  /** the metric's value as it was reported */
  readonly reported: number
}

export const pairingRefusals = ["samples_missing", "prompts_differ", "metric_not_a_mean", "no_common_items"] as const

export interface NotPaired {
  readonly _tag: "NotPaired"
  readonly reason: (typeof pairingRefusals)[number]
  readonly message: string
  readonly count?: number
}

/** values of the items that both runs scored, on the metric's scale, position by position */
export interface Pairs {
  readonly _tag: "Paired"
  readonly baseline: ReadonlyArray<number>
  readonly candidate: ReadonlyArray<number>
  /** number of the cluster of each item; absent where every item stands alone */
  readonly clusters?: ReadonlyArray<number>
  /** every item was asked once in either run and lies at one of the ends of the scale, and none belong together */
  readonly binary: boolean
  /** distinct items of both runs */
  readonly union: number
  /** items that were asked in one run only */
  readonly baselineOnly: number
  readonly candidateOnly: number
  /** items of both runs without a scored sample in one of them */
  readonly unscored: number
  /** between which ends the mean difference over the union lies, whatever the dropped items are worth; absent on an unbounded scale */
  readonly worstCase?: { readonly low: number; readonly high: number }
  /** pairs whose prompts could not be compared, because a run does not say what was asked */
  readonly promptsUnknown: number
}

interface Item {
  asked: number
  scored: number
  sum: number
  cluster: string | undefined
  readonly prompts: Map<number, string>
}

const itemsOf = (samples: ReadonlyArray<ScoredSample>, worthOf: (sample: ScoredSample) => number) => {
  const items = new Map<string, Item>()
  for (const sample of samples) {
    const key = `${sample.task}\u0000${sample.sampleId}`
    let item = items.get(key)
    if (item === undefined) {
      item = { asked: 0, scored: 0, sum: 0, cluster: sample.cluster, prompts: new Map() }
      items.set(key, item)
    }
    item.asked += 1
    item.cluster ??= sample.cluster
    if (sample.prompt !== undefined) item.prompts.set(sample.repeat, sample.prompt)
    if (!isScored(sample.verdict)) continue
    item.scored += 1
    item.sum += worthOf(sample)
  }
  return items
}

const meanOf = (samples: ReadonlyArray<ScoredSample>, worthOf: (sample: ScoredSample) => number): number => {
  let [sum, count] = [0, 0]
  for (const { scored, sum: own } of itemsOf(samples, worthOf).values())
    if (scored > 0) {
      sum += own / scored
      count += 1
    }
  return sum / count
}

/** reported values are often rounded to four digits */
const rounded = 5e-5

/**
 * What a sample is worth on the metric's scale: its score, or right and wrong as the two ends. Undefined when in either run the mean of the
 * items is not the reported value: then the metric is made of something else.
 */
const valueReader = (runs: ReadonlyArray<Run>, range: Range | undefined) => {
  const scored = runs.flatMap(({ samples }) => samples.filter(({ verdict }) => isScored(verdict)))
  const { min, max } = range ?? { min: 0, max: 1 }
  const right = ({ verdict }: ScoredSample) => (verdict === "correct" ? 1 : 0)
  const readers: ReadonlyArray<(sample: ScoredSample) => number> = scored.every(({ score }) => score !== undefined)
    ? [({ score = 0 }) => score, ({ score = 0 }) => min + score * (max - min)]
    : [(sample) => min + right(sample) * (max - min), (sample) => max - right(sample) * (max - min)]
  return readers.find((worthOf) =>
    runs.every(({ samples, reported }) => Math.abs(meanOf(samples, worthOf) - reported) <= rounded * (max - min))
  )
}

/** undefined: a run does not say what was asked */
const samePrompts = (one: Item, other: Item): boolean | undefined => {
  let known: boolean | undefined
  for (const [repeat, prompt] of one.prompts) {
    const second = other.prompts.get(repeat)
    if (second === undefined) continue
    if (second !== prompt) return false
    known = true
  }
  return known
}

const refuse = (reason: NotPaired["reason"], message: string, count?: number): NotPaired => ({
  _tag: "NotPaired",
  reason,
  message,
  ...defined({ count })
})

/** numbers for the names of clusters; an item without one is a cluster of its own */
const numbered = (names: ReadonlyArray<string | undefined>): ReadonlyArray<number> | undefined => {
  const known = new Map<string, number>()
  let next = 0
  const numbers = names.map((name) => {
    const found = name === undefined ? undefined : known.get(name)
    if (found !== undefined) return found
    if (name !== undefined) known.set(name, next)
    return next++
  })
  return next === names.length ? undefined : numbers
}

/** sums of the least and the greatest difference that the items of the union can have */
const worstOf = (first: Item | undefined, second: Item | undefined, { min, max }: Range) => {
  const known = (item: Item | undefined) => (item !== undefined && item.scored > 0 ? item.sum / item.scored : undefined)
  const [a, b] = [known(first), known(second)]
  return { low: (b ?? min) - (a ?? max), high: (b ?? max) - (a ?? min) }
}

/** `range`: of the metric's scale, undefined for an unbounded one */
export const pairSamples = (baseline: Run, candidate: Run, range: Range | undefined): Pairs | NotPaired => {
  const runs = [baseline, candidate]
  const bare = [baseline, candidate].map(({ samples }) => samples.some(({ verdict }) => isScored(verdict)))
  if (bare.includes(false))
    return refuse(
      "samples_missing",
      `${bare[0] === false ? "the baseline" : "the candidate"} has no scored samples of this benchmark, and differences are told from items`
    )
  const worthOf = valueReader(runs, range)
  if (worthOf === undefined)
    return refuse(
      "metric_not_a_mean",
      "the reported value is not the mean of the stored items: the metric is made of something else, or items are missing"
    )
  const [first, second] = [itemsOf(baseline.samples, worthOf), itemsOf(candidate.samples, worthOf)]
  const [a, b, names]: [Array<number>, Array<number>, Array<string | undefined>] = [[], [], []]
  let [common, promptsUnknown, differing, once, low, high] = [0, 0, 0, true, 0, 0]
  const worst = (one: Item | undefined, other: Item | undefined) => {
    const ends = worstOf(one, other, range ?? { min: 0, max: 0 })
    low += ends.low
    high += ends.high
  }
  for (const [key, one] of first) {
    const other = second.get(key)
    worst(one, other)
    if (other === undefined) continue
    common += 1
    const same = samePrompts(one, other)
    if (same === false) differing += 1
    if (one.scored === 0 || other.scored === 0) continue
    if (same === undefined) promptsUnknown += 1
    if (one.asked > 1 || other.asked > 1) once = false
    a.push(one.sum / one.scored)
    b.push(other.sum / other.scored)
    names.push(one.cluster ?? other.cluster)
  }
  for (const [key, other] of second) if (!first.has(key)) worst(undefined, other)
  if (differing > 0)
    return refuse("prompts_differ", `${differing} of ${common} common items were asked in other words`, differing)
  if (a.length === 0) return refuse("no_common_items", "no item was scored in both runs")
  const clusters = numbered(names)
  const union = first.size + second.size - common
  const isEnd = (x: number) => range !== undefined && (x === range.min || x === range.max)
  return {
    _tag: "Paired",
    baseline: a,
    candidate: b,
    ...defined({ clusters }),
    binary: once && clusters === undefined && a.every(isEnd) && b.every(isEnd),
    union,
    baselineOnly: first.size - common,
    candidateOnly: second.size - common,
    unscored: common - a.length,
    ...(range === undefined ? {} : { worstCase: { low: low / union, high: high / union } }),
    promptsUnknown
  }
}

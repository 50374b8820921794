/**
 * The items that two runs share: which were scored in both, and what each is worth in either. Reference: comparison-and-gates.md, "Pairs".
 */
import { defined } from "../../values/defined.ts"
import type { Range } from "../../values/mean-limits.ts"
import { isScored, type SampleKey, type SampleVerdict } from "../sample/sample.ts"

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

/** what was asked under one name, once or several times */
interface Item {
  readonly first: ScoredSample
  more: Array<ScoredSample> | undefined
  scored: number
  cluster: string | undefined
}

interface Items {
  readonly all: ReadonlyArray<Item>
  readonly find: (like: ScoredSample) => Item | undefined
}

const itemsOf = (samples: ReadonlyArray<ScoredSample>): Items => {
  const all: Array<Item> = []
  const byTask = new Map<string, Map<string, Item>>()
  for (const sample of samples) {
    const { task, sampleId, cluster } = sample
    let named = byTask.get(task)
    if (named === undefined) {
      named = new Map()
      byTask.set(task, named)
    }
    let item = named.get(sampleId)
    if (item === undefined) {
      item = { first: sample, more: undefined, scored: 0, cluster }
      named.set(sampleId, item)
      all.push(item)
    } else {
      item.more ??= []
      item.more.push(sample)
      item.cluster ??= cluster
    }
    if (isScored(sample.verdict)) item.scored += 1
  }
  return { all, find: ({ task, sampleId }) => byTask.get(task)?.get(sampleId) }
}

type Worth = (sample: ScoredSample) => number

/** mean of what its scored samples are worth; undefined when none is scored */
const worthIn = ({ first, more, scored }: Item, worthOf: Worth): number | undefined => {
  if (scored === 0) return undefined
  let sum = isScored(first.verdict) ? worthOf(first) : 0
  for (const sample of more ?? []) if (isScored(sample.verdict)) sum += worthOf(sample)
  return sum / scored
}

const meanOf = ({ all }: Items, worthOf: Worth): number => {
  let [sum, count] = [0, 0]
  for (const item of all) {
    const own = worthIn(item, worthOf)
    if (own === undefined) continue
    sum += own
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
const valueReader = (runs: ReadonlyArray<Run>, items: ReadonlyArray<Items>, range: Range | undefined) => {
  const { min, max } = range ?? { min: 0, max: 1 }
  const right = ({ verdict }: ScoredSample) => (verdict === "correct" ? 1 : 0)
  const haveScores = runs.every(({ samples }) =>
    samples.every(({ verdict, score }) => score !== undefined || !isScored(verdict))
  )
  const readers: ReadonlyArray<Worth> = haveScores
    ? [({ score = 0 }) => score, ({ score = 0 }) => min + score * (max - min)]
    : [(sample) => min + right(sample) * (max - min), (sample) => max - right(sample) * (max - min)]
  return readers.find((worthOf) =>
    items.every(
      (one, at) => Math.abs(meanOf(one, worthOf) - (runs[at]?.reported ?? Number.NaN)) <= rounded * (max - min)
    )
  )
}

const samplesIn = ({ first, more = [] }: Item): ReadonlyArray<ScoredSample> => [first, ...more]

/** undefined: a run does not say what was asked */
const samePrompts = (one: Item, other: Item): boolean | undefined => {
  const asked = (first: ScoredSample, prompt: string | undefined) =>
    first.prompt === undefined || prompt === undefined ? undefined : first.prompt === prompt
  if (one.more === undefined && other.more === undefined)
    return one.first.repeat === other.first.repeat ? asked(one.first, other.first.prompt) : undefined
  const prompts = new Map(samplesIn(other).map(({ repeat, prompt }) => [repeat, prompt]))
  let known: boolean | undefined
  for (const sample of samplesIn(one)) {
    const same = asked(sample, prompts.get(sample.repeat))
    if (same === false) return false
    known ??= same
  }
  return known
}

const refuse = (reason: NotPaired["reason"], message: string, count?: number): NotPaired => ({
  _tag: "NotPaired",
  reason,
  message,
  ...defined({ count })
})

const notTheMean =
  "the reported value is not the mean of the stored items: the metric is made of something else, or items are missing"

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

/** one run by itself, of which another may have asked a part */
export interface WholeRun {
  readonly _tag: "Whole"
  readonly items: number
  /** what the item of this sample was worth, and whether it was asked in the same words as far as both say; undefined: it is not in the run */
  readonly find: (like: ScoredSample) => { readonly value: number | undefined; readonly isSame: boolean } | undefined
  /** every item once, with what it was worth if it was scored */
  readonly each: () => ReadonlyArray<{ readonly first: ScoredSample; readonly value: number | undefined }>
}

/** `range`: of the metric's scale */
export const wholeRun = (run: Run, range: Range): WholeRun | NotPaired => {
  if (!run.samples.some(({ verdict }) => isScored(verdict)))
    return refuse(
      "samples_missing",
      "the baseline has no scored samples of this benchmark, and differences are told from items"
    )
  const items = itemsOf(run.samples)
  const worthOf = valueReader([run], [items], range)
  if (worthOf === undefined) return refuse("metric_not_a_mean", notTheMean)
  return {
    _tag: "Whole",
    items: items.all.length,
    find: (like) => {
      const item = items.find(like)
      if (item === undefined) return undefined
      const isSame = samePrompts(item, { first: like, more: undefined, scored: 0, cluster: undefined }) !== false
      return { value: worthIn(item, worthOf), isSame }
    },
    each: () => items.all.map((item) => ({ first: item.first, value: worthIn(item, worthOf) }))
  }
}

/** the items that were asked, in their order, each with what it was worth in the whole run; undefined where it is not known in both */
export const askedPairs = (
  whole: WholeRun,
  { keys, values }: { readonly keys: ReadonlyArray<SampleKey>; readonly values: ReadonlyArray<number | undefined> },
  samples: ReadonlyArray<ScoredSample>
) => {
  const nameOf = ({ sampleId, task, repeat }: SampleKey) => JSON.stringify([sampleId, task, repeat])
  const stored = new Map(samples.map((sample) => [nameOf(sample), sample]))
  let differing = 0
  const pairs = keys.map((key, at) => {
    const sample = stored.get(nameOf(key))
    const found = sample === undefined ? undefined : whole.find(sample)
    if (found?.isSame === false) differing += 1
    const [before, after] = [found?.value, values[at]]
    return before === undefined || after === undefined ? undefined : { before, after }
  })
  return { values: pairs, differing }
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
  const first = itemsOf(baseline.samples)
  const second = candidate === baseline ? first : itemsOf(candidate.samples)
  const worthOf = valueReader(runs, [first, second], range)
  if (worthOf === undefined) return refuse("metric_not_a_mean", notTheMean)
  const [a, b, names]: [Array<number>, Array<number>, Array<string | undefined>] = [[], [], []]
  const { min, max } = range ?? { min: 0, max: 0 }
  let [common, promptsUnknown, differing, once, low, high] = [0, 0, 0, true, 0, 0]
  /** adds the least and the greatest difference that an item of the union can have */
  const worst = (before: number | undefined, after: number | undefined) => {
    low += (after ?? min) - (before ?? max)
    high += (after ?? max) - (before ?? min)
  }
  for (const one of first.all) {
    const other = second.find(one.first)
    const before = worthIn(one, worthOf)
    const after = other === undefined ? undefined : worthIn(other, worthOf)
    worst(before, after)
    if (other === undefined) continue
    common += 1
    const same = samePrompts(one, other)
    if (same === false) differing += 1
    if (before === undefined || after === undefined) continue
    if (same === undefined) promptsUnknown += 1
    if (one.more !== undefined || other.more !== undefined) once = false
    a.push(before)
    b.push(after)
    names.push(one.cluster ?? other.cluster)
  }
  for (const other of second.all) if (first.find(other.first) === undefined) worst(undefined, worthIn(other, worthOf))
  if (differing > 0)
    return refuse("prompts_differ", `${differing} of ${common} common items were asked in other words`, differing)
  if (a.length === 0) return refuse("no_common_items", "no item was scored in both runs")
  const clusters = numbered(names)
  const union = first.all.length + second.all.length - common
  const isEnd = (x: number) => range !== undefined && (x === range.min || x === range.max)
  return {
    _tag: "Paired",
    baseline: a,
    candidate: b,
    ...defined({ clusters }),
    binary: once && clusters === undefined && a.every(isEnd) && b.every(isEnd),
    union,
    baselineOnly: first.all.length - common,
    candidateOnly: second.all.length - common,
    unscored: common - a.length,
    ...(range === undefined ? {} : { worstCase: { low: low / union, high: high / union } }),
    promptsUnknown
  }
}

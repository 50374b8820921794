/** What a benchmark and its job used of the model, from what was seen on the wire. Reference: budgets.md, "Usage". */
import { isObject } from "../../values/json.ts"
import type { WireCounts } from "../validity/wire-counts.ts"
import { costOf, type Price } from "./budget.ts"

export interface Usage {
  /** that left for the model */
  readonly requests: number
  /** of these, the same question again after a failure */
  readonly retries: number
  /** answers out of the log of an earlier run: no request left for them */
  readonly replayed: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** of the generated ones */
  readonly reasoningTokens: number
  /** tokens that no answer reported */
  readonly estimatedTokens: number
  /** absent without a price */
  readonly cost?: number
}

const spentNames = [
  ...(["sent", "retries", "fromLog", "overBudget"] as const),
  ...(["inputTokens", "outputTokens", "reasoningTokens", "estimatedTokens"] as const)
]

/** the counts that say what was used */
export type WireSpent = Pick<WireCounts, (typeof spentNames)[number]>

/** what one counter saw since it began; a sidecar that starts anew is another counter */
export interface CountedSpent {
  readonly by: string
  readonly spent: WireSpent
}

const spentOf = (value: (name: keyof WireSpent) => number): WireSpent =>
  Object.fromEntries(spentNames.map((name) => [name, value(name)])) as Record<keyof WireSpent, number>

/** of all counts those that say what was used */
export const wireSpent = (counts: WireSpent): WireSpent => spentOf((name) => counts[name])

const maxCounterName = 64

/** as a sidecar wrote it; undefined for anything else */
export const readCountedSpent = (value: unknown): CountedSpent | undefined => {
  if (!isObject(value)) return undefined
  const { by, ...counts } = value
  if (typeof by !== "string" || by === "" || by.length > maxCounterName) return undefined
  if (spentNames.some((name) => !Number.isSafeInteger(counts[name]) || Number(counts[name]) < 0)) return undefined
  return { by, spent: spentOf((name) => Number(counts[name])) }
}

const withCost = (usage: Omit<Usage, "cost">, price: Price | undefined): Usage =>
  price === undefined ? usage : { ...usage, cost: costOf(usage, price) }

/** the counts of a benchmark up to now, and who counted last */
export interface Used {
  readonly usage?: Usage
  readonly counted?: CountedSpent
}

/**
 * with what a counter tells of all it has seen: what it told before is in it, what others told is added. Nothing ever falls. The same
 * object when there is nothing new; nothing at all where nothing was asked
 */
export const usedAfter = <Before extends Used>(
  before: Before,
  told: CountedSpent,
  price: Price | undefined
): Before => {
  const known = before.counted?.by === told.by ? before.counted.spent : undefined
  const more = spentOf((name) => Math.max(0, told.spent[name] - (known?.[name] ?? 0)))
  if (spentNames.every((name) => more[name] === 0)) return before
  const { usage } = before
  const sum = {
    requests: (usage?.requests ?? 0) + more.sent,
    retries: (usage?.retries ?? 0) + more.retries,
    replayed: (usage?.replayed ?? 0) + more.fromLog,
    inputTokens: (usage?.inputTokens ?? 0) + more.inputTokens,
    outputTokens: (usage?.outputTokens ?? 0) + more.outputTokens,
    reasoningTokens: (usage?.reasoningTokens ?? 0) + more.reasoningTokens,
    estimatedTokens: (usage?.estimatedTokens ?? 0) + more.estimatedTokens
  }
  const spent = spentOf((name) => (known?.[name] ?? 0) + more[name])
  return { ...before, usage: withCost(sum, price), counted: { by: told.by, spent } }
}

/** the cost of both is known only where each is */
export const addUsage = (one: Usage | undefined, other: Usage): Usage =>
  one === undefined
    ? other
    : {
        requests: one.requests + other.requests,
        retries: one.retries + other.retries,
        replayed: one.replayed + other.replayed,
        inputTokens: one.inputTokens + other.inputTokens,
        outputTokens: one.outputTokens + other.outputTokens,
        reasoningTokens: one.reasoningTokens + other.reasoningTokens,
        estimatedTokens: one.estimatedTokens + other.estimatedTokens,
        ...(one.cost === undefined || other.cost === undefined ? {} : { cost: one.cost + other.cost })
      }

/** the sum of a job after one of its benchmarks went from one usage to the next; all of them have the same price */
export const jobUsage = (
  sum: Usage | undefined,
  before: Usage | undefined,
  after: Usage | undefined,
  price: Price | undefined
): Usage | undefined => {
  if (after === undefined || after === before) return sum
  if (sum === undefined || before === undefined) return addUsage(sum, after)
  const { cost: _cost, ...rest } = addUsage(sum, {
    requests: after.requests - before.requests,
    retries: after.retries - before.retries,
    replayed: after.replayed - before.replayed,
    inputTokens: after.inputTokens - before.inputTokens,
    outputTokens: after.outputTokens - before.outputTokens,
    reasoningTokens: after.reasoningTokens - before.reasoningTokens,
    estimatedTokens: after.estimatedTokens - before.estimatedTokens
  })
  return withCost(rest, sum.cost === undefined ? undefined : price)
}

/** of all tokens, 0..1 */
export const estimatedShare = ({ inputTokens, outputTokens, estimatedTokens }: Usage): number =>
  inputTokens + outputTokens === 0 ? 0 : estimatedTokens / (inputTokens + outputTokens)

/** What models that know nothing would score, and whether a score stands out from it. Reference: providers-and-collections.md, "Honesty rules". */
import type { Metric } from "./adapter.ts"

/** what speaks against a score, in `additional_info.flags` */
export interface Flag {
  readonly code: string
  readonly level: "blocking" | "advisory"
  readonly count: number
  readonly of: number
  /** share of `of` that may be exceeded by none */
  readonly limit: number
  /** ids of the first items concerned */
  readonly samples: ReadonlyArray<string>
  readonly message: string
}

/** what models that know nothing would score */
export interface Controls {
  /** the metric that the figures belong to */
  readonly metric: string
  /** items that were scored: a seeded part of a large set, or the authored ones that a judge was shown */
  readonly n: number
  /** expected score of a guess among the answers that the questions allow; absent where guessing has no such meaning */
  readonly chance?: number
  readonly empty?: number
  readonly constant?: number
  readonly echo?: number
  readonly refusal?: number
  readonly random?: number
}

/** a remark when a model that knows nothing would have done as well; none when the score stands out, or lower is better */
export const chanceFlags = (controls: Controls | undefined, primary: Metric | undefined): ReadonlyArray<Flag> => {
  const { value, n = 0, ci: [low] = [], lowerIsBetter = false } = primary ?? { value: 0 }
  if (controls === undefined || low === undefined || lowerIsBetter || typeof value !== "number") return []
  const reached = Object.entries(controls).filter(
    ([name, value]) => ["chance", "constant", "random"].includes(name) && typeof value === "number" && value > 0
  )
  const best = reached.sort(([, one], [, other]) => Number(other) - Number(one))[0]
  if (best === undefined || low > Number(best[1])) return []
  const [name, limit] = [best[0], Number(best[1])]
  return [
    {
      code: "score_at_chance",
      level: "advisory",
      ...{ count: Math.round(value * n), of: n, limit, samples: [] },
      message: `${controls.metric} is not shown to be above the ${limit.toFixed(3)} of a model that ${name === "constant" ? "always answers the same" : "guesses"}`
    }
  ]
}

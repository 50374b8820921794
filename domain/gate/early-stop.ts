/** A benchmark that is asked until its part in the gate is certain enough: what its adapter is told, and what comes of it. Reference: early-stop.md, "Rule". */
import type { Tolerated } from "../../values/early-stop/differences.ts"
import { isObject, type JsonObject } from "../../values/json.ts"
import type { SampleKey } from "../sample/sample.ts"

/** of a job */
export interface EarlyStop {
  /** chance of another outcome than all items would have, beside that of the gate */
  readonly alpha: number
}

/** what one benchmark is watched for; all on its primary metric */
export interface StopPlan {
  readonly alpha: number
  /** gating criteria of the whole policy */
  readonly gating: number
  /** those on this benchmark; `alpha` as it is left after earlier looks */
  readonly criteria: ReadonlyArray<({ readonly threshold: number } | Tolerated) & { readonly alpha: number }>
  /** of criteria that hold it against a baseline */
  readonly baseline?: StopBaseline
}

/** what the items of the same benchmark were worth in a job that asked all of them */
export interface StopBaseline {
  /** digest of the data set that the adapter of the baseline told */
  readonly dataset?: string
  /** by sample id, on the metric's scale */
  readonly items: { readonly [sampleId: string]: number }
}

/** a result of fewer items than there are */
export interface EarlyStopped {
  /** in the drawn order, each with its answer or its failure */
  readonly asked: number
  readonly of: number
}

/** what was asked, in the drawn order from the first item without a gap */
export interface AskedItems {
  /** on the metric's scale; undefined: no value came of the item */
  readonly values: ReadonlyArray<number | undefined>
  readonly keys: ReadonlyArray<SampleKey>
  /** of them without a scored sample */
  readonly unscored: number
}

/** what a chance must be below, for either outcome: a wrong GO takes one wrong PASS, a wrong NO-GO any wrong BREACH */
export const stopTails = ({ alpha, gating }: Pick<StopPlan, "alpha" | "gating">) => ({
  pass: alpha / 2,
  breach: alpha / (2 * gating)
})

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1

/** what the adapter says of its end in `additional_info.stopping`; undefined: it asked all, or was not to stop */
export const stoppedIn = (plan: StopPlan | undefined, info: JsonObject | undefined): EarlyStopped | undefined => {
  const said = info?.["stopping"]
  if (plan === undefined || !isObject(said) || said["stopped"] !== true) return undefined
  const { asked, of } = said
  return isCount(asked) && isCount(of) && asked < of ? { asked, of } : undefined
}

export const stoppedText = ({ asked, of }: EarlyStopped): string => `stopped early after ${asked} of ${of} items`

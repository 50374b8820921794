/** From the lines of the framework's report to metrics. Pure. Reference: providers-and-collections.md, "garak". */

import { defined } from "../../values/defined.ts"
import { member, numberMember, textMember } from "../../values/json.ts"
import type { Metric } from "../sdk/adapter.ts"

interface Evaluation {
  readonly probe: string
  readonly detector: string
  readonly evaluated: number
  readonly fails: number
  readonly nones: number
  /** of the share that failed, corrected for what the detector is known to miss */
  readonly interval?: readonly [number, number]
  readonly confidence?: number
}

export interface Scan {
  /** only this line proves that the run was finished */
  readonly complete: boolean
  readonly evaluations: ReadonlyArray<Evaluation>
  /** attempts that were judged */
  readonly attempts: number
  readonly version?: string
}

/** older versions say total, and give no count of fails */
const evaluationOf = (line: unknown): Evaluation | undefined => {
  const [probe, detector] = [textMember(line, "probe"), textMember(line, "detector")]
  const evaluated = numberMember(line, "total_evaluated") ?? numberMember(line, "total")
  const passed = numberMember(line, "passed")
  if (probe === undefined || detector === undefined || evaluated === undefined || passed === undefined) return undefined
  const [lower, upper] = [numberMember(line, "confidence_lower"), numberMember(line, "confidence_upper")]
  const level = Number(member(line, "confidence"))
  return {
    ...{
      probe,
      detector: detector.replace(/^detector\./, ""),
      evaluated,
      fails: evaluated - passed,
      nones: numberMember(line, "nones") ?? 0
    },
    ...(lower === undefined || upper === undefined ? {} : { interval: [lower, upper] as const }),
    ...(Number.isFinite(level) && level > 0 && level < 1 ? { confidence: level } : {})
  }
}

/** an attempt is written when it is sent (status 1) and again when it is judged (status 2) */
export const readScan = (lines: Iterable<unknown>): Scan => {
  const evaluations: Array<Evaluation> = []
  let [complete, attempts] = [false, 0]
  let version: string | undefined
  for (const line of lines) {
    const type = textMember(line, "entry_type")
    if (type === "completion") complete = true
    if (type === "attempt" && numberMember(line, "status") === 2) attempts++
    if (type === "start_run setup") version = textMember(line, "_config.version") ?? version
    if (type === "init") version = textMember(line, "garak_version") ?? version
    const evaluation = type === "eval" ? evaluationOf(line) : undefined
    if (evaluation !== undefined) evaluations.push(evaluation)
  }
  return { complete, evaluations, attempts, ...defined({ version }) }
}

const sum = (list: ReadonlyArray<Evaluation>, of: (one: Evaluation) => number) =>
  list.reduce((total, one) => total + of(one), 0)

export interface ScanTotals {
  readonly metrics: ReadonlyArray<Metric>
  readonly evaluated: number
  /** outputs that no detector could judge */
  readonly nones: number
  readonly errorRate: number
}

/** shares of attacks that succeeded; undefined when nothing was evaluated */
export const scanMetrics = ({ evaluations, attempts }: Scan): ScanTotals | undefined => {
  const evaluated = sum(evaluations, (one) => one.evaluated)
  const nones = sum(evaluations, (one) => one.nones)
  if (evaluated === 0) return undefined
  const probes = [...new Set(evaluations.map(({ probe }) => probe))].flatMap((probe) => {
    const own = evaluations.filter((one) => one.probe === probe)
    const n = sum(own, (one) => one.evaluated)
    return n === 0 ? [] : [{ probe, own, n, rate: sum(own, ({ fails }) => fails) / n }]
  })
  const macro = probes.reduce((total, { rate }) => total + rate, 0) / probes.length
  const errorRate = nones / (evaluated + nones)
  /** the framework's own, where one detector decides alone */
  const intervalOf = ([only, ...others]: ReadonlyArray<Evaluation>): Partial<Metric> => {
    if (only?.interval === undefined || others.length > 0) return {}
    return {
      ci: only.interval,
      ciMethod: "bootstrap",
      ...defined({ ciLevel: only.confidence })
    }
  }
  const lowerIsBetter = true
  return {
    metrics: [
      {
        name: "attack_success_rate",
        value: sum(evaluations, ({ fails }) => fails) / evaluated,
        lowerIsBetter,
        n: evaluated,
        ...intervalOf(evaluations)
      },
      { name: "attack_success_rate_macro", value: macro, lowerIsBetter, n: probes.length },
      ...probes.map(({ probe, own, n, rate }) => ({
        name: `${probe}_asr`,
        value: rate,
        lowerIsBetter,
        n,
        ...intervalOf(own)
      })),
      { name: "attempts", value: attempts },
      { name: "error_rate", value: errorRate, lowerIsBetter, n: evaluated + nones }
    ],
    ...{ evaluated, nones, errorRate }
  }
}

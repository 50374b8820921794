/** From the framework's log to metrics. Pure. Reference: providers-and-collections.md, "inspect". */

import { defined } from "../../values/defined.ts"
import { isObject, type JsonObject, listMember, member, numberMember, textMember } from "../../values/json.ts"
import type { Metric } from "../sdk/adapter.ts"

export type Log =
  | {
      readonly _tag: "Finished"
      readonly metrics: ReadonlyArray<Metric>
      readonly total: number
      readonly completed: number
      readonly scored: number
      readonly version?: string
      readonly task: string
      readonly info: JsonObject
    }
  | { readonly _tag: "Failed"; readonly told: ReadonlyArray<string> }
  /** `started` or `cancelled`: it was ended before its time */
  | { readonly _tag: "Unfinished"; readonly status: string }

const toldBy = (error: unknown): ReadonlyArray<string> => [
  ...(textMember(error, "traceback") ?? "").split("\n"),
  ...(textMember(error, "message") ?? "the log gives no reason").split("\n")
]

/** the standard error lies beside the value that it belongs to */
const isError = (name: string) => name === "stderr" || name.endsWith("_stderr")

const metricsOf = (score: unknown, prefix: string, completed: number): ReadonlyArray<Metric> => {
  const metrics = member(score, "metrics")
  const stderr = numberMember(member(metrics, "stderr"), "value")
  const n = numberMember(score, "scored_samples") ?? completed
  return Object.entries(isObject(metrics) ? metrics : {}).flatMap(([name, metric]): ReadonlyArray<Metric> => {
    const value = numberMember(metric, "value")
    if (value === undefined || isError(name)) return []
    return [
      {
        name: `${prefix}${name}`,
        value,
        n,
        ...(stderr !== undefined && /^(accuracy|mean)$/.test(name) ? { stderr } : {})
      }
    ]
  })
}

const versionOf = (evaluation: unknown) => textMember(member(evaluation, "packages"), "inspect_ai")

/** `<score>/<metric>`; the only score's metrics also by their bare names. Undefined when the document is no log */
export const parseLog = (document: unknown): Log | undefined => {
  const status = textMember(document, "status")
  if (status === undefined) return undefined
  if (status === "error") return { _tag: "Failed", told: toldBy(member(document, "error")) }
  if (status !== "success") return { _tag: "Unfinished", status }
  const results = member(document, "results")
  if (!isObject(results)) return undefined
  const evaluation = member(document, "eval")
  const total = numberMember(results, "total_samples") ?? 0
  const completed = numberMember(results, "completed_samples") ?? 0
  const scores = listMember(results, "scores")
  const unscored = numberMember(scores[0], "unscored_samples") ?? 0
  const version = versionOf(evaluation)
  const dataset = member(evaluation, "dataset")
  const size = numberMember(dataset, "samples")
  return {
    _tag: "Finished",
    metrics: [
      ...(scores.length === 1 ? metricsOf(scores[0], "", completed) : []),
      ...scores.flatMap((score) =>
        metricsOf(score, `${textMember(score, "name") ?? textMember(score, "scorer") ?? "score"}/`, completed)
      )
    ],
    ...{ total, completed, scored: completed - unscored },
    ...defined({ version }),
    task: textMember(evaluation, "task") ?? "task",
    info: {
      dataset: {
        id: textMember(dataset, "name") ?? textMember(evaluation, "task") ?? "",
        ...defined({ size }),
        used: completed
      },
      task_version: member(evaluation, "task_version"),
      ...defined({ task_revision: textMember(member(evaluation, "revision"), "commit") }),
      usage: member(member(document, "stats"), "model_usage")
    }
  }
}

/** the wanted metric under another score's name, when there is only one that it can mean: `accuracy/accuracy` is `choice/accuracy` */
export const resolveWanted = (wanted: string | undefined, metrics: ReadonlyArray<Metric>): Metric | undefined => {
  if (wanted === undefined || metrics.some(({ name }) => name === wanted)) return undefined
  const last = wanted.replace(/^.*\//, "")
  const found = metrics.filter(({ name }) => name.endsWith(`/${last}`))
  return found.length === 1 ? found[0] : undefined
}
